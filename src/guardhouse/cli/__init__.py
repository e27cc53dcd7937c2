"""The command line: thin commands over the library, each in the module of its subject."""

from __future__ import annotations

import gc
import io
import os
import sys


def main() -> None:
    """Run the command; an error that was written for people is printed as such, without a traceback."""
    if sys.argv[1:2] == ["hook"]:  # started for every call of an agent's, and must answer whatever is broken
        gc.disable()  # a process of a tenth of a second has nothing to collect
        from guardhouse.cli.hooking import main as answer_hook

        answer_hook(sys.argv[2:])
    if sys.argv[1:2] == ["sandbox"]:  # started for every command of an agent's
        from guardhouse.cli.sandboxing import main as enter_sandbox

        enter_sandbox(sys.argv[2:])
    import click

    from guardhouse.cli.app import app  # so that the package can be imported without the command line
    from guardhouse.cli.options import printable
    from guardhouse.model import GuardhouseError

    try:
        status = app.main(standalone_mode=False)
    except GuardhouseError as error:
        print(f"guardhouse: {printable(str(error))}", file=sys.stderr)
        sys.exit(2)
    except click.ClickException as error:
        # It quotes what was typed, which may be a secret that went astray.
        told = io.StringIO()
        error.show(file=told)
        print(printable(told.getvalue().rstrip("\n")), file=sys.stderr)
        sys.exit(error.exit_code)
    except click.Abort:
        print("Aborted!", file=sys.stderr)
        sys.exit(1)
    except BrokenPipeError:
        # Whoever read the output went away. What Python still has of it must not fail once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(1)
    except Exception as error:  # noqa: BLE001 - it is told
        # A mistake of ours. Its text may quote anything, and a status of 1 would say something else.
        import traceback

        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{place.filename.rpartition(os.sep)[2]}:{place.lineno}"
        print(f"guardhouse: unexpected {type(error).__name__} in {where}: {printable(str(error))}", file=sys.stderr)
        sys.exit(2)
    sys.exit(status if isinstance(status, int) else 0)
