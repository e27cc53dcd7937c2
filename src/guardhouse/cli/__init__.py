"""The command line: thin commands over the library, each in the module of its subject."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command; an error that was written for people is printed as such, without a traceback."""
    if sys.argv[1:2] == ["hook"]:  # started for every call of an agent's, and must answer whatever is broken
        # msgspec takes this rather than `typing` if it is there, and loading it costs a tenth of what a hook may cost.
        # Nothing that a hook loads needs it.
        sys.modules.setdefault("typing_extensions", None)  # type: ignore[arg-type]
        from guardhouse.cli.hooking import main as answer_hook

        answer_hook(sys.argv[2:])
    from guardhouse.cli.app import app  # so that the package can be imported without the command line
    from guardhouse.cli.options import printable
    from guardhouse.model import GuardhouseError

    try:
        app()
    except GuardhouseError as error:
        print(f"guardhouse: {printable(str(error))}", file=sys.stderr)
        sys.exit(2)
