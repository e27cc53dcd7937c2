"""One run in one process: what it does, where it waits, and what the model is told."""

import asyncio
import contextlib

import pytest
from running import results, scripted, worked

from guardhouse.model import ApprovalStatus, GrantScope, GuardhouseError, Terms
from guardhouse.runs import CallState, FunctionTool, NotTaken, Role, RunStatus

KEY = "AKIA" + "Q3EGWXJ4R7TBZ2LM"


def hearing(told, answer="Done."):
    """A last answer of the model that keeps what it was told."""

    def said(messages):
        told.extend(results(messages))
        return answer

    return said


def approve(runs, run_id, *, yes=True, **more):
    for request_id in runs.waits_for(run_id):
        runs.guard.approvals.answer(request_id, approve=yes, actor="local:ada", **more)


def test_a_run_calls_its_tools_and_answers(machine):
    runs = machine.runs(scripted(("look", {"what": "roof"}), "The roof is fine."))
    run = worked(runs, runs.start("Look at the roof.").id)
    assert run.status is RunStatus.DONE
    assert runs.output(run.id) == "The roof is fine."
    assert machine.made == [("look", "roof")]


def test_a_run_ends_at_a_question_and_makes_the_kept_call_once_it_is_answered(machine):
    told = []
    runs = machine.runs(scripted(("pay", {"amount": 5}), hearing(told)))
    run = worked(runs, runs.start("Pay 5.").id)
    assert run.status is RunStatus.WAITING
    assert machine.made == []
    approve(runs, run.id)
    run = worked(runs, run.id)
    assert run.status is RunStatus.DONE
    assert machine.made == [("pay", 5)]
    assert told == ["paid 5"]


def test_what_was_asked_the_model_again_has_no_say_in_the_call_that_is_made(machine):
    """After the approval the model would want another amount: the kept call is made."""
    first = machine.runs(scripted(("pay", {"amount": 5}), "Done."))
    run = worked(first, first.start("Pay 5.").id)
    approve(first, run.id)
    second = machine.runs(scripted(("pay", {"amount": 5000}), "Done."))
    assert worked(second, run.id).status is RunStatus.DONE
    assert machine.made == [("pay", 5)]


def test_a_no_reaches_the_model_with_its_message(machine):
    told = []
    runs = machine.runs(scripted(("pay", {"amount": 5}), hearing(told)))
    run = worked(runs, runs.start("Pay 5.").id)
    approve(runs, run.id, yes=False, comment="Not before Friday.")
    assert worked(runs, run.id).status is RunStatus.DONE
    assert machine.made == []
    assert "Not before Friday." in told[0]


def test_a_run_that_waits_is_taken_up_by_nobody(machine):
    runs = machine.runs(scripted(("pay", {"amount": 5}), "Done."))
    run = worked(runs, runs.start("Pay 5.").id)
    with pytest.raises(NotTaken, match="waits"):
        worked(runs, run.id)


def test_of_two_that_resume_at_once_one_wins(machine):
    runs = machine.runs(scripted(("pay", {"amount": 5}), "Done."))
    run = worked(runs, runs.start("Pay 5.").id)
    approve(runs, run.id)

    async def both():
        return await asyncio.gather(runs.take_up(run.id), runs.take_up(run.id), return_exceptions=True)

    ends = asyncio.run(both())
    assert sorted(type(end).__name__ for end in ends) == ["NotTaken", "Run"]
    assert machine.made == [("pay", 5)]


def test_calls_of_one_turn_are_asked_about_together_and_the_others_are_made(machine):
    told = []
    both = [("pay", {"amount": 5}), ("look", {"what": "roof"}), ("pay", {"amount": 6})]
    runs = machine.runs(scripted(both, hearing(told)))
    run = worked(runs, runs.start("Pay 5 and 6.").id)
    assert machine.made == [("look", "roof")]
    assert len(runs.waits_for(run.id)) == 2
    approve(runs, run.id)
    worked(runs, run.id)
    assert told == ["paid 5", "roof is fine", "paid 6"]


def test_the_same_call_twice_in_one_turn_needs_two_answers(machine):
    runs = machine.runs(scripted([("pay", {"amount": 5}), ("pay", {"amount": 5})], "Done."))
    run = worked(runs, runs.start("Pay 5 twice.").id)
    approve(runs, run.id)
    run = worked(runs, run.id)
    assert machine.made == [("pay", 5)]
    assert run.status is RunStatus.WAITING
    approve(runs, run.id)
    assert worked(runs, run.id).status is RunStatus.DONE
    assert machine.made == [("pay", 5), ("pay", 5)]


