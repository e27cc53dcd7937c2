"""What an argument is for: a recipient, a place, an amount, a date, a piece of text, and so on.

Told by the configuration first, then by what the tool says of itself (JSON Schema), then by the argument's name. What
nobody knows is a selector: it picks something, so it matters where it comes from.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.trust.ledger.words import name_words, stem, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Role(Enum):
    """What an argument is for."""

    __hash__ = object.__hash__

    RECIPIENT = "recipient"
    """Who gets something, is let in, or is paid."""
    DESTINATION = "destination"
    """Where on the network."""
    AMOUNT = "amount"
    DATE = "date"
    """A day, a time of day, or both."""
    PATH = "path"
    CODE = "code"
    """Something that will be run."""
    SECRET = "secret"
    """A password, a key, a one-time code."""
    SELECTOR = "selector"
    """Picks something: an id, a name, a title to look for. Also what nobody knows the use of."""
    CONTENT = "content"
    """Free text for people to read."""
    QUERY = "query"
    """What is looked for."""
    LIMIT = "limit"
    """How much is shown."""
    FLAG = "flag"
    """One of a few settings."""


SENSITIVE: Final = frozenset({Role.RECIPIENT, Role.DESTINATION, Role.CODE, Role.SECRET})
"""What prose never supplies, not even prose that the user pointed at."""

_NAMES: Final = (
    # role, words of argument names; the last word of a name counts most
    (Role.SECRET, "password passwd passphrase secret token apikey credential credentials pin otp passcode"),
    (Role.DESTINATION, ("url uri link href host hostname domain endpoint webhook website site callback server remote "
                        "origin webpage proxy upstream")),
    (Role.RECIPIENT, ("recipient recipients to cc bcc email emails mail participant participants attendee attendees "
                      "guest guests invitee invitees member members user users username assignee assignees reviewer "
                      "reviewers collaborator collaborators phone handle payee beneficiary iban account receiver "
                      "channel room chat contact contacts person people friend sendto group audience owner address "
                      "street shipto ship")),
    (Role.AMOUNT, "amount price total sum quantity qty tip budget fee cost percent percentage rate balance units"),
    (Role.DATE, ("date day time start end when deadline due until datetime timestamp at checkin checkout begin month "
                 "year hour minute weekday departure arrival")),
    (Role.PATH, "path file filename filepath dir directory folder"),
    (Role.CODE, "command cmd script sql code expression shell program statement"),
    (Role.CONTENT, ("body content text message msg subject title description summary note notes comment reason "
                    "caption detail details instruction instructions memo feedback review bio question answer reply "
                    "remark explanation justification why hint words wording outcome headline greeting signature "
                    "agenda purpose location place venue find replace old new patch diff replacement")),
    (Role.QUERY, "query q search keyword keywords filter term terms pattern"),
    (Role.LIMIT, "n limit max page offset size perpage count top depth cursor pagesize"),
    (Role.SELECTOR, "id ids key ref reference index number slug sha uuid"),
)  # fmt: skip
_BY_NAME: Final = {word: role for role, names in reversed(_NAMES) for word in names.split()}
_FORMATS: Final = {
    "email": Role.RECIPIENT, "uri": Role.DESTINATION, "url": Role.DESTINATION, "hostname": Role.DESTINATION,
    "date": Role.DATE, "time": Role.DATE, "date-time": Role.DATE, "password": Role.SECRET, "phone": Role.RECIPIENT,
}  # fmt: skip
_RUNS: Final = frozenset("run execute exec shell python sql javascript eval terminal interpreter".split())
_MOST_PARAMETERS: Final = 200


class Parameter(msgspec.Struct, frozen=True):
    """One argument of a tool."""

    role: Role = Role.SELECTOR
    known: bool = False
    """Somebody has said so; otherwise it follows from the name alone, or from nothing."""
    choices: tuple[Any, ...] = ()
    has_default: bool = False
    default: Any = None


_REACHING: Final = frozenset("text sms call dial ring phone whatsapp fax".split())
_LETTERS: Final = frozenset({"email", "emails", "mail", "chat"})
"""Of which an id is that of a letter, and not of who gets it."""
_PICKING: Final = frozenset("id ids number name key ref handle".split())
_NOT_PEOPLE: Final = frozenset("append add move copy save write convert up due valid from in rename".split())


def by_name(name: str, tool_words: Sequence[str] = ()) -> Role | None:
    """The role that an argument's name speaks of, if any. `tool_words` are those of the tool's own name."""
    parts = name_words(name)
    if not parts:
        return None
    last = parts[-1]
    if len(parts) > 1 and parts[0] in {"from", "source", "debit"} and last in {"account", "iban"}:
        return Role.SELECTOR  # what is paid from
    if last in {"number", "no", "num"} and len(parts) == 1 and not _REACHING.isdisjoint(tool_words):
        return Role.RECIPIENT  # of a telephone
    people = [word for word in parts[:-1] if _BY_NAME.get(word) is Role.RECIPIENT and word not in _LETTERS]
    if len(parts) > 1 and last in _PICKING and people:
        return Role.RECIPIENT  # `payee_id`, `account_number`, `user_name`
    if len(parts) > 1 and last == "to" and parts[0] not in _NOT_PEOPLE:
        return Role.RECIPIENT  # `forward_to`
    if last in {"id", "ids", "uuid", "ref", "key", "index"} and parts[-1] != "apikey":
        return Role.SECRET if parts[-2:] in (["api", "key"], ["secret", "key"], ["private", "key"]) else Role.SELECTOR
    for word in (last, *parts[:-1]):
        role = _BY_NAME.get(word)
        if role is None:
            continue
        if role is Role.CODE and word == "code" and _RUNS.isdisjoint(tool_words):
            once = {"verification", "otp", "security", "auth", "confirm", "verify", "login", "signin", "2fa"}
            return Role.SECRET if once & {*parts, *tool_words} else Role.SELECTOR
        if role is Role.RECIPIENT and word == "to" and len(parts) > 1:
            continue
        return role
    return None


def parameters(tool: str, schema: Mapping[str, Any], declared: Mapping[str, Role]) -> dict[str, Parameter]:
    """The arguments of a tool, from its JSON Schema and from what the configuration says of them."""
    found = {name: Parameter(role=role, known=True) for name, role in declared.items()}
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return found
    tool_words = name_words(tool)
    for name, described in list(properties.items())[:_MOST_PARAMETERS]:
        if name not in found and isinstance(described, dict):
            found[name] = _described(name, described, schema, tool_words)
    return found


def _described(name: str, said: Mapping[str, Any], schema: Mapping[str, Any], tool_words: Sequence[str]) -> Parameter:
    shapes = [_resolved(shape, schema) for shape in _shapes(said)]
    choices = tuple(choice for shape in shapes for choice in _choices(shape))
    formats = [shape["format"] for shape in shapes if isinstance(shape.get("format"), str)]
    role = next((_FORMATS[one] for one in formats if one in _FORMATS), None)
    role = role or by_name(name, tool_words)
    types = {kind for shape in shapes for kind in _types(shape)} - {"null"}
    if choices or types == {"boolean"}:
        role = Role.FLAG
    elif role is None:
        role = _by_description(str(said.get("description", "")))
    elif role is Role.CONTENT and types and not types & {"string", "array", "object"}:
        role = Role.SELECTOR
    return Parameter(
        role=role or Role.SELECTOR,
        known=role is not None,
        choices=choices,
        has_default="default" in said,
        default=said.get("default"),
    )


def _shapes(said: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What a value may look like: the alternatives, and the items of lists."""
    shapes: list[Mapping[str, Any]] = [said]
    for key in ("anyOf", "oneOf", "allOf"):
        options = said.get(key)
        shapes += [option for option in options if isinstance(option, dict)] if isinstance(options, list) else []
    shapes += [shape["items"] for shape in tuple(shapes) if isinstance(shape.get("items"), dict)]
    return shapes


