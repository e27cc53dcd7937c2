"""The values in a call, each with its role: what the argument is for, and what the form of the value says beyond it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from guardhouse.trust.ledger.roles import SENSITIVE, Parameter, Role, by_name
from guardhouse.trust.ledger.values import is_whole, number_form, values
from guardhouse.trust.ledger.words import name_words, stem, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from guardhouse.trust.ledger.kinds import Kind
    from guardhouse.trust.ledger.shapes import Shape

LONGEST_NAME: Final = 12
"""Words of a text that may still be a name or a title."""
LONGEST_WORD: Final = 12
_MOST_LEAVES: Final = 400
_DEEPEST: Final = 24
_LONGEST_KEY: Final = 64
_SMALLEST_ACCOUNT: Final = 100_000
"""A number from which on it may be somebody's account or telephone, and is no count of people."""
_IDS: Final = frozenset({"id", "ids", "number", "account", "ref", "key"})
_LARGEST_LIMIT: Final = 10_000
_LABELLED: Final = frozenset({"ship", "shipto", "address", "street"})
"""Arguments that take an address, or a word for one that the service knows."""
_USUAL_PLACES: Final = frozenset("home work office pickup store".split())
_NAMES_OF_NEW: Final = frozenset({"name", "label", "heading", "what"})
_WORDS_WITH_MONEY: Final = frozenset({"reference", "purpose", "memo"})
_MAKING: Final = frozenset({"create", "plan", "post"})


class Argument(NamedTuple):
    """One value in a call."""

    field: str
    key: str
    """The name it stands under; items of a list have the list's."""
    value: Any
    role: Role
    parameter: Parameter
    is_unread: bool = False
    """It stands for everything from there on, which is too much or too deep to be looked at."""


def arguments(params: Mapping[str, Any], shape: Shape) -> list[Argument]:
    """Every value in a call, with its role. Where there are too many, the last of them stands for the rest."""
    found: list[Argument] = []
    tool_words = name_words(shape.name)
    for name, value in params.items():
        parameter = shape.parameters.get(name) or Parameter(role=by_name(name, tool_words) or Role.SELECTOR)
        if parameter.role is Role.SELECTOR and not parameter.choices and _is_free_name(name, shape.kind):
            parameter = Parameter(role=Role.CONTENT, known=True)
        if parameter.role is Role.RECIPIENT and _is_own_address(name, shape):
            parameter = Parameter(role=Role.SELECTOR, known=True)
        parameter = _as_picking(name, parameter, shape)
        if not _is_plain(name):
            _walk(name, f"params.{name[:_LONGEST_KEY]}#key", name, Parameter(), tool_words, found, 0)
        _walk(value, f"params.{name}", name, parameter, tool_words, found, 0)
    return found


def payment(found: Sequence[Argument], shape: Shape) -> dict[str, list[str]] | None:
    """Who gets how much by a call, if it pays: so much to somebody is the same payment, however it is written, whatever
    is said with it, and by whichever tool."""
    who = sorted(" ".join(words(str(one.value))) for one in found if one.role is Role.RECIPIENT)
    sums = [one.value for one in found if one.role is Role.AMOUNT and not isinstance(one.value, bool)]
    if not who or not sums:
        return None
    return {"kind": list(shape.kind.verbs[:1]), "to": who, "sum": [_plain_sum(sums[0])]}


def _plain_sum(value: Any) -> str:
    found = [one.form for one in values(str(value)) if one.type in {"num", "money"}]
    return number_form(value) if not isinstance(value, str) else (found or [value])[0]


def _is_free_name(name: str, kind: Kind) -> bool:
    """Whether an argument gives a name to what is made, or goes with a payment: free text, and no choice."""
    last = name_words(name)[-1:]
    if "pay" in kind.verbs and not _WORDS_WITH_MONEY.isdisjoint(last):
        return True
    return not _NAMES_OF_NEW.isdisjoint(last) and not _MAKING.isdisjoint(kind.verbs[:1])