def test_a_tool_that_fails_is_told_to_the_model_and_the_run_goes_on(machine):
    told = []

    def broken(what: str) -> str:
        """Look something up."""
        raise ValueError(f"no {what} here")

    machine.configure("guard: {tools: {broken: {capabilities: [reads]}}}")
    tools = [FunctionTool(broken)]
    runs = machine.runs(scripted(("broken", {"what": "roof"}), hearing(told)), tools=tuple(tools))
    run = worked(runs, runs.start("Look.").id)
    assert run.status is RunStatus.DONE
    assert "ValueError: no roof here" in told[0]
    assert next(call.outcome for call in runs.calls(run.id)) == "failed"


@pytest.mark.parametrize(
    ("call", "words"),
    [(("look", {"where": "x"}), "what"), (("look", {"what": 5}), "what")],
)
def test_arguments_that_do_not_fit_are_told_to_the_model_and_nothing_is_called(machine, call, words):
    told = []
    runs = machine.runs(scripted(call, hearing(told)))
    assert worked(runs, runs.start("Look.").id).status is RunStatus.DONE
    assert words in told[0]
    assert machine.made == []


def test_a_secret_in_a_result_is_masked_before_the_model_sees_it(machine):
    told = []

    def look(what: str) -> str:
        """Look something up."""
        return f"{what}: {KEY}"

    runs = machine.runs(scripted(("look", {"what": "key"}), hearing(told)), tools=(FunctionTool(look),))
    run = worked(runs, runs.start("Look.").id)
    assert run.status is RunStatus.DONE
    assert KEY not in told[0]
    assert next(call.outcome for call in runs.calls(run.id)) == "redacted"


def test_a_secret_in_the_answer_is_masked(machine):
    runs = machine.runs(scripted(f"The key is {KEY}."))
    run = worked(runs, runs.start("What is the key?").id)
    assert KEY not in runs.output(run.id)


def test_a_run_that_is_denied_again_and_again_is_stopped(machine):
    machine.configure("guard: {tools: {pay: {capabilities: [writes]}}, rules: [{id: n, tool: pay, effect: deny}]}")
    runs = machine.runs(scripted(("pay", {"amount": 5})), most_denied=3)
    run = worked(runs, runs.start("Pay.").id)
    assert (run.status, run.why) == (RunStatus.FAILED, "breaker")
    assert run.steps == 3
    assert machine.made == []


def test_a_run_has_an_end(machine):
    runs = machine.runs(scripted(("look", {"what": "roof"})), most_steps=4)
    run = worked(runs, runs.start("Look.").id)
    assert (run.status, run.why, run.steps) == (RunStatus.FAILED, "steps", 4)


def test_a_tool_that_there_is_none_of_is_told_to_the_model(machine):
    runs = machine.runs(scripted([("fly", {}), ("look", {"what": "roof"})], "Done."))
    assert worked(runs, runs.start("Fly.").id).status is RunStatus.DONE
    assert machine.made == [("look", "roof")]


def test_a_call_whose_tool_is_gone_when_it_is_resumed_is_told_to_the_model(machine):
    told = []
    runs = machine.runs(scripted(("pay", {"amount": 5}), "Done."))
    run = worked(runs, runs.start("Pay 5.").id)
    approve(runs, run.id)
    other = machine.runs(scripted("unused", hearing(told)), tools=())
    assert worked(other, run.id).status is RunStatus.DONE
    assert told == ["There is no tool of that name."]


def test_a_run_is_paused_if_its_model_can_not_be_asked_and_goes_on_later(machine):
    def broken(_messages):
        raise ConnectionError("no such host")

    runs = machine.runs(scripted(("look", {"what": "roof"}), broken))
    run = worked(runs, runs.start("Look.").id)
    assert (run.status, run.why) == (RunStatus.PAUSED, "model")
    again = machine.runs(scripted("unused", "Fine."))
    assert worked(again, run.id).status is RunStatus.DONE
    assert machine.made == [("look", "roof")]


