"""What `$` and back-ticks begin: parameters, substitutions, arithmetic; and double quotes, in which they work.

Whole words and `${…}` are read above, scripts further above; both come in through the methods left open here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from guardhouse.detect.shell.reading import DIGITS, NAME, NAME_START, Limits, Reader
from guardhouse.detect.shell.syntax import (
    Arithmetic,
    Parameter,
    Part,
    Process,
    Redirect,
    Script,
    Substitution,
    Text,
    Word,
)

SPECIAL_PARAMETERS = frozenset("@*#?-$!")
ONE_CHARACTER_PARAMETERS = SPECIAL_PARAMETERS | DIGITS
LIVE = frozenset('$`\\"')
"""What means something between double quotes."""
MATCHED = frozenset("()[]'\"\\`$}\0")
"""What matters when only the end of a parenthesis or bracket is looked for."""
PAIRS = frozenset(("()", "[]", '""', "{}"))


def unescaped(text: str, *, quoted: bool) -> str:
    """What a shell reads between back-ticks, once the backslashes that protect it there are gone."""
    escapable = '$`\\"' if quoted else "$`\\"
    pieces: list[str] = []
    position = 0
    while (escape := text.find("\\", position)) >= 0 and escape + 1 < len(text):
        following = text[escape + 1]
        pieces.append(text[position:escape])
        pieces.append(following if following in escapable else "\\" + following)
        position = escape + 2
    pieces.append(text[position:])
    return "".join(pieces)


class ExpansionReader(Reader, ABC):
    """Reads what stands for something else."""

    __slots__ = ("closings", "enclosures", "pending")

    def __init__(self, text: str, limits: Limits, place: tuple[int, int] | None = None) -> None:
        super().__init__(text, limits, place)
        self.closings: dict[int, int] = {}
        """Parentheses whose end was looked for, with it: what was scanned once is not scanned again."""
        self.enclosures = 0
        """How many `$(…)` the position is in."""
        self.pending: list[tuple[Redirect, str]] = []
        """Here-documents whose bodies begin after the line."""

    @abstractmethod
    def script(self) -> Script:
        """Reads statements up to what can't begin one."""

    @abstractmethod
    def whole(self) -> Script:
        """Reads statements up to the end of the text."""

    @abstractmethod
    def brace(self, i: int, *, quoted: bool) -> Part:
        """Reads `${…}`, from after the brace at `i`."""

    @abstractmethod
    def inner(self, closer: str, opener: str) -> Word:
        """Reads to the matching `closer` and past it."""

    def dollar(self, *, quoted: bool) -> Part | None:
        """Reads what the `$` at the position begins; None, without moving, if it is only a `$`."""
        s = self.text
        i = self.i + 1
        c = s[i]
        if c == "\\":
            i = self.joined(i)
            c = s[i]
        if c in NAME_START:
            name, self.i = self.run(i, NAME)
            return Parameter(name, quoted)
        if c in ONE_CHARACTER_PARAMETERS:
            self.i = i + 1
            return Parameter(c, quoted)
        if c == "{":
            return self.brace(i + 1, quoted=quoted)
        if c == "(":
            second = self.joined(i + 1)
            if s[second] == "(":
                return self.double_parenthesis(i, second, quoted=quoted)
            self.i = i + 1
            script = self.enclosed(")")
            self.agree(i)
            return Substitution(script, quoted)
        if c == "[":
            self.closing(i)
            self.i = i + 1
            inner = self.inner("]", "[")
            self.agree(i)
            return Arithmetic(inner, quoted)
        return None

    def double_parenthesis(self, first: int, second: int, *, quoted: bool) -> Part:
        """Reads `$((…))`, or a substitution that begins with a subshell: as in bash, the end decides which it is."""
        end = self.closing(second)
        if end >= 0 and self.text[self.joined(end + 1)] == ")":
            return Arithmetic(self.calculation(second, end), quoted)
        self.closing(first)
        self.i = first + 1
        script = self.enclosed(")")
        self.agree(first)
        return Substitution(script, quoted)

    def agree(self, i: int) -> None:
        """Checks what was read from the parenthesis or bracket at `i` against the end that was found for it before.

        Bash decides by the one where a construct ends and by the other what it is; a text where they differ could
        hide commands in what we take for numbers or patterns.
        """
        if self.closings.get(i, self.i - 1) != self.i - 1:
            self.fail("a construct that ends in two ways")

    def calculation(self, second: int, end: int) -> Word:
        """Reads the arithmetic between the second of `((` and the first of `))`, and past both."""
        if self.enter():
            self.i = second + 1
        parts: list[Part] = []
        self.live(parts, "", end)
        if self.i == end:
            self.i = self.joined(end + 1) + 1
        else:
            self.fail("a construct that ends in two ways")
        self.depth -= 1
        return Word(tuple(parts), *self.span(second + 1, end))

    def enclosed(self, closer: str) -> Script:
        """Reads a script of its own up to `closer` and past it."""
        self.enter()
        pending, self.pending = self.pending, []
        self.enclosures += 1
        script = self.script()
        self.enclosures -= 1
        if self.text[self.i] == closer:
            self.i += 1
        else:
            self.unexpected()
        self.pending = pending + self.pending
        self.depth -= 1
        return script

    def process(self) -> Process:
        """Reads `<(…)` or `>(…)` at the position."""
        reads = self.text[self.i] == "<"
        self.i = self.joined(self.i + 1) + 1
        return Process(self.enclosed(")"), reads)

    def backtick(self, i: int) -> int:
        """Where the next back-tick is that is not escaped; -1 for nowhere."""
        s = self.text
        end = s.find("`", i)
        while end >= 0 and (escape := s.find("\\", i, end)) >= 0:
            i = escape + 2
            if i > end:
                end = s.find("`", i)
        return end

    def backticks(self, *, quoted: bool) -> Substitution:
        """Reads a substitution in back-ticks: the text between them is unescaped and is a script of its own."""
        start = self.i
        end = self.backtick(start + 1)
        closed = end >= 0
        if not closed:
            end = self.last
        script = Script(())
        if self.enter():
            reader = self.inside(unescaped(self.text[start + 1 : end], quoted=quoted), (start, end + closed))
            script = reader.whole()
            self.i = end + closed
            if not closed:
                self.fail("a back-tick is not closed")
            self.finish(reader)
        self.depth -= 1
        return Substitution(script, quoted)

    def double(self, parts: list[Part]) -> None:
        """Reads what is between double quotes, from the opening one at the position."""
        if self.enter():
            self.i += 1
        self.live(parts, '"', self.last)
        if self.text[self.i] == '"':
            self.i += 1
        else:
            self.fail("a double quote is not closed")
        self.depth -= 1

    def live(self, parts: list[Part], closer: str, stop: int) -> None:
        """Reads text in which only `$`, back-ticks and some escapes mean anything, to `closer` or the position `stop`.

        A substitution that was begun before `stop` may end after it; the position says so.
        """
        s = self.text
        i = self.i
        found = len(parts)
        plain: list[str] = []
        while True:
            j = i
            while j < stop and s[j] not in LIVE:
                j += 1
            if j > i:
                plain.append(s[i:j])
            if j >= stop or s[j] == closer:
                break
            c = s[j]
            if c == "\\":
                i = self.escape(plain, j, closer)
                continue
            self.i = i = j
            part = None if c == '"' else self.dollar(quoted=True) if c == "$" else self.backticks(quoted=True)
            if part is None:
                plain.append(c)
                i += 1
                continue
            if plain:
                parts.append(Text("".join(plain), quoted=True))
                plain = []
            parts.append(part)
            i = self.i
        self.i = j
        if plain or len(parts) == found:
            parts.append(Text("".join(plain), quoted=True))
        self.spend(len(parts) - found)

    def escape(self, plain: list[str], i: int, closer: str) -> int:
        """Takes a backslash between double quotes: only before some characters it is one that goes away."""
        following = self.text[i + 1]
        if following == "\n":
            return i + 2
        if following in "$`\\" or following == closer:
            plain.append(following)
            return i + 2
        plain.append("\\")
        return i + 1

    def closing(self, i: int) -> int:
        """Where the parenthesis or bracket at `i` is closed, -1 for nowhere; only quotes are looked at besides.

        That is how bash looks for it: what `${…}` holds between them is counted too.
        """
        if i not in self.closings:
            self.match(i)
        return self.closings[i]

    def match(self, i: int) -> None:
        """Notes the ends of the parenthesis or bracket at `i` and of all those in it, in one pass."""
        s = self.text
        opened = [(s[i], i)]
        i += 1
        while opened:
            while s[i] not in MATCHED:
                i += 1
            c = s[i]
            inside = opened[-1][0]
            if c == "\\":
                i += 2
            elif c == "$":
                i = self.match_dollar(i, opened)
            elif c == "`" or (c == "'" and inside != '"'):
                i = (self.backtick(i + 1) if c == "`" else s.find("'", i + 1)) + 1
            elif c == '"' and inside != '"':
                opened.append((c, i))
                i += 1
            else:
                if c == inside != '"':
                    opened.append((c, i))
                elif inside + c in PAIRS:
                    self.closings[opened.pop()[1]] = i
                i += 1
            if i <= 0 or i > self.last:
                self.closings.update((position, -1) for _, position in opened)
                return

    def match_dollar(self, i: int, opened: list[tuple[str, int]]) -> int:
        """Passes a `$` and what it opens."""
        s = self.text
        following = self.joined(i + 1)
        c = s[following]
        inside = opened[-1][0]
        if c == "'" and inside != '"':
            return self.ansi_end(following + 1) + 1
        if (c == "(" and inside != "[") or (c == "{" and inside in '"{'):
            opened.append((c, following))
            return following + 1
        return i + 1

    def ansi_end(self, i: int) -> int:
        """Where the quote is that ends a `$'…'` whose text begins at `i`; -1 for nowhere."""
        s = self.text
        end = s.find("'", i)
        while end >= 0 and (escape := s.find("\\", i, end)) >= 0:
            i = escape + 2
            if i > end:
                end = s.find("'", i)
        return end
