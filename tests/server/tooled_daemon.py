"""`python tooled_daemon.py serve …`: a daemon whose runs have tools that tell another process of every call."""

import os
import time
from urllib.request import ProxyHandler, Request, build_opener

from guardhouse.cli import main
from guardhouse.runs import FunctionTool, opening

COUNTER = os.environ["TEST_COUNTER"]
_opener = build_opener(ProxyHandler({}))


def _made(name: str) -> None:
    _opener.open(Request(f"{COUNTER}/made", name.encode(), method="POST"), timeout=30).close()


def look(what: str) -> str:
    """Look something up."""
    _made(f"look:{what}")
    return f"{what} is fine"


def pay(amount: int) -> str:
    """Pay an amount."""
    _made(f"pay:{amount}")
    return f"paid {amount}"


def dawdle(seconds: float) -> str:
    """Take so long."""
    _made(f"dawdle:{seconds}")
    time.sleep(seconds)
    return "done"


def haul(seconds: float) -> str:
    """Move something, which takes so long."""
    _made(f"haul:{seconds}")
    time.sleep(seconds)
    return "hauled"


def tools(*_given: object) -> tuple[FunctionTool, ...]:
    return (
        FunctionTool(look, is_repeatable=True),
        FunctionTool(pay),
        FunctionTool(dawdle, is_repeatable=True),
        FunctionTool(haul),
    )


if __name__ == "__main__":
    opening.tools_of = tools
    main()
