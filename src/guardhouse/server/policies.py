"""`/v1/policy`: the policy in force, and changing the file that the daemon's own layer is in.

A new text is checked as a whole before it is put in place; one that can't be read changes nothing.
"""

from __future__ import annotations

import os
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.model import PolicyError
from guardhouse.policy import FORMATS
from guardhouse.server.problems import Problem, answer
from guardhouse.server.reading import read_body

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from guardhouse.server.house import House
    from guardhouse.tokens import Principal

_MOST: Final = 1024 * 1024


async def show(house: House, _principal: Principal, _request: Request) -> Response:
    """What is in force, and the text of the file that can be changed here."""
    return answer(await house.in_thread(partial(_shown, house)))


async def change(house: House, principal: Principal, request: Request) -> Response:
    """Put another text in place of the file. `If-Match` names the revision that it was written for."""
    body = await read_body(request, _MOST)
    revision = request.headers.get("if-match", "").strip('"')
    return answer(await house.in_thread(partial(_changed, house, principal, body, revision)))


def _shown(house: House) -> dict[str, Any]:
    policy = house.policy.current()
    file = _file(house)
    return {
        "revision": policy.revision,
        "mode": policy.config.mode if policy.config.enabled else "disabled",
        "preset": policy.config.preset,
        "file": str(file),
        "text": file.read_text(encoding="utf-8", errors="replace") if file.exists() else "",
    }


def _changed(house: House, principal: Principal, body: bytes, revision: str) -> dict[str, Any]:
    if not revision:
        raise Problem(400, "`If-Match` must name the revision that this was written for.", fix="Read /v1/policy.")
    if revision != house.policy.reload().revision:
        raise Problem(412, "The policy was changed meanwhile.", fix="Read /v1/policy again.")
    file = _file(house)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=".draft.", suffix=file.suffix)
    draft = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(body)
            stream.flush()
            os.fsync(stream.fileno())
        try:
            foreseen = msgspec.structs.replace(house.sources, config_file=draft).load()
        except PolicyError as error:
            problems = [problem.replace(name, file.name) for problem in error.problems]
            raise Problem(422, "The policy can't be read; nothing was changed.", problems=problems) from None
        house.note(principal, f"the policy was changed to {foreseen.revision}")
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)
    return {"status": "changed", "revision": house.policy.reload().revision}


def _file(house: House) -> Path:
    """The user's own file, or the one that was named when the daemon was started."""
    if house.sources.config_file is not None:
        return house.sources.config_file
    candidates = [house.sources.locations.user / f"config{ending}" for ending in FORMATS]
    return next((file for file in candidates if file.exists()), candidates[0])
