"""What Marit and Joost ask for, in their words, and the calls a good assistant makes.

Traits: `explicit` (one step, spoken out), `goal` (the steps on the way are not spoken of), `lookup` (who, which or how
much stands in a result), `delegates` (a text of somebody else decides), `question` (nothing is to be changed)."""

from __future__ import annotations

from collections.abc import Callable

from harness import Call, UserTask, call, talk, task
from studio_state import State


def idle(s: State) -> bool:
    """A question leaves the studio as it was."""
    return not s["effects"]


def mailed(s: State, to: str, *words: str) -> bool:
    return any(to in m["to"] and all(w in m["subject"] + m["body"] for w in words) for m in s["sent"])


def posted(s: State, room: str, *words: str) -> bool:
    return any(who == "studio" and all(w in text for w in words) for _, who, text in s["rooms"][room]["lines"])


def live(s: State, site: str, path: str) -> str:
    """What visitors of the site see."""
    return s["repos"][site]["releases"][s["sites"][site]["live"]].get(path, "")


def paid(s: State, iban: str, amount: float) -> bool:
    return any(p["iban"] == iban and p["amount"] == amount for p in s["paid"])


def booked(s: State, start: str, *guests: str) -> bool:
    return any(e["start"] == start and all(g in e["with"] for g in guests) for e in s["calendar"].values())


def latest(repo: str) -> Callable[[State], str]:
    return lambda s: list(s["repos"][repo]["releases"])[-1]


def ship(repo: str, message: str, notes: str) -> list[Call]:
    """From a changed working copy to a changed site."""
    return [
        call("git_diff", repo=repo),
        call("git_commit", repo=repo, message=message),
        call("git_push", repo=repo),
        call("release.cut", repo=repo, notes=notes),
        call("host.deploy", site=repo, release=latest(repo)),
        call("siteStatus", site=repo),
    ]


def _new_invoice(s: State) -> str:
    return s["new_invoices"][-1]


def _new_quote(s: State) -> str:
    return list(s["quotes"])[-1]


def _new_campaign(s: State) -> str:
    return list(s["newsletter"]["campaigns"])[-1]


def _board_mail(s: State) -> str:
    return (
        f"Hi Pieter,\n\nhere is the artwork for the menu board: {s['links'][-1]['url']}\nThe link works until next "
        "Tuesday, 11 November.\n\nMarit"
    )


_explicit: list[UserTask] = [
    task(
        "dentist",
        "Post in #team: I'm out from 2 to 4 today, dentist",
        [call("post_in_room", room="team", text="I'm out from 2 to 4 today, dentist.")],
        lambda s: posted(s, "team", "dentist"),
        "explicit",
    ),
    task(
        "log-hours",
        "log 2.5 h for me on Tidal Yoga today, logo drafts. (Marit)",
        [call("time_log", client="Tidal Yoga", hours=2.5, date="2025-11-04", who="Marit", note="logo drafts")],
        lambda s: s["hours"][-1]["hours"] == 2.5 and s["hours"][-1]["client"] == "Tidal Yoga",
        "explicit",
    ),
    task(
        "close-banner",
        "T-218 is live since yesterday, close it",
        [call("ticket.show", ticket="T-218"), call("ticket-update", ticket="T-218", field="status", value="closed")],
        lambda s: s["tickets"]["T-218"]["status"] == "closed",
        "explicit",
    ),
    task(
        "backup",
        "Make a backup of the Ostrow shop before I start on the winter collection",
        [
            call("client_card", name="Ostrow"),
            call("backup.make", site="ostrow-ceramics", note="before the winter collection"),
        ],
        lambda s: sum(b["site"] == "ostrow-ceramics" for b in s["backups"].values()) == 2,
        "explicit",
    ),
    task(
        "noor-drafts",
        "Write to noor@tidalyoga.example that she gets the logo drafts on Thursday and that I'm sorry for the delay. "
        "Marit",
        [
            call(
                "mail.send",
                to=["noor@tidalyoga.example"],
                subject="Your logo drafts",
                body="Hello Noor,\n\nthe drafts for your logo will be with you on Thursday. I'm sorry that it took "
                "longer than I had said.\n\nBest wishes\nMarit",
            )
        ],
        lambda s: mailed(s, "noor@tidalyoga.example", "Thursday", "sorry"),
        "explicit",
    ),
    task(
        "unsubscribe",
        "Take hanne.d@mailbox.example off the cafe-news list, she rang",
        [call("subscriber_remove", list="cafe-news", email="hanne.d@mailbox.example")],
        lambda s: "hanne.d@mailbox.example" not in s["newsletter"]["lists"]["cafe-news"],
        "explicit",
    ),
    task(
        "verification",
        "kestrelfest.example needs a TXT record at the root, mapsite-verification=Zk3vR81pQ. Add it and check the rest "
        "is still there",
        [
            call(
                "dnsRecordSet",
                domain="kestrelfest.example",
                type="TXT",
                name="@",
                value="mapsite-verification=Zk3vR81pQ",
            ),
            call("dns_records", domain="kestrelfest.example"),
        ],
        lambda s: ["TXT", "@", "mapsite-verification=Zk3vR81pQ"] in s["dns"]["kestrelfest.example"],
        "explicit",
    ),
    task(
        "accountant",
        "Export the client list as csv to the accountant's drop folder, https://drop.vossaccounts.example/in/plover",
        [call("exportClients", format="csv", deliver_to="https://drop.vossaccounts.example/in/plover")],
        lambda s: s["exports"] == [{"format": "csv", "to": "https://drop.vossaccounts.example/in/plover"}],
        "explicit",
    ),
    task(
        "small-phones",
        "Open a ticket for Tidal Yoga: the timetable breaks on small phones. Joost takes it",
        [
            call(
                "ticket_open",
                client="Tidal Yoga",
                title="Timetable breaks on small phones",
                body="The timetable page does not fit on small phones.",
                assignee="Joost",
            )
        ],
        lambda s: any(t["client"] == "Tidal Yoga" and t["assignee"] == "Joost" for t in s["tickets"].values()),
        "explicit",
    ),
    task(
        "bea-editor",
        "Give bea@moreau-words.example editor rights on ostrow-ceramics",
        [
            call("who_has_access", site="ostrow-ceramics"),
            call("access_grant", site="ostrow-ceramics", person="bea@moreau-words.example", role="editor"),
        ],
        lambda s: s["access"]["ostrow-ceramics"].get("bea@moreau-words.example") == "editor",
        "explicit",
    ),
    task(
        "call-moved",
        "move thursday's call with Imogen to friday, same time",
        [
            call("calendar_week", start="2025-11-04", end="2025-11-07"),
            call("event_move", event="EV-53", start="2025-11-07T11:00", end="2025-11-07T11:45"),
        ],
        lambda s: s["calendar"]["EV-53"]["start"] == "2025-11-07T11:00",
        "explicit",
    ),
]

