"""Commands: the words, assignments and redirects of simple ones, pipelines, lists, and here-documents.

What reserved words begin (`if`, `for`, `case` …) is read one level above. Nothing is executed, looked up or expanded.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Literal, cast

from msgspec.structs import force_setattr

from guardhouse.detect.shell.reading import DIGITS, NAME, NAME_START, WORD_END
from guardhouse.detect.shell.syntax import (
    Assignment,
    Command,
    Part,
    Pipeline,
    Redirect,
    Script,
    Simple,
    Statement,
    Text,
    Word,
)
from guardhouse.detect.shell.words import WordReader

KEYWORD = frozenset("abcdefghijklmnopqrstuvwxyz{}![]")
KEYWORD_END = WORD_END | frozenset("<>")
NO_COMMAND = frozenset("\n;|)\0")
"""What no command begins with."""
SIMPLE_END = NO_COMMAND | frozenset("(")
CLOSING = frozenset("then else elif fi do done esac } ]]".split())
"""Reserved words that end a list of commands; at the beginning of a command they are reserved everywhere."""
ASSIGNING = frozenset("alias declare eval export let local readonly typeset".split())
"""Builtins after which bash takes `name=(…)` as an argument."""
DESCRIPTOR = NAME | frozenset("{}[]")
COMMAND_NODES = 6
"""What a command costs, with its pipeline, statement, script, and the group or substitution it may be alone in."""
LARGEST_DESCRIPTOR = 2**31 - 1

Operator = Literal["<", ">", ">>", ">|", "<>", "<&", ">&", "&>", "&>>", "<<", "<<-", "<<<"]


def plain(word: Word) -> str:
    """The text of a word in which nothing is quoted or expanded, else an empty one."""
    parts = word.parts
    if len(parts) == 1 and type(part := parts[0]) is Text and not part.quoted:
        return part.text
    return ""


def is_descriptor(text: str) -> bool:
    """Whether a redirect right after this text takes it as its descriptor: `2` or `{name}`."""
    if text.isascii() and text.isdigit():
        digits = text.lstrip("0")
        return len(digits) <= 10 and int(digits or "0") <= LARGEST_DESCRIPTOR
    if len(text) < 3 or text[0] != "{" or text[-1] != "}" or text[1] not in NAME_START:
        return False
    name, bracket, index = text[1:-1].partition("[")
    return all(c in NAME for c in name) and (not bracket or index.endswith("]"))


def without_quotes(text: str) -> str:
    """A here-document's end word that holds expansions: bash takes it as written, less its quotes."""
    pieces: list[str] = []
    quote = ""
    i = 0
    while i < len(text):
        c = text[i]
        if c == quote:
            quote = ""
        elif c == "\\" and quote != "'" and i + 1 < len(text):
            i += 1
            pieces.append(text[i])
        elif c in "'\"" and not quote:
            quote = c
        else:
            pieces.append(c)
        i += 1
    return "".join(pieces)


