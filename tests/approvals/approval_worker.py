"""A process of its own that works at a desk: a command a line on standard input, an answer a line on its output.

    python approval_worker.py PLACE [--stop-inside]

With `--stop-inside` it says `inside` in the middle of its next transaction and stays there. The command `churn`
asks, answers and uses without end, and says what it was granted.
"""

from __future__ import annotations

import json
import random
import signal
import sys
import time
from pathlib import Path

from approval_desk import Desk, question

from guardhouse.approvals import AlreadyAnswered, RequestClosed


def say(value) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def stop(_request) -> None:
    say("inside")
    signal.pause()


def settle(desk, command, approval_id=None):
    settlement = desk.approver.settle(question(command), approval_id)
    return {
        "id": settlement.request and settlement.request.id,
        "granted": settlement.granted,
        "refusal": settlement.refusal,
    }


def answer(desk, request_id, approve, actor):
    try:
        request = desk.approver.answer(request_id, approve=approve, actor=actor)
    except AlreadyAnswered as error:
        request = error.request
    return {"status": request.status.value, "actor": request.actor}


def churn(desk, seed):
    dice = random.Random(seed)
    while True:
        settlement = desk.approver.settle(question(f"command {dice.randrange(6)}"))
        if settlement.granted:
            say(["granted", settlement.request.id])
        elif settlement.refusal is None:
            try:
                desk.approver.answer(settlement.request.id, approve=True, actor=f"worker {seed}")
            except RequestClosed as error:
                say(["closed", error.request.id])
            else:
                say(["answered", settlement.request.id])


def main() -> None:
    place, *options = sys.argv[1:]
    more = {"record": stop} if "--stop-inside" in options else {}
    desk = Desk(Path(place) if place.startswith("/") else place, clock=time.time, **more)
    say("ready")
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        say({"settle": settle, "answer": answer, "churn": churn}[name](desk, *arguments))


if __name__ == "__main__":
    main()
