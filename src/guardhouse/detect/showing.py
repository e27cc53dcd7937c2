"""Whether an action can be shown to a person with its secrets masked, and still be seen whole.

A mask hides what is behind it. If that could be more than a secret (a second command after a `;`, a line between the
marks of a private key, a host that was first given as a password), a person who approves what they see would approve
what they do not see. Such an action can't be put to anybody.
"""

from __future__ import annotations

from string import ascii_letters, digits
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from guardhouse.detect.interface import Scene

_MATERIAL: Final = frozenset(ascii_letters + digits + "_-+/=.~%:@!,*^?#")
"""What keys, tokens and passwords are made of. Nothing here ends a word, a line or a command."""
_TELLING: Final = ("tool", "skill", "store", "cwd")
"""Names that say what is done, or where."""


def hides(scene: Scene) -> bool:
    """Whether masking could hide more than secrets: a mask that covers what separates words, one that stands where a
    secret is only repeated, or one in a name that says what is done."""
    for leaf, match in scene.secrets:
        if match.echo or not _MATERIAL.issuperset(leaf.text[match.start : match.end]):
            return True
    scanner = scene.settings.scanner
    names = [name for one in _TELLING if (name := getattr(scene.action, one, None))]
    return not scanner.is_quiet(names) and any(map(scanner.scan, names))
