"""Looking before enforcing: what the gate did today, what it would have stopped, which allowances that suggests, and
changing between observing and enforcing. Nothing here decides about an action."""

from guardhouse.observing.allowances import allowed_by, give
from guardhouse.observing.standing import GuardedAgent, Standing, standing
from guardhouse.observing.suggesting import Kept, Suggestion, Suggestions, suggest
from guardhouse.observing.switching import switch_mode

__all__ = [
    "GuardedAgent",
    "Kept",
    "Standing",
    "Suggestion",
    "Suggestions",
    "allowed_by",
    "give",
    "standing",
    "suggest",
    "switch_mode",
]
