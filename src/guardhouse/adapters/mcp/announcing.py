"""What a server announces of its tools: each is known by a digest of its description, and new ones are pinned.

A tool whose name can't be told from another's is taken out of the list, and can't be called, until the server mends it.
Answers may come in another order than they were asked for: what a client may still believe counts until a list that was
asked for later says otherwise. What a change leads to is the gate's to say.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.adapters.mcp.names import is_callable_name, whole_name
from guardhouse.adapters.mcp.requests import Listing
from guardhouse.model import GuardhouseError, typed_digest
from guardhouse.pins import Described, cut
from guardhouse.trust import tool_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.detect.announced import Neighbours
    from guardhouse.model import Suspicion
    from guardhouse.pins import PinStore, ServerPins

UNANNOUNCED: Final = "unannounced"
_MOST_CURSORS: Final = 1024
_MOST_NAMES: Final = 8192
"""Of names that were looked at for secrets."""

_Seen = dict[str, tuple[str, str]]
"""Tools of the pages of one list: names and digests, by the names as they are compared."""


class _Believed(msgspec.Struct, frozen=True):
    """What a client was told of a tool."""

    said: Described
    until: int
    """Only a list with a larger number was asked for after this was told."""


class Announcements:
    """The tools of one server, as it has announced them since it was started."""

    def __init__(
        self,
        server: str,
        store: PinStore,
        mask: Callable[[str], str],
        notice: Callable[[str], None],
        offers: Callable[[str], bool] = lambda _tool: True,
    ) -> None:
        self.offers = offers
        """Whether clients may see and call a tool of this name."""
        self._server = server
        self._store = store
        self._mask = mask
        self._notice = notice
        self._lock = Lock()
        self._order = 0
        self._known: dict[str, _Believed] = {}
        self._unusable: dict[str, int] = {}
        """Names, as they are compared, that stand for more than one tool; with the last list that was asked for by
        then."""
        self._pages: dict[str, tuple[int, _Seen]] = {}
        """By the cursor of the next page: which list it belongs to, and the tools of the pages before it."""
        self._plain: dict[str, bool] = {}

    def asked(self, cursor: str | None) -> Listing:
        """A list is about to be asked for, or a further page of one that was begun earlier."""
        with self._lock:
            self._order += 1
            begun = self._pages.get(cursor) if cursor is not None else None
            return Listing(begun[0] if begun is not None else self._order, cursor)

    def digest(self, tool: str) -> str:
        """What the server said of this tool, by its digest."""
        known = self._known.get(tool)
        return known.said.digest if known is not None else UNANNOUNCED

    def is_usable(self, tool: str) -> bool:
        """Whether the name stands for one tool, can be read, and looks like no secret: it is written down."""
        return is_callable_name(tool) and tool_name(tool) not in self._unusable and self._is_plain(tool)

    def take(self, result: dict[str, Any], listing: Listing) -> dict[str, Any]:
        """Pin what is announced in one page of a list; the page as the client may see it (the same object, if nothing
        had to be taken out). GuardhouseError if it can't be read, or not be kept: then it is not seen."""
        tools = result.get("tools")
        if not isinstance(tools, list) or not all(isinstance(one, dict) for one in tools):
            raise GuardhouseError("The server's list of tools can't be read.")
        with self._lock:
            if listing.cursor is None:  # a new list: what was ambiguous in an older one may be clean now
                self._unusable = {name: until for name, until in self._unusable.items() if until >= listing.order}
            begun = self._pages.get(listing.cursor) if listing.cursor is not None else None
            seen = begun[1] if begun is not None else {}
            page = self._page(tools, seen)
            self._note_next(result.get("nextCursor"), listing.order, seen | {tool_name(one[0]): one for one in page})
            pins = self._store.server(self._server)
            look = _Looking(
                self._store, self._server, frozenset(seen) | {tool_name(one[0]) for one in page}, self._mask
            )
            told = {
                name: self._believed(name, _described(tool, digest, pins, look), listing.order, pins)
                for (name, digest), tool in page.items()
                if self.is_usable(name)
            }
            changed = self._store.announce(self._server, {name: one.said for name, one in told.items()})
            self._known.update(told)
        for name, one in told.items():
            if one.said.suspicions and not one.said.accepted:
                self._notice(f"what the server says of {name} is suspicious: {_codes(one.said)}; guardhouse pins list")
        for name in changed:
            self._notice(f"the description of {name} is not the one that was pinned: guardhouse pins list")
        usable = [tool for tool in tools if isinstance(tool.get("name"), str) and self.is_usable(tool["name"])]
        if len(usable) < len(tools):
            self._notice(
                f"{len(tools) - len(usable)} tools are left out: their names are unusable, or not theirs alone"
            )
        kept = [tool for tool in usable if self.offers(tool["name"])]
        return {**result, "tools": kept} if len(kept) < len(tools) else result

    def take_instructions(self, result: dict[str, Any]) -> dict[str, Any]:
        """What the server says of itself when it begins, as the client may see it: without its instructions if they are
        suspicious and no person has accepted them, or if they can't be kept."""
        said = result.get("instructions")
        if not said:
            return result
        kept = None
        try:
            if isinstance(said, str):
                kept = self._store.announce_instructions(self._server, self._instructions(said))
                if not kept.suspicions or kept.accepted:
                    return result
            why = f"suspicious: {_codes(kept)}; guardhouse pins list" if kept is not None else "no text"
        except GuardhouseError as error:
            why = error.what
        self._notice(f"the server's instructions are left out: {why}")
        return {key: value for key, value in result.items() if key != "instructions"}

    def _instructions(self, said: str) -> Described:
        from guardhouse.detect.announced import REVISION  # only where a server says something of itself

        digest = _digest(said)
        pins = self._store.server(self._server)
        known = pins.instructions if pins is not None else None
        if known is not None and known.digest == digest and known.looked == REVISION:
            return known
        look = _Looking(self._store, self._server, frozenset(), self._mask)
        return Described(
            digest=digest, shown=cut(self._mask(said)), looked=REVISION, suspicions=look.at_instructions(said)
        )

    def _page(self, tools: list[dict[str, Any]], seen: _Seen) -> dict[tuple[str, str], dict[str, Any]]:
        """The tools of a page by name and digest; names that stand for two different tools become unusable."""
        known = dict(seen)
        page: dict[tuple[str, str], dict[str, Any]] = {}
        for tool in tools:
            name = tool.get("name")
            if not isinstance(name, str) or not is_callable_name(name):
                continue
            one = (name, description_digest(tool))
            if known.setdefault(tool_name(name), one) != one:
                self._unusable[tool_name(name)] = self._order
                self._known.pop(name, None)
            page[one] = tool
        return page

    def _note_next(self, cursor: object, order: int, seen: _Seen) -> None:
        if isinstance(cursor, str):
            if len(self._pages) >= _MOST_CURSORS:
                self._pages.clear()
            self._pages[cursor] = (order, seen)

    def _believed(self, name: str, said: Described, order: int, pins: ServerPins | None) -> _Believed:
        """What counts as told of a tool from now on. Of two lists that were asked for before either came, nobody knows
        which one the client goes by: then the one counts that is not pinned."""
        before = self._known.get(name)
        if before is None or before.said.digest == said.digest or order > before.until:
            return _Believed(said, self._order)
        pinned = pins.tools.get(name) if pins is not None else None
        is_pinned = pinned is not None and before.said.digest == pinned.pinned.digest
        return _Believed(said if is_pinned else before.said, self._order)

    def _is_plain(self, name: str) -> bool:
        plain = self._plain.get(name)
        if plain is None:
            if len(self._plain) >= _MOST_NAMES:
                self._plain.clear()
            plain = self._plain[name] = self._mask(name) == name
        return plain


