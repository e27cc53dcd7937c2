"""Tools of the house at work in a run: a scripted model that wants calls, and what it was told of them."""

import asyncio

from running import results, scripted, worked

from guardhouse.runs import RunStatus
from guardhouse.runs.tools.interface import Errand, Names


def told(machine, tools, *calls, task="Do it.", answers=True, **start):
    """What the model is told of these calls, made one after the other; what asks is answered as `answers` says."""
    heard = []
    runs = machine.runs(scripted(*calls, lambda messages: heard.extend(results(messages)) or "Done."), tools=tools)
    run = runs.start(task, workspace=str(machine.project), **start)
    run = worked(runs, run.id)
    while run.status is RunStatus.WAITING:
        for request_id in runs.waits_for(run.id):
            runs.guard.approvals.answer(request_id, approve=answers, actor="local:ada")
        run = worked(runs, run.id)
    assert run.status is RunStatus.DONE, run
    return heard


def errand(machine, guard=None, real_paths=None, **more):
    """What a tool is called under, without a run."""
    guard = guard or machine.runs(None).guard
    names = Names(session_id="s", run_id="r", cwd=str(machine.project))
    return Errand(guard=guard, names=names, call_id="c", real_paths=real_paths or {}, **more)


def called(tool, params, under):
    return asyncio.run(tool.work(params, under))
