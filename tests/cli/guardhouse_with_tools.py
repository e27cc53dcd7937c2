"""The real command, whose agents have these tools: they leave a line in the file that MADE names for each call."""

import os
import time
from pathlib import Path
from typing import ClassVar

from guardhouse import cli
from guardhouse.runs import FunctionTool, Tool, opening
from guardhouse.runs.tools.interface import Delegation

KEY = "AKIA" + "Z7QM4XW2PLNB6RTC"


def _made(line):
    with Path(os.environ["MADE"]).open("a") as file:
        file.write(f"{line}\n")


def look(what: str) -> str:
    """Look something up."""
    _made(f"look {what}")
    return f"{what} is fine"


def pay(amount: int) -> str:
    """Pay an amount."""
    _made(f"pay {amount}")
    return f"paid {amount}"


def vault() -> str:
    """Read what is in the vault."""
    _made("vault")
    return f"aws_access_key_id = {KEY}\nregion = eu-central-1"


def slow(seconds: float) -> str:
    """Take long."""
    _made("slow begun")
    time.sleep(seconds)
    _made("slow ended")
    return "at last"


class Helper(Tool):
    """Passes a call on to a run of its own."""

    name = "helper"
    description = "Let somebody else do it."
    parameters: ClassVar = {"type": "object", "properties": {"task": {"type": "string"}}, "required": ["task"]}

    async def work(self, params, errand):
        return Delegation(task=params["task"])


def _tools(*_given, **_more):
    made = (FunctionTool(function) for function in (pay, vault, slow))
    return (FunctionTool(look, is_repeatable=True), Helper(), *made)


if __name__ == "__main__":
    opening.tools_of = _tools
    cli.main()
