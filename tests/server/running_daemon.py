"""A daemon whose agents have a scripted model and tools that are counted elsewhere."""

from __future__ import annotations

from pathlib import Path

from daemon_process import DaemonProcess, until

CONFIG = """
guard:
  server: {{requests_per_minute: 60000}}
  tools:
    look: {{capabilities: [reads]}}
    pay: {{capabilities: [writes, spends]}}
    dawdle: {{capabilities: [reads]}}
    haul: {{capabilities: [writes]}}
  rules:
    - {{id: pay-asks, action: ToolCallPre, tool: pay, effect: require_approval, because: It is money.}}
  runs:
    model: {{name: scripted, base_url: "{url}", key_env: "", retries: 0}}
{more}
"""


class RunningDaemon(DaemonProcess):
    """With runs, whose model is `model`. `more` stands in the configuration's section of runs."""

    def __init__(self, root: Path, model, *, more: str = "", database: str | None = None) -> None:
        super().__init__(root, database=database)
        self.model = model
        self.program = [str(Path(__file__).with_name("tooled_daemon.py"))]
        self.variables = {"TEST_COUNTER": model.origin}
        self.configure(CONFIG.format(url=model.url, more="".join(f"    {line}\n" for line in more.splitlines())))


def started(agent, task: str, **more) -> str:
    answer = agent.post("/v1/runs", json={"task": task, **more})
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def stands(client, run_id: str, *statuses: str):
    """The run, once it stands so."""

    shown = {}

    def looked():
        shown.update(client.get(f"/v1/runs/{run_id}").json())
        return shown["status"] in statuses

    try:
        until(looked)
    except AssertionError:
        raise AssertionError(f"it should stand as {statuses}: {shown}") from None
    return shown