_TITLES: Final = frozenset("title subject name headline caption new".split())
_BY_STAKES: Final = {Role.QUERY: Role.SELECTOR, Role.LIMIT: Role.AMOUNT}


def _as_picking(name: str, parameter: Parameter, shape: Shape) -> Parameter:
    """An argument with which a call picks what is gone, goes out or is let in by it: words to look for, how many, or a
    title are no small matter then."""
    kind = shape.kind
    picks = kind.is_destroying or kind.is_grave or "share" in kind.verbs[:1]
    is_title = parameter.role is Role.CONTENT and not _TITLES.isdisjoint(name_words(name)[-1:])
    if is_title and (picks or (not shape.outward and name_words(name) == ["new"] and not kind.nouns.isdisjoint(_OWN))):
        return Parameter(role=Role.SELECTOR)
    if parameter.role in _BY_STAKES and (picks or kind.is_outward or kind.verbs[:1] == ("change",)):
        return msgspec.structs.replace(parameter, role=_BY_STAKES[parameter.role])
    return parameter


_ADDRESSES: Final = frozenset({"address", "street", "city"})
_MAILED: Final = frozenset({"email", "mail", "ip", "web"})
_OWN: Final = frozenset(map(stem, "profile info information detail account user personal".split()))


def _is_own_address(name: str, shape: Shape) -> bool:
    """Whether an argument is the user's own address, in a call that changes what a service knows of them: nothing goes
    there by that."""
    said = name_words(name)
    if shape.outward or _ADDRESSES.isdisjoint(said[-1:]) or not _MAILED.isdisjoint(said):
        return False
    return not _OWN.isdisjoint(map(stem, name_words(shape.name)))


def _walk(
    value: Any,
    field: str,
    key: str,
    parameter: Parameter,
    tool_words: Sequence[str],
    found: list[Argument],
    depth: int,
) -> None:
    if found and found[-1].is_unread:
        return
    if len(found) >= _MOST_LEAVES or depth > _DEEPEST:
        found.append(Argument(field, key, None, parameter.role, parameter, is_unread=True))
        return
    if isinstance(value, dict):
        for name, item in value.items():
            inner = f"{field}.{name[:_LONGEST_KEY]}"
            said = by_name(name, tool_words)
            who = _is_who(name, said, key, parameter)
            if who or not _is_plain(name) or parameter.role is Role.CONTENT:
                own = Parameter(role=Role.RECIPIENT) if who else parameter
                _walk(name, f"{inner}#key", key, own, tool_words, found, depth + 1)
            is_type = name == "type" and (parameter.role not in SENSITIVE or str(item).strip().lower() in _TYPES)
            is_level = is_type or (who and isinstance(item, str) and item.strip().lower() in _LEVELS)
            role = Role.FLAG if is_level else said or parameter.role
            if parameter.role in SENSITIVE and role not in SENSITIVE and not is_level:
                role = parameter.role  # what stands inside a recipient is one, whatever it calls itself
            _walk(item, inner, name, Parameter(role=role), tool_words, found, depth + 1)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _walk(item, f"{field}[{index}]", key, parameter, tool_words, found, depth + 1)
    elif value is not None and value != "":
        found.append(Argument(field, key, value, _role(value, parameter, key), parameter))


def _is_who(name: str, said: Role | None, key: str, parameter: Parameter) -> bool:
    """Whether a name in a map is that of somebody: in a map of people, or of who may do what."""
    if said is not None or name in _SHAPE:
        return False
    return parameter.role is Role.RECIPIENT or not _RIGHTS.isdisjoint(name_words(key))


def _counts(key: str) -> bool:
    """Whether an argument may say how many people there are: `guests`."""
    last = name_words(key)[-1:]
    return not names_one(key) and bool(last) and (last[0].endswith("s") or last[0] in _COUNTED)


def _is_plain(name: str) -> bool:
    """Whether a key is the name of a field. Any other may be a value: `{"bob@example.com": "reader"}`."""
    return name.isascii() and name.replace("-", "_").replace("$", "_").isidentifier() and len(name) <= _LONGEST_KEY


