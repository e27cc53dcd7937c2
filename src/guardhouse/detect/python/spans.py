"""Where the nodes of a syntax tree stand in the text: the parser tells lines and bytes, acts tell letters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardhouse.detect.acts import UNKNOWN
from guardhouse.detect.python.parsing import PLACEHOLDER

if TYPE_CHECKING:
    import ast


class Spans:
    """Where nodes stand in the text."""

    def __init__(self, code: str) -> None:
        self._lines: list[tuple[int, str]] = []
        at = 0
        for line in code.replace("\r\n", " \n").replace("\r", "\n").split("\n"):
            self._lines.append((at, line))
            at += len(line) + 1
        self._end = len(code)

    def of(self, node: ast.AST) -> tuple[int, int]:
        start = self._offset(getattr(node, "lineno", 1), getattr(node, "col_offset", 0))
        end = self._offset(getattr(node, "end_lineno", 1), getattr(node, "end_col_offset", 0))
        return start, max(start, end)

    def _offset(self, line_number: int, column: int) -> int:
        if not 0 < line_number <= len(self._lines):
            return self._end
        start, line = self._lines[line_number - 1]
        if not line.isascii() or UNKNOWN in line:
            # The parser counts bytes, and had a letter of three bytes where an unknown piece is.
            data = line.replace(UNKNOWN, PLACEHOLDER).encode("utf-8", "replace")
            column = len(data[:column].decode("utf-8", "ignore"))
        return min(start + column, self._end)