def test_a_run_that_is_stopped_in_the_middle_of_a_call_is_paused_and_does_not_make_it_again_by_itself(machine):
    begun = asyncio.Event()

    async def pay(amount: int) -> str:
        """Pay an amount."""
        machine.made.append(("pay", amount))
        begun.set()
        await asyncio.sleep(600)
        return "never"

    runs = machine.runs(scripted(("pay", {"amount": 5}), "Done."), tools=(FunctionTool(pay),))
    run = worked(runs, runs.start("Pay 5.").id)
    approve(runs, run.id)

    async def stopped():
        work = asyncio.create_task(runs.take_up(run.id))
        await begun.wait()
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)

    asyncio.run(stopped())
    assert runs.get(run.id).status is RunStatus.PAUSED
    told = []
    again = machine.runs(scripted("unused", hearing(told)))
    assert worked(again, run.id).status is RunStatus.WAITING
    [request_id] = again.waits_for(run.id)
    assert "run.may_have_run" in {reason.code for reason in again.guard.approvals.get(request_id).reasons}
    approve(again, run.id, yes=False)
    assert worked(again, run.id).status is RunStatus.DONE
    assert machine.made == [("pay", 5)]
    assert told[0].startswith("It is not known whether this call took effect")
    assert next(call.outcome for call in again.calls(run.id)) == "unknown"


def test_a_call_that_only_reads_is_made_again_without_a_question(machine):
    runs = machine.runs(scripted(("look", {"what": "roof"}), "Done."))
    run = runs.start("Look.")
    journal_end, died = type(runs.guard).report, []

    def dies(*arguments, **named):
        if not died:
            died.append(True)
            raise KeyboardInterrupt
        return journal_end(runs.guard, *arguments, **named)

    runs.guard.report = dies
    with pytest.raises(KeyboardInterrupt):
        worked(runs, run.id)
    assert worked(runs, run.id).status is RunStatus.DONE
    assert machine.made == [("look", "roof")] * 2


def test_a_result_that_has_to_be_approved_is_kept_until_it_is(machine):
    machine.configure(
        "guard: {tools: {look: {capabilities: [reads]}},"
        " rules: [{id: r, action: ToolCallPost, tool: look, effect: require_approval}]}"
    )
    told = []
    runs = machine.runs(scripted(("look", {"what": "roof"}), hearing(told)))
    run = worked(runs, runs.start("Look.").id)
    assert run.status is RunStatus.WAITING
    assert [call.state for call in runs.calls(run.id)] == [CallState.RETURNED]
    approve(runs, run.id)
    again = machine.runs(scripted("unused", hearing(told)))
    assert worked(again, run.id).status is RunStatus.DONE
    assert machine.made == [("look", "roof")]
    assert told == ["roof is fine"]


def test_an_answer_that_has_to_be_approved_waits(machine):
    machine.configure("guard: {rules: [{id: r, action: OutputPublish, effect: require_approval}]}")
    runs = machine.runs(scripted("Fine."))
    run = worked(runs, runs.start("Look.").id)
    assert (run.status, runs.output(run.id)) == (RunStatus.WAITING, None)
    approve(runs, run.id)
    assert worked(runs, run.id).status is RunStatus.DONE
    assert runs.output(run.id) == "Fine."


def test_an_answer_that_may_not_be_shown_is_not(machine):
    machine.configure("guard: {rules: [{id: r, action: OutputPublish, effect: deny}]}")
    runs = machine.runs(scripted("Fine."))
    run = worked(runs, runs.start("Look.").id)
    assert (run.status, run.why, runs.output(run.id)) == (RunStatus.FAILED, "output", None)


def test_a_call_that_a_person_changed_is_made_as_they_changed_it(machine):
    from guardhouse.editing import edit_and_approve

    runs = machine.runs(scripted(("pay", {"amount": 5}), "Done."))
    run = worked(runs, runs.start("Pay 5.").id)
    [request_id] = runs.waits_for(run.id)
    edit_and_approve(runs.guard, runs.guard.approvals, request_id, {"/params/amount": 3}, actor="local:ada")
    assert worked(runs, run.id).status is RunStatus.DONE
    assert machine.made == [("pay", 3)]


def test_a_cancelled_run_ends_and_its_questions_are_taken_back(machine):
    runs = machine.runs(scripted(("pay", {"amount": 5}), "Done."))
    run = worked(runs, runs.start("Pay 5.").id)
    [request_id] = runs.waits_for(run.id)
    assert runs.cancel(run.id, actor="local:ada").status is RunStatus.CANCELLED
    assert runs.guard.approvals.get(request_id).status.value == "cancelled"
    with pytest.raises(NotTaken, match="over"):
        worked(runs, run.id)


