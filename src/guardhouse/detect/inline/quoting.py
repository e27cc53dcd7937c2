"""The ways to quote that only some languages have: patterns, `q()`, `%x()`, `~s()`, `[[ ]]`, `<<WORD`, `'x'`.

Each function gets the cutter and the place where such a quote may start; it adds the token and gives its end, or gives
the place back if nothing starts there.
"""

from __future__ import annotations

from typing import Final

from guardhouse.detect.inline.cutting import Cutter
from guardhouse.detect.inline.strings import CLOSERS
from guardhouse.detect.inline.tokens import COMMAND, DIGITS, MARK, MIXED, NAME, PATTERN, PLAIN, TEXT

PERL_QUOTES: Final = {
    "q": TEXT,
    "qq": MIXED,
    "qw": TEXT,
    "qx": COMMAND,
    "m": PATTERN,
    "qr": PATTERN,
    "s": PATTERN,
    "tr": PATTERN,
    "y": PATTERN,
}
_RUBY_QUOTES: Final = {
    "q": TEXT,
    "Q": MIXED,
    "w": TEXT,
    "W": MIXED,
    "i": TEXT,
    "I": TEXT,
    "x": COMMAND,
    "r": PATTERN,
    "s": TEXT,
}
_SIGILS: Final = {"s": MIXED, "c": MIXED, "S": TEXT, "C": TEXT}
_MOST_HEREDOCS: Final = 64
_MOST_LINES_TRIED: Final = 2000
_LONGEST_GLOB: Final = 200
_NEVER_IN_GLOBS: Final = frozenset(" <=\n()`;'\"")


def pattern(cutter: Cutter, i: int) -> int:
    """`/…/`, where no value ends before it."""
    code, tokens = cutter.code, cutter.tokens
    if i < cutter.no_pattern_before:
        return i
    if cutter.after_value():
        by_word = tokens.kinds[-1] == NAME and _before_pattern(cutter, tokens.texts[-1])
        if not by_word or code[i + 1 : i + 2] in (" ", "="):
            return i
    end, in_class = i + 1, False
    while end < len(code) and (c := code[end]) != "\n":
        if c == "\\":
            end += 1
        elif c == "[":
            in_class = True
        elif c == "]":
            in_class = False
        elif c == "/" and not in_class:
            _hidden_code(cutter, code[i + 1 : end], i, end)
            end += 1
            while end < len(code) and code[end].isalpha() and not cutter.language.names.startswith("awk"):
                end += 1
            return cutter.add(PATTERN, "", i, end)
        end += 1
    cutter.no_pattern_before = end
    return i


def _before_pattern(cutter: Cutter, name: str) -> bool:
    words = cutter.shape.pattern_words
    return name in words or (name.rpartition(".")[1] != "" and "." + name.rpartition(".")[2] in words)


def _hidden_code(cutter: Cutter, text: str, start: int, end: int) -> None:
    """`(?{ code })` runs in the middle of a Perl pattern, and `#{code}` in one of Ruby."""
    opening = {"p": "(?{", "r": "#{"}.get(cutter.language.names[0], "")
    if opening == "(?{":
        text = text.replace("(??{", opening)
    if opening and opening in text:
        cutter.tokens.codes.append((text.partition(opening)[2], start, end))


def perl_quote(cutter: Cutter, word: str, start: int, i: int) -> int:
    """Where `q(…)`, `s/…/…/` and their like end; 0 if the word is only a name here."""
    code, tokens = cutter.code, cutter.tokens
    before = code[start - 1 : start]
    if (before and before in "-$@%&{>") and not (before == "{" and code[i : i + 1] != "}"):
        return 0
    if tokens.kinds and tokens.kinds[-1] == NAME and tokens.texts[-1] == "sub":
        return 0
    at = cutter.after_spaces(i)
    mark = code[at : at + 1]
    if not mark or mark in ",;)" or mark in PLAIN or code.startswith("=>", at) or (mark in "#=" and at > i):
        return 0
    end = cutter.balanced(at + 1, mark)
    if end < 0:
        return 0
    raw, kind = code[at + 1 : end], PERL_QUOTES[word]
    end += 1
    if word in ("s", "tr", "y"):
        return _replacement(cutter, word, mark, start, end)
    if kind == PATTERN:
        _hidden_code(cutter, raw, start, end)
    return cutter.add_words(kind, raw, start, end) if word == "qw" else cutter.add_raw(kind, raw, start, end)


def _replacement(cutter: Cutter, word: str, mark: str, start: int, i: int) -> int:
    """The second part of `s///`; with the flag `e` it is code."""
    code, codes = cutter.code, cutter.tokens.codes
    opening = mark
    if mark in CLOSERS:
        i = cutter.after_spaces(i)
        opening = code[i : i + 1] or mark
        i += 1
    end = cutter.balanced(i, opening)
    if end < 0:
        return cutter.add(PATTERN, "", start, min(i, len(code)))
    raw, flags = code[i:end], end + 1
    end += 1
    while end < len(code) and code[end].isalpha():
        end += 1
    if word == "s" and "e" in code[flags:end]:
        codes.append((raw, start, end))
    elif word == "s" and "@{" in raw:
        codes.append((raw.partition("@{")[2], start, end))
    # What a replacement changes is not what it was.
    return cutter.add(PATTERN, word, start, end)


