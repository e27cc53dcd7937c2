"""Looking before enforcing: what the gate did today, what it would have stopped, which allowances that suggests, and
changing between observing and enforcing. Nothing here decides about an action."""

from guardhouse.observing.allowances import Given, allowed_by, give
from guardhouse.observing.loosening import loosen, record_change, require_person
from guardhouse.observing.standing import GuardedAgent, Standing, standing
from guardhouse.observing.suggesting import Kept, Suggestion, Suggestions, suggest
from guardhouse.observing.switching import switch_mode
from guardhouse.observing.unfit_places import unfit_place

__all__ = [
    "Given",
    "GuardedAgent",
    "Kept",
    "Standing",
    "Suggestion",
    "Suggestions",
    "allowed_by",
    "give",
    "loosen",
    "record_change",
    "require_person",
    "standing",
    "suggest",
    "switch_mode",
    "unfit_place",
]
