"""Cuts SQL text into statements of tokens, and commands of the client, as the given client would do it.

It knows nothing of what the words mean. Each sign is looked at once, and after so many tokens it stops, so that time
is bounded whatever the text is.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from guardhouse.detect.acts import UNKNOWN
from guardhouse.detect.sql.clients import COMMANDS_OF, SENDING
from guardhouse.detect.sql.lexicons import MYSQL, Lexicon

if TYPE_CHECKING:
    from collections.abc import Callable


class Kind:
    """What a token is. No enum: its members cost ten times a plain attribute, for each word of a hostile text."""

    WORD: Final = "word"
    NAME: Final = "name"
    STRING: Final = "string"
    NUMBER: Final = "number"
    VARIABLE: Final = "variable"
    SIGN: Final = "sign"
    CLIENT: Final = "client"


class Token(msgspec.Struct, frozen=True, gc=False):
    """A piece of the text."""

    kind: str
    key: str
    """What it is compared by: the word in capitals, the sign; for a client's command its name; empty for the rest."""
    text: str
    """The word as it stands, what the quotes hold, or the arguments of a client's command."""
    start: int
    end: int


class Lexed(NamedTuple):
    """A text, cut."""

    text: str
    lexicon: Lexicon
    pieces: list[list[Token]]
    """The statements; a command of the client is a piece of one token."""
    clean: bool
    """Every quote and comment has an end: the sign that the text was written for this lexicon."""
    steps: int
    """What it took."""
    whole: bool
    """The text was read to its end."""


# Each alternative begins with another sign and takes all that it can get, so that nothing is tried twice.
_PIECE: Final = re.compile(
    r"\s*+(?:(?P<word>(?:[^\W\d]|\0)[\w$#\0]*+)|(?P<number>\d[\w.]*+)"
    r"|(?P<sign>[(),+%~^{}\]]|<=>|<[=>]?+|>=?+|=[=>]?+|\|\|?+|&&?+|!=|::|:=)|(?P<other>.)|\Z)",
    re.DOTALL,
)
_QUOTED: Final = {
    (quote, backslash): re.compile(
        rf"(?:[^\{quote}\\]++|\{quote}\{quote}|\\.)*+\{quote}"
        if backslash
        else rf"(?:[^\{quote}]++|\{quote}\{quote})*+\{quote}",
        re.DOTALL,
    )
    for quote in "'\"`]"
    for backslash in (False, True)
}
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_DOLLAR_TAG: Final = re.compile(r"\$(?:[^\W\d]\w*+)?+\$")
_VARIABLE: Final = re.compile(r"[@:?$][\w@\0]*+")
_HASHED: Final = re.compile(r"#[\w#]++")
_COMMENT_MARK: Final = re.compile(r"/\*|\*/")
_EXECUTABLE: Final = re.compile(r"/\*M?+!\d*+")
_BACKSLASH_NAME: Final = re.compile(r"\\(?:[A-Za-z]\w*+|.)?+", re.DOTALL)
_PIPE: Final = re.compile(r"\s*+\|")
_PREFIXES: Final = frozenset("N E X B R U Q NQ _UTF8 _UTF8MB4 _BINARY _LATIN1".split())
_ORACLE_CLOSERS: Final = {"[": "]", "(": ")", "{": "}", "<": ">"}
_LINE_SIGNS: Final = (":!!", "!!", "@@", "!", "@")


def lex(text: str, lexicon: Lexicon, most: int) -> Lexed:
    """The text, cut into no more than so many tokens and comments."""
    lexer = _Lexer(text, lexicon)
    steps = lexer.run(most)
    return Lexed(text, lexicon, lexer.pieces, lexer.clean, steps, lexer.at >= len(text))