def test_a_run_under_way_ends_after_the_call_that_is_being_made(machine):
    holder = {}

    def look(what: str) -> str:
        """Look something up."""
        machine.made.append(("look", what))
        holder["runs"].cancel(holder["run"].id, actor="local:ada")
        return "fine"

    runs = machine.runs(scripted(("look", {"what": "roof"})), tools=(FunctionTool(look),))
    holder.update(runs=runs, run=runs.start("Look."))
    assert worked(runs, holder["run"].id).status is RunStatus.CANCELLED
    assert machine.made == [("look", "roof")]


def test_a_task_that_the_gate_denies_reaches_no_model(machine):
    machine.configure("guard: {rules: [{id: r, action: UserInput, effect: deny}]}")
    runs = machine.runs(scripted("never"))
    run = worked(runs, runs.start("Look.").id)
    assert (run.status, run.why, run.steps) == (RunStatus.FAILED, "denied", 0)


def test_state_that_was_damaged_is_not_gone_on_with(machine):
    runs = machine.runs(scripted(("pay", {"amount": 5}), "Done."))
    run = worked(runs, runs.start("Pay 5.").id)
    approve(runs, run.id)
    with runs.guard.database.writing() as rows:
        rows.change("UPDATE runs SET sealed_state = ? WHERE id = ?", (b"\x01" * 100, run.id))
    run = worked(runs, run.id)
    assert (run.status, run.why) == (RunStatus.PAUSED, "state")
    assert machine.made == []


@pytest.mark.parametrize("task", ["", " \n", "x" * 200_001])
def test_a_task_must_say_something_and_not_too_much(machine, task):
    with pytest.raises(GuardhouseError):
        machine.runs(scripted("never")).start(task)


def test_two_tools_of_one_role_have_two_names(machine):
    look = machine.tools()[0]
    with pytest.raises(GuardhouseError, match="one name"):
        machine.runs(scripted("never"), roles=[Role(name="agent", tools=(look, look))])


@pytest.mark.parametrize("config", ["mode: observe", "enabled: false"])
def test_what_may_have_been_made_is_not_made_again_unasked_whatever_the_policy(machine, config):
    begun = asyncio.Event()

    async def note(text: str) -> str:
        """Write a note."""
        machine.made.append(("note", text))
        begun.set()
        await asyncio.sleep(600)
        return "never"

    machine.configure(f"guard: {{{config}, tools: {{note: {{capabilities: [writes]}}}}}}")
    runs = machine.runs(scripted(("note", {"text": "x"}), "Done."), tools=(FunctionTool(note),))
    run = runs.start("Note it.")

    async def stopped():
        work = asyncio.create_task(runs.take_up(run.id))
        await begun.wait()
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)

    asyncio.run(stopped())
    again = machine.runs(scripted("unused", "Done."))
    worked(again, run.id)
    assert machine.made == [("note", "x")]


def test_a_no_is_heard_however_late_and_whatever_was_granted_before(machine):
    def write_file(path: str, content: str) -> str:
        """Write a file."""
        machine.made.append(content)
        return "written"

    both = [("write_file", {"path": "/opt/x", "content": one}) for one in ("no to this", "yes to this")]
    runs = machine.runs(scripted(both, "Done."), tools=(FunctionTool(write_file),))
    run = worked(runs, runs.start("Write it.").id)
    first, second = runs.waits_for(run.id)
    approvals = runs.guard.approvals
    terms = Terms(grant=GrantScope("destination", 3600.0))
    approvals.answer(second, approve=True, actor="local:ada", terms=terms)
    approvals.answer(first, approve=False, actor="local:ada")
    with runs.guard.database.writing() as rows:  # long after
        rows.change("UPDATE requests SET expires_at = 1 WHERE id = ?", (first,))
    assert worked(runs, run.id).status is RunStatus.DONE
    assert machine.made == ["yes to this"]


def test_calls_that_fail_do_not_make_denials_forgotten(machine):
    machine.configure(
        "guard: {tools: {pay: {capabilities: [writes]}, look: {capabilities: [reads]}},"
        " rules: [{id: n, tool: pay, effect: deny}]}"
    )
    answers = [one for _ in range(10) for one in (("pay", {"amount": 5}), ("look", {"where": "wrong"}))]
    runs = machine.runs(scripted(answers, "Done."), most_denied=3)
    run = worked(runs, runs.start("Pay.").id)
    assert (run.status, run.why) == (RunStatus.FAILED, "breaker")


