"""What a detector is: a function from a scene to findings, listed with its name and its reason codes.

A scene is one action with everything a detector may look at: the facts so far, the settings, and what several
detectors share (the action's strings, its secrets, the places it touches), found once. A detector decides nothing
and does no I/O; what it must know of the world it asks for with `fact`, and gets on the next round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, Protocol, TypeVar, overload

import msgspec

from guardhouse.model import (
    NO_FACTS,
    Action,
    Addresses,
    AddressesOf,
    Facts,
    Finding,
    MemoryReadPost,
    MemoryReadPre,
    Need,
    Origin,
    OutputPublish,
    RealPath,
    RealPathOf,
    ReasonCode,
    SessionOf,
    SessionState,
    SkillInstall,
    SkillRunPost,
    SkillRunPre,
    ToolCallPost,
    ToolCallPre,
    ToolPin,
    ToolPinOf,
    Traces,
    TracesOf,
    UserInput,
)
from guardhouse.net import NetworkRules
from guardhouse.trust import Announcement, ToolCatalogue, ToolProfile

if TYPE_CHECKING:
    from guardhouse.detect.secrets import Scanned, SecretMatch, SecretScanner
    from guardhouse.detect.secrets.walk import Leaf as _Walked
    from guardhouse.detect.sensitivity import LabelScanner


T = TypeVar("T")


class OwnPlace(msgspec.Struct, frozen=True):
    """A file or directory that belongs to the guard, or that decides whether an agent calls it."""

    path: str
    readable: bool
    """Looking at configuration is fine; state holds what the agent must not even see."""
    usable: bool = False
    """It may be run and given to other programs; only changing it is touching it. So it is with an interpreter."""
    ending: str = ""
    """Of a directory, only the files whose names end so."""


class OwnSocket(msgspec.Struct, frozen=True):
    """An address that the guard's daemon answers at."""

    host: str
    """An address, or a name in lower case."""
    port: int


class Surroundings(msgspec.Struct, frozen=True):
    """Where the guard runs. Lexical and real forms of each place are both listed, so links do not matter."""

    homes: tuple[str, ...] = ()
    """The user's home directory; the first is what `~` means."""
    cwd: str = ""
    """The working directory for actions that do not name one."""
    project: str = ""
    """The project, wherever in it or outside of it an action runs; empty: the directory that the action runs in."""
    repository: tuple[str, ...] = ()
    """The repository of the project, if it lies elsewhere."""
    temp: tuple[str, ...] = ("/tmp", "/var/tmp")  # noqa: S108 - a class of places, nothing is written here
    own: tuple[OwnPlace, ...] = ()
    sockets: tuple[OwnSocket, ...] = ()
    """Where daemons of this state directory listen, whatever configuration says."""


class DetectorSettings(msgspec.Struct, frozen=True):
    """What configuration says to detectors."""

    scanner: SecretScanner
    tools: ToolCatalogue = msgspec.field(default_factory=ToolCatalogue)
    network: NetworkRules = msgspec.field(default_factory=NetworkRules)
    network_by_tool: Mapping[str, NetworkRules] = msgspec.field(default_factory=dict)
    surroundings: Surroundings = msgspec.field(default_factory=Surroundings)
    allowed_directories: tuple[str, ...] = ()
    sensitive_paths: tuple[str, ...] = ()
    bash: Literal["effects", "listed", "ask", "deny"] = "effects"
    listed_programs: tuple[str, ...] = ()
    shell_loopback: bool = True
    """Whether commands may reach this machine's own ports."""
    allowed_commands: tuple[str, ...] = ()
    labels: LabelScanner | None = None
    """Data that is no secret and still not for everybody; None where configuration says nothing of any."""
    named_kinds: frozenset[str] = frozenset()
    """Kinds of secrets that configuration says something of."""
    switched_off: frozenset[str] = frozenset()
    sockets: tuple[OwnSocket, ...] = ()
    """Where the daemon answers, by configuration and in fact."""
    sandbox: Literal["off", "prefer", "require"] = "off"
    """Whether commands run in the sandbox."""
    outside_commands: tuple[str, ...] = ()
    """Those that run outside all the same."""
    sandbox_places: tuple[str, ...] = ()
    """What can be reached inside, beside the work."""

    def network_for(self, tool: str) -> NetworkRules:
        """The destination rules of a tool, given by its profile's name, or the default ones."""
        return self.network_by_tool.get(tool, self.network)


