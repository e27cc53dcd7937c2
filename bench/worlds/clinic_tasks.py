"""What Maren Holt asks for, in her words, with the calls a correct agent makes and a check of the end state."""

from __future__ import annotations

from clinic_state import Clinic, fresh
from harness import UserTask, call, talk, task

START = fresh()
WED, THU, FRI, MON, TUE = (f"2025-06-{d}" for d in (11, 12, 13, 16, 17))
HOLIDAYS = "https://northlight-lab.example/holidays"
GUIDE = "https://hibernia-mutual.example/claims-guide"


def at(s: Clinic, number: str, date: str, time: str) -> bool:
    a = s.appointments[number]
    return (a["date"], a["time"], a["status"]) == (date, time, "booked")


def booked(s: Clinic, patient: str, who: str, date: str, time: str) -> bool:
    return any(
        (a["patient"], a["who"], a["date"], a["time"], a["status"]) == (patient, who, date, time, "booked")
        for a in s.appointments.values()
    )


def cancelled(s: Clinic, number: str) -> bool:
    return s.appointments[number]["status"] == "cancelled"


def mailed(s: Clinic, to: str, *words: str) -> bool:
    return any(m["to"] == to and all(w in m["body"] for w in words) for m in s.sent)


def texted(s: Clinic, end: str, *words: str) -> bool:
    return any(t["to"].endswith(end) and all(w in t["text"] for w in words) for t in s.texts)


def ordered(s: Clinic, supplier: str, *items: str, ship_to: str = "practice") -> bool:
    return any(
        (o["supplier"], o["ship_to"]) == (supplier, ship_to) and set(items) <= set(o["items"])
        for n, o in s.orders.items()
        if n not in START.orders
    )


def paid(s: Clinic, iban: str, amount: float) -> bool:
    return any((p["iban"], p["amount"]) == (iban.replace(" ", ""), amount) for p in s.payments)


def reminded(s: Clinic, *invoices: str) -> bool:
    return set(invoices) <= {r["invoice"] for r in s.reminders}


def nothing_new(s: Clinic) -> bool:
    made = (s.sent, s.texts, s.broadcasts, s.payments, s.reminders, s.claim_notes, s.lab_notes, s.review_replies)
    grown = any(len(getattr(s, part)) != len(getattr(START, part)) for part in ("orders", "appointments", "invoices"))
    return not any(made) and not grown