def test_one_answer_of_the_model_wants_so_many_calls_at_most(machine):
    runs = machine.runs(scripted([("look", {"what": str(number)}) for number in range(80)], "Done."))
    run = worked(runs, runs.start("Look.").id)
    assert run.status is RunStatus.DONE
    assert len(machine.made) == 64


def test_a_tool_can_not_be_called_like_the_answer(machine):
    def output(text: str) -> str:
        """Give something out."""
        machine.made.append(text)
        return "given"

    machine.configure("guard: {tools: {output: {capabilities: [reads]}}}")
    runs = machine.runs(scripted(("output", {"text": "x"}), "Done."), tools=(FunctionTool(output),))
    run = worked(runs, runs.start("Give.").id)
    assert (machine.made, runs.output(run.id)) == (["x"], "Done.")


def test_a_task_that_would_be_asked_about_leaves_no_question(machine):
    machine.configure("guard: {rules: [{id: r, action: UserInput, effect: require_approval}]}")
    runs = machine.runs(scripted("never"))
    run = worked(runs, runs.start("Look.").id)
    assert (run.status, run.why) == (RunStatus.FAILED, "denied")
    assert runs.guard.approvals.count_pending() == 0


def test_a_run_that_is_over_asks_nothing_any_more(machine):
    machine.configure(
        "guard: {tools: {pay: {capabilities: [writes]}, note: {capabilities: [writes]}},"
        " rules: [{id: p, tool: pay, effect: require_approval}, {id: n, tool: note, effect: deny}]}"
    )
    runs = machine.runs(
        scripted([("pay", {"amount": 5}), *[("note", {"text": str(number)}) for number in range(3)]]), most_denied=3
    )
    run = worked(runs, runs.start("Pay.").id)
    assert run.why == "breaker"
    assert runs.guard.approvals.count_pending() == 0


def test_a_cancel_while_the_model_is_asked_is_not_lost_if_that_fails(machine):
    held = {}

    def fails(_messages):
        held["runs"].cancel(held["run"].id, actor="local:ada")
        raise ConnectionError("no such host")

    runs = machine.runs(scripted(fails))
    held.update(runs=runs, run=runs.start("Look."))
    assert worked(runs, held["run"].id).status is RunStatus.CANCELLED


def test_a_paused_run_is_taken_up_only_by_who_resumes_it(machine):
    def broken(_messages):
        raise ConnectionError("no such host")

    runs = machine.runs(scripted(broken))
    run = worked(runs, runs.start("Look.").id)
    with pytest.raises(NotTaken, match="paused"):
        worked(runs, run.id, resumes=False)


def test_a_settlement_that_is_not_committed_leaves_the_call_where_it_was_and_the_run_paused(machine, monkeypatch):
    from guardhouse.approvals.store import SqlStore

    runs = machine.runs(scripted(("pay", {"amount": 5}), "Done."))
    run = worked(runs, runs.start("Pay 5.").id)
    approve(runs, run.id)
    real, broken = SqlStore.writing, []

    @contextlib.contextmanager
    def writing(self):
        with real(self) as rows:
            yield rows
            if not broken:
                broken.append(True)
                raise OSError("the disk is full")

    monkeypatch.setattr(SqlStore, "writing", writing)
    run = worked(runs, run.id)
    assert machine.made == []
    assert run.status in {RunStatus.DONE, RunStatus.PAUSED}


def test_a_run_of_a_machine_that_got_another_name_can_be_resumed(machine, monkeypatch):
    import platform

    runs = machine.runs(scripted(("pay", {"amount": 5}), "Done."))
    run = worked(runs, runs.start("Pay 5.").id)
    approve(runs, run.id)
    with runs.guard.database.writing() as rows:  # as it stands if its process was killed
        rows.change("UPDATE runs SET status = 'running', holder = ?", (f"{runs._holder._own_machine()}.{'0' * 24}",))
    monkeypatch.setattr(platform, "node", lambda: "another")
    again = machine.runs(scripted("unused", "Done."))
    assert worked(again, run.id).status is RunStatus.DONE


def test_a_tool_that_exits_is_a_failed_call(machine):
    told = []

    def look(what: str) -> str:
        """Look something up."""
        raise SystemExit(3)

    runs = machine.runs(scripted(("look", {"what": "roof"}), hearing(told)), tools=(FunctionTool(look),))
    run = worked(runs, runs.start("Look.").id)
    assert run.status is RunStatus.DONE
    assert told == ["SystemExit: 3"]


