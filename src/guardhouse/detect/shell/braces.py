"""Brace expansion: the words that `{a,b}c` and `{1..3}` make of one. What is in the words is not looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.shell.syntax import Text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from guardhouse.detect.shell.syntax import Part

_MOST_BRACES: Final = 256
_LONGEST_SEQUENCE: Final = 256


def braced(parts: Sequence[Part], spend: Callable[[int], None]) -> list[Sequence[Part]]:
    """The words that brace expansion makes of one: `{a,b}c`, `{1..3}`."""
    if not any(type(part) is Text and not part.quoted and "{" in part.text for part in parts):
        return [parts]
    tokens: list[Part | str] = []
    for part in parts:
        if type(part) is Text and not part.quoted:
            tokens += _brace_tokens(part.text)
        else:
            tokens.append(part)
    spend(len(tokens))
    expanded, end = _alternatives(tokens, 0, 0, spend)
    if end < len(tokens):
        return [parts]
    return [_merged(one) for one in expanded[:_MOST_BRACES]]


def _brace_tokens(text: str) -> list[Part | str]:
    """Text cut at braces and commas, which stand as strings."""
    tokens: list[Part | str] = []
    start = 0
    for index, char in enumerate(text):
        if char in "{},":
            if start < index:
                tokens.append(Text(text[start:index]))
            tokens.append(char)
            start = index + 1
    if start < len(text):
        tokens.append(Text(text[start:]))
    return tokens


def _alternatives(
    tokens: list[Part | str], at: int, depth: int, spend: Callable[[int], None]
) -> tuple[list[list[Part]], int]:
    """What the tokens come to from one place up to the end of the brace it is in."""
    words: list[list[Part]] = [[]]
    while at < len(tokens):
        token = tokens[at]
        if isinstance(token, str):
            if token in (",", "}") and depth:
                return words, at
            if token == "{":
                if depth > 20:
                    spend(1 << 30)
                choices, after = _choices(tokens, at + 1, depth + 1, spend)
                if choices is not None:
                    spend(len(words) * len(choices) * (1 + len(words[0]) // 8))
                    words = [[*word, *choice] for word in words for choice in choices][:_MOST_BRACES]
                    at = after
                    continue
            token = Text(token)
        spend(len(words))
        for word in words:
            word.append(token)
        at += 1
    return words, at


def _choices(
    tokens: list[Part | str], at: int, depth: int, spend: Callable[[int], None]
) -> tuple[list[list[Part]] | None, int]:
    """The choices of a brace that opens before `at`; None if it is no choice but a brace."""
    choices: list[list[Part]] = []
    while True:
        words, end = _alternatives(tokens, at, depth, spend)
        choices += words
        if end >= len(tokens):
            return None, at
        if tokens[end] == "}":
            break
        at = end + 1
    if len(choices) > 1:
        return choices[:_MOST_BRACES], end + 1
    return _sequence(choices[0]) if choices else None, end + 1


def _sequence(parts: list[Part]) -> list[list[Part]] | None:
    """`{1..5}`, `{a..e}`."""
    if len(parts) != 1 or type(parts[0]) is not Text or parts[0].quoted:
        return None
    ends = parts[0].text.split("..")
    if len(ends) not in (2, 3):
        return None
    first, last = ends[0], ends[1]
    if len(first) == 1 and len(last) == 1 and first.isalpha() and last.isalpha():
        low, high = sorted((ord(first), ord(last)))
        return [[Text(chr(code))] for code in range(low, high + 1)]
    if _is_number(first) and _is_number(last):
        low, high = sorted((int(first), int(last)))
        return [[Text(str(number))] for number in range(low, min(high, low + _LONGEST_SEQUENCE) + 1)]
    return None


def _is_number(text: str) -> bool:
    return text.isascii() and text.removeprefix("-").isdecimal() and len(text) < 8


def _merged(parts: list[Part]) -> list[Part]:
    """The same parts with neighbouring plain text in one piece."""
    merged: list[Part] = []
    for part in parts:
        last = merged[-1] if merged else None
        if type(part) is Text and type(last) is Text and not part.quoted and not last.quoted:
            merged[-1] = Text(last.text + part.text)
        else:
            merged.append(part)
    return merged
