"""The model of runs, as the configuration names it: any service that speaks OpenAI's protocol.

The operator wrote its address down, so it may be anywhere, also on this machine. Proxies of the environment are not
used, and redirects are not followed: its key goes to that address and nowhere else.
"""

from __future__ import annotations

import asyncio
import os
from importlib.util import find_spec
from typing import TYPE_CHECKING

from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic_ai.models import Model

    from guardhouse.policy.schema import ModelSection


class NoModel(GuardhouseError):
    """No model is configured, or what it needs is missing."""


def check_model(section: ModelSection, variables: Mapping[str, str] = os.environ) -> str:
    """The key of the model that the configuration names. NoModel says what is missing."""
    if not section.name:
        raise NoModel("No model is configured.", fix=HOW_TO_SET_ONE)
    key = variables.get(section.key_env, "") if section.key_env else "none"
    if not key:
        raise NoModel(
            f"The model {section.name} needs its key in the environment variable {section.key_env}.",
            fix=f"export {section.key_env}=…, or set `runs.model.key_env` to an empty text if it wants none.",
        )
    if find_spec("pydantic_ai") is None or find_spec("openai") is None:
        raise NoModel("Runs need a part that is not installed.", fix="pip install 'guardhouse[runs]'")
    return key


def model_of(section: ModelSection, variables: Mapping[str, str] = os.environ) -> Model:
    """The model that the configuration names. NoModel says what is missing."""
    key = check_model(section, variables)
    import httpx2
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    from guardhouse.runs.answering import Answering

    client = AsyncOpenAI(
        base_url=section.base_url,
        api_key=key,
        timeout=section.seconds,
        max_retries=section.retries,
        http_client=httpx2.AsyncClient(
            transport=Answering(section.seconds), trust_env=False, follow_redirects=False, timeout=section.seconds
        ),
    )
    return OpenAIChatModel(section.name, provider=OpenAIProvider(openai_client=client))


class KeptModel:
    """The model that the configuration names at the moment, with its connections, for one event loop at a time. A
    segment of a run needs one for seconds; to connect anew for each would take longer than most answers to begin."""

    def __init__(self, section: Callable[[], ModelSection]) -> None:
        self._section = section
        self._kept: tuple[ModelSection, asyncio.AbstractEventLoop, Model] | None = None

    def current(self) -> Model:
        """The model. NoModel says what is missing."""
        section, loop = self._section(), asyncio.get_running_loop()
        if self._kept is None or self._kept[0] != section or self._kept[1] is not loop:
            self._kept = (section, loop, model_of(section))
        return self._kept[2]


HOW_TO_SET_ONE = (
    "Set `guard: {runs: {model: {name: …, base_url: …}}}` in ~/.config/guardhouse/config.yaml; see docs/runs.md. "
    "`guardhouse demo` needs no model."
)