def names_one(key: str) -> bool:
    """Whether an argument says which one is meant, by its name: a count is nothing for it."""
    return not _IDS.isdisjoint(name_words(key)[-1:])


def _role(value: Any, parameter: Parameter, key: str) -> Role:
    """The role of a value: what its argument is for, unless its form says more."""
    role = parameter.role
    if isinstance(value, bool):
        return role if role in SENSITIVE or role is Role.AMOUNT else Role.FLAG
    if not isinstance(value, str):
        is_count = role is Role.RECIPIENT and abs(value) < _SMALLEST_ACCOUNT and _counts(key)
        is_count = is_count or role is Role.CONTENT
        if role is Role.LIMIT and abs(value) >= _LARGEST_LIMIT:
            return Role.SELECTOR
        return Role.AMOUNT if is_count else role
    if role is Role.CONTENT and name_words(key) == ["new"] and _by_form(value) is not None:
        return _by_form(value) or role
    if role is Role.CONTENT and name_words(key)[-1:] in _WRITTEN_THINGS and _is_one_id(value):
        return Role.SELECTOR
    if role in _CLOSED and not parameter.choices and not _is_closed(value, role):
        return _by_form(value) or (Role.CONTENT if len(words(value)) > LONGEST_NAME else Role.SELECTOR)
    if role is Role.RECIPIENT and "deliver" in name_words(key) and value.lower() in _USUAL_PLACES:
        return Role.SELECTOR
    if role is Role.RECIPIENT and not _LABELLED.isdisjoint(name_words(key)):
        return Role.SELECTOR if value.isalpha() and len(value) <= LONGEST_WORD else role
    if parameter.known or role is not Role.SELECTOR:
        return role
    return Role.CONTENT if len(words(value)) > LONGEST_NAME else _by_form(value) or role


_TYPES: Final = frozenset("file email user group person text image account phone contact channel inline".split())
_COUNTED: Final = frozenset({"people", "party"})
_SHAPE: Final = frozenset({"type", "kind", "role", "value", "address"})
_WRITTEN_THINGS: Final = tuple(
    [name] for name in "review note notes comment message msg reply question answer memo feedback".split()
)
"""Arguments that take a text, or the id of one that is there."""
_LEVELS: Final = frozenset("r w rw read reader view viewer comment commenter write writer edit editor admin".split())
"""What somebody may do, where a map says that of each."""
_RIGHTS: Final = frozenset("permission permissions access acl grant grants share shares sharing rights roles".split())
_CLOSED: Final = frozenset({Role.FLAG, Role.LIMIT, Role.DATE, Role.QUERY})
"""Roles that excuse a value, so that it must have the form for it."""
_LONGEST_DATE: Final = 6


def _is_closed(value: str, role: Role) -> bool:
    """Whether a text is what its role says: a setting in a word, a number, a day and time, words to look for."""
    said = words(value)
    typed = {one.type for one in values(value)}
    if role is Role.FLAG:
        return len(said) <= 1 and value.replace("_", "").replace("-", "").isalpha()
    if role is Role.LIMIT:
        return value.strip().isdecimal() and int(value) < _LARGEST_LIMIT if len(value) < _LONGEST_KEY else False
    if role is Role.DATE:
        return len(said) <= _LONGEST_DATE and typed <= {"date", "day", "time", "num"}
    return typed <= {"num", "date", "day", "time", "pct"}


def _is_one_id(value: str) -> bool:
    """Whether a text is one piece with a number in it: `RV-2`."""
    return len(value.split()) == 1 and any(map(str.isdecimal, value)) and len(value) <= _LONGEST_KEY


def _by_form(value: str) -> Role | None:
    """The role that a value has by its looks, whatever the argument is called."""
    found = list(values(value))
    spaced = " " in value.strip()
    if not found or (spaced and not (found[0].type == "id" and is_whole(found[0], value))):
        return None
    if found[0].type in {"url", "host"}:
        return Role.DESTINATION
    is_number = any(one.type == "id" for one in found) and (spaced or value.strip().startswith("+"))
    return Role.RECIPIENT if found[0].type == "email" or is_number else None
