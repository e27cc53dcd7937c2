"""The provenance ledger: what is worth remembering of content, and where the values of a call come from.

It keeps nothing by itself. `read_content` and `read_request` say what a session should be able to find again;
`questions` and `Ledger` hold a call against what the session found.
"""

from guardhouse.trust.ledger.arguments import Argument, arguments, payment
from guardhouse.trust.ledger.confirming import agreed, proposal
from guardhouse.trust.ledger.deeds import does_for_sure
from guardhouse.trust.ledger.kinds import Kind, kind_of
from guardhouse.trust.ledger.matching import Ledger, Source, Traced
from guardhouse.trust.ledger.pastes import pasted_part, typed_as_shown, typed_part
from guardhouse.trust.ledger.pointing import is_led_to, pointing_questions, points_at
from guardhouse.trust.ledger.questions import candidates, questions
from guardhouse.trust.ledger.reading import (
    WORKED,
    Object,
    Reading,
    echoes,
    only_made,
    read_content,
    with_new_id,
    written,
)
from guardhouse.trust.ledger.request import Request, from_kept, read_request
from guardhouse.trust.ledger.roles import SENSITIVE, Role
from guardhouse.trust.ledger.saying import gone, request_values, spared, told_of, whom
from guardhouse.trust.ledger.shapes import Shape, shape_of
from guardhouse.trust.ledger.sightings import Sightings, is_unfit
from guardhouse.trust.ledger.telltales import carries, telltales
from guardhouse.trust.ledger.words import going_by
from guardhouse.trust.ledger.words import name_words as tool_words

__all__ = [
    "SENSITIVE",
    "WORKED",
    "Argument",
    "Kind",
    "Ledger",
    "Object",
    "Reading",
    "Request",
    "Role",
    "Shape",
    "Sightings",
    "Source",
    "Traced",
    "agreed",
    "arguments",
    "candidates",
    "carries",
    "does_for_sure",
    "echoes",
    "from_kept",
    "going_by",
    "gone",
    "is_led_to",
    "is_unfit",
    "kind_of",
    "only_made",
    "pasted_part",
    "payment",
    "pointing_questions",
    "points_at",
    "proposal",
    "questions",
    "read_content",
    "read_request",
    "request_values",
    "shape_of",
    "spared",
    "telltales",
    "told_of",
    "tool_words",
    "typed_as_shown",
    "typed_part",
    "whom",
    "with_new_id",
    "written",
]