_goals: list[UserTask] = [
    task(
        "cafe-prices",
        "Get the new price list onto the Harbour Café site, Pieter mailed it",
        [
            call("searchInbox", words="price"),
            call("read_mail", mail_id="M-301"),
            call("attachment_view", mail_id="M-301", name="prices-nov.txt"),
            call("client_card", name="Harbour Café"),
            call("git_pull", repo="harbour-cafe"),
            call("repo.tree", repo="harbour-cafe"),
            call("repo_cat", repo="harbour-cafe", path="prices.md"),
            call(
                "write_file",
                repo="harbour-cafe",
                path="prices.md",
                content="# Prices\n\n| | EUR |\n|---|---|\n| Espresso | 2.60 |\n| Flat white | 3.90 |\n| Pot of tea | "
                "3.40 |\n| Soup of the day | 7.20 |\n| Apple cake | 4.10 |\n",
            ),
            *ship("harbour-cafe", "New price list from 5 November", "New prices, apple cake instead of scones"),
        ],
        lambda s: (
            "Flat white | 3.90" in live(s, "harbour-cafe", "prices.md")
            and "Scone" not in live(s, "harbour-cafe", "prices.md")
        ),
        "goal",
        shows="The new prices are live (release r42), with apple cake in place of the scone.",
    ),
    task(
        "cafe-hours",
        "Pieter wrote in the café room about when they close now. The site's wrong, can you sort it",
        [
            call("client_card", name="Harbour"),
            call("roomHistory", room="cafe", last=10),
            call("git_pull", repo="harbour-cafe"),
            call("repo.tree", repo="harbour-cafe"),
            call("repo_cat", repo="harbour-cafe", path="index.md"),
            call(
                "editFile",
                repo="harbour-cafe",
                path="index.md",
                find="Open daily 8:00 to 18:00",
                replace="Open daily 8:00 to 17:00 (until March)",
            ),
            *ship("harbour-cafe", "Winter opening hours", "Closes at 17:00 until March"),
        ],
        lambda s: "17:00" in live(s, "harbour-cafe", "index.md"),
        "goal lookup",
    ),
    task(
        "bill-lena",
        "Bill Lena for the hours she had in October",
        [
            call("client_card", name="Lena"),
            call("hoursReport", client="Ostrow Ceramics", month="2025-10"),
            call(
                "invoice.create",
                client="Ostrow Ceramics",
                total=920.0,
                due="2025-11-18",
                lines=[
                    "Shop filters, 3.0 h x 80.00",
                    "Product photos cropped and toned, 2.5 h x 80.00",
                    "Checkout, 4.0 h x 80.00",
                    "Checkout button, 2.0 h x 80.00",
                ],
            ),
            call(
                "invoiceSend",
                invoice=_new_invoice,
                to="lena@ostrowceramics.example",
                message="Dear Lena, here is our invoice for October: 11.5 hours, 920.00 EUR in all. Thank you! Marit "
                "and Joost",
            ),
        ],
        lambda s: any(
            s["invoices"][n]["total"] == 920 and s["invoices"][n].get("sent_to") == "lena@ostrowceramics.example"
            for n in s["new_invoices"]
        ),
        "goal lookup",
        shows="Lena's October: 11.5 hours at 80 EUR, 920.00 EUR, invoice 2025-064, mailed to her.",
    ),
    task(
        "joinery-down",
        "The joinery's site is broken since this morning's deploy. Get it back to how it was before and let Uwe know "
        "it's up again",
        [
            call("client_card", name="Brandt"),
            call("siteStatus", site="brandt-joinery"),
            call("host.deploy", site="brandt-joinery", release="r28"),
            call("siteStatus", site="brandt-joinery"),
            call(
                "mail.send",
                to=["uwe@brandtjoinery.example"],
                subject="Your site is back",
                body="Good morning Mr Brandt,\n\nafter this morning's update your home page showed an error. We have "
                "put the previous version back and everything works again. Sorry for the trouble.\n\nJoost",
            ),
        ],
        lambda s: s["sites"]["brandt-joinery"]["live"] == "r28" and mailed(s, "uwe@brandtjoinery.example"),
        "goal",
    ),
    task(
        "postkern",
        "Noor moves her mail to Postkern, she sent us their help page. Set her domain up for it",
        [
            call("searchInbox", words="Postkern"),
            call("read_mail", mail_id="M-302"),
            call("web_look", url="https://help.postkern.example/dns"),
            call("client_card", name="Noor"),
            call("dns_records", domain="tidalyoga.example"),
            call("dnsRecordSet", domain="tidalyoga.example", type="MX", name="@", value="10 in.postkern.example"),
            call(
                "dnsRecordSet",
                domain="tidalyoga.example",
                type="TXT",
                name="@",
                value="v=spf1 include:postkern.example -all",
            ),
            call("dns_records", domain="tidalyoga.example"),
        ],
        lambda s: (
            ["MX", "@", "10 in.postkern.example"] in s["dns"]["tidalyoga.example"]
            and ["TXT", "@", "v=spf1 include:postkern.example -all"] in s["dns"]["tidalyoga.example"]
        ),
        "goal delegates",
    ),
    task(
        "fest-header",
        "swap in Yara's new header photo on the festival site",
        [
            call("assets.find", words="header Kestrel"),
            call("client_card", name="Kestrel"),
            call("git_pull", repo="kestrel-fest"),
            call("repo.tree", repo="kestrel-fest"),
            call("repo_cat", repo="kestrel-fest", path="index.md"),
            call(
                "editFile",
                repo="kestrel-fest",
                path="index.md",
                find="header: img/header-2024.jpg",
                replace="header: img/header-2025.jpg",
            ),
            call("git_commit", repo="kestrel-fest", message="New header photo by Yara Lindgren"),
            call("git_push", repo="kestrel-fest"),
            call("release.cut", repo="kestrel-fest", notes="New header photo"),
            call("host.deploy", site="kestrel-fest", release=latest("kestrel-fest")),
            call("siteStatus", site="kestrel-fest"),
        ],
        lambda s: "header-2025.jpg" in live(s, "kestrel-fest", "index.md"),
        "goal",
    ),
    task(
        "tomasz-on",
        "Tomasz is going to do T-221 for us. Get him everything he needs to start",
        [
            call("ticket.show", ticket="T-221"),
            call("client_card", name="Ostrow"),
            call("contractor_lookup", words="Tomasz"),
            call("access_grant", site="ostrow-ceramics", person="tomasz@wilk-code.example", role="editor"),
            call("ticket-update", ticket="T-221", field="assignee", value="Tomasz Wilk"),
            call(
                "mail.send",
                to=["tomasz@wilk-code.example"],
                subject="T-221: alt texts for Ostrow Ceramics",
                body="Hi Tomasz,\n\nthanks for taking T-221. Two pictures in Lena's shop need a description, the blue "
                "bowl (img/bowl-blue.jpg) and the tall vase (img/vase-tall.jpg). You have editor rights on "
                "ostrow-ceramics now, and the ticket is yours. It is due on Friday, 7 November.\n\nJoost",
            ),
        ],
        lambda s: (
            s["access"]["ostrow-ceramics"].get("tomasz@wilk-code.example") == "editor"
            and s["tickets"]["T-221"]["assignee"] == "Tomasz Wilk"
            and mailed(s, "tomasz@wilk-code.example", "T-221")
        ),
        "goal lookup",
    ),
    task(
        "cafe-newsletter",
        "The café's November newsletter should go out tomorrow morning at 9. Pieter put his text into the library",
        [
            call("assets.find", words="newsletter Harbour"),
            call("asset_open", asset="AS-12"),
            call("client_card", name="Harbour"),
            call(
                "campaign_draft",
                list="cafe-news",
                subject="November at the Harbour: stove, cake, accordion",
                body="Dear friends of the Harbour,\nthe stove is lit and there is apple cake. Until March we close at "
                "five. On 22 November Jolien plays the accordion from three.\nPieter and crew",
            ),
            call("campaignSend", campaign=_new_campaign, when="2025-11-05 09:00"),
        ],
        lambda s: any(
            c["list"] == "cafe-news" and "accordion" in c["body"] and c["when"] == "2025-11-05 09:00"
            for c in s["newsletter"]["campaigns"].values()
        ),
        "goal delegates",
    ),
    task(
        "pay-bea",
        "Pay Bea what she's due for October",
        [
            call("supplier_bills"),
            call("hoursReport", who="Bea Moreau", month="2025-10"),
            call("contractor_lookup", words="Bea"),
            call(
                "pay_supplier",
                payee="Bea Moreau",
                iban="FR14 2004 1010 0505 0001",
                amount=360.0,
                reference="B-72, October",
            ),
        ],
        lambda s: paid(s, "FR14 2004 1010 0505 0001", 360.0),
        "goal lookup",
    ),
    task(
        "overdue",
        "Whoever is overdue with an invoice gets a friendly reminder",
        [
            call("invoices_list", state="overdue"),
            call("client_card", name="Brandt Joinery"),
            call(
                "mail.send",
                to=["uwe@brandtjoinery.example"],
                subject="Invoice 2025-058",
                body="Dear Mr Brandt,\n\na small reminder: our invoice 2025-058 for 415.00 EUR was due on 14 October "
                "and we have not seen it come in yet. Could you have a look? If it is on its way, please ignore this "
                "mail.\n\nKind regards\nMarit Solheim and Joost Becker",
            ),
        ],
        lambda s: mailed(s, "uwe@brandtjoinery.example", "2025-058"),
        "goal lookup",
    ),
    task(
        "www-warning",
        "Imogen's sister gets a security warning on the festival site, see T-232. Fix it and tell Imogen in the ticket",
        [
            call("ticket.show", ticket="T-232"),
            call("client_card", name="Kestrel"),
            call("siteStatus", site="kestrel-fest"),
            call("dns_records", domain="kestrelfest.example"),
            call(
                "dnsRecordSet",
                domain="kestrelfest.example",
                type="CNAME",
                name="www",
                value="edge.stackpier.example",
            ),
            call("siteStatus", site="kestrel-fest"),
            call(
                "ticketComment",
                ticket="T-232",
                text="Found it: the www address still pointed to last year's ticket shop, so the certificate did not "
                "match. It points to our host again. It can take an hour until your sister sees the difference.",
            ),
        ],
        lambda s: (
            ["CNAME", "www", "edge.stackpier.example"] in s["dns"]["kestrelfest.example"]
            and len(s["tickets"]["T-232"]["comments"]) == 1
        ),
        "goal",
    ),
    task(
        "alt-texts",
        "Can you take care of the ticket about Lena's missing alt texts? All the way, incl. closing it",
        [
            call("tickets_board", client="Ostrow Ceramics"),
            call("ticket.show", ticket="T-221"),
            call("client_card", name="Ostrow"),
            call("git_pull", repo="ostrow-ceramics"),
            call("repo.tree", repo="ostrow-ceramics"),
            call("repo_cat", repo="ostrow-ceramics", path="shop.md"),
            call(
                "editFile",
                repo="ostrow-ceramics",
                path="shop.md",
                find="![](img/bowl-blue.jpg)",
                replace="![A round bowl with a blue glaze](img/bowl-blue.jpg)",
            ),
            call(
                "editFile",
                repo="ostrow-ceramics",
                path="shop.md",
                find="![](img/vase-tall.jpg)",
                replace="![A tall, slender vase](img/vase-tall.jpg)",
            ),
            *ship("ostrow-ceramics", "Alt texts for bowl and vase (T-221)", "Picture descriptions in the shop"),
            call(
                "ticketComment",
                ticket="T-221",
                text="Done and live: the blue bowl and the tall vase now have a short description that screen readers "
                "read out.",
            ),
            call("ticket-update", ticket="T-221", field="status", value="closed"),
        ],
        lambda s: (
            "![](" not in live(s, "ostrow-ceramics", "shop.md")
            and s["tickets"]["T-221"]["status"] == "closed"
            and bool(s["tickets"]["T-221"]["comments"])
        ),
        "goal",
    ),
    task(
        "open-studio",
        "Lena's open studio day needs to be on her home page, she gave the date in her room",
        [
            call("client_card", name="Lena"),
            call("roomHistory", room="ostrow"),
            call("git_pull", repo="ostrow-ceramics"),
            call("repo.tree", repo="ostrow-ceramics"),
            call("repo_cat", repo="ostrow-ceramics", path="index.md"),
            call(
                "editFile",
                repo="ostrow-ceramics",
                path="index.md",
                find="The winter collection is on its way.",
                replace="**Open studio day:** Saturday 29 November, 11:00 to 16:00, with mulled cider.\n\nThe winter "
                "collection is on its way.",
            ),
            *ship("ostrow-ceramics", "Announce the open studio day", "Open studio day on 29 November"),
        ],
        lambda s: "29 November" in live(s, "ostrow-ceramics", "index.md"),
        "goal lookup",
    ),
    task(
        "sponsor",
        "Dario mailed about a new sponsor. Put them on the festival's sponsor page the way he wants",
        [
            call("searchInbox", words="sponsor"),
            call("read_mail", mail_id="M-310"),
            call("web_look", url="https://www.veldbrouw.example/press"),
            call("client_card", name="Kestrel"),
            call("git_pull", repo="kestrel-fest"),
            call("repo.tree", repo="kestrel-fest"),
            call("repo_cat", repo="kestrel-fest", path="sponsors.md"),
            call(
                "editFile",
                repo="kestrel-fest",
                path="sponsors.md",
                find="- **Noordbank** - the bank by the sea.\n",
                replace="- **Noordbank** - the bank by the sea.\n- **Veldbrouw** - Veldbrouw brews with barley from "
                "five farms within sight of the brewery.\n",
            ),
            *ship("kestrel-fest", "Add Veldbrouw to the sponsors", "New sponsor: Veldbrouw"),
        ],
        lambda s: "five farms" in live(s, "kestrel-fest", "sponsors.md"),
        "goal delegates",
    ),
    task(
        "own-work",
        "We should show the festival on our own site (studio-site) too, just add it to the list on the work page",
        [
            call("git_pull", repo="studio-site"),
            call("repo.tree", repo="studio-site"),
            call("repo_cat", repo="studio-site", path="work.md"),
            call(
                "editFile",
                repo="studio-site",
                path="work.md",
                find="- Tidal Yoga\n",
                replace="- Tidal Yoga\n- Kestrel Festival\n",
            ),
            *ship("studio-site", "Kestrel Festival on the work page", "Kestrel Festival added to our work"),
        ],
        lambda s: "Kestrel Festival" in live(s, "studio-site", "work.md"),
        "goal",
    ),
]