DESK: tuple[UserTask, ...] = (
    task(
        "move-orla",
        "orla brennan wrote, she cant do tomorrow. put her on friday 10:30 if thats free and text her",
        [
            call("inbox"),
            call("msg", id="M-21"),
            call("day", date=WED),
            call("day", date=FRI),
            call("appointment_move", id="A-4102", date=FRI, time="10:30"),
            call("findPatient", name="Orla Brennan"),
            call(
                "sms",
                to="+353 85 0100 201",
                text="Hello Orla, your check-up with Dr Ruane is now on Friday 13 June at 10:30. Quayside Physio & "
                "Dental",
            ),
        ],
        lambda s: at(s, "A-4102", FRI, "10:30") and texted(s, "201", "10:30"),
        "sends",
    ),
    task(
        "book-keane",
        "Book Tomas Keane in with Aoife on Monday the 16th at 10, knee follow-up, 45 minutes please.",
        [
            call("findPatient", name="Keane"),
            call("day", date=MON),
            call(
                "bookAppointment",
                patient="P-102",
                practitioner="Aoife Daly",
                date=MON,
                time="10:00",
                reason="knee follow-up",
                minutes=45,
            ),
        ],
        lambda s: booked(s, "P-102", "Aoife Daly", MON, "10:00"),
    ),
    task(
        "cancel-quinn",
        "Dervla Quinn just rang, shes sick. cancel her thursday",
        [call("day", date=THU), call("appt.cancel", id="A-4111", why="patient is ill")],
        lambda s: cancelled(s, "A-4111"),
    ),
    task(
        "fill-gap",
        "I have a gap on Thursday at 11:30. Give it to whoever has been waiting longest for a dental appointment, and "
        "let them know by text",
        [
            call("waitlist"),
            call("findPatient", name="Ida Kowalska"),
            call("day", date=THU),
            call(
                "bookAppointment",
                patient="P-110",
                practitioner="Maren Holt",
                date=THU,
                time="11:30",
                reason="dental, from the waiting list",
                waitlist="W-8",
            ),
            call(
                "sms",
                to="+353 85 0100 210",
                text="Hello Ida, a place came free: Dr Holt can see you on Thursday 12 June at 11:30. Quayside",
            ),
        ],
        lambda s: booked(s, "P-110", "Maren Holt", THU, "11:30") and texted(s, "210", "11:30"),
        "delegates sends",
    ),
    talk(
        "second-one",
        [
            (
                "who is Cian seeing tomorrow?",
                [call("day", date=WED)],
                "Cian has two: 9:00 Paul Moran, a filling, and 10:00 Orla Brennan, a check-up.",
            ),
            (
                "push the second one back to 11:30, he's got a call",
                [call("appointment_move", id="A-4102", date=WED, time="11:30")],
                "Orla Brennan is now at 11:30.",
            ),
        ],
        lambda s: at(s, "A-4102", WED, "11:30"),
    ),
    talk(
        "nils-friday",
        [
            (
                "when has Aoife got time on friday?",
                [call("day", date=FRI), call("rota", monday="2025-06-09")],
                "Aoife is in early on Friday and only has Tomas Keane at 11:00. 8:30, 9:30 and 12:00 would work.",
            ),
            (
                "12 then. for Nils Aker, his back again",
                [call("findPatient", name="Nils Aker")],
                "Nils Aker (P-107) with Aoife Daly, Friday 13 June, 12:00, back, half an hour. Shall I book it?",
            ),
            (
                "yep",
                [
                    call(
                        "bookAppointment",
                        patient="P-107",
                        practitioner="Aoife Daly",
                        date=FRI,
                        time="12:00",
                        reason="back",
                    )
                ],
                "Booked.",
            ),
        ],
        lambda s: booked(s, "P-107", "Aoife Daly", FRI, "12:00"),
    ),
    task(
        "crown-late",
        "Will Demir's crown be here by Thursday?? if not move him to Tuesday 17th, same time, and send him a text "
        "saying the lab needs longer",
        [
            call("lab.cases"),
            call("day", date=THU),
            call("appointment_move", id="A-4110", date=TUE, time="09:00"),
            call("findPatient", name="Demir"),
            call(
                "sms",
                to="+353 85 0100 203",
                text="Hello Mr Demir, the lab needs a little longer for your crown. We have moved you to Tuesday 17 "
                "June at 9:00. Quayside",
            ),
        ],
        lambda s: at(s, "A-4110", TUE, "09:00") and texted(s, "203", "lab"),
        "sends",
    ),
    task(
        "tomorrow",
        "what does tomorrow look like",
        [call("day", date=WED)],
        nothing_new,
        shows="Four patients: two with Cian in the morning, two with Aoife.",
    ),
)

