"""Whether an action can be shown to a person with its secrets masked, and still be seen whole.

A mask hides what is behind it, and a hijacked agent chooses what looks like a secret. If a mask could hide more than
that (a second command after a `;`, a way out of a directory, a host that was first given as a password), a person who
approves what they see would approve what they do not see. Such an action can't be put to anybody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from guardhouse.detect.interface import Scene

_MATERIAL: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=.")
"""What may stand behind a mask. Nothing here ends a word, a line or a command, leads into a directory, or is a pattern;
keys with a `/` in them are better left to the program that needs them."""


def hides(scene: Scene) -> bool:
    """Whether masking could hide more than secrets: a mask that covers what words, paths or patterns are made with, or
    one that stands where a secret is only repeated."""
    for leaf, match in scene.secrets:
        text = leaf.text[match.start : match.end]
        if match.echo or ".." in text or not _MATERIAL.issuperset(text):
            return True
    return False
