"""Hooks of coding agents: one event of an agent's in, one answer in that agent's words out. They decide nothing.

`closing` says no in an agent's words without the gate, `interface` is what the agents' protocols share, and each agent
has a module of its own. `responding` takes an event through the gate.
"""