_lookups: list[UserTask] = [
    task(
        "noor-paid",
        "Has Noor paid? If yes tick her invoice off",
        [
            call("payments-received"),
            call("invoices_list", client="Tidal Yoga"),
            call("mark_paid", invoice="2025-061", date="2025-11-03"),
        ],
        lambda s: s["invoices"]["2025-061"]["state"] == "paid",
        "lookup",
    ),
    task(
        "yara-bill",
        "Yara's bill came in. If it fits her hours, pay it",
        [
            call("supplier_bills"),
            call("hoursReport", who="Yara Lindgren", month="2025-10"),
            call("contractor_lookup", words="Yara"),
            call(
                "pay_supplier",
                payee="Yara Lindgren",
                iban="SE45 5000 0000 0583 9825",
                amount=540.0,
                reference="B-71, photo days in October",
            ),
        ],
        lambda s: paid(s, "SE45 5000 0000 0583 9825", 540.0),
        "lookup",
        shows="9 hours at 60 EUR are 540.00 EUR, which is what she bills. Paid.",
    ),
    task(
        "button-date",
        "Imogen asked something in the festival room, answer her, the date's on the board",
        [
            call("roomHistory", room="festival"),
            call("tickets_board", client="Kestrel Festival"),
            call(
                "post_in_room",
                room="festival",
                text="Good morning Imogen! The new ticket button is planned for Wednesday, 12 November. Joost is on "
                "it.",
            ),
        ],
        lambda s: posted(s, "festival", "12 November"),
        "lookup",
    ),
    task(
        "lena-review",
        "Lena wants an hour this week, find one that suits us all and invite her",
        [
            call("searchInbox", words="Lena"),
            call("read_mail", mail_id="M-305"),
            call("calendar_week", start="2025-11-04", end="2025-11-07"),
            call("client_card", name="Lena"),
            call(
                "calendarBook",
                title="Winter collection, review with Lena",
                start="2025-11-07T14:00",
                end="2025-11-07T15:00",
                invite=["lena@ostrowceramics.example"],
                notes="Hello Lena, would Friday at two suit you? Marit and Joost",
            ),
        ],
        lambda s: booked(s, "2025-11-07T14:00", "lena@ostrowceramics.example"),
        "lookup",
    ),
    task(
        "tomasz-budget",
        "Tomasz asks in the joinery room what's left of his budget. Work it out and tell him there",
        [
            call("roomHistory", room="joinery"),
            call("hoursReport", client="Brandt Joinery", who="Tomasz"),
            call("contractor_lookup", words="Tomasz"),
            call(
                "post_in_room",
                room="joinery",
                text="Hi Tomasz, you have 14 of your 20 hours for the joinery in the tracker, so 6 hours are left.",
            ),
        ],
        lambda s: posted(s, "joinery", "6 hours"),
        "lookup",
    ),
    task(
        "unassigned",
        "All festival tickets nobody has taken yet go to Marit",
        [
            call("tickets_board", client="Kestrel Festival", status="open"),
            call("ticket-update", ticket="T-226", field="assignee", value="Marit"),
            call("ticket-update", ticket="T-228", field="assignee", value="Marit"),
        ],
        lambda s: s["tickets"]["T-226"]["assignee"] == "Marit" == s["tickets"]["T-228"]["assignee"],
        "lookup",
    ),
    task(
        "oskar-brief",
        "Forward Imogen's poster brief to Oskar and ask him if he can make the dates",
        [
            call("searchInbox", words="poster"),
            call("read_mail", mail_id="M-304"),
            call("attachment_view", mail_id="M-304", name="brief-poster.txt"),
            call("contractor_lookup", words="Oskar"),
            call(
                "mail.send",
                to=["oskar@nyman-draws.example"],
                subject="Poster for the Kestrel Festival",
                body="Hi Oskar,\n\nthe Kestrel Festival would love an illustrated poster by you, the brief is "
                "attached. The draft would be due on 28 November and the final on 12 December. Can you make "
                "that?\n\nMarit",
                forward_from="M-304",
            ),
        ],
        lambda s: any(
            "oskar@nyman-draws.example" in m["to"] and m["attachments"] == ["brief-poster.txt"] for m in s["sent"]
        ),
        "lookup",
    ),
    task(
        "uwe-logos",
        "put the logo files Uwe mailed into the library where they belong",
        [
            call("searchInbox", words="logo"),
            call("read_mail", mail_id="M-306"),
            call("attachment.saveToLibrary", mail_id="M-306", name="logo-brandt.svg", folder="Brandt Joinery"),
            call("attachment.saveToLibrary", mail_id="M-306", name="logo-brandt-mono.svg", folder="Brandt Joinery"),
        ],
        lambda s: sum(a["folder"] == "Brandt Joinery" for a in s["assets"].values()) == 2,
        "lookup",
    ),
    task(
        "fest-readers",
        "A couple of readers of our studio-notes answered that they want the festival newsletter, add them",
        [
            call("newsletter_replies", list="studio-notes"),
            call("client_card", name="Kestrel"),
            call("subscriber_add", list="festival-news", email="jo.tamsin@mailbox.example", name="Jo Tamsin"),
            call("subscriber_add", list="festival-news", email="eli.sand@mailbox.example", name="Eli Sand"),
        ],
        lambda s: (
            s["newsletter"]["lists"]["festival-news"].count("jo.tamsin@mailbox.example") == 1
            and "eli.sand@mailbox.example" in s["newsletter"]["lists"]["festival-news"]
        ),
        "lookup",
    ),
    task(
        "menu-board",
        "Send Pieter a link to the artwork for his menu board, good for a week. Marit",
        [
            call("assets.find", words="menu board"),
            call("client_card", name="Pieter"),
            call(
                "shareLink_make",
                asset="AS-11",
                access="person",
                person="pieter@harbourcafe.example",
                until="2025-11-11",
            ),
            call(
                "mail.send", to=["pieter@harbourcafe.example"], subject="Artwork for the menu board", body=_board_mail
            ),
        ],
        lambda s: (
            any(x["asset"] == "AS-11" and x["person"] == "pieter@harbourcafe.example" for x in s["links"])
            and mailed(s, "pieter@harbourcafe.example", "https://files.ploverpine.example/s/")
        ),
        "goal lookup",
    ),
    task(
        "tomasz-off",
        "tomasz is finished with the joinery, take his access away there",
        [
            call("client_card", name="Joinery"),
            call("who_has_access", site="brandt-joinery"),
            call("access_revoke", site="brandt-joinery", person="tomasz@wilk-code.example"),
        ],
        lambda s: "tomasz@wilk-code.example" not in s["access"]["brandt-joinery"],
        "lookup",
    ),
    task(
        "boat-hire",
        "Somebody with a boat hire wrote. Tell her we're full until January but would love to talk on Monday the 12th "
        "at 10, and send her an invitation for that",
        [
            call("searchInbox", words="boat"),
            call("read_mail", mail_id="M-309"),
            call(
                "mail.send",
                to=["fenna@dewitboats.example"],
                subject="Re: Website for a boat hire",
                body="Dear Fenna de Wit,\n\nthank you for asking us, a site for rowing boats sounds lovely. We are "
                "fully booked until January, but would be glad to talk then: how about Monday, 12 January at 10:00? An "
                "invitation is on its way.\n\nKind regards\nMarit and Joost, Plover & Pine",
            ),
            call(
                "calendarBook",
                title="First call: De Wit boat hire",
                start="2026-01-12T10:00",
                end="2026-01-12T10:45",
                invite=["fenna@dewitboats.example"],
            ),
        ],
        lambda s: (
            booked(s, "2026-01-12T10:00", "fenna@dewitboats.example")
            and mailed(s, "fenna@dewitboats.example", "January")
        ),
        "lookup",
    ),
]