class _Lexer:
    def __init__(self, text: str, lexicon: Lexicon) -> None:
        self.text = text
        self.lexicon = lexicon
        self.clients = lexicon.client.split()
        self.rows = COMMANDS_OF[lexicon.client]
        self.pieces: list[list[Token]] = []
        self.clean = True
        self.at = 0
        self._current: list[Token] = []
        self._line_end = -1
        self._rows_known = -1
        self._executing = 0
        self._delimiter = ";"
        self._readers: dict[str, Callable[[int], bool]] = {
            "'": self._quote,
            '"': self._quote,
            "`": self._quote,
            "[": self._quote,
            "$": self._dollar,
            "-": self._dashes,
            "/": self._slash,
            "*": self._star,
            "#": self._hash,
            "\\": self._backslash,
            "@": self._variable,
            ":": self._variable,
            "?": self._variable,
            ";": self._semicolon,
        }

    def run(self, most: int) -> int:
        """Cut until the end, or until the steps are used up; gives how many it took."""
        text, size, steps = self.text, len(self.text), 0
        while self.at < size and steps < most:
            steps += 1
            match = _PIECE.match(text, self.at)
            kind = match.lastgroup if match is not None else None
            if match is None or kind is None:
                self.at = size
                break
            piece, end = match[kind], match.end()
            start = end - len(piece)
            if (start > self.at or not start) and self._begins_line(start) and self._line_command(piece, start):
                continue
            if self._delimiter != ";" and (cut := self._delimiter_at(start, end)) >= 0:
                if cut == start:
                    self._end_statement(start + len(self._delimiter))
                    continue
                end, piece = cut, text[start:cut]
            if kind == Kind.SIGN:
                self._current.append(Token(Kind.SIGN, piece, piece, start, end))
                self.at = end
            elif kind == Kind.WORD:
                self._word(piece, start, end)
            elif kind == Kind.NUMBER:
                self._add(Kind.NUMBER, "", piece, start, end)
            elif piece not in self._readers or not self._readers[piece](start):
                self._add(Kind.SIGN, piece, piece, start, end)
        self._close()
        return steps

    def _begins_line(self, start: int) -> bool:
        return self.at == 0 or "\n" in self.text[self.at : start]

    def _delimiter_at(self, start: int, end: int) -> int:
        """Where a delimiter that mysql was told begins in a piece, or -1."""
        return self.text.find(self._delimiter, start, end + len(self._delimiter) - 1)

    def _add(self, kind: str, key: str, text: str, start: int, end: int) -> bool:
        self._current.append(Token(kind, key, text, start, end))
        self.at = end
        return True

    def _close(self) -> None:
        if self._current:
            self.pieces.append(self._current)
            self._current = []

    def _end_statement(self, end: int) -> None:
        statement = self._current
        self._close()
        self.at = end
        if statement and statement[0].key == "COPY" and "psql" in self.clients and _copies_rows(statement):
            # What follows is rows, up to a line that says `\.`.
            self.at = self._rows_end(end)

    def _rows_end(self, start: int) -> int:
        if self._rows_known < start:
            found = self.text.find("\n\\.", start)
            self._rows_known = found if found >= 0 else len(self.text)
        return self._rows_known + 3 if self._rows_known < len(self.text) else start

    # Words and quotes.

    def _word(self, word: str, start: int, end: int) -> None:
        key = word.upper()
        if key in _PREFIXES:
            quote = end + 1 if key == "U" and self.text.startswith("&", end) else end
            if self.text.startswith("'", quote):
                self._prefixed(key, start, quote)
                return
        self._current.append(Token(Kind.WORD, key, word, start, end))
        self.at = end

    def _prefixed(self, prefix: str, start: int, quote: int) -> None:
        """A prefix that only another database knows must not change where the string ends: what follows is run."""
        text, lexicon = self.text, self.lexicon
        if prefix in ("Q", "NQ") and lexicon.client == "sqlplus" and quote + 1 < len(text):
            closer = _ORACLE_CLOSERS.get(text[quote + 1], text[quote + 1]) + "'"
            end = text.find(closer, quote + 2)
            if end >= 0:
                self._add(Kind.STRING, "", text[quote + 2 : end], start, end + 2)
                return
        raw = prefix == "R" and lexicon.double and lexicon is not MYSQL
        backslash = (prefix == "E" and lexicon.dollar) or (lexicon.backslash and not raw)
        value, end = self._quoted(quote, "'", backslash=backslash)
        self._add(Kind.STRING, "", from_hex(value) if prefix == "X" else value, start, end)

    def _quoted(self, opening: int, quote: str, *, backslash: bool) -> tuple[str, int]:
        """What the quotes hold, and where they end. A doubled quote stands for one."""
        match = _QUOTED[quote, backslash].match(self.text, opening + 1)
        if match is None:
            self.clean = False
        end = len(self.text) if match is None else match.end()
        value = self.text[opening + 1 : end if match is None else end - 1]
        if backslash and "\\" in value:
            value = _ESCAPED.sub(r"\1", value)
        return value.replace(quote + quote, quote), end

    def _quote(self, start: int) -> bool:
        sign, lexicon = self.text[start], self.lexicon
        if sign == "[" and not lexicon.brackets:
            return False
        is_string = sign == "'" or (sign == '"' and lexicon.double)
        value, end = self._quoted(start, "]" if sign == "[" else sign, backslash=is_string and lexicon.backslash)
        return self._add(Kind.STRING if is_string else Kind.NAME, "", value, start, end)

    def _dollar(self, start: int) -> bool:
        tag = _DOLLAR_TAG.match(self.text, start)
        if tag is None:
            return self._variable(start)
        if not self.lexicon.dollar:
            return False
        closing = self.text.find(tag[0], tag.end())
        if closing < 0:
            self.clean = False
            return self._add(Kind.STRING, "", self.text[tag.end() :], start, len(self.text))
        return self._add(Kind.STRING, "", self.text[tag.end() : closing], start, closing + len(tag[0]))

    def _variable(self, start: int) -> bool:
        match = _VARIABLE.match(self.text, start)
        if match is None or (self.text[start] == ":" and match.end() == start + 1):
            return False
        return self._add(Kind.VARIABLE, "", match[0], start, match.end())

    # Comments.

    def _skip_line(self, start: int) -> bool:
        self.at = self._end_of_line(start)
        return True

    def _end_of_line(self, start: int) -> int:
        if self._line_end < start:
            found = self.text.find("\n", start)
            self._line_end = found if found >= 0 else len(self.text)
        return self._line_end

    def _dashes(self, start: int) -> bool:
        after = self.text[start + 2 : start + 3]
        needs_blank = self.lexicon.blank_after_dashes and after and not after.isspace()
        return self.text.startswith("--", start) and not needs_blank and self._skip_line(start)

    def _hash(self, start: int) -> bool:
        if self.lexicon.hashes:
            return self._skip_line(start)
        match = _HASHED.match(self.text, start)
        return match is not None and self._add(Kind.NAME, "", match[0], start, match.end())

    def _slash(self, start: int) -> bool:
        text = self.text
        if self.lexicon.slashes and text.startswith("//", start):
            return self._skip_line(start)
        if not text.startswith("/*", start):
            return False
        if self.lexicon.executable and (run := _EXECUTABLE.match(text, start)):
            self._executing += 1
            self.at = run.end()
        else:
            self.at = self._comment_end(start)
        return True

    def _comment_end(self, start: int) -> int:
        depth = 0
        for mark in _COMMENT_MARK.finditer(self.text, start):
            if mark[0] == "*/":
                depth -= 1
            elif self.lexicon.nested or not depth:
                depth += 1
            if not depth:
                return mark.end()
        self.clean = False
        return len(self.text)

    def _star(self, start: int) -> bool:
        if not self._executing or not self.text.startswith("*/", start):
            return False
        self._executing -= 1
        self.at = start + 2
        return True

    # Ends of statements, and commands of the client.

    def _semicolon(self, start: int) -> bool:
        if self._delimiter != ";":
            return False
        self._end_statement(start + 1)
        return True

    def _line_command(self, first: str, start: int) -> bool:
        """A command of the client at the beginning of a line, where no statement is open."""
        if first.upper() == "GO" and "sqlcmd" in self.clients:
            self._end_statement(start + 2)
            return True
        if self._current:
            return False
        if first not in (".", "!", ":", "@") and first.lower() not in self.rows:
            return False
        line = self.text[start : self._end_of_line(start)]
        name = first_word(line).lower()
        if name not in self.rows:
            name = next((sign for sign in _LINE_SIGNS if line.startswith(sign) and sign in self.rows), name)
        row = self.rows.get(name)
        if row is None and not (first == "." and "sqlite" in self.clients and line[1:2].isalpha()):
            return False
        rest = line[len(name) :].strip()
        if row is not None and row.client == "mysql":
            if not rest or rest.startswith(("=", "(", ",", ".")):
                return False
            rest = rest if row.does == "delimiter" else rest.rstrip(";")
        return self._client(name, rest, start, start + len(line))

    def _backslash(self, start: int) -> bool:
        """A command of psql or mysql, anywhere outside of quotes."""
        text = self.text
        match = _BACKSLASH_NAME.match(text, start)
        if match is None or ("psql" not in self.clients and "mysql" not in self.clients):
            return False
        # mysql's names have one letter; what follows is SQL again, unless the command takes arguments.
        end = match.end() if "psql" in self.clients else min(start + 2, len(text))
        name = text[start:end]
        if name == "\\;":
            self._end_statement(end)
            return True
        stop = max(self._end_of_line(start), end)
        if "psql" not in self.clients:
            stop = stop if name in self.rows else end
        elif name == "\\\\":
            stop = end
        elif name not in ("\\!", "\\copy") and not _PIPE.match(text, end, stop):
            following = text.find("\\", end, stop)
            stop = following if following >= 0 else stop
        return self._client(name, text[end:stop].strip(), start, stop)

    def _client(self, name: str, rest: str, start: int, end: int) -> bool:
        row = self.rows.get(name)
        if row is not None and row.does == "delimiter" and not (name == "\\d" and "psql" in self.clients):
            self._delimiter = first_word(rest).strip("'\"") or ";"
        if name in SENDING:
            self._close()
        self.pieces.append([Token(Kind.CLIENT, name, rest, start, end)])
        self.at = end
        return True


def _copies_rows(statement: list[Token]) -> bool:
    """Whether it is `COPY table … FROM STDIN`; a query in brackets copies nothing in."""
    keys = [token.key for token in statement[:100]]
    return keys[1:2] != ["("] and ("FROM", "STDIN") in pairwise(keys)


def first_word(line: str) -> str:
    """The first word, without a semicolon after it."""
    words = line.split(None, 1)
    return words[0].rstrip(";") if words else ""


def from_hex(digits: str) -> str:
    """The text that hex digits stand for."""
    try:
        return bytes.fromhex(digits).decode("utf-8", "replace")
    except ValueError:
        return UNKNOWN
