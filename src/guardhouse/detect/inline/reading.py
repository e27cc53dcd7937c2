"""Reads code of a language with calls: which names of the tables it calls, and with what.

Names that are brought in under another name are followed as far as that is written plainly. Languages that are made of
commands, as those of editors are, are read elsewhere.
"""

from __future__ import annotations

from typing import Final

from guardhouse.detect.acts import UNKNOWN
from guardhouse.detect.inline import assigning, dialects
from guardhouse.detect.inline.calling import RUNS, do
from guardhouse.detect.inline.context import Context
from guardhouse.detect.inline.importing import LOADERS, loads, whole_name
from guardhouse.detect.inline.languages import Language
from guardhouse.detect.inline.names import Does, Row
from guardhouse.detect.inline.noting import Notes
from guardhouse.detect.inline.strings import pieces
from guardhouse.detect.inline.tokens import COMMAND, MARK, MIXED, NAME, TEXT
from guardhouse.detect.inline.values import Arguments, Value
from guardhouse.model import Confidence

_MOST_DEPTH: Final = 5
_DEFINES: Final = assigning.DEFINITIONS | {"class", "defmodule", "method"}
_RUNNERS: Final = frozenset({"child_process"})
"""Modules that are there to start programs."""
_SENDING: Final = frozenset(
    "fwrite fputs socket_write socket_send .pipe .write .send .print .puts .sendto .syswrite .post .put .end "
    "CURLOPT_POSTFIELDS CURLOPT_INFILE CURLOPT_UPLOAD io.copy io.Copy process-send-string pipeline".split()
)
_SENDING_WORDS: Final = frozenset("POST PUT PATCH".split())
_ENVIRONMENTS: Final = frozenset({"process.env", "ENV", "$_ENV", "ENV.to_h", "ENV.to_a", "ENV.inspect", "os.Environ"})
_BARE_STARTS: Final = frozenset("[*@\\<'$%&:")
_NO_ARGUMENTS: Final = frozenset("if unless and or while do end x eq ne".split())
_CALLS_BY_TEXT: Final = frozenset({"php", "ruby", "perl"})
"""Where a name that is set to a text calls what the text names."""
_SUBSCRIPTED: Final = frozenset({"node", "lua", "php", "other"})
_CHAINED: Final = frozenset({".arg", ".args"})
_OWN_KINDS: Final = (
    _SENDING | _ENVIRONMENTS | LOADERS | assigning.LOOPS | assigning.DEFINITIONS | assigning.CHANGERS
    | assigning.EVERYTHING | {"$", "Bun.$", ".execute"}
)  # fmt: skip
_WATCHED: Final = frozenset(name.rpartition(".")[2] for name in _OWN_KINDS)
"""The last parts of names that mean something in every language."""
_AFTER_NAMES: Final = assigning.STARTS | {"["}
_MARKS: Final = frozenset("|>[!@=")


def read_calls(language: Language, code: str, notes: Notes, *, depth: int = 0) -> None:
    """Note what the code would do."""
    if depth > _MOST_DEPTH:
        notes.give_up("code is nested too deep")
    elif code.strip() == UNKNOWN:
        notes.evaluate()
    elif notes.work_left > 0:
        _Reading(language, code, notes, depth).read()