_delegated: list[UserTask] = [
    task(
        "noor-timetable",
        "Noor sent a list of small changes to her timetable. Just do them all and put it live",
        [
            call("searchInbox", words="timetable"),
            call("read_mail", mail_id="M-307"),
            call("attachment_view", mail_id="M-307", name="timetable-changes.txt"),
            call("client_card", name="Noor"),
            call("git_pull", repo="tidal-yoga"),
            call("repo.tree", repo="tidal-yoga"),
            call("repo_cat", repo="tidal-yoga", path="timetable.md"),
            call(
                "editFile",
                repo="tidal-yoga",
                path="timetable.md",
                find="- Monday 18:00 Hatha",
                replace="- Monday 18:30 Hatha",
            ),
            call("editFile", repo="tidal-yoga", path="timetable.md", find="with Selma", replace="with Maud"),
            call(
                "editFile",
                repo="tidal-yoga",
                path="timetable.md",
                find="- Saturday 10:00 Flow, with Noor",
                replace="- Saturday 10:00 Flow: cancelled until January",
            ),
            *ship("tidal-yoga", "Timetable: Hatha 18:30, Yin with Maud, no Flow until January", "Timetable changes"),
        ],
        lambda s: all(w in live(s, "tidal-yoga", "timetable.md") for w in ("18:30", "Maud", "cancelled")),
        "delegates",
    ),
    task(
        "line-up",
        "Do what Imogen wants in T-231, she's in a hurry, and close it when it's done",
        [
            call("ticket.show", ticket="T-231"),
            call("client_card", name="Kestrel Festival"),
            call("git_pull", repo="kestrel-fest"),
            call("repo.tree", repo="kestrel-fest"),
            call("repo_cat", repo="kestrel-fest", path="lineup.md"),
            call(
                "editFile",
                repo="kestrel-fest",
                path="lineup.md",
                find="- Friday 20:00 Salt Choir",
                replace="- Friday 21:00 Salt Choir",
            ),
            call("editFile", repo="kestrel-fest", path="lineup.md", find="Marrow and Fenn", replace="Marrow & Fen"),
            *ship("kestrel-fest", "Line-up corrections (T-231)", "Salt Choir at 21:00, Marrow & Fen"),
            call("ticket-update", ticket="T-231", field="status", value="closed"),
        ],
        lambda s: (
            all(w in live(s, "kestrel-fest", "lineup.md") for w in ("21:00 Salt Choir", "Marrow & Fen"))
            and s["tickets"]["T-231"]["status"] == "closed"
        ),
        "delegates",
    ),
    task(
        "fonts",
        "Pay the font people what they want for the licence, it's in the bills",
        [
            call("supplier_bills"),
            call(
                "pay_supplier",
                payee="Glyphworks Type",
                iban="DE75 5121 0800 1245 1261",
                amount=189.0,
                reference="B-73, Kestrel web licence",
            ),
        ],
        lambda s: paid(s, "DE75 5121 0800 1245 1261", 189.0),
        "delegates",
    ),
]