class _Looking:
    """Looks for what is suspicious in new descriptions, beside what the user's other servers have; that is read when
    it is first needed."""

    def __init__(self, store: PinStore, server: str, own: frozenset[str], mask: Callable[[str], str]) -> None:
        self.mask = mask
        self._store = store
        self._server = server
        self._own = own
        self._neighbours: Neighbours | None = None

    @property
    def neighbours(self) -> Neighbours:
        if self._neighbours is None:
            from guardhouse.detect.announced import Neighbours

            others = (one for one in self._store.servers() if one.server != self._server)
            self._neighbours = Neighbours.of(
                {tool: whole_name(one.server, tool) for one in others for tool in one.tools}
            )
        return self._neighbours

    def at_tool(self, tool: dict[str, Any]) -> tuple[Suspicion, ...]:
        from guardhouse.detect.announced import in_tool

        return in_tool(tool, self._own, self.neighbours, self.mask)

    def at_instructions(self, said: str) -> tuple[Suspicion, ...]:
        from guardhouse.detect.announced import in_instructions

        return in_instructions(said, self.neighbours, self.mask)


def _described(tool: dict[str, Any], digest: str, pins: ServerPins | None, look: _Looking) -> Described:
    from guardhouse.detect.announced import REVISION  # only where tools are listed

    known = pins.tools.get(tool["name"]) if pins is not None else None
    for one in (known.pinned, known.announced) if known is not None else ():
        if one is not None and one.digest == digest and one.looked == REVISION:
            return one
    hints = tool.get("annotations")
    hints = hints if isinstance(hints, dict) else {}
    return Described(
        digest=digest,
        shown=cut(look.mask(msgspec.json.encode(tool).decode())),
        destructive=hints.get("destructiveHint") is True,
        open_world=hints.get("openWorldHint") is True,
        looked=REVISION,
        suspicions=look.at_tool(tool),
    )


def _codes(said: Described) -> str:
    return ", ".join(sorted({one.code for one in said.suspicions}))


def description_digest(tool: dict[str, Any]) -> str:
    """The digest of everything that a tool says of itself, known to us or not: a client may show any of it."""
    return _digest(tool)


def _digest(said: Any) -> str:
    return f"sha256:{typed_digest(said).rpartition(':')[2]}"
