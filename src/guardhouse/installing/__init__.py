"""Putting the gate under a coding agent, taking it away again, and looking whether it is really shut.

`installer` changes files, `doctor` looks; `agents` says what is known of each agent. Commands import what they need
from those, so that none of them loads the others. What a hook or the gateway does is not in this room.
"""
