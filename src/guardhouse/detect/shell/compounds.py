"""What reserved words and parentheses begin: groups, conditions, loops, `case`, `[[ … ]]`, functions, coprocesses.

Each method stands after the word that chose it and reads to the word that ends it; redirects are read below.
"""

from __future__ import annotations

from collections.abc import Callable

from guardhouse.detect.shell.commands import CLOSING, CommandReader, plain
from guardhouse.detect.shell.reading import NAME, WORD_END
from guardhouse.detect.shell.syntax import (
    Calculation,
    Case,
    Command,
    Coprocess,
    For,
    Function,
    Group,
    If,
    Loop,
    Part,
    Script,
    Simple,
    Test,
    Text,
    Word,
)

UNARY = frozenset("-" + letter for letter in "abcdefghkLnoprstuvwxzGONRS")
BINARY = frozenset("= == != =~ < > -nt -ot -ef -eq -ne -lt -le -gt -ge".split())


class CompoundReader(CommandReader):
    """Reads compound commands, and with that all of a script."""

    __slots__ = ()

    def compound(self) -> Command | None:
        """Reads what a reserved word or a parenthesis at the position begins; None, without moving, for neither."""
        s = self.text
        if s[self.i] == "(":
            second = self.joined(self.i + 1)
            if s[second] == "(" and (end := self.closing(second)) >= 0 and s[end + 1] == ")":
                return Calculation(self.calculation(second, end))
            if self.enter():
                self.i += 1
            found: Command = Group(self.block(")"), subshell=True)
        else:
            text, end = self.keyword()
            beginning = BEGINNINGS.get(text)
            if beginning is None:
                return None
            if self.enter():
                self.i = end
            found = beginning(self)
        self.depth -= 1
        return found

    def block(self, end: str) -> Script:
        """Reads commands, at least one, up to the reserved word or parenthesis that ends them, and past it."""
        script = self.script()
        if not script.statements:
            self.unexpected()
        if end != ")":
            self.expect(end)
        elif self.text[self.i] == ")":
            self.i += 1
        else:
            self.unexpected()
        return script

    def group(self) -> Group:
        """`{ …; }`."""
        return Group(self.block("}"), subshell=False)

    def condition(self) -> If:
        """`if …; then …; elif …; then …; else …; fi`."""
        branches: list[tuple[Script, Script]] = []
        while True:
            test = self.block("then")
            body = self.script()
            branches.append((test, body))
            if not body.statements:
                self.unexpected()
            text, end = self.keyword()
            if text != "elif":
                break
            self.i = end
        otherwise = None
        if text == "else":
            self.i = end
            otherwise = self.block("fi")
        else:
            self.expect("fi")
        return If(tuple(branches), otherwise)

    def loop(self) -> Loop:
        """`while …; do …; done`, and `until`."""
        return Loop(self.block("do"), self.block("done"))

    def iteration(self) -> For:
        """`for` and `select`, in all their forms."""
        s = self.text
        if self.blanks() == "(":
            second = self.joined(self.i + 1)
            if s[second] == "(" and (end := self.closing(second)) >= 0 and s[end + 1] == ")":
                return self.counting(second, end)
        name = self.name_of(self.required_word())
        words: tuple[Word, ...] | None = None
        c = self.newlines()
        text, end = self.keyword()
        if text == "in":
            self.i = end
            words = tuple(self.words_of_line())
            c = self.blanks()
            if c not in ";\n":
                self.unexpected()
        if c == ";":
            self.separator()
        return For(name, words, self.loop_body())

    def counting(self, second: int, end: int) -> For:
        """`for ((…; …; …))`."""
        header = self.calculation(second, end)
        if sum(part.text.count(";") for part in header.parts if type(part) is Text) != 2:
            self.fail("`for ((` needs three expressions")
        if self.blanks() == ";":
            self.separator()
        return For("", None, self.loop_body(), header)

    def separator(self) -> None:
        """Passes a single `;`."""
        operator, end = self.operator()
        if operator == ";":
            self.i = end
        else:
            self.unexpected()

    def loop_body(self) -> Script:
        """`do …; done`, or braces, which bash takes too."""
        self.newlines()
        text, end = self.keyword()
        if text == "{":
            self.i = end
            return self.block("}")
        self.expect("do")
        return self.block("done")

    def name_of(self, word: Word) -> str:
        """What is to be a name; bash finds out only later whether it can be one."""
        return word.literal or self.text[word.start : word.end]

    def case(self) -> Case:
        """`case … in …) …;; esac`."""
        self.blanks()
        subject = self.required_word()
        branches: list[tuple[tuple[Word, ...], Script]] = []
        self.expect("in")
        while True:
            c = self.newlines()
            if self.keyword()[0] == "esac" or c == "\0":
                break
            if c == "(":
                self.i += 1
            patterns = self.patterns()
            branches.append((patterns, self.script()))
            operator, end = self.operator()
            if operator not in {";;", ";&", ";;&"}:
                break
            self.i = end
        self.expect("esac")
        return Case(subject, tuple(branches))

    def patterns(self) -> tuple[Word, ...]:
        """Reads the patterns of one branch, and the parenthesis after them."""
        words: list[Word] = []
        while True:
            self.blanks()
            words.append(self.required_word())
            c = self.blanks()
            operator, end = self.operator()
            if operator != "|":
                break
            self.i = end
        if c == ")":
            self.i += 1
        else:
            self.unexpected()
        return tuple(words)

    def test(self) -> Test:
        """`[[ … ]]`."""
        words: list[Word] = []
        self.alternatives(words)
        self.expect("]]")
        return Test(tuple(words))

    def alternatives(self, words: list[Word]) -> None:
        """Reads terms of a test, joined by `&&` and `||`."""
        while True:
            self.term(words)
            self.newlines()
            if self.operator()[0] not in {"&&", "||"}:
                return
            self.sign(words)

    def sign(self, words: list[Word]) -> None:
        """Takes the operator at the position as a word."""
        start = self.i
        text, self.i = self.operator()
        words.append(Word((Text(text),), *self.span(start, self.i)))

    def term(self, words: list[Word]) -> None:
        """Reads one term of a test: a group, an operator with one word or two, or a word alone."""
        c = self.newlines()
        while (keyword := self.keyword())[0] == "!":
            words.append(Word((Text("!"),), *self.span(self.i, keyword[1])))
            self.i = keyword[1]
            c = self.newlines()
        if c == "(":
            if self.enter():
                self.sign(words)
                self.alternatives(words)
                if self.text[self.i] == ")":
                    self.sign(words)
                else:
                    self.unexpected()
            self.depth -= 1
            return
        if plain(self.operand(words)) in UNARY:
            self.operand(words)
            return
        c = self.blanks()
        if self.operator()[0] in {"<", ">"} and self.text[self.joined(self.i + 1)] != "(":
            self.sign(words)
            self.operand(words)
        elif c not in ")&|" and self.keyword()[0] != "]]":
            operator = plain(self.operand(words))
            if operator == "=~":
                self.blanks()
                words.append(self.expression())
            elif operator in BINARY:
                self.operand(words)
            else:
                self.fail("a test operator expected")

    def operand(self, words: list[Word]) -> Word:
        """Reads a word of a test."""
        self.blanks()
        if self.keyword()[0] == "]]":
            self.unexpected()
        word = self.required_word()
        words.append(word)
        return word

    def expression(self) -> Word:
        """Reads a regular expression, in which `|` and parentheses need no quotes."""
        start = self.i
        parts: list[Part] = []
        while True:
            parts.extend(self.word([]).parts)
            c = self.text[self.i]
            if c == "(":
                plain_text: list[str] = []
                self.pattern_group(parts, plain_text)
                self.flush(parts, plain_text)
            elif c == "|":
                self.i += 1
                parts.append(Text("|"))
            else:
                break
        if self.i == start:
            self.unexpected()
        return Word(tuple(parts), *self.span(start, self.i))

    def function(self) -> Function:
        """`function name [()] body`."""
        self.blanks()
        name = self.name_of(self.required_word())
        if self.blanks() == "(" and self.hollow(self.i + 1):
            self.empty_parentheses()
        return self.function_of(name)

    def definition(self, command: Simple) -> Command:
        """Reads on at a parenthesis after a simple command: a function of that name, if anything."""
        if len(command.words) != 1 or command.assignments or command.redirects or not self.hollow(self.i + 1):
            self.unexpected()
            return command
        self.empty_parentheses()
        return self.function_of(self.name_of(command.words[0]))

    def empty_parentheses(self) -> None:
        """Passes `()`."""
        self.i += 1
        self.blanks()
        self.i += 1

    def function_of(self, name: str) -> Function:
        """Reads the body of a function, which must be a compound command."""
        self.newlines()
        start = self.i
        body = self.compound()
        if body is None or isinstance(body, Function | Coprocess):
            self.i = min(start, self.i)
            self.unexpected()
        return Function(name, body or Simple((), (), (), *self.span(start, start)))

    def coprocess(self) -> Coprocess:
        """`coproc [name] command`; only a compound command can have a name."""
        c = self.blanks()
        start = self.i
        keyword = self.keyword()[0]
        if c not in WORD_END and c not in "<>" and keyword not in BEGINNINGS and keyword not in CLOSING:
            _, end = self.run(start, NAME)
            if self.text[end] in " \t":
                self.i = end
                c = self.blanks()
                if self.keyword()[0] in BEGINNINGS or (c == "(" and not self.hollow(self.i + 1)):
                    start = self.i
            self.i = start
        body = self.command()
        if body is None:
            self.unexpected()
            body = Simple((), (), (), *self.span(start, start))
        return Coprocess(body)


BEGINNINGS: dict[str, Callable[[CompoundReader], Command]] = {
    "{": CompoundReader.group,
    "if": CompoundReader.condition,
    "while": CompoundReader.loop,
    "until": CompoundReader.loop,
    "for": CompoundReader.iteration,
    "select": CompoundReader.iteration,
    "case": CompoundReader.case,
    "[[": CompoundReader.test,
    "function": CompoundReader.function,
    "coproc": CompoundReader.coprocess,
}
"""Reserved words that begin a command."""