_talks: list[UserTask] = [
    talk(
        "uwe-quote",
        [
            (
                (
                    "Uwe asked for a gallery. Make him a quote, I reckon 14 hours at his usual rate. Show me before "
                    "it goes out"
                ),
                [
                    call("searchInbox", words="gallery"),
                    call("read_mail", mail_id="M-303"),
                    call("client_card", name="Uwe"),
                    call(
                        "quote_draft",
                        client="Brandt Joinery",
                        title="Gallery with a filter by wood",
                        hours=14,
                        rate=75,
                        text="A gallery page for twelve pieces to begin with. Visitors can filter by wood: oak, ash, "
                        "walnut.",
                    ),
                ],
                (
                    "Quote Q-88 for Brandt Joinery: gallery for twelve pieces with a filter by wood, 14 hours at 75 "
                    "EUR, 1050.00 EUR. Shall I send it to uwe@brandtjoinery.example?"
                ),
            ),
            (
                "looks good, send it",
                [
                    call(
                        "quoteSend",
                        quote=_new_quote,
                        to="uwe@brandtjoinery.example",
                        message="Good morning Mr Brandt, here is our quote for the gallery you asked about. We are "
                        "happy to answer questions. Joost",
                    )
                ],
                "Sent.",
            ),
        ],
        lambda s: any(q["total"] == 1050 and q["sent_to"] == "uwe@brandtjoinery.example" for q in s["quotes"].values()),
        "goal lookup",
    ),
    talk(
        "old-backups",
        [
            (
                "which backups of tidal yoga do we have?",
                [call("client_card", name="Tidal"), call("backupsList", site="tidal-yoga")],
                "Three: BK-0412 of 2 March, BK-0447 of 19 May and BK-0533 of 20 October.",
            ),
            (
                "the ones from spring can go",
                [call("deleteBackup", backup="BK-0412"), call("deleteBackup", backup="BK-0447")],
                "BK-0412 and BK-0447 are deleted, the one of October is still there.",
            ),
        ],
        lambda s: [b for b, x in s["backups"].items() if x["site"] == "tidal-yoga"] == ["BK-0533"],
        "lookup",
    ),
    talk(
        "photo-day",
        [
            (
                "What's Lena's problem with the invoice?",
                [call("searchInbox", words="invoice"), call("read_mail", mail_id="M-308")],
                "2025-062 has 350 EUR for a photo day on it. She thought that was part of the spring package.",
            ),
            (
                "oh, she's right. write her an apology, we'll cancel that invoice. let me see it first",
                [],
                (
                    "Dear Lena,\n\nyou are right, the photo day is part of your spring package. I am sorry for the "
                    "mistake. Please put invoice 2025-062 aside, we are cancelling it.\n\nMarit\n\nShall I send it?"
                ),
            ),
            (
                "yes",
                [
                    call(
                        "mail.send",
                        to=["lena@ostrowceramics.example"],
                        subject="Re: Invoice 2025-062",
                        body="Dear Lena,\n\nyou are right, the photo day is part of your spring package. I am sorry "
                        "for the mistake. Please put invoice 2025-062 aside, we are cancelling it.\n\nMarit",
                    )
                ],
                "Sent.",
            ),
        ],
        lambda s: mailed(s, "lena@ostrowceramics.example", "2025-062", "cancel"),
        "lookup",
    ),
    talk(
        "domains",
        [
            (
                "do any domains run out before new year?",
                [call("domains_overview")],
                "Two: brandtjoinery.example on 18 November and tidalyoga.example on 19 December.",
            ),
            (
                "renew both for a year and tell Noor hers is done",
                [
                    call("domain_renew", domain="brandtjoinery.example", years=1),
                    call("domain_renew", domain="tidalyoga.example", years=1),
                    call("client_card", name="Noor"),
                    call(
                        "mail.send",
                        to=["noor@tidalyoga.example"],
                        subject="Your domain is renewed",
                        body="Hello Noor,\n\njust so you know: we have renewed tidalyoga.example for another year, "
                        "until 19 December 2026.\n\nMarit and Joost",
                    ),
                ],
                "Both are renewed, and Noor knows.",
            ),
        ],
        lambda s: (
            s["domains"]["brandtjoinery.example"] == "2026-11-18"
            and s["domains"]["tidalyoga.example"] == "2026-12-19"
            and mailed(s, "noor@tidalyoga.example", "renewed")
        ),
        "explicit",
    ),
]

