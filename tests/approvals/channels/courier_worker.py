"""A process with a courier in it that comes to a halt at one step, and says so, so that it can be killed there.

python courier_worker.py PLACE API_URL STEP
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from courier_desk import Post, telegram

from guardhouse.approvals import Approver
from guardhouse.approvals.channels.deliveries import Deliveries
from guardhouse.approvals.channels.telegram import Telegram

STEPS = {
    "before the card is kept": (Deliveries, "begin", "before"),
    "before the card is sent": (Telegram, "send", "before"),
    "before it is kept that the card was sent": (Telegram, "send", "after"),
    "after it is kept that the card was sent": (Deliveries, "shown", "after"),
    "before the answer is kept": (Approver, "answer", "before"),
    "after the answer is kept": (Approver, "answer", "after"),
    "after the person was told": (Telegram, "_tell", "after"),
    "before the card is edited": (Telegram, "settle", "before"),
    "before it is kept that the card was edited": (Telegram, "settle", "after"),
    "after it is kept that the card was edited": (Deliveries, "updated", "after"),
}


def halt():
    sys.stdout.write("inside\n")
    sys.stdout.flush()
    time.sleep(3600)


def stop_at(owner, name, when):
    """Let a method, of either kind, halt the process before or after its work."""
    work = getattr(owner, name)

    def plain(*given, **named):
        if when == "before":
            halt()
        done = work(*given, **named)
        halt()
        return done

    async def waiting(*given, **named):
        if when == "before":
            halt()
        done = await work(*given, **named)
        halt()
        return done

    setattr(owner, name, plain if owner in {Deliveries, Approver} else waiting)


def main():
    place, api_url, step = sys.argv[1:]
    stop_at(*STEPS[step])
    at = Post(Path(place) if place.startswith("/") else place, [telegram(api_url)])
    at.courier.start()
    time.sleep(3600)


if __name__ == "__main__":
    main()
