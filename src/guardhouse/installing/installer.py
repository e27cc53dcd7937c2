"""Puts the gate into a settings file and takes it out again, in two steps: a plan that can be shown, then the deed.

A plan changes nothing. Carrying it out is refused if the file has changed since it was made.
"""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from guardhouse.installing.records import Record, Records, digest
from guardhouse.installing.settings_text import UnsafeChange, notation, settings_text
from guardhouse.installing.target_file import (
    FOR_ALL,
    Target,
    check_writable,
    look,
    missing_directories,
    remove,
    replace,
)
from guardhouse.model import GuardhouseError, InvalidAction

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.installing.settings_text import SettingsText

Way = Literal["install", "restore", "remove", "strip"]
"""`restore` puts back what was there, `remove` takes a file away that was not, `strip` takes only our entries out."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What is to become of one file."""

    kind: str
    way: Way
    target: Target
    after: bytes | None
    """None if there is to be no file."""
    mode: int
    plain: bytes | None = None
    """What the file is without us."""
    record: Record | None = None
    commands: tuple[str, ...] = ()
    note: str = ""
    """Why it is done this way, where that is not plain."""

    @property
    def is_change(self) -> bool:
        """Whether there is anything to do."""
        return self.after != self.target.content

    def diff(self) -> str:
        """The change, as text. It may hold what the file holds: mask it before it is printed."""
        name = self.target.shown
        names = (name if self.target.exists else "nothing", name if self.after is not None else "nothing")
        lines = difflib.unified_diff(_lines(self.target.content), _lines(self.after), *names)
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(content: bytes | None) -> list[str]:
    """Only a line feed ends a line here: within a JSON string there may be others that Python would take for one."""
    *whole, rest = (content or b"").decode("utf-8", "replace").split("\n")
    return [f"{line}\n" for line in whole] + ([rest] if rest else [])


def plan_install(
    kind: str,
    path: Path,
    records: Records,
    edit: Callable[[SettingsText], SettingsText],
    strip: Callable[[SettingsText], SettingsText],
    commands: tuple[str, ...],
    *,
    for_all: bool = False,
) -> Plan:
    """How `edit` puts our entries into the file at `path`, which everybody on the machine must be able to read with
    `for_all`. GuardhouseError if it can't be read as what it should be."""
    target = look(path)
    if for_all and not target.exists:
        target = msgspec.structs.replace(target, mode=FOR_ALL)
    before = _parsed(target)
    after = _edited(before, edit, path).text.encode()
    if target.exists and after == target.content:
        return Plan(
            kind=kind, way="install", target=target, after=after, mode=target.mode, record=records.find(target.real)
        )
    check_writable(target)
    record, note = records.find(target.real), ""
    stripped = _edited(before, strip, path)
    unchanged = stripped.value == before.value
    plain = target.content if unchanged or target.content is None else stripped.text.encode()
    if record is not None and target.exists and digest(target.content or b"") == record.after:
        try:
            plain = records.opened(record) if record.existed else None
        except GuardhouseError as error:
            note = f"{error.what} What is kept from now on is this file without our entries."
    else:
        record = None
    return Plan(
        kind=kind,
        way="install",
        target=target,
        after=after,
        mode=target.mode,
        plain=plain,
        record=record,
        commands=commands,
        note=note,
    )


def plan_uninstall(kind: str, path: Path, records: Records, strip: Callable[[SettingsText], SettingsText]) -> Plan:
    """How the file at `path` becomes what it was, or at least loses our entries."""
    target = look(path)
    record = records.find(target.real)
    content = target.content
    if content is None:
        return Plan(kind=kind, way="strip", target=target, after=None, mode=target.mode, record=record)
    note = ""
    if record is not None and digest(content) == record.after:
        if not record.existed:
            return Plan(kind=kind, way="remove", target=target, after=None, mode=target.mode, record=record)
        try:
            plain = records.opened(record)
        except GuardhouseError as error:
            note = f"{error.what} Only our entries are removed."
        else:
            return Plan(kind=kind, way="restore", target=target, after=plain, mode=record.mode, record=record)
    elif record is not None:
        note = "The file was changed after we wrote it: only our entries are removed, and the rest stays."
    before = _parsed(target)
    after = _edited(before, strip, path)
    unchanged = after.value == before.value
    plain = content if unchanged else after.text.encode()
    return Plan(kind=kind, way="strip", target=target, after=plain, mode=target.mode, record=record, note=note)


def carry_out(plan: Plan, records: Records) -> None:
    """Do it. GuardhouseError, and nothing has changed, if that is not possible."""
    if plan.way == "install":
        _install(plan, records)
        return
    if plan.after is None and plan.target.exists:
        made = plan.record.made if plan.record else ()
        remove(plan.target, [Path(directory) for directory in reversed(made)])
    elif plan.after is not None and plan.is_change:
        replace(plan.target, plan.after, plan.mode)
    if plan.record is not None:
        records.erase(plan.record)


def _install(plan: Plan, records: Records) -> None:
    if not plan.is_change or plan.after is None:
        return
    target, old = plan.target, plan.record
    made = old.made if old is not None else tuple(map(str, missing_directories(target)))
    record = Record(
        kind=plan.kind,
        path=str(target.path.absolute()),
        real=str(target.real),
        existed=plan.plain is not None,
        mode=old.mode if old is not None else target.mode,
        made=made,
        before=digest(plan.plain or b""),
        after=digest(plan.after),
        backup=records.sealed(target.real, plan.plain or b""),
        commands=plan.commands,
    )
    previous = records.find(target.real)
    records.write(record)
    try:
        replace(target, plan.after)
    except BaseException:
        if previous is None:
            records.erase(record)
        else:
            records.write(previous)
        raise


def _parsed(target: Target) -> SettingsText:
    try:
        text = settings_text(target.path, (target.content or b"").decode("utf-8"))
    except UnicodeDecodeError:
        raise _not_plain(target.path, "it is not UTF-8") from None
    except InvalidAction as error:
        raise _not_plain(target.path, error.what) from None
    if not isinstance(text.value, dict):
        raise _not_plain(target.path, "it is not an object")
    return text


def _edited(text: SettingsText, edit: Callable[[SettingsText], SettingsText], path: Path) -> SettingsText:
    try:
        return edit(text)
    except InvalidAction:
        raise
    except UnsafeChange as error:
        raise NotPlainSettings(f"{path}: {error.what}", fix=error.fix) from None
    except GuardhouseError as error:
        raise GuardhouseError(f"{path}: {error.what}", fix=error.fix) from None


class NotPlainSettings(GuardhouseError):
    """A settings file that only a person can change: it has in it what can't be kept, or is broken."""


def _not_plain(path: Path, why: str) -> NotPlainSettings:
    return NotPlainSettings(
        f"{path} is not plain {notation(path)}, and was left alone: {why.rstrip('.')}.",
        fix="Mend it, or change it by hand.",
    )
