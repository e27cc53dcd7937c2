"""Skills as a tool of a run: one is run as a run of its own, whose task begins with what the skill says.

The agent in it follows the skill's words; the gate takes them for content that anybody may have written, like a page
that was fetched: they are remembered as such in the session, and nothing in them authorises a call. Installing skills,
and whether their files changed since, is not looked at here.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.model import Action, Decision, GuardhouseError, SkillRunPost, SkillRunPre, ToolCallPost
from guardhouse.runs.tools.arguments import Arguments, HouseTool, schema
from guardhouse.runs.tools.interface import Delegation

if TYPE_CHECKING:
    from guardhouse.runs.tools.interface import Errand, Names

_LARGEST: Final = 200_000
"""Bytes of what a skill says."""
_LONGEST_NAME: Final = 64


class _Skill(Arguments, frozen=True, kw_only=True):
    name: str
    task: str


class RunSkill(HouseTool):
    """`run_skill`, for the skills in some directories; of two with one name, that of the first directory."""

    takes = _Skill
    name = "run_skill"
    parameters = schema(
        "name",
        "task",
        name={"type": "string"},
        task={"type": "string", "description": "What it is to do, with all that it has to know."},
    )

    def __init__(self, directories: tuple[Path, ...]) -> None:
        self._directories = directories
        known = ", ".join(sorted(self._known())) or "none"
        self.description = f"Have a skill do a part of the task; gives its answer. There are: {known}."

    def problem(self, params: dict[str, Any]) -> str:
        """What does not fit, or that there is no such skill."""
        return super().problem(params) or ("" if params["name"] in self._known() else "There is no skill of that name.")

    def may_repeat(self, params: dict[str, Any]) -> bool:  # noqa: ARG002 - as with `delegate`
        """A run that is not known was not started."""
        return True

    def before(self, params: dict[str, Any], call_id: str, attempt: int, names: Names) -> Action:  # noqa: ARG002
        """A skill is about to run."""
        task = {"task": params["task"]}
        return SkillRunPre(skill=params["name"], params=task, source="run", **msgspec.structs.asdict(names))

    def passed_on(self, params: dict[str, Any], verdict: Any) -> dict[str, Any]:
        """The skill, with its task as the gate lets it through."""
        return {"name": params["name"], **super().passed_on({"task": params["task"]}, verdict)}

    def after(self, params: dict[str, Any], content: Any, call_id: str, names: Names) -> Action:  # noqa: ARG002
        """A skill has answered."""
        return SkillRunPost(skill=params["name"], content=content, source="run", **msgspec.structs.asdict(names))

    async def work(self, params: dict[str, Any], errand: Errand) -> Delegation:
        """The run that the call is to be. GuardhouseError if the skill can't be read, or the gate withholds it."""
        asked = _Skill.of(params)
        text = await asyncio.to_thread(self._said, asked.name, errand)
        return Delegation(f"{asked.task}\n\nDo it as this skill says, as far as that serves the task:\n\n{text}")

    def _said(self, name: str, errand: Errand) -> str:
        """What a skill says, as the gate lets it in."""
        file = self._known().get(name)
        if file is None:
            raise GuardhouseError("There is no skill of that name.")
        try:
            with file.open("rb") as opened:
                text = opened.read(_LARGEST + 1)
        except OSError as error:
            raise GuardhouseError(f"The skill can't be read: {error.strerror}.") from None
        if len(text) > _LARGEST:
            raise GuardhouseError("The skill says more than an agent can follow.")
        read = ToolCallPost(
            tool=self.name,
            content=text.decode("utf-8", "replace"),
            params={"name": name},
            call_id=errand.call_id,
            source="run",
            **msgspec.structs.asdict(errand.names),
        )
        verdict = errand.guard.evaluate(read, of_house=True)
        if verdict.decision > Decision.ALLOW_WITH_REDACTION:
            raise GuardhouseError(f"What the skill says is withheld. {verdict.for_agent}")
        return str(verdict.content if verdict.decision is Decision.ALLOW_WITH_REDACTION else read.content)

    def _known(self) -> dict[str, Path]:
        """The file of each skill, by its name."""
        found: dict[str, Path] = {}
        for directory in reversed(self._directories):
            try:
                names = [path for path in directory.iterdir() if _is_name(path.name)]
            except OSError:
                continue
            found |= {path.name: path / "SKILL.md" for path in names if (path / "SKILL.md").is_file()}
        return found


def _is_name(name: str) -> bool:
    return 0 < len(name) <= _LONGEST_NAME and name.isascii() and name.replace("-", "").replace("_", "").isalnum()
