"""Reads PowerShell and lines for cmd.exe, as far as finding the commands that delete, fetch or run something.

A command whose name is not written out can't be analysed.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from guardhouse.detect.acts import UNKNOWN, Source
from guardhouse.detect.inline.home import HOME
from guardhouse.detect.inline.hosts import is_remote
from guardhouse.detect.inline.noting import Notes
from guardhouse.model import Confidence, Effect

_REMOVALS: Final = frozenset("remove-item ri rm rmdir rd del erase clear-content clc remove-itemproperty".split())
_WRITES: Final = frozenset("set-content sc out-file new-item ni tee-object add-content ac".split())
_READS: Final = frozenset("get-content gc cat type".split())
_LISTS: Final = frozenset("get-childitem gci ls dir".split())
_FETCHES: Final = frozenset("invoke-webrequest iwr wget curl invoke-restmethod irm start-bitstransfer".split())
_EVALUATIONS: Final = frozenset("invoke-expression iex invoke-command icm".split())
_DISKS: Final = frozenset("format-volume clear-disk initialize-disk remove-partition clear-recyclebin".split())
_SETTINGS: Final = frozenset(
    "set-executionpolicy set-mppreference add-mppreference stop-computer restart-computer set-service stop-service "
    "remove-service disable-netfirewallrule set-netfirewallprofile new-localuser add-localgroupmember "
    "register-scheduledtask vssadmin bcdedit remove-localuser".split()
)
_STARTS: Final = frozenset("start-process saps start cmd cmd.exe powershell powershell.exe pwsh bash wsl".split())
_VALUED: Final = frozenset("-value -encoding -itemtype -method -headers -erroraction -filter".split())
"""Options that take a word which is no path."""
_HOMES: Final = ("${env:userprofile}", "$env:userprofile", "${env:home}", "$env:home", "$home", "~")
_MOST_DEPTH: Final = 3
_COMMAND: Final = 2
"""What a command costs, in tokens."""


def read_powershell(code: str, notes: Notes, *, depth: int = 0) -> None:
    """Note the commands that delete, fetch or run something."""
    lowered = code.lower()
    fetching = "downloadstring" in lowered or "downloadfile" in lowered or "downloaddata" in lowered
    if fetching or "net.sockets" in lowered:
        notes.fetches |= fetching
        notes.sockets |= "net.sockets" in lowered
    if "frombase64string" in lowered:
        notes.decodes = True
    if any(
        mark in lowered
        for mark in ("[scriptblock]::create", ".invokescript(", "reflection.assembly]::load", "add-type")
    ):
        notes.evaluate()
    for url in _quoted_urls(code):
        if fetching:
            notes.connect(url, "url")
    for start, end, words in _commands_of(code, ";|\n&{}()", "`", notes):
        notes.place = (start, end)
        _powershell_command(words, notes, depth)


def _quoted_urls(code: str) -> list[str]:
    return [piece for quote in "'\"" for piece in code.split(quote)[1::2] if is_remote(piece)][:20]


class _Command(NamedTuple):
    start: int
    end: int
    words: list[str]


def _commands_of(code: str, separators: str, escape: str, notes: Notes) -> Iterator[_Command]:
    """Commands cut into words. `&` before a word stays with it, as it calls what the word names."""
    words: list[str] = []
    piece: list[str] = []
    begun, start, i = False, 0, 0
    quotes = '"' if escape == "^" else "'\""
    while i <= len(code):
        c = code[i] if i < len(code) else "\n"
        if c in quotes and (end := code.find(c, i + 1)) >= 0:
            piece.append(_powershell_text(code[i + 1 : end], c) if escape == "`" else code[i + 1 : end])
            begun, i = True, end
        elif c in separators or c in " \t\r":
            if begun:
                words.append("".join(piece))
                piece.clear()
                begun = False
            if c in separators:
                if words:
                    if not notes.spend(_COMMAND + len(words)):
                        return
                    yield _Command(start, i, words)
                words, start = ([c] if c == "&" and escape == "`" else []), i + 1
        else:
            if c != escape:
                piece.append(c)
            begun = True
        i += 1


def _powershell_text(text: str, quote: str) -> str:
    """What a string is worth: in double quotes, variables are put in."""
    if quote == "'" or "$" not in text:
        return text
    text = _with_home(text)
    return UNKNOWN if "$" in text else text


def _with_home(text: str) -> str:
    lowered = text.lower()
    for name in _HOMES:
        if lowered.startswith(name) and not text[len(name) : len(name) + 1].isalnum():
            return HOME + text[len(name) :].replace("\\", "/")
    return text


def _powershell_command(words: list[str], notes: Notes, depth: int) -> None:
    called = words[0] == "&"
    words = words[called:]
    if not words:
        return
    name, rest = words[0].lower(), words[1:]
    flags = [word.lower() for word in rest if word.startswith("-")]
    values = _powershell_values(rest)
    recursive = any(len(flag) > 1 and "-recurse".startswith(flag) for flag in flags)
    if (called or name == ".") and (
        UNKNOWN in name or "$" in name or (name == "." and rest and rest[0].startswith("$"))
    ):
        notes.give_up("which command is called is not written out")
    elif name in _REMOVALS:
        for value in values or [UNKNOWN]:
            notes.path(Effect.DELETES, value, recursive=recursive or "/s" in rest)
    elif name in _WRITES and values:
        notes.path(Effect.OVERWRITES, values[0])
    elif name in _READS and values:
        notes.path(Effect.READS, values[0])
    elif name in _LISTS and values:
        notes.glob(values[0].rstrip("/") + "/*")
    elif name in _FETCHES:
        notes.fetches = True
        notes.sends |= any(flag in ("-infile", "-body") for flag in flags) and notes.reads
        url = next((value for value in values if is_remote(value)), UNKNOWN)
        notes.connect(url, "url")
    elif name in _EVALUATIONS:
        notes.evaluate()
    elif name in _DISKS:
        notes.act(Effect.DELETES, UNKNOWN, "path", recursive=True, what="everything on a disk would be lost")
    elif name in _SETTINGS:
        notes.act(Effect.MUTATES, "", "thing", what="how the system is protected or runs would change")
    elif name in _STARTS:
        _powershell_start(name, rest, values, notes, depth)


def _powershell_values(rest: list[str]) -> list[str]:
    """The words that are no options, with what only the run would show left unknown."""
    found: list[str] = []
    skip = False
    for word in rest:
        if word.startswith("-") and not skip:
            skip = word.lower() in _VALUED
            continue
        if not skip:
            filled = [_with_home(each) for each in word.split(",") if each]
            found.extend(UNKNOWN if "$" in each else each for each in filled)
        skip = False
    return found


def _powershell_start(name: str, rest: list[str], values: list[str], notes: Notes, depth: int) -> None:
    for option, code in pairwise(rest):
        lowered = option.lower()
        if len(lowered) > 1 and lowered[0] == "-" and "-encodedcommand".startswith(lowered) and lowered != "-":
            _read_encoded(code, notes, depth)
            return
        if lowered in ("-c", "-command") and depth < _MOST_DEPTH:
            read_powershell(code, notes, depth=depth + 1)
            return
        if lowered == "/c" and name.startswith("cmd"):
            read_cmd(" ".join(rest[rest.index(option) + 1 :]), notes)
            return
    if "runas" in (word.lower() for word in rest):
        notes.act(Effect.ESCALATES, what="it would ask for an administrator's rights")
    notes.run(" ".join(values) or UNKNOWN)


def _read_encoded(text: str, notes: Notes, depth: int) -> None:
    """Code in base64, of letters of two bytes."""
    notes.decodes = True
    notes.evaluate_decoded()
    try:
        code = base64.b64decode(text).decode("utf-16-le")
    except ValueError:
        notes.evaluate()
        return
    if depth < _MOST_DEPTH and len(code) <= len(text):
        read_powershell(code, notes, depth=depth + 1)


# cmd


def read_cmd(code: str, notes: Notes) -> None:
    """Note the commands of a line for cmd.exe that delete, fetch or run something."""
    for start, end, words in _commands_of(code, "&|\n()", "^", notes):
        notes.place = (start, end)
        name, rest = words[0].lower().removeprefix("@"), [_cmd_filled(word) for word in words[1:]]
        options = {word.lower() for word in rest if word.startswith("/")}
        values = [word for word in rest if not word.startswith("/")]
        if name in ("del", "erase", "rd", "rmdir"):
            for value in values:
                notes.path(Effect.DELETES, value, recursive="/s" in options)
        elif name in ("format", "diskpart", "cipher"):
            notes.act(Effect.DELETES, UNKNOWN, "path", recursive=True, what="everything on a disk would be lost")
        elif name.startswith(("powershell", "pwsh")):
            _powershell_start("powershell", rest, values, notes, 0)
        elif name in ("certutil", "bitsadmin", "curl", "mshta", "regsvr32", "rundll32"):
            for value in values:
                if is_remote(value):
                    notes.fetches = True
                    notes.connect(value, "url")
                    if name in ("mshta", "regsvr32", "rundll32"):
                        sources = frozenset({Source.NETWORK})
                        notes.act(Effect.EXECUTES, value, "url", sources=sources)
        elif name in ("vssadmin", "bcdedit", "wbadmin", "schtasks") or (
            name == "reg" and values[:1] in (["delete"], ["add"])
        ):
            notes.act(
                Effect.MUTATES, "", "thing", certainty=Confidence.MEDIUM, what="settings of the system would change"
            )
        elif "%" in name or "!" in name:
            notes.give_up("which command is called is not written out")


def _cmd_filled(word: str) -> str:
    if word.upper().startswith("%USERPROFILE%"):
        return HOME + word[13:].replace("\\", "/")
    pieces = word.split("%")
    return (
        "".join(piece if number % 2 == 0 else UNKNOWN for number, piece in enumerate(pieces))
        if len(pieces) > 2
        else word
    )