def _types(shape: Mapping[str, Any]) -> list[str]:
    said = shape.get("type")
    return [one for one in (said if isinstance(said, list) else [said]) if isinstance(one, str)]


def _resolved(shape: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = shape.get("$ref")
    definitions = schema.get("$defs")
    if isinstance(reference, str) and isinstance(definitions, dict):
        found = definitions.get(reference.rpartition("/")[2])
        return found if isinstance(found, dict) else shape
    return shape


def _choices(shape: Mapping[str, Any]) -> tuple[Any, ...]:
    options = shape.get("enum")
    if isinstance(options, list):
        return tuple(options)
    return (shape["const"],) if "const" in shape else ()


_DESCRIBED: Final = (
    (Role.SECRET, frozenset(map(stem, ("password", "secret", "credential")))),
    (Role.RECIPIENT, frozenset(map(stem, ("recipient", "email", "receiver", "payee", "recipients", "participants")))),
    (Role.DESTINATION, frozenset(map(stem, ("url", "website", "webhook", "hostname", "domain")))),
    (Role.DATE, frozenset(map(stem, ("date", "datetime", "iso", "yyyy")))),
    (Role.AMOUNT, frozenset(map(stem, ("amount", "price")))),
)


def _by_description(description: str) -> Role | None:
    said = {stem(word) for word in words(description[:300])}
    return next((role for role, telling in _DESCRIBED if not telling.isdisjoint(said)), None)
