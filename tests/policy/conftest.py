"""Layers written as YAML, and verdicts in a plain world: names resolve to public addresses, paths lead nowhere else."""

from textwrap import dedent

import pytest

from guardhouse.decide import Needs, decide
from guardhouse.detect import Surroundings
from guardhouse.model import (
    NO_FACTS,
    Addresses,
    AddressesOf,
    FileDigest,
    PolicyError,
    RealPath,
    RealPathOf,
    ToolCallPre,
    parse_action,
)
from guardhouse.policy import Layer, load, read_document, read_environment

AROUND = Surroundings(homes=("/home/ada",), cwd="/home/ada/app")


def _layer(name, text, *, trusted=True, file=None):
    if isinstance(text, dict):
        return Layer(name, read_environment(text))
    endings = {"{": "json"}
    file = file or f"{name}.{endings.get(text.strip()[:1], 'yaml')}"
    return Layer(name, read_document(file, dedent(text).encode()), trusted=trusted)


@pytest.fixture(scope="session")
def layer():
    """A layer from YAML text, or from variables."""
    return _layer


@pytest.fixture(scope="session")
def policy():
    """A policy from layers; keywords are layers too, and `project` is one nobody has trusted."""

    def make(*layers, **texts):
        named = [_layer(name, text, trusted=name != "project") for name, text in texts.items()]
        return load([*layers, *named], AROUND)

    return make


@pytest.fixture(scope="session")
def problems(policy):
    """What is wrong with a configuration; empty if nothing is."""

    def find(*layers, **texts):
        try:
            policy(*layers, **texts)
        except PolicyError as error:
            return list(error.problems) if error.problems != (error.what,) else [str(error)]
        return []

    return find


def _still(need):
    if isinstance(need, AddressesOf):
        return Addresses(addresses=("93.184.216.34",))
    return RealPath(path=need.path) if isinstance(need, RealPathOf) else FileDigest(digest="absent")


@pytest.fixture(scope="session")
def verdict():
    """The verdict of a policy on an action."""

    def judge(policy, action):
        action = parse_action(action) if isinstance(action, dict) else action
        facts = NO_FACTS
        while isinstance(outcome := decide(action, facts, policy), Needs):
            facts = facts.with_answers({need: _still(need) for need in outcome.needs})
        return outcome

    return judge


@pytest.fixture(scope="session")
def decision(verdict):
    """What a policy decides on a call, as a word."""

    def judge(policy, tool, **params):
        return verdict(policy, ToolCallPre(tool=tool, params=params)).decision.value

    return judge
