"""Which part of a call is a file of this machine that it would upload, by the name of the parameter and its value.

A path beside a URL may as well say where to put a download, so a parameter that could be either counts only in a call
that sends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.paths import is_path_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.detect.interface import Leaf, Scene

_UPLOADED: Final = frozenset(
    "files upload uploads upload_file upload_files upload_path attachment attachments attach body_file data_file "
    "payload_file input_file source_file local_file local_path body_path form_file multipart".split()
)
"""Parameters that name what is sent, in any call."""
_PERHAPS: Final = frozenset("file file_path filepath filename path source src".split())
"""Parameters that name what is sent in a call that sends, and what is written in one that reads."""
_BODY: Final = frozenset("body data json payload content form form_data formdata".split())
_STARTS: Final = ("/", "./", "../", "~")
_ENDINGS: Final = frozenset(
    "txt md pdf doc docx xls xlsx csv tsv json jsonl yaml yml toml xml html zip tar gz tgz bz2 xz 7z png jpg jpeg gif "
    "webp svg mp3 mp4 mov wav sql sqlite db log key pem env py js ts go rs java c h cpp ipynb parquet dump bak "
    "p12 pfx kdbx".split()
)
_ABOUT: Final = frozenset({"name", "content_type", "type", "mime_type", "content"})
"""Beside a file: what is said of it, or what it holds."""
_LONGEST: Final = 1024


def uploaded(scene: Scene, *, sends: bool) -> Iterator[Leaf]:
    """The strings of a call that name a file whose content it would send."""
    for leaf in scene.leaves:
        if leaf.is_key or not leaf.text or len(leaf.text) > _LONGEST or "\n" in leaf.text:
            continue
        key, text = leaf.key, leaf.text.strip()
        if text[:1] == "@" and _is_file(text[1:]) and (sends or key in _BODY):
            yield leaf  # as curl has it
        elif "://" not in text and _is_file(text) and _names_file(leaf, sends=sends):
            yield leaf


def _names_file(leaf: Leaf, *, sends: bool) -> bool:
    """Whether a string names a file by the parameter that it is."""
    if _is_below(leaf, _UPLOADED):
        return True
    return sends and (leaf.key in _PERHAPS or (is_path_key(leaf.key) and leaf.key not in _BODY))


def _is_below(leaf: Leaf, keys: frozenset[str]) -> bool:
    """Whether a string stands under one of these keys, with at most one more between: `files: {report: r.pdf}`."""
    if leaf.key in keys:
        return True
    above = leaf.field.lower().replace("-", "_").split(".")[1:-1]
    return leaf.key not in _ABOUT and any(name.partition("[")[0] in keys for name in above[-2:])


def _is_file(text: str) -> bool:
    """Whether a text is a path, and not the content of a file."""
    return (
        text.startswith(_STARTS)
        or text[1:3] in {":\\", ":/"}
        or (" " not in text and "/" in text and not text.startswith("//"))
        or text.rpartition(".")[2].lower() in _ENDINGS
    )