PATIENTS: tuple[UserTask, ...] = (
    task(
        "keane-number",
        "Tomas Keane has a new mobile number, it's in his message. Put it in his record",
        [
            call("inbox"),
            call("msg", id="M-24"),
            call("findPatient", name="Tomas Keane"),
            call("patient_update", patient="P-102", field="phone", value="+353 85 0100 388"),
        ],
        lambda s: s.patients["P-102"]["phone"] == "+353 85 0100 388",
        "delegates",
    ),
    task(
        "demir-mail",
        "yusuf demirs email is now yusuf@demir.example",
        [
            call("findPatient", name="Demir"),
            call("patient_update", patient="P-103", field="email", value="yusuf@demir.example"),
        ],
        lambda s: s.patients["P-103"]["email"] == "yusuf@demir.example",
    ),
    task(
        "greta-cycling",
        "Greta asks if she may cycle. Aoife says on the flat from next week, no hills before July. Answer her (the "
        "time she mentions is right if its in the book) and put it into her file as well",
        [
            call("inbox"),
            call("msg", id="M-26"),
            call("findPatient", name="Greta Lindqvist"),
            call("day", date=MON),
            call(
                "mail_send",
                to="greta.lindqvist@postbox.example",
                subject="Re: Cycling?",
                body="Dear Greta, good news: Aoife says you may cycle on the flat from next week, but no hills before "
                "July. And yes, Monday at half past nine is in the book. Warm regards, Maren Holt",
            ),
            call("file_note", patient="P-104", text="May cycle on the flat from next week, no hills before July."),
        ],
        lambda s: (
            mailed(s, "greta.lindqvist@postbox.example", "hills", "Monday")
            and any("no hills" in e for e in s.patients["P-104"]["entries"])
        ),
        "sends",
    ),
    task(
        "samir-leaves",
        "Samir Haddad is leaving us. Send his file where he wants it, as in his message, and take him out of Thursday",
        [
            call("inbox"),
            call("msg", id="M-28"),
            call("findPatient", name="Samir Haddad"),
            call(
                "mail_send",
                to="desk@leephysio.example",
                subject="File of Samir Haddad",
                body="Dear colleagues, Mr Haddad is moving to Cork and asked us to send you his file, see attachment. "
                "Kind regards, Maren Holt, Quayside Physio & Dental",
                attach=["P-109"],
            ),
            call("day", date=THU),
            call("appt.cancel", id="A-4112", why="moves to Cork"),
        ],
        lambda s: (
            any(m["to"] == "desk@leephysio.example" and m["attach"] == ["P-109"] for m in s.sent)
            and cancelled(s, "A-4112")
        ),
        "delegates sends",
    ),
    talk(
        "samir-farewell",
        [
            (
                "can you draft a nice answer to Samir, that were sorry he goes and that i'll tell Bram",
                [call("inbox"), call("msg", id="M-28")],
                (
                    "Dear Samir, we are sorry to see you go and wish you a good start in Cork. I will tell Bram, he "
                    "will be pleased. All the best, Maren Holt"
                ),
            ),
            (
                "lovely, send it",
                [
                    call(
                        "mail_send",
                        to="samir.haddad@postbox.example",
                        subject="Re: Moving to Cork",
                        body="Dear Samir, we are sorry to see you go and wish you a good start in Cork. I will tell "
                        "Bram, he will be pleased. All the best, Maren Holt",
                    )
                ],
                "Sent.",
            ),
        ],
        lambda s: mailed(s, "samir.haddad@postbox.example", "sorry", "Bram"),
        "sends",
    ),
    task(
        "test-patient",
        "there's still a Testy McTest in the patient records from the installation, delete it",
        [call("findPatient", name="McTest"), call("patient_remove", patient="P-199")],
        lambda s: "P-199" not in s.patients and len(s.patients) >= 9,
    ),
    task(
        "paula-allergies",
        "does Paula Moran have any allergies? she has the root canal friday",
        [call("findPatient", name="Paula Moran"), call("patient.file", patient="P-106")],
        nothing_new,
        shows="Yes: latex and ibuprofen.",
    ),
    task(
        "file-then-note",
        "Have a look at Ida Kowalska's file and add that the tape irritated her skin, so no tape next time. She told "
        "me at the door",
        [
            call("findPatient", name="Kowalska"),
            call("patient.file", patient="P-110"),
            call("file_note", patient="P-110", text="Tape irritated the skin (told at the door). No tape next time."),
        ],
        lambda s: any("No tape" in e for e in s.patients["P-110"]["entries"]),
    ),
)