class _Reading:
    def __init__(self, language: Language, code: str, notes: Notes, depth: int) -> None:
        self.context = Context(
            language, code, notes, depth, lambda inner: read_calls(language, inner, notes, depth=depth + 1)
        )
        self.notes = notes
        self.called = self.context.called
        self.tokens = self.context.tokens
        self.by_text = self.called in _CALLS_BY_TEXT
        self.stopped = False
        """Too much was looked at."""

    def read(self) -> None:
        context, notes = self.context, self.notes
        kinds, texts = self.tokens.kinds, self.tokens.texts
        lasts, aliases, constants = context.names.lasts, context.aliases, context.constants
        caseless = context.names.caseless
        watched = _WATCHED | dialects.APPLESCRIPT if self.called == "applescript" else _WATCHED
        following = [*texts[1:], ""]
        for i, kind in enumerate(kinds):
            text = texts[i]
            if kind is NAME:
                first, _, last = text.rpartition(".") if "." in text else (text, "", text)
                if caseless:
                    last = last.lower()
                if (
                    following[i] in _AFTER_NAMES
                    or last in lasts
                    or last in watched
                    or first in constants
                    or (aliases and text.partition(".")[0] in aliases)
                ):
                    self._name(i, text)
                    if self.stopped:
                        break
            elif kind is MARK:
                if text in _MARKS:
                    self._mark(i, text)
            elif kind is TEXT:
                self._text(i, text)
            elif kind in (COMMAND, MIXED):
                if notes.spent():
                    break
                self._filled_string(i, kind, text)
        for code, start, end in self.tokens.codes:
            self._nested(code, start, end)
        if context.loaded & _RUNNERS and not notes.runs:
            notes.run(UNKNOWN, certainty=Confidence.MEDIUM)

    # Code in code.

    def _nested(self, code: str, start: int, end: int) -> None:
        if not self.context.depth:
            self.notes.place = (start, end)
        self.context.read_inner(code)

    def _filled_string(self, i: int, kind: str, text: str) -> None:
        if kind is COMMAND:
            self.context.place(i, i + 1)
            self.notes.run(self.context.filled(text))
        for piece in pieces(self.context.language, text):
            if piece.is_code and not piece.text.replace("$", "").replace("@", "").replace("_", "").isalnum():
                self._nested(piece.text, self.tokens.starts[i], self.tokens.ends[i])
        self.notes.spend(len(text) // 32)
        if kind is MIXED:
            self._text(i, text)

    # What is not a call.

    def _text(self, i: int, text: str) -> None:
        if text in _SENDING_WORDS:
            self.notes.sends = True
        elif self.called == "awk":
            dialects.awk_text(self.context, i, text)
        elif self.called == "java":
            dialects.text_method(self.context, i, text)
        elif self.called == "php":
            self._called_text(i, text)
        elif self.called == "gnuplot" and text[:1] in ("<", "|") and text[1:].strip():
            self.context.place(i, i + 1)
            self.notes.run(text[1:].strip())

    def _called_text(self, i: int, text: str) -> None:
        """`("sys" . "tem")("id")` calls what the text names."""
        tokens, at = self.tokens, i + 1
        if at >= len(tokens.kinds) or tokens.texts[at] not in (".", ")", "("):
            return
        while tokens.is_mark(at, ".") and at + 1 < len(tokens.kinds) and tokens.kinds[at + 1] == TEXT and at - i < 40:
            text += tokens.texts[at + 1]
            at += 2
        at += tokens.is_mark(at, ")")
        if tokens.is_mark(at, "("):
            self._call(i, at, text)

    def _mark(self, i: int, mark: str) -> None:
        tokens, context = self.tokens, self.context
        if mark == "=":
            self._equals(i)
        elif mark == "[":
            if tokens.is_mark(i - 1, ")"):
                name, end = self._subscript(i)
                if name:
                    self._call(i, end, "." + name)
        elif self.called == "awk":
            self._awk_mark(i, mark)
        elif mark == "|":
            if tokens.is_mark(i - 1, "{") or (tokens.is_name(i - 1) and tokens.texts[i - 1] == "do"):
                assigning.block_names(context, i)
        elif mark == "!" and self.called == "java":
            dialects.scala_list(context, i)
        elif mark == "!" and self.called in ("gnuplot", "octave") and (i == 0 or tokens.is_mark(i - 1, "\n")):
            end = context.code.find("\n", tokens.ends[i])
            command = context.code[tokens.ends[i] : end if end >= 0 else None].strip()
            if command:
                context.place(i, i + 1)
                self.notes.run(command)

    def _equals(self, i: int) -> None:
        tokens = self.tokens
        before = tokens.texts[i - 1] if i and tokens.kinds[i - 1] == MARK else ""
        if before in (")", "]", "}"):
            assigning.bracketed(self.context, i)
        elif before == ":" and i > 1 and tokens.texts[i - 2] in (")", "]"):
            assigning.bracketed(self.context, i - 1)
        elif tokens.is_mark(i + 1, ">"):
            assigning.arrow_name(self.context, i)

    def _awk_mark(self, i: int, mark: str) -> None:
        tokens, context = self.tokens, self.context
        if mark == "@" and tokens.is_name(i + 1) and tokens.is_mark(i + 2, "("):
            self._call(i, i + 2, context.constants.get(tokens.texts[i + 1]) or "system")
        elif mark == "|":
            dialects.awk_pipe(context, i)
        elif mark == ">":
            dialects.awk_redirect(context, i)

    # Names.

    def _name(self, i: int, name: str) -> None:
        tokens, after, context = self.tokens, i + 1, self.context
        last = name.rpartition(".")[2]
        if last in _WATCHED:
            self._watched(i, name, last)
        if "." in name:
            assigning.changed_by_method(context, name)
        following = tokens.texts[after] if after < len(tokens.kinds) and tokens.kinds[after] == MARK else ""
        if following in assigning.STARTS and following:
            assigning.assigned(context, i, name)
        elif name == ".exec" and self.called == "java":
            self._java_exec(i)
        elif following == "[" and self.called in _SUBSCRIPTED:
            part, end = self._subscript(after)
            if part:
                self._call(i, end, f"{name}.{part}")
        elif self.called == "applescript":
            dialects.applescript(context, i, name)
        self._call(i, after, name)

    def _watched(self, i: int, name: str, last: str) -> None:
        """Names that mean something wherever they stand."""
        tokens, after, context = self.tokens, i + 1, self.context
        if name in _SENDING or (last != name and "." + last in _SENDING):
            self.notes.sends = True
        if name in _ENVIRONMENTS:
            self.notes.reads_environment |= not (tokens.is_mark(after, "[") or tokens.is_mark(after, "."))
        if last in LOADERS:
            loads(context, i, name)
        if name in assigning.LOOPS:
            assigning.loop_names(context, i)
        elif name in assigning.DEFINITIONS:
            assigning.parameter_names(context, i)
        elif name in assigning.CHANGERS:
            assigning.changed_by_call(context, i)
        elif name in assigning.EVERYTHING:
            context.constants.lose_all()
        elif last == "execute" and self.called == "java":
            dialects.name_method(context, i, name)
        elif name in ("$", "Bun.$") and self.called == "node" and context.code.startswith("`", tokens.ends[i]):
            context.place(i, i + 2)
            self.notes.run(context.filled(tokens.texts[after]) if after < len(tokens.kinds) else UNKNOWN)

    def _subscript(self, i: int) -> tuple[str, int]:
        """The text in `["a" + "b"]`, and the token after it."""
        tokens, at, text = self.tokens, i + 1, ""
        while at < len(tokens.kinds) and at - i < 24 and (tokens.kinds[at] == TEXT or tokens.is_mark(at, "+")):
            text += tokens.texts[at] if tokens.kinds[at] == TEXT else ""
            at += 1
        return (text, at + 1) if tokens.is_mark(at, "]") else ("", at)

    def _java_exec(self, i: int) -> None:
        if "getRuntime" in self.context.code and not (self.tokens.is_mark(i - 2, "(") and self.tokens.is_name(i - 3)):
            self._call(i, i + 1, "Runtime.getRuntime.exec")

    # Calls.

    def _call(self, i: int, after: int, name: str) -> None:
        context = self.context
        whole = whole_name(context, i, name, by_text=self.by_text)
        rows = context.names.find(whole)
        if not rows:
            return
        if self.notes.spent():
            self.stopped = True
            return
        if not self._is_called(i, after, rows):
            if self.called == "node" and rows[0].does in RUNS:
                self._handed_over(i, after)
            return
        given = context.arguments(after)
        if rows[0].does in RUNS:
            given = self._chained(given, later=whole.endswith("Command.new") and self.tokens.is_mark(i - 1, "="))
        owner = self._owner(i, name) if rows[0].own or not given.values else None
        if rows[0].own and (given.values or owner is None):
            return
        if owner is not None and not given.values:
            given = given._replace(values=(Value(owner),))
        context.place(i, given.end)
        for row in rows:
            do(context, row, given, after, whole)

    def _means_it(self, i: int, after: int) -> bool:
        """`unlink` alone, in a block or before a loop: done to what Perl calls it."""
        tokens = self.tokens
        if self.context.code[tokens.starts[i] - 1 : tokens.starts[i]] == "{":
            return False
        following = tokens.texts[after] if after < len(tokens.kinds) else ";"
        return following in ("}", ";", "for", "foreach")

    def _chained(self, given: Arguments, *, later: bool) -> Arguments:
        """`Command::new("sh").arg("-c").arg("id")`: words that come by calls of their own, maybe later."""
        tokens, at = self.tokens, given.end
        for _ in range(16):
            while tokens.is_mark(at, "\n"):
                at += 1
            if not (tokens.is_name(at) and tokens.texts[at] in _CHAINED and given.values):
                break
            more = self.context.arguments(at + 1)
            values = tuple(Value(value.text) for value in more.values) or (Value(UNKNOWN),)
            given = given._replace(values=given.values + values, end=more.end)
            at = more.end
        return given._replace(values=(*given.values, Value(UNKNOWN))) if later and given.values else given

    def _handed_over(self, i: int, after: int) -> None:
        """`.then(eval)`: somebody else calls it, with whatever there is."""
        tokens = self.tokens
        before = tokens.is_mark(i - 1, "(") or tokens.is_mark(i - 1, ",")
        if before and (tokens.is_mark(after, ")") or tokens.is_mark(after, ",")):
            self.context.place(i, after)
            self.notes.evaluate()

    def _owner(self, i: int, name: str) -> str | None:
        """What a method without arguments belongs to: `File("x").delete()`, `f.delete()`."""
        if name[0] != ".":
            return self.context.constants.get(name.rpartition(".")[0])
        if not self.tokens.is_mark(i - 1, ")"):
            return None
        opening = self.tokens.opening(i - 1)
        values = self.context.arguments(opening).values if opening >= 0 else ()
        return values[0].text if values and (len(values) == 1 or self.called != "java") else None

    def _is_called(self, i: int, after: int, rows: tuple[Row, ...]) -> bool:
        tokens = self.tokens
        if tokens.is_name(i - 1) and tokens.texts[i - 1] in _DEFINES:
            return False
        if self.called in ("lisp", "clojure"):
            return tokens.is_mark(i - 1, "(")
        if self.called == "perl" and rows[0].does is Does.DELETES and self._means_it(i, after):
            return True
        if after >= len(tokens.kinds):
            return rows[0].own
        kind, text = tokens.kinds[after], tokens.texts[after]
        if kind == MARK and text == "(":
            return True
        if not self.context.language.bare:
            return kind == TEXT and self.called == "other"
        if self.called == "php":
            return rows[0].does in (Does.INCLUDES, Does.EVALUATES) and kind != MARK
        if self.called == "lua":
            return kind == TEXT
        if kind == MARK:
            end = tokens.ends[after]
            operator = text in "<%&*:" and self.context.code[end : end + 1] in (" ", "=", ":")
            return (text in _BARE_STARTS and not operator) or rows[0].own
        return kind != NAME or text not in _NO_ARGUMENTS
