"""Three lines put the gate before a tool: open a guard, wrap the function, look at the outcome."""

from __future__ import annotations

from pathlib import Path

from guardhouse import Pending, open_guard


def read_file(path: str) -> str:
    """What a file holds."""
    return Path(path).expanduser().read_text(encoding="utf-8")


def main() -> None:
    with open_guard() as guard:
        read = guard.wrap(read_file, session_id="example")
        for path in ("README.md", "~/.ssh/id_ed25519"):
            outcome = read(path)
            print(f"{path}: {outcome.status}\n  {outcome.text[:300]}")
            if isinstance(outcome, Pending):
                print(f"  in another terminal: guardhouse approvals approve {outcome.approval_request_id}")


if __name__ == "__main__":
    main()
