"""How many examples a property is tried on: some of them in `make test`, all in `make test-long`."""

import os

IS_LONG = os.environ.get("TEST_LONG") == "1"


def up_to(examples: int) -> int:
    """`examples` in a long run, and otherwise two of five, but never so few that they say nothing."""
    return examples if IS_LONG else min(examples, max(40, examples * 2 // 5))