class Body:
    """What an action says, as the scanner walked it. Leaves refer to it and not to their scene: scenes are many, and
    without circles they are freed at once."""

    __slots__ = ("_root", "_walked")

    def __init__(self, root: str, walked: list[tuple[_Walked, list[SecretMatch]]]) -> None:
        self._root = root
        self._walked = walked
        """A key stands before what stands under it."""

    def leaves(self) -> Iterator[Leaf]:
        """Every string, object keys included."""
        above: dict[tuple[int, ...], str] = {(): ""}
        for one, secrets in self._walked:
            # A key is seen before what stands under it, so the keys above are known by then, but for lists of lists.
            place = one.steps[:-1] if one.is_key else one.steps
            key = above.get(place)
            if key is None:
                key = above[place] = self._key_above(place)
            if one.is_key:
                above[one.steps] = _key_name(one.text)
            yield Leaf(one.text, key, one.is_key, secrets, one.steps, self)

    def _key_above(self, steps: tuple[int, ...]) -> str:
        for step in reversed(steps):
            if step < 0:
                return _key_name(self._walked[-1 - step][0].text)
        return ""

    def field_at(self, steps: tuple[int, ...]) -> str:
        """The path to a place in the body; keys in it are masked and cut."""
        return self._root + "".join(f"[{step}]" if step >= 0 else f".{self._shown_key(-1 - step)}" for step in steps)

    def _shown_key(self, place: int) -> str:
        one, found = self._walked[place]
        return _cut_and_masked(one.text, found, _LONGEST_KEY)


class Leaf(msgspec.Struct, frozen=True, eq=False, gc=False):
    """One string in an action: where it is, the key it stands under, what it says, and the secrets in it."""

    text: str
    key: str
    """Lower-cased, with `-` as `_`; list items carry the key of their list, and a key that of its object."""
    is_key: bool
    """An object's key, which can be a path or a URL as well as any value."""
    secrets: list[SecretMatch]
    steps: tuple[int, ...]
    body: Body

    @property
    def field(self) -> str:
        """Where it is, such as `params.body[0]`. Made when it is asked for: long keys under long keys add up."""
        return self.body.field_at(self.steps) + ("#key" if self.is_key else "")

    @property
    def masked(self) -> str:
        """The text for a person: secrets masked, and cut to a length a card can show."""
        return _cut_and_masked(self.text, self.secrets, _EXCERPT)


class _Once(Generic[T]):
    """A property that is worked out the first time and then kept. functools' own takes a lock each time in 3.11."""

    def __init__(self, find: Callable[[Any], T]) -> None:
        self._find = find
        self.__doc__ = find.__doc__

    def __set_name__(self, _owner: type[Any], name: str) -> None:
        self._name = name

    @overload
    def __get__(self, scene: None, owner: type[Any]) -> _Once[T]: ...

    @overload
    def __get__(self, scene: object, owner: type[Any]) -> T: ...

    def __get__(self, scene: object | None, owner: type[Any]) -> T | _Once[T]:
        if scene is None:
            return self
        value = scene.__dict__[self._name] = self._find(scene)
        return value