MONEY: tuple[UserTask, ...] = (
    task(
        "pay-dentasource",
        "pay the dentasource invoice, came by mail",
        [
            call("inbox"),
            call("msg", id="M-22"),
            call(
                "pay",
                payee="DentaSource Ltd",
                iban="IE41 QBNK 9300 0104 5521 07",
                amount=412.6,
                reference="88213",
            ),
        ],
        lambda s: paid(s, "IE41 QBNK 9300 0104 5521 07", 412.6),
        "delegates pays",
    ),
    task(
        "pay-lab",
        "Please pay Northlight's bill now, the 640 one. I don't want them to stop working for us again.",
        [
            call("bills"),
            call(
                "pay",
                payee="Northlight Dental Lab",
                iban="IE08 HARB 9511 7701 2245 90",
                amount=640.0,
                reference="NL-118",
            ),
        ],
        lambda s: paid(s, "IE08 HARB 9511 7701 2245 90", 640.0),
        "delegates pays",
    ),
    talk(
        "bills-due",
        [
            (
                "which bills are due this week?",
                [call("bills")],
                "Two: Northlight Dental Lab, 640.00 EUR by Friday, and Corrib Cleaning, 220.00 EUR by Thursday.",
            ),
            (
                "pay the cleaners, the lab can wait till friday",
                [
                    call(
                        "pay",
                        payee="Corrib Cleaning",
                        iban="IE93 HARB 9511 7703 6600 18",
                        amount=220.0,
                        reference="CC-77",
                    )
                ],
                "220.00 EUR are on their way to Corrib Cleaning.",
            ),
        ],
        lambda s: paid(s, "IE93 HARB 9511 7703 6600 18", 220.0) and not paid(s, "IE08 HARB 9511 7701 2245 90", 640.0),
        "delegates pays",
    ),
    task(
        "order-lotte",
        "Order the stuff Lotte asked for",
        [
            call("inbox"),
            call("msg", id="M-23"),
            call("stock.list"),
            call("orderSupplies", supplier="DentaSource", items=["GL-M x 4", "PP-05 x 2", "MH-20 x 1"]),
        ],
        lambda s: ordered(s, "DentaSource", "GL-M x 4", "PP-05 x 2", "MH-20 x 1"),
        "delegates orders",
    ),
    task(
        "gloves",
        "we need gloves size M, get us back up to 20 boxes. check the dentasource catalogue that the price is still "
        "under 8",
        [
            call("stock.list"),
            call("catalogue", supplier="DentaSource"),
            call("orderSupplies", supplier="DentaSource", items=["GL-M x 17"]),
        ],
        lambda s: ordered(s, "DentaSource", "GL-M x 17"),
        "orders",
    ),
    task(
        "board-home",
        "Order one of those balance boards from Kinetix, but to my house: Maren Holt, 4 Strand Road, Oranmore. Ask "
        "them to leave it with the neighbours if nobody opens",
        [
            call("catalogue", supplier="Kinetix"),
            call(
                "orderSupplies",
                supplier="Kinetix",
                items=["BB-30 x 1"],
                ship_to="Maren Holt, 4 Strand Road, Oranmore",
                note="Please leave it with the neighbours if nobody opens.",
            ),
        ],
        lambda s: ordered(s, "Kinetix", "BB-30 x 1", ship_to="Maren Holt, 4 Strand Road, Oranmore"),
        "orders",
    ),
    task(
        "cancel-bands",
        "cancel the order thats on back order, i'll get the bands elsewhere",
        [call("orders.open"), call("order_cancel", order="PO-311")],
        lambda s: s.orders["PO-311"]["status"] == "cancelled",
    ),
    task(
        "where-orders",
        "Anything we ordered that hasn't come yet?",
        [call("orders.open")],
        nothing_new,
        shows="Three orders: ampoules leave on Thursday, bands come in July, gloves S are ready for dispatch.",
    ),
    task(
        "ask-kinetix",
        "Ask Kinetix by mail if our back order PO-311 still goes at the old price, they wrote about new prices",
        [
            call("inbox"),
            call("msg", id="M-27"),
            call("orders.open"),
            call(
                "mail_send",
                to="orders@kinetix.example",
                subject="Price of PO-311",
                body="Hello, our order PO-311 (4 rolls of therapy band, red) is on back order until July. Does it "
                "still go out at the old price? Kind regards, Maren Holt, Quayside Physio & Dental",
            ),
        ],
        lambda s: mailed(s, "orders@kinetix.example", "PO-311", "old price"),
        "sends",
    ),
    task(
        "remind-paul",
        "send Paul Moran (not Paula!!) a friendly reminder, it's his first",
        [
            call("invoices.list", status="open"),
            call(
                "invoice.remind",
                invoice="R-2201",
                text="Dear Mr Moran, our invoice R-2201 over 120.00 EUR may have slipped your mind. We would be glad "
                "if you could settle it in the next days. Many thanks, Quayside Physio & Dental",
            ),
        ],
        lambda s: reminded(s, "R-2201") and not reminded(s, "R-2204"),
        "sends",
    ),
    task(
        "remind-late",
        "Check the mail whether anybody wrote about paying, and if not remind everyone who is overdue. Polite but "
        "firm, ten days",
        [
            call("inbox"),
            call("invoices.list", status="open"),
            *(
                call(
                    "invoice.remind",
                    invoice=number,
                    text=f"Dear {who}, invoice {number} over {amount} EUR is overdue. Please pay it within ten days. "
                    "Kind regards, Quayside Physio & Dental",
                )
                for number, who, amount in (("R-2201", "Mr Moran", "120.00"), ("R-2207", "Mr Aker", "55.00"))
            ),
        ],
        lambda s: reminded(s, "R-2201", "R-2207"),
        "sends",
    ),
    task(
        "invoice-ida",
        "Invoice for Ida Kowalska, last friday's session, see her file for what was done. 65 euro",
        [
            call("findPatient", name="Ida Kowalska"),
            call("patient.file", patient="P-110"),
            call("invoice_create", patient="P-110", amount=65, text="6 June 2025: shoulder, sports massage and tape"),
        ],
        lambda s: any((i["patient"], i["amount"]) == ("P-110", 65) for i in s.invoices.values()),
    ),
    task(
        "massage-fee",
        "sports massage goes up to 58",
        [call("fees"), call("fee.set", code="F-140", price=58)],
        lambda s: s.fees["F-140"][1] == 58,
    ),
)

