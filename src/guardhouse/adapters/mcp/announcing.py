"""What a server announces of its tools: each is known by a digest of its description, and new ones are pinned.

A tool whose name can't be told from another's is taken out of the list, and can't be called, until the server mends it.
What a change leads to is the gate's to say.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.adapters.mcp.names import is_callable_name
from guardhouse.model import GuardhouseError, typed_digest
from guardhouse.pins import Described, cut
from guardhouse.trust import tool_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.pins import PinStore

_DESCRIBING: Final = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
UNANNOUNCED: Final = "unannounced"
_MOST_CURSORS: Final = 1024


class Announcements:
    """The tools of one server, as it has announced them since it was started."""

    def __init__(self, server: str, store: PinStore, mask: Callable[[str], str], notice: Callable[[str], None]) -> None:
        self._server = server
        self._store = store
        self._mask = mask
        self._notice = notice
        self._lock = Lock()
        self._digests: dict[str, str] = {}
        self._unusable: set[str] = set()
        """Names, as they are compared, that stand for more than one tool."""
        self._pages: dict[str, dict[str, tuple[str, str]]] = {}
        """By the cursor of the next page: the tools of the pages before it."""

    def digest(self, tool: str) -> str:
        """What the server said of this tool, by its digest."""
        return self._digests.get(tool, UNANNOUNCED)

    def is_usable(self, tool: str) -> bool:
        """Whether the name stands for one tool, and can be read."""
        return is_callable_name(tool) and tool_name(tool) not in self._unusable

    def take(self, result: dict[str, Any], cursor: str | None) -> dict[str, Any]:
        """Pin what is announced in one page of a list; the page as the client may see it (the same object, if nothing
        had to be taken out). GuardhouseError if it can't be read, or not be kept: then it is not seen."""
        tools = result.get("tools")
        if not isinstance(tools, list) or not all(isinstance(one, dict) for one in tools):
            raise GuardhouseError("The server's list of tools can't be read.")
        with self._lock:
            if cursor is None:
                self._unusable.clear()  # a new list: what was ambiguous may be clean now
            seen = self._pages.get(cursor, {}) if cursor is not None else {}
            page = self._page(tools, seen)
            self._note_next(result.get("nextCursor"), seen | {tool_name(one[0]): one for one in page})
            described = {
                name: self._described(tool, digest) for (name, digest), tool in page.items() if self.is_usable(name)
            }
            changed = self._store.announce(self._server, described)
            self._digests.update({name: one.digest for name, one in described.items()})
        for name in changed:
            self._notice(f"the description of {name} is not the one that was pinned: guardhouse pins list")
        kept = [tool for tool in tools if isinstance(tool.get("name"), str) and self.is_usable(tool["name"])]
        if len(kept) == len(tools):
            return result
        self._notice(f"{len(tools) - len(kept)} tools are left out: their names are unusable, or not theirs alone")
        return {**result, "tools": kept}

    def _page(
        self, tools: list[dict[str, Any]], seen: dict[str, tuple[str, str]]
    ) -> dict[tuple[str, str], dict[str, Any]]:
        """The tools of a page by name and digest; names that stand for two different tools become unusable."""
        known = dict(seen)
        page: dict[tuple[str, str], dict[str, Any]] = {}
        for tool in tools:
            name = tool.get("name")
            if not isinstance(name, str) or not is_callable_name(name):
                continue
            one = (name, description_digest(tool))
            if known.setdefault(tool_name(name), one) != one:
                self._unusable.add(tool_name(name))
                self._digests.pop(name, None)
            page[one] = tool
        return page

    def _note_next(self, cursor: object, seen: dict[str, tuple[str, str]]) -> None:
        if isinstance(cursor, str):
            if len(self._pages) >= _MOST_CURSORS:
                self._pages.clear()
            self._pages[cursor] = seen

    def _described(self, tool: dict[str, Any], digest: str) -> Described:
        known = self._store.server(self._server)
        pinned = known.tools.get(tool["name"]) if known is not None else None
        for one in (pinned.pinned, pinned.announced) if pinned is not None else ():
            if one is not None and one.digest == digest:
                return one
        hints = tool.get("annotations")
        hints = hints if isinstance(hints, dict) else {}
        shown = msgspec.json.encode({key: tool[key] for key in _DESCRIBING if key in tool}).decode()
        return Described(
            digest=digest,
            shown=cut(self._mask(shown)),
            destructive=hints.get("destructiveHint") is True,
            open_world=hints.get("openWorldHint") is True,
        )


def description_digest(tool: dict[str, Any]) -> str:
    """The digest of everything that a tool says of itself to a model."""
    return f"sha256:{typed_digest({key: tool[key] for key in _DESCRIBING if key in tool}).rpartition(':')[2]}"
