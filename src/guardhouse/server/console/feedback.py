"""What a person says of a decision, from the console: a form on the decision's page and in its row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs

import msgspec

from guardhouse.model import OPINIONS
from guardhouse.server.auditing import caught_up
from guardhouse.server.console.events import event_link, marks_of
from guardhouse.server.console.rendering import fragment
from guardhouse.server.console.traces import opinions_in
from guardhouse.server.feedback import Feedback, record
from guardhouse.server.problems import Problem
from guardhouse.server.reading import read_body

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from guardhouse.server.house import House
    from guardhouse.tokens import Principal

_LONGEST_FORM: Final = 64 * 1024


async def say(house: House, principal: Principal, request: Request) -> Response:
    """Record it; the form as it is then."""
    event_id: str = request.path_params["id"]
    fields = _fields(await read_body(request, _LONGEST_FORM))
    if fields.get("opinion") not in OPINIONS:
        raise Problem(400, "That is no opinion.", fix="Choose one of the three.")
    given = msgspec.convert({"opinion": fields["opinion"], "comment": fields.get("comment", "")}, Feedback)
    await record(house, principal, event_id, given)
    link = f"/console{event_link(event_id)}/feedback"
    if fields.get("from") == "row":
        marks = await house.in_thread(lambda: (caught_up(house), house.record.opinions_on([event_id]))[1])
        return fragment("row_menu.html", feedback=link, marks=marks_of(marks.get(event_id, {})))
    return fragment("opinions.html", feedback=link, opinions=await opinions_in(house, event_id))


def _fields(body: bytes) -> dict[str, str]:
    try:
        fields = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=20)
    except ValueError:
        raise Problem(400, "The form can't be read.", fix="Load the page again.") from None
    return {name: values[0] for name, values in fields.items() if len(values) == 1}
