from __future__ import annotations

import pytest
from hooked_agent import AGENTS, ALL, Hooked, no_matter_which


@pytest.fixture(params=AGENTS)
def hooked(request, tmp_path) -> Hooked:
    """Each agent, one after the other."""
    return no_matter_which(request.param, tmp_path)


@pytest.fixture(params=ALL)
def anybody(request, tmp_path) -> Hooked:
    """Every agent there are hooks for, one after the other."""
    return no_matter_which(request.param, tmp_path)


@pytest.fixture
def claude(tmp_path) -> Hooked:
    return no_matter_which("claude-code", tmp_path)


@pytest.fixture
def codex(tmp_path) -> Hooked:
    return no_matter_which("codex", tmp_path)
