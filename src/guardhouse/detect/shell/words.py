"""Words: plain text, quotes and expansions run together, and `${…}`, whose operators are given words.

Every character that quoting could hide is kept with how it was quoted. What a word becomes is not worked out here.
"""

from __future__ import annotations

from typing import Literal

from guardhouse.detect.shell.escapes import decoded
from guardhouse.detect.shell.expansions import SPECIAL_PARAMETERS, ExpansionReader
from guardhouse.detect.shell.reading import DIGITS, NAME, NAME_START, WORD_END
from guardhouse.detect.shell.syntax import Parameter, Part, Substitution, Text, Word

QUOTING = frozenset("'\"$`\\")
WORD_SPECIAL = WORD_END | QUOTING | frozenset("<>")
INNER_SPECIAL = QUOTING | frozenset("<>{}[]()/:\0")
PATTERN_LETTERS = frozenset("?*+@!")
"""Before a parenthesis they begin an extended pattern."""

Quotes = Literal["kept", "live"]
"""What single quotes do inside a construct: `kept` as everywhere; `live` where bash pairs them but still expands what
is between them (between double quotes, in arithmetic)."""


class WordReader(ExpansionReader):
    """Reads words."""

    __slots__ = ()

    def word(self, parts: list[Part] | None = None) -> Word:
        """Reads the word at the position, after parts of it that were read already. It may be empty."""
        s = self.text
        start = i = self.i
        while s[i] not in WORD_SPECIAL:
            i += 1
        c = s[i]
        if parts is None and c in WORD_END and i > start and (c != "(" or s[i - 1] not in PATTERN_LETTERS):
            self.i = i
            self.spend(2)
            place = self.place
            if place is None:
                return Word((Text(s[start:i]),), start, i)
            return Word((Text(s[start:i]),), *place)
        parts = parts or []
        plain: list[str] = []
        i = start
        while True:
            j = i
            while s[j] not in WORD_SPECIAL:
                j += 1
            if j > i:
                plain.append(s[i:j])
            c = s[j]
            self.i = j
            if c in QUOTING:
                self.quoting(parts, plain, c)
            elif c == "(" and j > i and s[j - 1] in PATTERN_LETTERS and not self.hollow(j + 1):
                self.pattern_group(parts, plain)
            elif (c == "<" or c == ">") and s[self.joined(j + 1)] == "(":  # noqa: PLR1714
                self.flush(parts, plain)
                parts.append(self.process())
            else:
                break
            i = self.i
        self.flush(parts, plain)
        self.spend(len(parts) + 1)
        return Word(tuple(parts), *self.span(start, self.i))

    def flush(self, parts: list[Part], plain: list[str], *, quoted: bool = False) -> None:
        """Makes the plain text so far a part of its own."""
        if plain:
            parts.append(Text("".join(plain), quoted))
            plain.clear()

    def quoting(self, parts: list[Part], plain: list[str], c: str) -> None:
        """Reads what `c`, at the position, quotes or expands, outside of double quotes."""
        s = self.text
        i = self.i
        if c == "\\" and s[i + 1] == "\n":
            self.i = i + 2
            return
        if c == "$":
            following = s[self.joined(i + 1)]
            if following == "'":
                self.flush(parts, plain)
                self.ansi(parts)
                return
            if following == '"':
                self.i = self.joined(i + 1)
                c = '"'
        part: Part | None = None
        if c == "$":
            part = self.dollar(quoted=False)
            if part is None:
                plain.append("$")
                self.i = i + 1
                return
        elif c == "`":
            part = self.backticks(quoted=False)
        self.flush(parts, plain)
        if part is not None:
            parts.append(part)
        elif c == '"':
            self.double(parts)
        elif c == "'":
            self.single(parts)
        else:
            escaped = s[i + 1] if i + 1 < self.last else "\\"
            parts.append(Text(escaped, quoted=True))
            self.i = min(i + 2, self.last)

    def single(self, parts: list[Part]) -> None:
        """Reads single quotes."""
        start = self.i + 1
        end = self.text.find("'", start)
        if end < 0:
            parts.append(Text(self.text[start : self.last], quoted=True))
            self.fail("a single quote is not closed")
        else:
            parts.append(Text(self.text[start:end], quoted=True))
            self.i = end + 1

    def ansi(self, parts: list[Part]) -> None:
        """Reads `$'…'`."""
        start = self.joined(self.i + 1) + 1
        end = self.ansi_end(start)
        parts.append(Text(decoded(self.text[start : end if end >= 0 else self.last]), quoted=True))
        if end < 0:
            self.fail("a single quote is not closed")
        else:
            self.i = end + 1

    def hollow(self, i: int) -> bool:
        """Whether a parenthesis is closed at once: then a function is defined, whatever its name ends in."""
        s = self.text
        while s[i] == " " or s[i] == "\t":
            i += 1
        return s[i] == ")"

    def pattern_group(self, parts: list[Part], plain: list[str]) -> None:
        """Reads the parenthesis of an extended pattern, as text with parentheses."""
        start = self.i
        self.closing(start)
        plain.append("(")
        self.i += 1
        self.gather(parts, plain, ")", opener="(")
        if self.text[self.i] == ")":
            plain.append(")")
            self.i += 1
        self.agree(start)

    def gather(
        self,
        parts: list[Part],
        plain: list[str],
        stops: str,
        *,
        opener: str = "",
        always: str = "",
        quoted: bool = False,
        quotes: Quotes = "kept",
    ) -> None:
        """Reads up to one of `stops`, where blanks and operators are mere text; fails at the end of the text.

        If there is an `opener`, each one found needs a stop of its own; `always` stops without that.
        """
        s = self.text
        opened = 0
        self.enter()
        i = self.i
        while True:
            j = i
            while s[j] not in INNER_SPECIAL:
                j += 1
            if j > i:
                plain.append(s[i:j])
            c = s[j]
            self.i = j
            if c == "\0":
                self.fail(f"`{stops[-1]}` is missing")
                break
            if c in stops or c == always:
                if not opened or c == always:
                    break
                opened -= 1
            if c in QUOTING:
                self.inner_quoting(parts, plain, c, quoted=quoted, quotes=quotes)
                i = self.i
            elif (c == "<" or c == ">") and s[self.joined(j + 1)] == "(":  # noqa: PLR1714
                self.flush(parts, plain)
                parts.append(self.process())
                i = self.i
            else:
                opened += c == opener
                plain.append(c)
                i = j + 1
        self.depth -= 1

    def inner_quoting(self, parts: list[Part], plain: list[str], c: str, *, quoted: bool, quotes: Quotes) -> None:
        """Reads what `c`, at the position inside a construct, quotes or expands."""
        s = self.text
        i = self.i
        if c == "'" and quotes == "live":
            self.paired(parts, plain, quoted=quoted)
        elif not quoted or c == "'" or (c == "$" and quotes == "kept"):
            self.quoting(parts, plain, c)
        elif c == "\\":
            if s[i + 1] == "}" or (s[i + 1] == "'" and quotes == "kept"):
                plain.append(s[i + 1])
                self.i = i + 2
            else:
                self.i = self.escape(plain, i, '"')
        elif c == "$" and (part := self.dollar(quoted=quoted)) is None:
            plain.append("$")
            self.i = i + 1
        else:
            self.flush(parts, plain, quoted=True)
            if c == '"':
                self.double(parts)
            else:
                parts.append(part if c == "$" and part is not None else self.backticks(quoted=quoted))

    def paired(self, parts: list[Part], plain: list[str], *, quoted: bool) -> None:
        """Reads single quotes that are mere text, but pair: nothing between them ends the construct around."""
        s = self.text
        end = s.find("'", self.i + 1)
        if end < 0:
            self.fail("a single quote is not closed")
            return
        if s[self.i - 1] == "$" and self.ansi_end(self.i + 1) != end:
            self.fail("a quote that ends in two ways")
            return
        plain.append("'")
        self.flush(parts, plain, quoted=quoted)
        self.i += 1
        self.live(parts, "", end)
        if self.i != end:
            self.fail("a substitution that ends outside of the quotes it began in")
            return
        plain.append("'")
        self.i += 1

    def inner(self, closer: str, opener: str, always: str = "") -> Word:
        """Reads arithmetic up to its `closer` and past it."""
        start = self.i
        parts: list[Part] = []
        plain: list[str] = []
        self.gather(parts, plain, closer, opener=opener, always=always, quotes="live")
        self.flush(parts, plain)
        end = self.i
        if self.text[end] == closer:
            self.i += 1
        self.spend(len(parts) + 1)
        return Word(tuple(parts), *self.span(start, end))

    def argument(self, stops: str, *, quoted: bool, quotes: Quotes = "kept") -> Word:
        """Reads what the operator of a parameter is given, up to one of `stops`."""
        start = self.i
        parts: list[Part] = []
        plain: list[str] = []
        self.gather(parts, plain, stops, quoted=quoted, quotes=quotes)
        self.flush(parts, plain, quoted=quoted)
        self.spend(len(parts) + 1)
        return Word(tuple(parts), *self.span(start, self.i))

    def brace(self, i: int, *, quoted: bool) -> Part:
        """Reads `${…}`. A form that no bash knows is a parameter without a name, whose argument is all of it."""
        s = self.text
        i = self.joined(i)
        c = s[i]
        if c in " \t\n|":
            self.i = i + 1
            return Substitution(self.enclosed("}"), quoted)
        following = s[i + 1] if c != "\0" else c
        short = following in SPECIAL_PARAMETERS and s[i + 2] == "}"
        prefixed = following in NAME or short
        length = c == "#" and prefixed
        indirect = c == "!" and prefixed
        name, end = self.parameter_name(i + 1 if length or indirect else i)
        if self.enter():
            self.i = end
        index = None
        if s[self.i] == "[" and name and name[0] in NAME_START:
            self.i += 1
            index = self.inner("]", "[", "}")
        operator, arguments = self.operation(quoted=quoted, indirect=indirect)
        if operator is None:
            name = operator = ""
            if index is None:
                # From the beginning, for what is substituted there; an index was read already.
                self.i = i
            arguments = (self.argument("}", quoted=quoted, quotes="live"),)
        if s[self.i] == "}":
            self.i += 1
        else:
            self.fail("`}` is missing")
        self.depth -= 1
        return Parameter(name, quoted, operator, arguments, index, length, indirect)

    def parameter_name(self, i: int) -> tuple[str, int]:
        """The name at `i`, and where it ends."""
        c = self.text[i]
        if c in NAME_START:
            return self.run(i, NAME)
        if c in DIGITS:
            return self.run(i, DIGITS)
        return (c, i + 1) if c in SPECIAL_PARAMETERS else ("", i)

    def operation(self, *, quoted: bool, indirect: bool) -> tuple[str | None, tuple[Word, ...]]:
        """Reads the operator at the position and what it is given; None, without moving, for what is no operator."""
        s = self.text
        i = self.i = self.joined(self.i)
        c = s[i]
        following = s[i + 1] if c != "\0" else c
        if c in "}\0":
            return "", ()
        if indirect and c in "*@" and following == "}":
            self.i += 1
            return c, ()
        if c in "-=+?" or (c == ":" and following in "-=+?"):
            operator = c if c != ":" else c + following
            self.i += len(operator)
            return operator, (self.argument("}", quoted=quoted, quotes="live" if quoted else "kept"),)
        if c == ":":
            self.i += 1
            return c, self.arguments(":}", quoted=quoted, quotes="live")
        if c == "/":
            operator = c + following if following in "/#%" else c
            self.i += len(operator)
            return operator, self.arguments("/}", quoted=quoted, quotes="kept")
        if c in "#%^,@":
            operator = c + c if following == c != "@" else c
            self.i += len(operator)
            return operator, (self.argument("}", quoted=quoted),)
        return None, ()

    def arguments(self, stops: str, *, quoted: bool, quotes: Quotes) -> tuple[Word, ...]:
        """Reads one argument, or two with the first of `stops` between them."""
        first = self.argument(stops, quoted=quoted, quotes=quotes)
        if self.text[self.i] != stops[0]:
            return (first,)
        self.i += 1
        return (first, self.argument("}", quoted=quoted, quotes=quotes))