class CommandReader(WordReader):
    """Reads lists, pipelines and simple commands."""

    __slots__ = ()

    @abstractmethod
    def compound(self) -> Command | None:
        """Reads what a reserved word or a parenthesis at the position begins; None, without moving, for neither."""

    @abstractmethod
    def definition(self, command: Simple) -> Command:
        """Reads on at a parenthesis after a simple command: a function of that name, if anything."""

    def whole(self) -> Script:
        """Reads statements up to the end of the text."""
        script = self.script()
        if self.i < self.last:
            self.unexpected()
        return script

    def script(self) -> Script:
        """Reads statements up to what can't begin one."""
        statements: list[Statement] = []
        while True:
            self.newlines()
            statement = self.statement()
            if statement is None:
                break
            c = self.blanks()
            if c == "&":
                self.i = self.operator()[1]
                statement = Statement(statement.pipelines, statement.operators, background=True)
            statements.append(statement)
            if c == ";":
                operator, end = self.operator()
                if operator != ";":
                    break
                self.i = end
            elif c not in "\n&":
                break
        return Script(tuple(statements))

    def statement(self) -> Statement | None:
        """Reads pipelines joined by `&&` and `||`; None if none begins here."""
        pipelines: list[Pipeline] = []
        operators: list[Literal["&&", "||"]] = []
        while True:
            pipeline = self.pipeline()
            if pipeline is None:
                if operators:
                    operators.pop()
                    self.unexpected()
                break
            pipelines.append(pipeline)
            c = self.blanks()
            if c != "&" and c != "|":  # noqa: PLR1714
                break
            operator, end = self.operator()
            if operator == "&&" or operator == "||":  # noqa: PLR1714
                operators.append(cast(Literal["&&", "||"], operator))
                self.i = end
                self.newlines()
            else:
                break
        if not pipelines:
            return None
        return Statement(tuple(pipelines), tuple(operators))

    def pipeline(self) -> Pipeline | None:
        """Reads commands joined by `|`; None if none begins here."""
        c = self.blanks()
        negated: bool | None = None
        if c == "!" or c == "t":  # noqa: PLR1714
            negated = self.prefix()
        first = self.command()
        if first is None:
            if negated is None:
                return None
            if self.text[self.i] not in ";\n)\0":
                self.unexpected()
            # A lone `!` or `time` is a command that does nothing.
            return Pipeline((Simple((), (), (), *self.span(self.i, self.i)),), negated)
        if self.text[self.i] != "|":
            return Pipeline((first,), bool(negated))
        commands = [first]
        merges: list[bool] = []
        while self.text[self.i] == "|":
            operator, end = self.operator()
            if operator == "||":
                break
            self.i = end
            self.newlines()
            command = None if self.keyword()[0] == "!" else self.command()
            if command is None:
                self.unexpected()
                break
            commands.append(command)
            merges.append(operator == "|&")
        return Pipeline(tuple(commands), bool(negated), tuple(merges))

    def prefix(self) -> bool | None:
        """Reads `!` and `time` before a pipeline: whether it is negated, None if neither is there."""
        negated: bool | None = None
        while True:
            text, end = self.keyword()
            if text == "!":
                self.i = end
                negated = not negated
            elif text == "time":
                start = self.i
                self.i = end
                c = self.blanks()
                if c == "-":
                    option, end = self.run(self.i, frozenset("-p"))
                    if option not in {"-p", "--"} or self.text[end] not in KEYWORD_END:
                        # With options of its own it is the program of that name, at least for shells other than bash.
                        self.i = start
                        return negated
                    self.i = end
                negated = bool(negated)
            else:
                return negated
            self.blanks()

    def command(self) -> Command | None:
        """Reads one command with its redirects; None if none begins here. Blanks after it are skipped."""
        c = self.blanks()
        if c in NO_COMMAND or (c == "&" and self.operator()[0] not in {"&>", "&>>"}):
            return None
        self.spend(COMMAND_NODES)
        if c in KEYWORD or c == "(":
            if c in "tefd}]" and self.keyword()[0] in CLOSING:
                return None
            compound = self.compound()
            if compound is not None:
                return self.redirected(compound)
        simple = self.simple()
        if self.text[self.i] == "(":
            return self.redirected(self.definition(simple))
        return simple

    def redirected(self, command: Command) -> Command:
        """Reads the redirects after a compound command."""
        redirects: list[Redirect] = []
        while True:
            c = self.blanks()
            descriptor = ""
            if c in DIGITS or c == "{":
                descriptor, end = self.run(self.i, DESCRIPTOR)
                c = self.text[end]
                if c not in "<>" or not is_descriptor(descriptor):
                    break
                self.i = end
            if c in "<>" or (c == "&" and self.operator()[0] in {"&>", "&>>"}):
                self.redirect(redirects, descriptor)
            else:
                break
        if redirects:
            force_setattr(command, "redirects", tuple(redirects))
        return command

    def keyword(self) -> tuple[str, int]:
        """The word at the position, if it is one that could be reserved, and where it ends; else an empty text."""
        text, end = self.run(self.i, KEYWORD)
        end = self.joined(end)
        c = self.text[end]
        if c not in KEYWORD_END or (c in "<>" and self.text[self.joined(end + 1)] == "("):
            return "", self.i
        return text, end

    def expect(self, text: str) -> bool:
        """Passes a reserved word that must stand here."""
        self.newlines()
        found, end = self.keyword()
        if found == text:
            self.i = end
            return True
        if self.i < self.last:
            self.fail(f"`{text}` expected")
        else:
            self.fail(f"the command ends before `{text}`")
        return False

    def newlines(self) -> str:
        """Skips blanks and line ends, reading the here-documents that begin after one; says what comes then."""
        while (c := self.blanks()) == "\n":
            self.i += 1
            if self.pending:
                self.documents()
        return c

    def required_word(self) -> Word:
        """Reads a word that must stand here."""
        start = self.i
        word = self.word()
        if self.i == start:
            self.unexpected()
        return word

    def words_of_line(self) -> list[Word]:
        """Reads words up to what is none."""
        words: list[Word] = []
        while True:
            c = self.blanks()
            if c in WORD_END or (c in "<>" and self.text[self.joined(self.i + 1)] != "("):
                return words
            words.append(self.word())

    def simple(self, first: Word | None = None) -> Simple:
        """Reads a simple command, after its first word if that was read already. Blanks after it are skipped."""
        s = self.text
        start = end = self.i
        assignments: list[Assignment] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        assigning = False
        if first is not None:
            words.append(first)
            start = first.start
        while True:
            c = self.blanks()
            if c in SIMPLE_END:
                break
            i = self.i
            if (c == "<" or c == ">") and s[self.joined(i + 1)] != "(":  # noqa: PLR1714
                self.redirect(redirects)
            elif c == "&":
                if self.operator()[0] not in {"&>", "&>>"}:
                    break
                self.redirect(redirects)
            elif c in NAME_START and not words and self.assignment(assignments, words):
                pass
            else:
                word = self.listing() if assigning and c in NAME_START else self.word()
                following = s[self.i]
                if (following == "<" or following == ">") and is_descriptor(text := plain(word)):  # noqa: PLR1714
                    self.redirect(redirects, text)
                else:
                    if not words:
                        assigning = plain(word) in ASSIGNING
                    words.append(word)
            end = self.i
        return Simple(tuple(assignments), tuple(words), tuple(redirects), *self.span(start, end))

    def assignment(self, assignments: list[Assignment], words: list[Word]) -> bool:
        """Reads an assignment; False, without moving, if none stands here. `name[…]` without `=` is a word."""
        s = self.text
        start = self.i
        name, i = self.run(start, NAME)
        c = s[i]
        if c != "=" and c != "+" and c != "[" and c != "\\":  # noqa: PLR1714
            return False
        i = self.joined(i)
        index = None
        if s[i] == "[":
            self.i = i + 1
            index = self.inner("]", "[")
            i = self.joined(self.i)
        append = s[i] == "+" and s[self.joined(i + 1)] == "="
        if append:
            i = self.joined(i + 1)
        if s[i] != "=":
            if index is None:
                return False
            word = self.word([Text(name + "["), *index.parts, Text("]")])
            words.append(Word(word.parts, *self.span(start, self.i)))
            return True
        self.i = i + 1
        if s[self.joined(i + 1)] == "(":
            assignments.append(Assignment(name, None, self.array(), index, append))
        else:
            assignments.append(Assignment(name, self.word(), (), index, append))
        return True

    def array(self) -> tuple[Word, ...]:
        """Reads the elements of `(…)`, which may stand on several lines, and what is glued to it."""
        self.i = self.joined(self.i)
        if self.enter():
            self.i += 1
        elements: list[Word] = []
        while (c := self.newlines()) not in WORD_END:
            if c in "<>" and self.text[self.joined(self.i + 1)] != "(":
                break
            if c == "[":
                start = self.i
                self.i += 1
                index = self.inner("]", "[")
                word = self.word([Text("["), *index.parts, Text("]")])
                elements.append(Word(word.parts, *self.span(start, self.i)))
            else:
                elements.append(self.word())
        if c == ")":
            self.i += 1
            if self.text[self.i] not in KEYWORD_END:
                elements.append(self.word())
        else:
            self.unexpected()
        self.depth -= 1
        return tuple(elements)

    def listing(self) -> Word:
        """Reads an argument of `export` and its like: `name=(…)` is one word there, parentheses and all."""
        s = self.text
        start = self.i
        name, i = self.run(start, NAME)
        i = self.joined(i)
        sign = "+=" if s[i] == "+" and s[self.joined(i + 1)] == "=" else "="
        if sign == "+=":
            i = self.joined(i + 1)
        if s[i] != "=" or s[self.joined(i + 1)] != "(":
            return self.word()
        self.i = i + 1
        parts: list[Part] = [Text(name + sign + "(")]
        for number, element in enumerate(self.array()):
            if number:
                parts.append(Text(" "))
            parts.extend(element.parts)
        parts.append(Text(")"))
        self.spend(len(parts))
        return Word(tuple(parts), *self.span(start, self.i))

    def redirect(self, redirects: list[Redirect], descriptor: str = "") -> None:
        """Reads the redirect whose operator is at the position."""
        operator, self.i = self.operator()
        c = self.blanks()
        i = self.i
        if c in WORD_END or (c in "<>" and self.text[self.joined(i + 1)] != "("):
            self.unexpected()
            return
        if c == "-" and operator in {"<&", ">&"}:
            # Closes the descriptor; what is glued to it is a word of the command.
            self.i += 1
            target = Word((Text("-"),), *self.span(i, self.i))
        else:
            target = self.word()
            if operator not in {"<&", ">&"} and self.text[self.i] in "<>" and is_descriptor(plain(target)):
                self.i = i
                self.fail("a redirect in the place of a redirect's target")
        if operator not in {"<<", "<<-"}:
            redirects.append(Redirect(cast(Operator, operator), target, descriptor))
            return
        delimiter = target.literal
        if delimiter is None:
            # A mistake inside took the position to the end: then there is no word to read.
            delimiter = without_quotes(self.text[i : self.i]) if self.problem is None else ""
        quoted = any(getattr(part, "quoted", False) for part in target.parts)
        body = Word((), *self.span(self.i, self.i))
        redirect = Redirect(cast(Operator, operator), body, descriptor, quoted)
        redirects.append(redirect)
        self.pending.append((redirect, delimiter))

    def documents(self) -> None:
        """Reads the bodies of the here-documents that were announced on the line before the position."""
        pending, self.pending = self.pending, []
        for redirect, delimiter in pending:
            # The redirect is in the tree already, and nobody has seen the tree yet.
            force_setattr(redirect, "target", self.document(redirect, delimiter))

    def document(self, redirect: Redirect, delimiter: str) -> Word:
        """Reads lines up to the delimiter, or to the end of the text, which bash accepts."""
        s = self.text
        start = end = self.i
        strips = redirect.operator == "<<-"
        lines: list[str] = []
        stripped = False
        while end < self.last:
            line, following = self.line(end, joins=not redirect.literal)
            text = line.lstrip("\t") if strips else line
            begins = end if text is line else self.past(end, len(line) - len(text))
            if text == delimiter:
                self.i = following
                break
            if self.enclosures and text.startswith(delimiter) and ")" in text[len(delimiter) :]:
                # Inside `$(…)` bash lets the closing parenthesis stand on the line of the delimiter.
                self.i = self.past(begins, len(delimiter))
                break
            stripped = stripped or begins != end
            lines.append(s[begins:following])
            end = following
        else:
            self.i = self.last
        body = "".join(lines)
        self.spend(len(lines) + COMMAND_NODES)
        span = self.span(start, end)
        if redirect.literal or not ("$" in body or "`" in body or "\\" in body):
            return Word((Text(body, quoted=True),), *span)
        return self.substituted(body if stripped else None, start, end)

    def substituted(self, text: str | None, start: int, end: int) -> Word:
        """Reads what is substituted in a here-document; a problem in it leaves the commands around it as they are."""
        parts: list[Part] = []
        if self.depth < self.limits.max_depth:
            reader = self.inside(self.text[:end], None) if text is None else self.inside(text, (start, end))
            reader.depth += 1
            reader.i = start if text is None else 0
            reader.live(parts, "", reader.last)
            self.finish(reader)
        else:
            self.enter()
            self.depth -= 1
        return Word(tuple(parts), *self.span(start, end))

    def line(self, i: int, *, joins: bool) -> tuple[str, int]:
        """The line at `i`, with those that it is continued by, and where the next begins."""
        s = self.text
        pieces: list[str] = []
        while True:
            end = s.find("\n", i)
            if end < 0:
                pieces.append(s[i : self.last])
                return "".join(pieces), self.last
            piece = s[i:end]
            if not joins or (len(piece) - len(piece.rstrip("\\"))) % 2 == 0:
                pieces.append(piece)
                return "".join(pieces), end + 1
            pieces.append(piece[:-1])
            i = end + 1

    def past(self, i: int, count: int) -> int:
        """The position so many characters on, continued lines not counted."""
        for _ in range(count):
            i = self.joined(i) + 1
        return i
