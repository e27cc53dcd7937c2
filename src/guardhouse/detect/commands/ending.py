"""Whether a command ends processes of the guard's: by name, by a pattern that their command lines match, or by the port
that the daemon has.

A hook that is ended before it has answered is a call that nobody has looked at. Patterns are read by RE2, as `pkill -f`
reads them in all that matters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.own_sockets import has_own_port
from guardhouse.detect.paths import inside

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from guardhouse.detect.interface import Scene

_PROGRAM: Final = "guardhouse"
_BY_PATTERN: Final = frozenset("pkill pgrep".split())
_BY_NAME: Final = frozenset("killall pidof skill snice slay killall5".split())
_BY_PORT: Final = frozenset("kill-port killport fkill".split())
_FINDS_BY_PORT: Final = frozenset("lsof fuser ss netstat".split())
_KILLS: Final = frozenset("kill -k --kill -K".split())
_VALUED: Final = frozenset(
    "-F -G -P -g -r -s -t -u -U -d -O --pidfile --group --parent --pgroup --runstates --session --terminal --euid --uid"
    " --delimiter --older --ns --nslist --signal".split()
)
"""Options of these programs whose value is the next word."""
_LONGEST: Final = 256
_EVENTS: Final = (
    # agents, and the events that their hooks are called for
    (
        "claude-code codex goose copilot",
        "PreToolUse PostToolUse PostToolUseFailure PermissionRequest UserPromptSubmit SessionStart Stop SubagentStop",
    ),
    ("gemini", "BeforeTool AfterTool BeforeAgent SessionStart AfterAgent"),
    ("copilot cursor", "preToolUse postToolUse postToolUseFailure userPromptSubmitted subagentStop"),
    ("cursor", "beforeShellExecution beforeMCPExecution beforeReadFile beforeSubmitPrompt afterAgentResponse"),
    ("hermes", "pre_tool_call post_tool_call pre_llm_call post_llm_call"),
)
_PYTHON: Final = "/home/user/.venv/bin/python"
_EVERYBODYS: Final = (
    # command lines that such a pattern may match by chance: then it is not the guard's that is meant
    "/home/user/.venv/bin/python -I -m pytest tests",
    "/home/user/project/.venv/bin/python -m http.server 8000",
    "/home/user/.local/bin/npx server --name files -- x",
    "/usr/bin/python3 manage.py runserver",
    "node /home/user/project/node_modules/.bin/vite --port 3000 claude-code codex",
)


def ends_guard(scene: Scene, lines: Sequence[str]) -> bool:
    """Whether one of these commands picks out processes of the guard's to end them, or to be ended."""
    return any(_ends(scene, line) for line in lines) or _ends_by_port(scene, lines)


def _ends_by_port(scene: Scene, lines: Sequence[str]) -> bool:
    """Whether whoever has the daemon's port is ended; looking who has it ends nobody."""
    programs = {_program(line) for line in lines if has_own_port(scene, line)}
    if not _BY_PORT.isdisjoint(programs):
        return True
    return not _FINDS_BY_PORT.isdisjoint(programs) and any(not _KILLS.isdisjoint(line.split()) for line in lines)


def _program(line: str) -> str:
    return line.partition(" ")[0].rpartition("/")[2]


def _ours(scene: Scene) -> Iterator[str]:
    """The command lines that installing writes, and those that run while a call is judged."""
    places = scene.settings.surroundings
    home = places.homes[0] if places.homes else "/home/user"
    state = next((own.path for own in places.own if not own.readable), f"{home}/.local/state/guardhouse")
    runs = [own.path for own in places.own if own.usable and own.path.rpartition("/")[2].startswith("python")]
    options = f"--home {home} --config-home {home}/.config --state-dir {state} --key-dir {home}/.keys --config x.yaml"
    for python in (_PYTHON, *(path for path in runs if not inside(path, "/usr"))):
        start = f"{python} -I -m guardhouse"
        yield from (
            f"{start} hook {agent} --event {one} {options}"
            for agents, events in _EVENTS
            for agent in agents.split()
            for one in events.split()
        )
        yield f"{start} mcp --name files {options} -- npx server"
    yield f"{home}/.local/bin/guardhouse mcp --name files -- npx server"
    yield f"{home}/.local/bin/guardhouse serve"


def _ends(scene: Scene, line: str) -> bool:
    program, rest = _program(line), line.partition(" ")[2]
    if program in _BY_NAME:
        return any(_is_part(word) for word in rest.split())
    if program not in _BY_PATTERN:
        return False
    return any(_is_part(word) for word in rest.split()) or _matches(scene, _pattern(rest.split()))


def _is_part(word: str) -> bool:
    """Whether a word is a piece of the guard's name."""
    bare = word.strip("^$.*[]()'\"")
    return len(bare) > 2 and bare in _PROGRAM


def _pattern(words: list[str]) -> str:
    """The pattern of the command, as far as words tell: what is neither an option nor the value of one."""
    if "--" in words:
        return " ".join(words[words.index("--") + 1 :])
    kept: list[str] = []
    before = ""
    for word in words:
        is_option = word.startswith("-") and not kept and len(word) > 1 and " " not in word
        if not is_option and before not in _VALUED:
            kept.append(word)
        before = word if is_option else ""
    return " ".join(kept)


def _matches(scene: Scene, pattern: str) -> bool:
    """Whether a pattern picks a command line of ours, and not just any program's."""
    if not pattern or len(pattern) > _LONGEST:
        return bool(pattern)
    import re2  # only where processes are ended

    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    try:
        found = re2.compile(pattern.strip("'\""), options)
    except re2.error:
        # Not a pattern that can be read: only its letters can tell.
        return _PROGRAM[:5] in pattern.lower()
    return any(map(found.search, _ours(scene))) and not any(map(found.search, _EVERYBODYS))
