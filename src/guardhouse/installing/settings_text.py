"""A settings file of an agent's as text, whichever notation it is in. What is changed in it is not decided here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol, Self

from guardhouse.installing.json_text import JsonText
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path as File

    from guardhouse.installing.json_text import Path

_YAML: Final = frozenset({".yaml", ".yml"})


class SettingsText(Protocol):
    """An object as text. Immutable: a change gives another one, with every other byte as it was."""

    @property
    def text(self) -> str:
        """The text."""
        ...

    @property
    def value(self) -> Any:
        """What it says."""
        ...

    def added(self, path: Path, key: str | None, value: Any) -> Self:
        """With a member `key` at the end of the object at `path`, or without a key, an item of the array there."""
        ...

    def removed(self, path: Path) -> Self:
        """Without the member or item at `path`."""
        ...

    def changed(
        self,
        *,
        replace: Mapping[Path, Any] = ...,
        add: Iterable[tuple[Path, str | None, Any]] = ...,
        remove: Iterable[Path] = ...,
    ) -> Self:
        """With all of these changes."""
        ...


class UnsafeChange(GuardhouseError):
    """A change that can't be made so that everything else stays as it is."""


def notation(file: File) -> str:
    """What a settings file is written in, by its name."""
    return "YAML" if file.suffix in _YAML else "JSON"


def settings_text(file: File, text: str) -> SettingsText:
    """The text of a settings file. InvalidAction if it is not what it should be."""
    if notation(file) == "JSON":
        return JsonText(text)
    from guardhouse.installing.yaml_text import YamlText  # for one agent only

    return YamlText(text)
