"""What a hook costs an agent: CPU time of a fresh `guardhouse hook` for a handful of calls, beside an empty Python.

    python bench/hook.py [--rounds N] [--node-modules DIR] [--json]

CPU time of whole processes (user and system, children included), the median of several, everything interleaved in one
run so that a noisy machine is noisy for all. The same command is judged under every agent, in that agent's own words:
none may cost more than a tenth more than Claude Code. With DIR, a directory where npm `cc-safety-net` is installed, its
hook and an empty Node are run on the same input. Every project, home and state directory is a fresh one.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BAR = 120.0
"""Milliseconds that a hook may cost at the median."""
MOST_BESIDE = 1.10
"""What the hook of any agent may cost, as a multiple of Claude Code's on the same command."""
COMMAND = "git status && ls -la"
_PROSE = "def total(items):\n    return sum(item.price for item in items)  # the quick brown fox\n\n"
Command = tuple[list[str], bytes]


def calls(project: Path) -> dict[str, tuple[str, dict[str, Any]]]:
    """What an agent does all day, as (event, what the event says of the call)."""
    file = str(project / "app.py")
    commands = {
        "git": COMMAND,
        "npm": "npm run build --silent",
        "pytest": "pytest -q tests/unit 2>&1 | tail -20",
        "curl": "curl -s https://pypi.org/simple/ | head",
        "for loop": 'for f in *.py; do wc -l "$f"; done',
        "python -c": "python3 -c 'import json; print(json.dumps([1, 2]))'",
        "here-doc": "cat > notes.md <<'END'\n# Notes\nrm -rf is only a word here\nEND\n",
    }
    found: dict[str, tuple[str, dict[str, Any]]] = {
        f"Bash, {name}": ("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": command}})
        for name, command in commands.items()
    }
    found["Read"] = ("PreToolUse", {"tool_name": "Read", "tool_input": {"file_path": file}})
    edit = {"file_path": file, "old_string": "x = 1", "new_string": "x = 2"}
    found["Edit"] = ("PreToolUse", {"tool_name": "Edit", "tool_input": edit})
    text = (_PROSE * (20_000 // len(_PROSE) + 1))[:20_000]
    answer = {"type": "text", "file": {"filePath": file, "content": text, "numLines": 600}}
    result = {"tool_name": "Read", "tool_input": {"file_path": file}, "tool_response": answer}
    found["result of 20 KB"] = ("PostToolUse", result)
    return found


def event(name: str, call: dict[str, Any], project: Path, number: int) -> bytes:
    """One event as Claude Code sends it."""
    common = {
        "session_id": "bench",
        "transcript_path": str(project / "transcript.jsonl"),
        "cwd": str(project),
        "permission_mode": "default",
        "hook_event_name": name,
        "tool_use_id": f"toolu_{number:04}",
    }
    return json.dumps({**common, **call}).encode()


def under_every_agent(project: Path, number: int) -> dict[str, tuple[str, bytes]]:
    """One command, as (event, what the agent says) for each agent."""
    cwd, given = str(project), {"command": COMMAND}
    named = {"session_id": "bench", "cwd": cwd, "tool_input": given}
    call = {"tool_use_id": f"toolu_{number:04}"}
    cursor = {"conversation_id": "bench", "workspace_roots": [cwd], "cursor_version": "3.9.16"}
    extra = {"tool_call_id": f"call_{number}", "turn_id": "1"}
    told: dict[str, tuple[str, dict[str, Any]]] = {
        "claude-code": ("PreToolUse", {**named, **call, "tool_name": "Bash", "permission_mode": "default"}),
        "codex": ("PreToolUse", {**named, **call, "tool_name": "Bash", "turn_id": "1"}),
        "gemini": ("BeforeTool", {**named, "tool_name": "run_shell_command", "timestamp": "2026-01-01T00:00:00Z"}),
        "cursor": ("preToolUse", {**cursor, **call, "cwd": cwd, "tool_name": "Shell", "tool_input": given}),
        "copilot": ("preToolUse", {"sessionId": "bench", "cwd": cwd, "toolName": "bash", "toolArgs": given}),
        "goose": ("PreToolUse", {**named, "working_dir": cwd, "tool_name": "developer__shell"}),
        "hermes": ("pre_tool_call", {**named, "tool_name": "terminal", "extra": extra}),
    }
    said = {"goose": "event", "copilot": "hookName"}
    return {
        agent: (event, json.dumps({**fields, said.get(agent, "hook_event_name"): event}).encode())
        for agent, (event, fields) in told.items()
    }


def cpu(command: Command, environment: dict[str, str]) -> tuple[float, bytes]:
    """Milliseconds CPU of a fresh process and its children, and what it printed."""
    arguments, stdin = command
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(arguments, input=stdin, capture_output=True, env=environment, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3, done.stdout


def candidates(project: Path, node_modules: Path | None, number: int) -> dict[str, Command]:
    """Everything that is run in one round."""
    python = [sys.executable, "-I"]
    found: dict[str, Command] = {"python -c pass": ([*python, "-c", "pass"], b"")}
    node = shutil.which("node") if node_modules is not None else None
    if node is not None:
        found["node -e 0"] = ([node, "-e", "0"], b"")
    for name, (kind, call) in calls(project).items():
        stdin = event(kind, call, project, number)
        found[name] = ([*python, "-m", "guardhouse", "hook", "claude-code", "--event", kind], stdin)
        if node is not None and node_modules is not None and kind == "PreToolUse":
            other = node_modules / "cc-safety-net" / "dist" / "bin" / "cc-safety-net.js"
            found[f"cc-safety-net: {name}"] = ([node, str(other), "hook", "-cc"], stdin)
    for agent, (kind, stdin) in under_every_agent(project, number).items():
        found[f"agent: {agent}"] = ([*python, "-m", "guardhouse", "hook", agent, "--event", kind], stdin)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="CPU time of a hook.")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--node-modules", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    compileall.compile_dir(ROOT / "src", quiet=2)  # as an installed package is
    times: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as place:
        project, home = Path(place, "project"), Path(place, "home")
        (project / ".git").mkdir(parents=True)
        (project / "app.py").write_text("x = 1\n")
        home.mkdir()
        mine = ("GUARDHOUSE_", "XDG_", "CC_SAFETY_NET_")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(mine)}
        environment["HOME"] = str(home)
        for number in range(options.rounds + 1):
            for name, command in candidates(project, options.node_modules, number).items():
                taken, printed = cpu(command, environment)
                if "guard.internal_error" in printed.decode() or "broke off" in printed.decode():
                    sys.exit(f"{name}: the hook failed, so its time means nothing: {printed.decode()[:300]}")
                if number:  # the first round makes directories and warms the disk
                    times.setdefault(name, []).append(taken)
    medians = {name: statistics.median(taken) for name, taken in times.items()}
    ours = [value for name, value in medians.items() if name in calls(Path())]
    overall = statistics.median([taken for name in calls(Path()) for taken in times[name]])
    beside = {name: value / medians["agent: claude-code"] for name, value in medians.items() if name[:7] == "agent: "}
    if options.json:
        print(
            json.dumps(
                {"beside": beside, "bar": BAR, "overall": overall, "worst": max(ours), "medians": medians}, indent=2
            )
        )
        return
    print(f"CPU time of fresh processes, ms at the median of {options.rounds}; the least in brackets")
    for name, value in medians.items():
        print(f"{name:28} {value:7.1f} ({min(times[name]):.1f})")
    for name, ratio in beside.items():
        print(f"{name:28} {ratio:7.2f} times Claude Code's   (at most {MOST_BESIDE:.2f})")
    print(f"{'hook, all calls':28} {overall:7.1f}   (at most {BAR:g}; the dearest call {max(ours):.1f})")


if __name__ == "__main__":
    main()
