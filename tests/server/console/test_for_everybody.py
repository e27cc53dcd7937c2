"""Whether everybody can use the console: axe finds nothing serious on any page, in light and dark, on a screen and a
phone."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from daemon_process import pending
from playwright.sync_api import expect

DELETING = [f"rm -rf /srv/{number}" for number in range(12)]
LONG = [f"echo {number}" for number in range(70)]
"""So that a card has to be opened, and scrolls."""


def faults(page):
    # Run by the debugger, which the content policy does not bind.
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in {"serious", "critical"}]


def given_and_taken_back(daemon, agent, command, *, is_over):
    """A grant, in force or revoked."""
    asked = pending(agent, command, "granted")
    with daemon.approver() as person:
        given = {"terms": {"grant": {"reach": "exact", "seconds": 600}}}
        assert person.post(f"/v1/approvals/{asked}/approve", json=given).status_code == 200
        [grant] = [one for one in person.get("/v1/grants").json()["grants"] if one["request_id"] == asked]
        if is_over:
            assert person.post(f"/v1/grants/{grant['id']}/revoke").status_code == 200


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 375), ("dark", 375)])
def test_no_page_has_a_serious_fault(daemon, visit, ada, agent, scheme, width):
    at = visit(daemon, scheme=scheme, width=width, motion="reduce")
    expect(at.page.locator("#sign-in")).to_be_visible()
    assert faults(at.page) == []
    at.signed_in(ada)
    assert faults(at.page) == []
    asked = pending(agent, "\n".join((*DELETING, *LONG)))
    at.open(asked)
    for option in at.page.locator(".option > summary").all():
        option.click()
    assert faults(at.page) == []
    at.deny.click()
    expect(at.outcome).to_be_visible()
    assert faults(at.page) == []
    for number in range(2):
        given_and_taken_back(daemon, agent, f"rm -rf /srv/granted-{number}", is_over=number == 0)
    for path in ("/grants", "/grants?all=1", "/denied", "/reasons", "/reasons/private_ip"):
        at.go(path)
        expect(at.page.get_by_role("heading", level=1)).to_be_visible()
        if path == "/grants?all=1":
            expect(at.page.locator(".tile.is-over")).not_to_have_count(0)
        assert faults(at.page) == []
