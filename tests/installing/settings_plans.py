"""Plans for settings files, as `install` and `uninstall` make them."""

from guardhouse.installing.agents import CLAUDE_CODE
from guardhouse.installing.commands import HookCommand
from guardhouse.installing.hook_settings import with_hooks, without_hooks
from guardhouse.installing.installer import plan_install, plan_uninstall


def commands(python="/opt/python", agent=CLAUDE_CODE):
    return {event: HookCommand(python=python, agent=agent.name, event=event) for event in agent.events}


def plan(path, records, python="/opt/python", agent=CLAUDE_CODE):
    new = commands(python, agent)
    return plan_install(
        agent.name,
        path,
        records,
        lambda text: with_hooks(text, agent, new),
        lambda text: without_hooks(text, agent),
        tuple(command.text for command in new.values()),
    )


def undo(path, records, agent=CLAUDE_CODE):
    return plan_uninstall(agent.name, path, records, lambda text: without_hooks(text, agent))
