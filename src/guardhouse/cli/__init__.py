"""The command line: thin commands over the library, each in the module of its subject."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run the command; an error that was written for people is printed as such, without a traceback."""
    if sys.argv[1:2] == ["hook"]:  # started for every call of an agent's, and must answer whatever is broken
        gc.disable()  # a process of a tenth of a second has nothing to collect
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