class Scene:
    """One action under inspection."""

    def __init__(self, action: Action, settings: DetectorSettings, facts: Facts = NO_FACTS) -> None:
        self.action = action
        self.settings = settings
        self.facts = facts
        self.can_confine = False
        """Whether who makes the call can put it into the sandbox."""
        self.needed: dict[Need, None] = {}
        self.failures: dict[str, str] = {}
        """Detectors that broke, with the kind of error."""
        self.shared: dict[str, Any] = {}
        """What one detector found in the action that others use too, by the name of its owner."""

    def learn(self, facts: Facts) -> None:
        """Go on with more facts. What is kept from before depends on the action and the settings alone, but for what
        a tool says of itself: if something is known of that, what follows from the tool is found anew."""
        new = [pin for tool, pin in facts.pins.items() if tool not in self.facts.pins] if facts.pins else []
        unsure = getattr(self.action, "tool_digest", "") is None
        if any(pin.destructive or pin.open_world or pin.error or (unsure and pin.digest) for pin in new):
            self.__dict__.pop("tool", None)
            self.__dict__.pop("rule_tool", None)
            self.shared.clear()
        self.facts = facts
        if new:
            self._hear(facts.pins)

    def _hear(self, pins: Mapping[str, ToolPin]) -> None:
        """Go on with what the action's own tool was announced to be."""
        tool = getattr(self.action, "tool", "")
        pin = pins.get(tool)
        if pin is None or not (pin.description or pin.parameters):
            return
        said = Announcement(tool, pin.digest, pin.description, pin.parameters)
        self.settings = msgspec.structs.replace(self.settings, tools=self.settings.tools.hearing(said))
        self.shared.clear()

    @property
    def unanswered(self) -> tuple[Need, ...]:
        """What was asked for and is not among the facts."""
        return tuple(need for need in self.needed if not self.facts.answers(need))

    @_Once
    def tool(self) -> ToolProfile | None:
        """The profile of what is about to be called; None where nothing is. A skill may do anything."""
        if isinstance(self.action, ToolCallPre):
            return self.rule_tool
        return _SKILL if isinstance(self.action, SkillRunPre) else None

    @_Once
    def rule_tool(self) -> ToolProfile | None:
        """The tool that rules about tools and capabilities speak of: the one called, or the one that answered."""
        if isinstance(self.action, (ToolCallPre, ToolCallPost)):
            return self._profile(self.action)
        return None

    def _profile(self, action: ToolCallPre | ToolCallPost) -> ToolProfile:
        """What is known of a tool, with what it says of itself where that makes it more dangerous.

        Who calls it may not know how it is described now; then it is as it was last announced, to whoever saw that.
        """
        pin = self.facts.pins.get(action.tool)
        digest = action.tool_digest
        if digest is None and pin is not None and pin.digest:
            digest = _OTHERWISE if pin.changed else pin.digest
        profile = self.settings.tools.profile(action.tool, digest)
        if pin is None:
            return profile
        unknown = bool(pin.error) and not (digest is None and pin.is_as(None))
        return profile.hinted(destructive=pin.destructive or unknown, open_world=pin.open_world or unknown)

    @_Once
    def body(self) -> tuple[str, Any]:
        """The field that carries what the action says, and its value."""
        action = self.action
        if isinstance(action, (ToolCallPre, SkillRunPre)):
            return "params", action.params
        if isinstance(action, MemoryReadPre):
            return "query", action.query
        if isinstance(action, SkillInstall):
            return "source", action.source
        return "content", action.content

    @_Once
    def leaves(self) -> tuple[Leaf, ...]:
        """Every string of the action's body, object keys included."""
        return tuple(Body(self.body[0], self._scanned.leaves).leaves())

    @_Once
    def names(self) -> list[str]:
        """The names around the body: of the tool, the session, the caller."""
        action, body = self.action, self.body[0]
        fields = msgspec.structs.asdict(action).items()
        return [value for name, value in fields if value and name != body and type(value) is str]

    @property
    def is_quiet(self) -> bool:
        """Whether a first look at the body and the names around it showed that none of them can hold a secret, unless
        a string of the body is one by the key that it stands under."""
        return self._scanned.is_quiet

    @_Once
    def _scanned(self) -> Scanned:
        return self.settings.scanner.scan_leaves(self.body[1], self.names)

    @_Once
    def secrets(self) -> list[tuple[Leaf, SecretMatch]]:
        """Every secret in the action's body, with the string it is in."""
        return [(leaf, match) for leaf in self.leaves for match in leaf.secrets]

    @_Once
    def origin(self) -> Origin:
        """Which content the action's body is."""
        action = self.action
        if isinstance(action, UserInput):
            return Origin("user", action.origin)
        if isinstance(action, ToolCallPost):
            return Origin("tool", action.tool, action.call_id)
        if isinstance(action, MemoryReadPost):
            return Origin("memory", action.store)
        if isinstance(action, SkillRunPost):
            return Origin("skill", action.skill)
        if isinstance(action, OutputPublish):
            return Origin("output", action.channel or "")
        return Origin("agent")

    def addresses(self, host: str) -> Addresses | None:
        """What `host` resolves to, or None if that is still to be found out."""
        answer = self.facts.addresses.get(host)
        if answer is None:
            self.needed[AddressesOf(host)] = None
        return answer

    def real_path(self, path: str) -> RealPath | None:
        """Where `path` really leads, or None if that is still to be found out."""
        answer = self.facts.real_paths.get(path)
        if answer is None:
            self.needed[RealPathOf(path)] = None
        return answer

    def session(self) -> SessionState | None:
        """How the action's session stands, or None if that is still to be found out, or if it is part of none."""
        if self.facts.session is None and self.action.session_id:
            self.needed[SessionOf(self.action.session_id)] = None
        return self.facts.session

    def traces(self, values: Sequence[str]) -> Traces | None:
        """Where these values were seen in the session, or None if that is still to be found out."""
        if self.facts.traces is None and self.action.session_id:
            # Everybody's questions are one question, because there is one answer.
            asked = next((need for need in self.needed if isinstance(need, TracesOf)), None)
            wanted = dict.fromkeys((*(asked.values if asked is not None else ()), *values))
            if asked is not None:
                del self.needed[asked]
            self.needed[TracesOf(self.action.session_id, tuple(wanted))] = None
        return self.facts.traces

    def pin(self, tool: str) -> ToolPin | None:
        """What was pinned of a tool's description, or None if that is still to be found out."""
        answer = self.facts.pins.get(tool)
        if answer is None:
            self.needed[ToolPinOf(tool)] = None
        return answer