def test_a_tool_in_which_something_was_cancelled_is_a_failed_call(machine):
    told = []

    async def look(what: str) -> str:
        """Look something up."""
        machine.made.append(what)
        inside = asyncio.create_task(asyncio.sleep(60))
        inside.cancel()
        return await inside

    runs = machine.runs(
        scripted(("look", {"what": "roof"}), hearing(told)), tools=(FunctionTool(look, is_repeatable=True),)
    )
    run = worked(runs, runs.start("Look.").id)
    assert run.status is RunStatus.DONE
    assert told[0].startswith("CancelledError")
    assert machine.made == ["roof"]


def test_a_call_under_way_whose_tool_is_gone_by_now_is_not_told_to_have_failed(machine):
    """The model must not take another way to what may have been done."""
    told = []

    async def pay(amount: int) -> str:
        """Pay an amount."""
        asyncio.current_task().cancel()
        await asyncio.sleep(0)

    machine.configure("guard:\n  tools:\n    pay: {capabilities: [writes]}\n")
    first = machine.runs(scripted(("pay", {"amount": 5})), tools=(FunctionTool(pay),))
    run = first.start("Pay 5.")
    with pytest.raises(asyncio.CancelledError):
        worked(first, run.id)
    second = machine.runs(scripted("never", hearing(told)), tools=())
    assert worked(second, run.id).status is RunStatus.DONE
    assert "not known whether this call took effect" in told[0]
    assert [call.outcome for call in second.calls(run.id) if call.tool == "pay"] == ["unknown"]


def test_a_run_ends_together_with_what_it_asks(machine, monkeypatch):
    """Whatever goes wrong in between: there is no request that could be approved for a run that is over."""
    runs = machine.runs(scripted(("pay", {"amount": 5}), "Done."))
    run = worked(runs, runs.start("Pay 5.").id)
    [request_id] = runs.waits_for(run.id)

    def broken(*_arguments, **_more):
        raise GuardhouseError("The disk is full.")

    with monkeypatch.context() as patched:
        patched.setattr("guardhouse.runs.store.RunRows.end", broken)
        with pytest.raises(GuardhouseError, match="full"):
            runs.cancel(run.id, actor="local:ada")
    assert runs.get(run.id).status is RunStatus.WAITING
    assert runs.guard.approvals.get(request_id).status is ApprovalStatus.PENDING
    with monkeypatch.context() as patched:
        patched.setattr("guardhouse.approvals.turn.Turn.move", broken)
        with pytest.raises(GuardhouseError, match="full"):
            runs.cancel(run.id, actor="local:ada")
    assert runs.get(run.id).status is RunStatus.WAITING
    runs.cancel(run.id, actor="local:ada")
    assert runs.guard.approvals.get(request_id).status is ApprovalStatus.CANCELLED
    assert runs.guard.approvals.get(request_id).actor == "local:ada"


def test_an_approval_that_was_not_used_is_taken_back_with_its_run(machine):
    runs = machine.runs(scripted(("pay", {"amount": 5}), "Done."))
    run = worked(runs, runs.start("Pay 5.").id)
    [request_id] = runs.waits_for(run.id)
    runs.guard.approvals.answer(request_id, approve=True, actor="local:ada")
    runs.cancel(run.id, actor="local:ada")
    assert runs.guard.approvals.get(request_id).status is ApprovalStatus.CANCELLED
    assert machine.made == []


def test_what_another_run_waits_for_as_well_is_not_taken_back(machine):
    runs = machine.runs(scripted(("pay", {"amount": 5}), "Done."))
    first, second = (worked(runs, runs.start("Pay 5.", session_id="s_both").id) for _ in range(2))
    [request_id] = runs.waits_for(first.id)
    assert runs.waits_for(second.id) == [request_id]
    runs.cancel(first.id, actor="local:ada")
    approve(runs, second.id)
    assert worked(runs, second.id).status is RunStatus.DONE
    assert machine.made == [("pay", 5)]


def test_a_run_can_be_cancelled_whatever_the_policy_looks_like(machine):
    runs = machine.runs(scripted(("pay", {"amount": 5}), "Done."))
    run = worked(runs, runs.start("Pay 5.").id)
    runs.guard.approvals._settings = lambda: 1 / 0
    assert runs.cancel(run.id, actor="local:ada").status is RunStatus.CANCELLED
