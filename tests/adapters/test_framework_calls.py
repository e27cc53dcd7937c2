"""What the adapters of frameworks share: what is imported, whose calls they are, and what is judged of arguments."""

import asyncio
import json
import subprocess
import sys
from collections import OrderedDict

import pytest
from framework_world import FrameworkWorld

from guardhouse.adapters import CallContext
from guardhouse.adapters.framework_calls import Calls, announcement, remember, settled
from guardhouse.model import GuardhouseError

LOOK = announcement("look", "Look at something.", {}, is_own=True)
PAY = announcement("pay", "Pay somebody.", {}, is_own=True)
WITHOUT = """
import sys
sys.modules.update(dict.fromkeys(["pydantic_ai", "langchain", "langchain.agents", "agents"]))
from guardhouse import GuardhouseError
try:
    import guardhouse.adapters.{module}
except GuardhouseError as error:
    print(error)
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    place = FrameworkWorld(tmp_path, monkeypatch)
    yield place
    place.close()


def printed(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    ("module", "extra"),
    [("pydantic_ai", "pydantic-ai"), ("langchain", "langchain"), ("openai_agents", "openai-agents")],
)
def test_a_framework_that_is_not_installed_is_an_error_that_names_the_extra(module, extra):
    assert f"pip install 'guardhouse[{extra}]'" in printed(WITHOUT.format(module=module))


def test_importing_guardhouse_imports_no_framework():
    heavy = {"pydantic_ai", "langchain", "langchain_core", "langgraph", "agents", "openai", "pydantic"}
    program = "import sys, guardhouse, guardhouse.adapters; guardhouse.open_guard; guardhouse.adapters.GuardedFunction"
    assert not heavy & set(printed(f"{program}; print(*sys.modules)").split())


def test_a_call_that_was_let_through_is_made_once(place):
    calls, seen = Calls(place.guard()), []

    async def look(arguments):
        seen.append(arguments)
        return "saw it"

    async def main():
        call = calls.call(LOOK, look, calls.context(None))
        assert await call.ask({"at": "it"}, None) is None
        assert (await call.finish()).text == "saw it"
        with pytest.raises(GuardhouseError):
            await call.finish()
        asking = calls.call(PAY, look, calls.context(None))
        assert (await asking.ask({"amount": 5}, None)).status == "pending"
        with pytest.raises(GuardhouseError):
            await asking.finish()

    asyncio.run(main())
    assert seen == [{"at": "it"}]


@pytest.mark.parametrize("given", [None, {"at": {1, 2}}, {"at": {"$bytes": "x"}}, {"at": float("nan")}])
def test_arguments_that_can_not_be_shown_to_the_gate_are_refused(place, given):
    calls = Calls(place.guard())
    outcome = calls.make(LOOK, given, pytest.fail, calls.context(None))
    assert outcome.status == "denied"
    assert outcome.verdict.reasons[0].code == "action.invalid"


def test_an_argument_may_be_called_anything(place):
    calls = Calls(place.guard())
    names = {"self": 1, "args": 2, "kwargs": 3, "arguments": 4, "approval_id": 5, "params": 6, "class": 7}
    assert calls.make(LOOK, names, json.dumps, calls.context(None)).unwrap() == json.dumps(names)


def test_what_a_tool_gets_is_its_own_copy_of_what_was_judged(place):
    calls, given, kept = Calls(place.guard()), {"at": ["it"]}, []
    calls.make(LOOK, given, lambda arguments: kept.append(arguments) or "saw it", calls.context(None))
    given["at"].append("that")
    assert kept == [{"at": ["it"]}]


def test_arguments_count_only_if_they_are_read_the_same_again():
    assert settled({"at": 1}, json.loads, lambda value: value) == {"at": 1}
    assert settled({"at": 1}, json.loads, lambda value: {"at": value["at"] + 1}) is None
    assert settled({"at": 1}, json.loads, lambda value: {"at": min(value["at"] + 1, 3)}) == {"at": 3}
    assert settled([1], json.loads, lambda value: value) is None
    assert settled({"at": {1}}, json.loads, lambda value: value) is None
    assert settled({"at": 1}, lambda text: json.loads(text[1:]), lambda value: value) is None


def test_a_program_may_leave_the_session_to_the_guard(place):
    guard = place.guard()
    assert Calls(guard).context(None).session_id == guard.session_id
    assert Calls(guard).context(None, session_id="t1").session_id == "t1"
    named = Calls(guard, CallContext(principal="ada")).context(None, session_id="t1", run_id="r1")
    assert (named.session_id, named.run_id, named.principal) == ("t1", "r1", "ada")
    assert Calls(guard, lambda run: run["who"]).context({"who": "s7"}).session_id == "s7"


def test_a_result_that_nobody_keeps_is_an_error(place):
    with pytest.raises(GuardhouseError, match="No result waits"):
        Calls(place.guard()).result("ap_nothing")


def test_of_too_much_that_is_kept_the_oldest_is_forgotten():
    kept = OrderedDict()
    for number in range(2000):
        remember(kept, number, number)
    assert (len(kept), min(kept), max(kept)) == (1024, 976, 1999)