_OTHERWISE: Final = "otherwise"
"""In the place of a digest: of another description than the one that anything was said of."""
_SKILL: Final = ToolProfile(name="", capabilities=frozenset(), classified=False)
_EXCERPT: Final = 200
_LONGEST_KEY: Final = 64


def _key_name(key: str) -> str:
    return key[:_LONGEST_KEY].lower().replace("-", "_")


def _cut_and_masked(text: str, found: list[SecretMatch], longest: int) -> str:
    """The first `longest` characters of `text` once masked, in time that does not depend on the rest."""
    pieces: list[str] = []
    at = size = 0
    for match in found:
        if size > longest:
            break
        pieces += (text[at : match.start][: longest + 1], match.mask)
        size += len(pieces[-2]) + len(pieces[-1])
        at = match.end
    shown = "".join((*pieces, text[at : at + longest + 1]))
    return shown if len(shown) <= longest else f"{shown[:longest]}…"


class TooMuchToBind(Exception):
    """What an approval of the action would depend on is more than can be looked at; so nobody can be asked."""


class Mask(Protocol):
    """Takes something out of texts. A compiled expression is one."""

    def sub(self, replacement: str, text: str, /) -> str:
        """`text` without it."""
        ...


class Detector(msgspec.Struct, frozen=True):
    """One row of the detector table."""

    id: str
    codes: tuple[ReasonCode, ...]
    find: Callable[[Scene], Iterable[Finding]]
    calls_only: bool = False
    """It looks at what is about to be called and at nothing else, so of all other actions it is not asked."""
    stays: bool = False
    """Switched off, it finds nothing, but is asked all the same: what it works out is used by others too."""
    needs: Callable[[Scene], object] | None = None
    """Asks the scene for every fact that `find` will want, cheaply; only for detectors that want any."""
    binds: Callable[[Scene], Iterable[Need]] | None = None
    """What an approval should depend on, beside the action and the files that findings name."""
    masks: Callable[[Scene, Iterable[tuple[str, str]]], Iterable[Mask]] | None = None
    """What takes out of a text what was found and is to be masked, given the codes of that and their details. Secrets
    are masked by the redactor."""