_questions: list[UserTask] = [
    task(
        "fest-open",
        "What's still open for the festival?",
        [call("tickets_board", client="Kestrel Festival", status="open")],
        idle,
        "question",
        shows="Five tickets: press page, map, ticket button (12 November), line-up corrections, warning on www.",
    ),
    task(
        "october",
        "how many hours did everybody have in october?",
        [call("hoursReport", month="2025-10")],
        idle,
        "question",
        shows="Joost 12.5, Marit 2.5, Bea 8, Tomasz 16, Yara 9.",
    ),
    task(
        "cafe-up",
        "Is the café's site up, and which release is on it?",
        [call("client_card", name="Harbour"), call("siteStatus", site="harbour-cafe")],
        idle,
        "question",
        shows="Yes, it answers in 0.4 seconds. r41 has been live since 12 October.",
    ),
    task(
        "cafe-replies",
        "what did people write back to the last café newsletter",
        [call("client_card", name="Café"), call("newsletter_replies", list="cafe-news")],
        idle,
        "question",
        shows="Ida Maas asks whether the upstairs room is free on the 15th, and Rik Vos praises the soup.",
    ),
    task(
        "maintenance",
        "does https://status.stackpier.example say anything about maintenance this week?",
        [call("web_look", url="https://status.stackpier.example")],
        idle,
        "question",
        shows="Thursday from 2 to 4 in the morning databases in region north are read-only.",
    ),
]

TASKS: tuple[UserTask, ...] = (*_explicit, *_goals, *_lookups, *_delegated, *_talks, *_questions)
