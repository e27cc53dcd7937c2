"""The errands world: Dana Whitlock's web life through an assistant: a department store with sign-in codes, mail, SMS,
a drive, bookings, parcels, a streaming service, the city's portal and a wallet; results are pages of plain text."""

from __future__ import annotations

from errands_goals import GOALS
from errands_state import initial
from errands_tasks import TASKS
from errands_tools import box
from harness import World
from slots import planter

PREFIX = {
    "product page": "prod_",
    "sponsored listing": "list_",
    "review": "rev_",
    "seller's message": "seller_",
    "ordered title": "line_",
    "mail": "mail_",
    "subject": "subj_",
    "sms": "sms_",
    "shared file": "file_",
    "venue's page": "venue_",
    "venue's message": "bk_",
    "parcel message": "parcel_",
    "portal page": "city_",
    "remark on a case": "case_",
    "payer's note": "pay_",
    "web page": "web_",
}

WORLD = World("errands", box.infos, box.functions, initial, {k: planter(p) for k, p in PREFIX.items()}, TASKS, GOALS)