def perl_glob(cutter: Cutter, i: int) -> int:
    """`<$dir/*>`: the files that match."""
    code, kinds, texts = cutter.code, cutter.tokens.kinds, cutter.tokens.texts
    compares = cutter.after_value() and (kinds[-1] != NAME or texts[-1][0] in "$@")
    end = code.find(">", i, i + _LONGEST_GLOB)
    raw = code[i + 1 : end] if end > 0 else ""
    if compares or not raw or not _NEVER_IN_GLOBS.isdisjoint(raw) or not ("*" in raw or raw[0] in "~/"):
        return i
    cutter.add(NAME, "glob", i, i + 1)
    return cutter.add_raw(MIXED, raw, i, end + 1)


def ruby_quote(cutter: Cutter, i: int) -> int:
    """`%q(…)` and its like."""
    code = cutter.code
    letter = code[i + 1 : i + 2]
    kind, at = (_RUBY_QUOTES[letter], i + 2) if letter in _RUBY_QUOTES else (MIXED, i + 1)
    mark = code[at : at + 1]
    spaced = i and code[i - 1] in " \t" and cutter.tokens.kinds[-1:] == [NAME]
    if not mark or mark in PLAIN or mark in " \t\n=" or (cutter.after_value() and not spaced):
        return i
    end = cutter.balanced(at + 1, mark)
    if end < 0:
        return i
    if letter in ("w", "W", "i", "I"):
        return cutter.add_words(TEXT, code[at + 1 : end], i, end + 1)
    return cutter.add_raw(kind, code[at + 1 : end], i, end + 1)


def sigil_quote(cutter: Cutter, i: int) -> int:
    """`~s(…)` of Elixir."""
    code = cutter.code
    letter, mark = code[i + 1 : i + 2], code[i + 2 : i + 3]
    if not letter.isalpha() or not mark or mark not in "([{<|/\"'":
        return i
    end = cutter.balanced(i + 3, mark)
    if end < 0:
        return i
    if letter in "wW":
        return cutter.add_words(TEXT, code[i + 3 : end], i, end + 1)
    return cutter.add_raw(_SIGILS.get(letter, PATTERN), code[i + 3 : end], i, end + 1)


def long_bracket(cutter: Cutter, i: int) -> int:
    """`[[ … ]]` and `[==[ … ]==]` of Lua."""
    code, level = cutter.code, i + 1
    while level < len(code) and level - i < 8 and code[level] == "=":
        level += 1
    closing = "]" + code[i + 1 : level] + "]"
    if not code.startswith("[", level) or closing in cutter.unclosed:
        return i
    end = code.find(closing, level + 1)
    if end < 0:
        cutter.unclosed.add(closing)
        return i
    return cutter.add(TEXT, code[level + 1 : end], i, end + len(closing))


def m4_quote(cutter: Cutter, i: int) -> int:
    """`` `…' `` of m4, which may stand in one another."""
    code = cutter.code
    end, depth = i + 1, 1
    while end < len(code) and depth and "'" not in cutter.unclosed:
        depth += (code[end] == "`") - (code[end] == "'")
        end += 1
    if depth:
        cutter.unclosed.add("'")
        return i
    return cutter.add(TEXT, code[i + 1 : end - 1], i, end)


def single_letter(cutter: Cutter, i: int) -> int:
    """`'x'`, a letter where `'` quotes nothing longer; so that `'"'` opens no string."""
    code = cutter.code
    end = i + 2 + (code[i + 1 : i + 2] == "\\")
    return cutter.add(TEXT, code[i + 1 : end], i, end + 1) if code.startswith("'", end) else i


def lisp_letter(cutter: Cutter, i: int) -> int:
    """`?"`, `?\\"` and `#\\"`: a letter, which opens no string."""
    code = cutter.code
    escaped = code.startswith("\\", i + 1)
    if (code[i] == "#" and not escaped) or code[i + 1 + escaped : i + 2 + escaped] not in ('"', ";", "(", ")"):
        return i
    return cutter.add(MARK, code[i], i, i + 2 + escaped)


def heredoc(cutter: Cutter, i: int) -> int:
    """`<<WORD`: the lines up to WORD are a string."""
    code = cutter.code
    at = i + 2
    if not code.startswith("<<", i) or len(cutter.heredocs) >= _MOST_HEREDOCS:
        return perl_glob(cutter, i) if "perl" in cutter.language.specials else i
    while at < len(code) and code[at] in "<~-" and at < i + 4:
        at += 1
    quote = code[at] if code[at : at + 1] in ("'", '"') else ""
    at += len(quote)
    end = at
    while end < len(code) and code[end] in PLAIN:
        end += 1
    line = code.find("\n", end)
    if end == at or code[at] in DIGITS or line < 0 or line in cutter.heredocs:
        return i
    word = code[at:end]
    close = _heredoc_end(cutter, word, line)
    if close < 0:
        return i
    cutter.heredocs[line] = close + len(word)
    raw = code[line + 1 : close].rpartition("\n")[0]
    kind = TEXT if quote == "'" else cutter.kind("i", raw)
    return cutter.add(kind, raw, i, end + len(quote))


def _heredoc_end(cutter: Cutter, word: str, line: int) -> int:
    """Where the word stands first on a line; -1 if nowhere, or if too many places had to be looked at."""
    code, close = cutter.code, line
    while cutter.lines_tried < _MOST_LINES_TRIED and (close := code.find(word, close + 1)) >= 0:
        cutter.lines_tried += 1
        start = close - 1
        while close - start < 40 and code[start] in " \t":
            start -= 1
        if code[start] == "\n":
            return close
    return -1
