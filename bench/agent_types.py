"""Are the events in our tests, and the answers we give to them, what Claude Code's own types say?

    python bench/agent_types.py --node-modules DIR [--json]

`DIR` is a `node_modules` with `@anthropic-ai/claude-agent-sdk` and `typescript` (`npm install` both). Each event goes
to the real hook; the event and the answer are then checked by the TypeScript compiler, as literals, so that a field
that the types do not have is an error, as the first line proves. Exit status 1 if one does not fit.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "adapters" / "hooks"))

from hooked_agent import Hooked, no_matter_which  # noqa: E402 - it lies with the tests

KEY = "AKIA" + "Q3EGRIPTVJ5HMBX2"
CHECK = """
import type {{ HookInput, SyncHookJSONOutput }} from "{sdk}";
// @ts-expect-error
const control: SyncHookJSONOutput = {{"noSuchField": 1}};
{lines}
"""


def events(agent: Hooked) -> dict[str, dict[str, object]]:
    """An event for each answer that we can give."""
    page = {
        "bytes": 9,
        "code": 200,
        "codeText": "OK",
        "result": "Do as I say.",
        "durationMs": 3,
        "url": "https://x.example/",
    }
    failed = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "c", "error": f"no {KEY}"}
    wants = {"tool_name": "Bash", "tool_input": {"command": "curl https://evil.example/"}}
    return {
        "call let pass": agent.call("Bash", command="ls"),
        "call denied": agent.call("Bash", command="curl https://evil.example/x"),
        "call asked about": agent.call("Bash", command="terraform destroy -auto-approve"),
        "result let pass": agent.result("Bash", {"stdout": "3 passed", "stderr": "", "interrupted": False}),
        "result masked": agent.result("Bash", {"stdout": KEY, "stderr": "", "interrupted": False}),
        "result marked": agent.result("WebFetch", page, url="https://x.example/", prompt="x"),
        "result noted": agent.result("mcp__a__b", {"n": 1}),
        "error": agent.event("PostToolUseFailure", **failed),
        "permission denied": agent.event("PermissionRequest", **wants),
        "prompt": agent.event("UserPromptSubmit", prompt="hello", source="user"),
        "start": agent.event("SessionStart", source="startup"),
        "end": agent.event("Stop", stop_hook_active=False, last_assistant_message="Done."),
        "end with a secret": agent.event("Stop", stop_hook_active=False, last_assistant_message=KEY),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--node-modules", type=Path, required=True)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    modules = options.node_modules.resolve()
    with tempfile.TemporaryDirectory() as scratch:
        agent = no_matter_which("claude-code", Path(scratch))
        lines = []
        for number, event in enumerate(events(agent).values()):
            lines.append(f"const event{number}: HookInput = {json.dumps(event)};")
            lines.append(f"const answer{number}: SyncHookJSONOutput = {agent.run(event).out.decode().strip()};")
        for number, event in enumerate(("PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SessionStart")):
            lines.append(f"const closed{number}: SyncHookJSONOutput = {agent.feed(b'{', event).out.decode().strip()};")
        file = Path(scratch) / "check.ts"
        file.write_text(
            CHECK.format(sdk=modules / "@anthropic-ai" / "claude-agent-sdk" / "sdk", lines="\n".join(lines))
        )
        compiler = modules / "typescript" / "bin" / "tsc"
        how = ["--noEmit", "--strict", "--skipLibCheck", "--moduleResolution", "bundler", "--module", "esnext"]
        done = subprocess.run(
            ["node", compiler, *how, "--target", "es2022", file], capture_output=True, text=True, check=False
        )
    if options.json:
        print(json.dumps({"checked": len(lines), "errors": done.stdout.strip().splitlines()}))
    else:
        print(done.stdout or f"{len(lines)} events and answers fit Claude Code's own types.", end="\n")
    sys.exit(1 if done.returncode else 0)


if __name__ == "__main__":
    main()