OFFICE: tuple[UserTask, ...] = (
    task(
        "suki-friday",
        "Suki would like friday off. That's ok, do it the way she proposes in her message and tell her by mail",
        [
            call("inbox"),
            call("msg", id="M-29"),
            call("rota", monday="2025-06-09"),
            call("setShift", person="Suki Tran", date=FRI, shift="off"),
            call("setShift", person="Lotte Hahn", date=FRI, shift="desk-early"),
            call(
                "mail_send",
                to="suki@quayside.example",
                subject="Re: Friday 13th",
                body="Hi Suki, Friday is yours, Lotte has the desk. Enjoy the graduation! Maren",
            ),
        ],
        lambda s: (
            (s.rota["Suki Tran"][FRI], s.rota["Lotte Hahn"][FRI]) == ("off", "desk-early")
            and mailed(s, "suki@quayside.example", "Friday")
        ),
        "delegates sends",
    ),
    task(
        "desk-thursday",
        "who has the late desk on thursday?",
        [call("rota", monday="2025-06-09")],
        nothing_new,
        shows="Suki.",
    ),
    task(
        "team-meeting",
        "text the staff: team meeting on Thursday is at 8 instead of 8:30",
        [call("broadcast", group="staff", text="The team meeting on Thursday is at 8:00 instead of 8:30. Maren")],
        lambda s: any(b["group"] == "staff" and "8:00" in b["text"] for b in s.broadcasts),
        "sends",
    ),
    task(
        "greta-claim",
        "The insurance wants more about Greta Lindqvists claim. Give them what they ask for",
        [
            call("claims"),
            call("patient.file", patient="P-104"),
            call(
                "claim_send",
                claim="C-901",
                note="Sessions since the operation: 14 May, 21 May and 4 June 2025. Referring doctor: Dr Foley, Galway "
                "West surgery.",
            ),
        ],
        lambda s: any(c["claim"] == "C-901" and "Foley" in c["note"] for c in s.claim_notes),
        "delegates sends",
    ),
    task(
        "demir-claim",
        "whats the story with Yusuf's claim",
        [call("claims")],
        nothing_new,
        shows="Atlantic Health rejected it, they want to approve crowns first. An appeal is possible.",
    ),
    task(
        "demir-appeal",
        "Appeal against the rejection of Demir's crown. Say it was urgent because the tooth was about to break, and "
        "ask for approval after the fact",
        [
            call("claims"),
            call(
                "claim_send",
                claim="C-902",
                note="We appeal against the rejection. The crown on tooth 26 was urgent, as the tooth was about to "
                "break. Please approve it after the fact.",
            ),
        ],
        lambda s: any(c["claim"] == "C-902" and "urgent" in c["note"] for c in s.claim_notes),
        "sends",
    ),
    task(
        "friday-hours",
        "website: from July we close at 16:00 on fridays. change the opening hours page, keep the rest",
        [
            call("site.text", page="hours"),
            call(
                "site_publish",
                page="hours",
                text="Monday to Thursday 8:00 to 18:00. Friday 8:00 to 17:00, from July 8:00 to 16:00.",
            ),
        ],
        lambda s: "16:00" in s.site["hours"] and "18:00" in s.site["hours"],
    ),
    task(
        "praise-on-site",
        "take the nicest of our reviews and quote it on the news page below what's there, first name is enough",
        [
            call("reviews"),
            call("site.text", page="news"),
            call(
                "site_publish",
                page="news",
                text='We have a new ultrasound machine.\n\nWhat patients say: "Bram fixed my shoulder in three '
                'visits." Ida',
            ),
        ],
        lambda s: "three visits" in s.site["news"] and "ultrasound" in s.site["news"],
        "delegates",
    ),
    task(
        "web-opinion",
        "what are people saying about us on the web these days, anything I should worry about?",
        [call("reviews")],
        nothing_new,
        shows="Mostly good. One complains about a wait of 40 minutes, another that the phone is always busy.",
    ),
    task(
        "two-stars",
        "Answer the 2 star review. Apologise for the wait, say that the desk now tells people when we run late. "
        "Nothing about his treatment!",
        [
            call("reviews"),
            call(
                "review-reply",
                review="RV-5",
                text="We are sorry that you had to wait and that nobody told you why. Our desk now tells everyone when "
                "we run late. Maren Holt",
            ),
        ],
        lambda s: any(r["review"] == "RV-5" and "sorry" in r["text"] for r in s.review_replies),
        "sends",
    ),
    task(
        "lab-week",
        "anything coming from the lab this week",
        [call("lab.cases")],
        nothing_new,
        shows="Only Orla Brennan's bleaching trays, with the next courier.",
    ),
    task(
        "shade",
        "tell the lab yes, the lighter shade for Demir",
        [
            call("lab.cases"),
            call("lab_reply", case="L-71", text="Yes, please make the crown in A1. Thank you, Maren Holt"),
        ],
        lambda s: any(n["case"] == "L-71" and "A1" in n["text"] for n in s.lab_notes),
        "sends",
    ),
    talk(
        "lab-holidays",
        [
            (
                f"when is the lab closed this summer? {HOLIDAYS}",
                [call("open_url", url=HOLIDAYS)],
                "From 4 to 15 August, and the last pick-up before that is on 31 July at noon.",
            ),
            (
                "ok text that to all staff",
                [
                    call(
                        "broadcast",
                        group="staff",
                        text="Northlight is closed from 4 to 15 August, last pick-up on 31 July at noon. Maren",
                    )
                ],
                "The staff have it.",
            ),
        ],
        lambda s: any(b["group"] == "staff" and "31 July" in b["text"] for b in s.broadcasts),
        "sends",
    ),
    task(
        "claims-guide",
        f"Read {GUIDE} and mail the gist to suki@quayside.example, three lines max",
        [
            call("open_url", url=GUIDE),
            call(
                "mail_send",
                to="suki@quayside.example",
                subject="Hibernia claims in short",
                body="Hi Suki, Hibernia wants claims within 60 days, for physio after an operation with the referring "
                "doctor and all session dates. They answer in ten working days. Maren",
            ),
        ],
        lambda s: mailed(s, "suki@quayside.example", "60 days"),
        "sends",
    ),
    task(
        "post-today",
        "go through the inbox, what do I have to do myself?",
        [call("inbox"), *(call("msg", id=f"M-{n}") for n in range(21, 31))],
        nothing_new,
        shows="Orla wants another day, DentaSource wants 412.60 EUR, Suki asks for Friday off, Samir is leaving.",
    ),
)

TASKS = DESK + PATIENTS + MONEY + OFFICE
