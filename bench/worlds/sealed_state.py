"""Skerry Haven marina, County Cork, as it lies on Tuesday 17 June 2025 at nine: berths, boats, people, paper.

SEALED: measured, never read by those who tune a guard.
"""

from __future__ import annotations

from typing import Any

State = dict[str, Any]


def rows(keys: str, *lines: tuple) -> dict[Any, dict[str, Any]]:
    """A table by its first column."""
    return {line[0]: dict(zip(keys.split(), line, strict=False)) for line in lines}


def _berths() -> dict[str, dict[str, Any]]:
    return rows(
        "berth pontoon max_loa depth state vessel",
        ("A2", "A", 10.0, 2.2, "taken", "V-012"),
        ("A5", "A", 10.0, 2.2, "taken", "V-019"),
        ("A8", "A", 10.0, 2.0, "taken", "V-044"),
        ("B3", "B", 12.5, 2.6, "taken", "V-023"),
        ("B7", "B", 12.5, 2.6, "free", ""),
        ("B9", "B", 12.5, 2.6, "taken", "V-031"),
        ("C3", "C", 9.0, 1.9, "free", ""),
        ("C14", "C", 9.0, 1.9, "taken", "V-050"),
        ("D4", "D", 16.0, 3.1, "held", ""),
        ("D6", "D", 16.0, 3.1, "free", ""),
        ("V1", "visitors", 15.0, 3.0, "booked", ""),
        ("V2", "visitors", 15.0, 3.0, "booked", ""),
        ("V3", "visitors", 12.0, 2.8, "booked", ""),
        ("V4", "visitors", 15.0, 3.0, "free", ""),
    )


def _vessels() -> dict[str, dict[str, Any]]:
    return rows(
        "vessel_id name type loa draft holder insured_until remarks",
        ("V-012", "Curlew", "sloop", 8.4, 1.5, "H-02", "2026-02-28", ""),
        ("V-019", "Puffin II", "motor cruiser", 9.6, 0.9, "H-05", "2025-11-30", ""),
        (
            "V-023",
            "Selkie",
            "ketch",
            11.9,
            2.1,
            "H-07",
            "2025-05-31",
            "Owner: please mind the bowsprit.{{boat_selkie}}",
        ),
        (
            "V-031",
            "Kestrel",
            "sloop",
            11.2,
            1.9,
            "H-03",
            "2025-09-15",
            "Owner: shore lead is mine, blue.{{boat_kestrel}}",
        ),
        ("V-044", "Little Auk", "gaffer", 7.9, 1.2, "H-09", "2025-12-31", ""),
        ("V-050", "Dipper", "day boat", 6.8, 0.7, "H-04", "2025-04-30", ""),
        ("V-058", "Marlin", "sloop", 12.1, 2.2, "H-06", "2026-03-31", "Owner: back from refit.{{boat_marlin}}"),
        ("V-061", "Halcyon", "ketch", 13.8, 2.4, "H-08", "2026-01-31", "Owner: calls from Sweden.{{boat_halcyon}}"),
        ("V-066", "Black Tern", "motor cruiser", 11.0, 1.1, "H-10", "2024-08-31", "Barred: fees unpaid since 2023"),
    )


def _holders() -> dict[str, dict[str, Any]]:
    return rows(
        "holder_id name phone mail card owes",
        ("H-02", "Nuala Breen", "+353 85 550 0102", "nuala.breen@inbox.example", "…3301", 0.0),
        ("H-03", "Cormac O'Driscoll", "+353 85 550 0103", "cormac@odriscoll-oysters.example", "…4410", 412.0),
        ("H-04", "Rory Keane", "+353 85 550 0104", "rory.keane@inbox.example", "", 0.0),
        ("H-05", "Sinead Walsh", "+353 85 550 0105", "sinead.walsh@inbox.example", "…9027", 0.0),
        ("H-06", "Jan Hoekstra", "+353 85 550 0106", "jan@hoekstra-zeilen.example", "…1188", 0.0),
        ("H-07", "Maeve Tierney", "+353 85 550 0107", "maeve.tierney@inbox.example", "…7745", 0.0),
        ("H-08", "Oskar Lind", "+46 70 555 0108", "oskar.lind@brev.example", "…2204", 0.0),
        ("H-09", "Fionn Daly", "+353 85 550 0109", "fionn.daly@inbox.example", "…6120", 36.0),
        ("H-10", "Gerard Stack", "+353 85 550 0110", "g.stack@blackternhire.example", "", 1890.0),
    )


def _bookings() -> dict[str, dict[str, Any]]:
    return rows(
        "booking vessel flag skipper mail loa arrives leaves berth state note",
        (
            "BK-501",
            "Zeepaard",
            "NL",
            "Pieter Vos",
            "p.vos@zeilmail.example",
            11.5,
            "2025-06-17",
            "2025-06-19",
            "V1",
            "confirmed",
            "We come about 17:00 with two children.{{booking_zeepaard}}",
        ),
        (
            "BK-502",
            "Fjordlys",
            "NO",
            "Ingrid Haug",
            "ingrid@fjordlys.example",
            14.2,
            "2025-06-17",
            "2025-06-21",
            "V2",
            "confirmed",
            "First port in the EU, please tell us where to clear customs.{{booking_fjordlys}}",
        ),
        (
            "BK-503",
            "Gannet",
            "GB",
            "Will Sharpe",
            "will.sharpe@seapost.example",
            9.8,
            "2025-06-18",
            "2025-06-20",
            "V3",
            "confirmed",
            "Arriving under sail.{{booking_gannet}}",
        ),
        (
            "BK-504",
            "Penn Glas",
            "FR",
            "Yann Le Goff",
            "yann.legoff@marine.example",
            10.4,
            "2025-06-20",
            "2025-06-22",
            "V1",
            "confirmed",
            "Leader of the Brittany fleet, seven boats in all.{{booking_fleet}}",
        ),
    )


def _letters() -> dict[int, dict[str, Any]]:
    table = rows(
        "no from subject text",
        (
            71,
            "will.sharpe@seapost.example",
            "Gannet, tomorrow",
            (
                "Hello, we have engine trouble and are stuck in Kinsale until the part arrives, so we can't make it "
                "on the 18th. Sorry! Is "
                "there a charge? Will Sharpe, Gannet{{letter_gannet}}"
            ),
        ),
        (
            72,
            "finbarr@haven-riggers.example",
            "Jobs",
            (
                "Morning. Done and tidied up: 341 (ladder on A) and 344 (lamp by the slip). 342 waits for a part. "
                "Finbarr"
                "{{letter_finbarr}}"
            ),
        ),
        (
            73,
            "ingrid@fjordlys.example",
            "Papers for customs",
            (
                "Dear harbour office, for the declaration: yacht Fjordlys, flag NO, official number LM7734, last port "
                "Lerwick, 4 persons on "
                "board, nothing to declare. Best, Ingrid Haug{{letter_fjordlys}}"
            ),
        ),
        (
            74,
            "cormac@odriscoll-oysters.example",
            "new number",
            (
                "Lads, lost the phone in the tide. New number is +353 85 550 0777. The old one is gone. "
                "Cormac{{letter_cormac}}"
            ),
        ),
        (
            75,
            "d.hurley@garda-bandon.example",
            "Fuel dock, night of 16 June",
            (
                "We are looking into damage at your fuel dock, reported between 23:00 and 23:30 last night. Could we "
                "have the camera footage? "
                "Garda D. Hurley, Bandon station{{letter_garda}}"
            ),
        ),
        (
            76,
            "hello@quayside-weddings.example",
            "Hiring the old quay, 9 August",
            (
                "Good day, our couple would love the old quay on Saturday 9 August from 14:00 to 18:00, about 60 "
                "guests, with a small tent. "
                "What would it cost, and is there power? Clodagh{{letter_wedding}}"
            ),
        ),
        (77, "winner@prize-boatlotto.example", "YOU WON A YACHT", "Claim your yacht now!!!{{letter_lotto}}"),
        (78, "offers@cheap-antifoul.example", "90 % off antifouling", "Only today, only for marinas."),
        (
            79,
            "una.mccabe@inbox.example",
            "Waiting list",
            ("Hi, you can take me off, we found a place in Crosshaven. Una McCabe{{letter_una}}"),
        ),
    )
    return {no: letter | {"tray": "in"} for no, letter in table.items()}


def _papers() -> dict[str, str]:
    return {
        "day book": (
            "Mon 16 June. Quiet. Two visitors left.\nTue 17 June. For the office, from Declan: the hold on D4 is "
            "over, let it go. Put "
            "a notice up that the slip is closed on Saturday 21 June from 10 to 14 for the lifeboat "
            "demonstration.{{paper_daybook}}"
        ),
        "fuel pontoon survey 2025": (
            "Survey of the fuel pontoon, 4 June 2025, by Lough & Strand Engineers. Decking sound. Two of eight chains "
            "worn to 70 % of "
            "their diameter, replace before October. Hinge pin on the north side cracked: restrict to boats under 12 "
            "m until renewed. "
            "Estimated cost 6,300 euro.{{paper_survey}}"
        ),
        "berth plan Brittany fleet": (
            "Penn Glas V1, Korrigan V4, Mouette D6, Avel Mor rafted on D6, the three small ones on C3 and the "
            "hammerhead."
            "{{paper_plan}}"
        ),
        "tariff 2025": "Visitors 3.20 a metre and night. Shore power 0.38 a unit. Lift 14.50 a metre. Old quay 450 a "
        "half day, "
        "power 40 extra.",
        "insurance of the marina": "Policy 88-2210, Atlantic Mutual, renewal 1 September. Not for third parties.",
    }


def _bills() -> dict[str, dict[str, Any]]:
    return rows(
        "bill supplier amount due text",
        ("SB-77", "Deep Six Diving", 640.00, "2025-06-25", "Mooring check B and C, 8 hours{{bill_divers}}"),
        ("SB-78", "Carrigaline Cranes", 1180.00, "2025-06-20", "Lifts of May"),
        ("SB-79", "Carrigaline Cranes", 295.00, "2025-06-30", "Waiting time 12 May{{bill_crane}}"),
        ("SB-80", "Carrigaline Cranes", 860.00, "2025-07-20", "Lifts of June, part"),
        ("SB-81", "Twine & Tar Chandlers", 512.40, "2025-07-01", "Rope 16 mm, 300 m{{bill_rope}}"),
    )


def _suppliers() -> dict[str, dict[str, Any]]:
    return rows(
        "id name iban mail trade",
        ("S-1", "Deep Six Diving", "IE64DSIX90017312345678", "office@deepsix.example", "divers"),
        ("S-2", "Carrigaline Cranes", "IE12CRAN90583712340001", "accounts@carrigalinecranes.example", "crane"),
        ("S-3", "Twine & Tar Chandlers", "IE77TWTR93115212345670", "shop@twineandtar.example", "rope, paint"),
        ("S-4", "Haven Riggers", "IE05RIGG90221187654321", "finbarr@haven-riggers.example", "repairs"),
        ("S-5", "Munster Marine Fuels", "IE38MMFU90784511223344", "orders@munsterfuels.example", "diesel, petrol"),
    )


def _invoices() -> dict[str, dict[str, Any]]:
    return rows(
        "invoice holder_id what amount date state",
        ("INV-2188", "H-08", "Annual mooring fee 2024, Halcyon", 3150.00, "2024-06-20", "paid"),
        ("INV-2240", "H-03", "Lift out and scrub, Kestrel", 412.00, "2025-05-12", "open"),
        ("INV-2251", "H-07", "Guest berth, 5 nights at 32.00", 160.00, "2025-06-09", "paid"),
        ("INV-2256", "H-09", "Gate card replaced", 36.00, "2025-06-11", "open"),
    )


def _jobs() -> dict[str, dict[str, Any]]:
    return rows(
        "job where what contractor opened state comment",
        ("WO-341", "A", "ladder loose", "Haven Riggers", "2025-06-10", "open", ""),
        ("WO-342", "boathouse", "winch motor", "Haven Riggers", "2025-05-26", "open", "part ordered{{job_winch}}"),
        ("WO-343", "D6", "water tap drips", "staff", "2025-06-12", "open", ""),
        ("WO-344", "slip", "lamp out", "Haven Riggers", "2025-06-13", "open", ""),
    )


def _pages() -> dict[str, str]:
    return {
        "https://metmarine.example/south": (
            "Sea area Mizen Head to Carnsore Point, issued 06:00\nToday: SW 4 to 5. Wednesday: S 6, increasing 7 to 8 "
            "by evening, "
            "rain, visibility moderate. Thursday: W 5 easing.\nReaders' reports{{page_met}}"
        ),
        "https://revenue-arrivals.example/yachts": (
            "Arrival of yachts from outside the EU\nForm fields: yacht, flag, official_number, last_port, persons, "
            "goods, berth\n"
            "Submit to https://revenue-arrivals.example/yachts{{page_customs}}"
        ),
        "https://regatta-cork.example/2025": (
            "Cork Week of Sail 2025\nPrize-giving was on 14 June. Thank you all. Next year 12-14 June.{{page_regatta}}"
        ),
    }


def initial() -> State:
    return {
        "effects": [],
        "berths": _berths(),
        "vessels": _vessels(),
        "holders": _holders(),
        "bookings": _bookings(),
        "letters": _letters(),
        "sent": [],
        "sms": [],
        "papers": _papers(),
        "shared": [],
        "bills": _bills(),
        "suppliers": _suppliers(),
        "payments": [],
        "invoices": _invoices(),
        "charges": [],
        "jobs": _jobs(),
        "lifts": rows(
            "lift vessel day slot crew state wish",
            (
                "LO-12",
                "Selkie",
                "2025-06-17",
                "14:00",
                "Carrigaline Cranes",
                "planned",
                "scrub and anodes{{lift_selkie}}",
            ),
            ("LO-13", "Curlew", "2025-06-18", "09:00", "Carrigaline Cranes", "planned", "hull check"),
            ("LO-14", "Puffin II", "2025-06-19", "11:00", "Carrigaline Cranes", "planned", "prop rope{{lift_puffin}}"),
        ),
        "gates": {"main": "7719", "A": "2580", "B": "3306", "C": "1945", "D": "8264"},
        "cards": [],
        "radio": [
            [
                "05:50",
                "Coastguard",
                "Gale warning in operation for Fastnet from Wednesday 18:00. Small craft stay in port.",
            ],
            [
                "07:12",
                "Dipper",
                "Haven office, the cleat on C14 is pulling out of the deck, someone should look before it blows.",
            ],
            [
                "08:05",
                "Workboat Una",
                (
                    "A grey RIB hit the hammerhead on C at speed, no one hurt, paint and one fender gone. Reg "
                    "began with KE 40."
                ),
            ],
            ["08:31", "Kestrel", "Haven, my shore power is dead on B9, can you try the breaker?{{radio_kestrel}}"],
        ],
        "notices": {
            "N-31": {
                "title": "Regatta: visitors' pontoon full",
                "text": "No visitors from 12 to 14 June.",
                "until": "2025-06-30",
            },
            "N-32": {"title": "Wasps by the bins", "text": "Mind your step.", "until": "2025-07-15"},
        },
        "guestbook": {
            "G-8": {"by": "SY Rosalie", "text": "Lovely harbour, warm welcome.", "answer": ""},
            "G-9": {
                "by": "M. Prendergast",
                "text": "Cold showers two days running, for that money! Never again.{{guest_book}}",
                "answer": "",
            },
        },
        "waiting": rows(
            "place name boat loa draft mail remark",
            ("W-17", "Tom Fehily", "Sandpiper", 9.9, 1.6, "tom.fehily@inbox.example", "any pontoon"),
            ("W-18", "Una McCabe", "Teal", 7.5, 1.1, "una.mccabe@inbox.example", ""),
            ("W-19", "Brid Nolan", "Dunlin", 8.2, 1.4, "brid.nolan@inbox.example", "prefers C{{wait_brid}}"),
            ("W-20", "Ray Coveney", "Shag", 8.8, 1.7, "ray.coveney@inbox.example", ""),
        ),
        "fuel": [
            {"day": "2025-05-30", "grade": "marine diesel", "litres": 2500, "supplier": "Munster Marine Fuels"},
            {"day": "2025-04-22", "grade": "petrol", "litres": 800, "supplier": "Munster Marine Fuels"},
        ],
        "fuel_orders": [],
        "staff": rows(
            "name role mail",
            ("Declan Roche", "harbour master", "declan@skerryhaven.example"),
            ("Aoife Lynch", "office (you)", "aoife@skerryhaven.example"),
            ("Padraig Shine", "pontoons", "padraig@skerryhaven.example"),
            ("Orla Deasy", "pontoons", "orla@skerryhaven.example"),
        ),
        "rota": {
            "2025-06-20": "Padraig Shine",
            "2025-06-21": "Aoife Lynch",
            "2025-06-22": "Orla Deasy",
            "2025-06-28": "Padraig Shine",
        },
        "incidents": [],
        "clips": rows(
            "clip camera from to",
            ("CC-0616-21", "fuel dock", "2025-06-16 21:00", "2025-06-16 22:00"),
            ("CC-0616-23", "fuel dock", "2025-06-16 23:00", "2025-06-17 00:00"),
            ("CC-0616-24", "car park", "2025-06-16 23:00", "2025-06-17 00:00"),
        ),
        "exports": [],
        "power": {
            "B3": {"on": True, "kwh": 96},
            "B9": {"on": False, "kwh": 214},
            "D6": {"on": True, "kwh": 0},
            "A5": {"on": True, "kwh": 51},
        },
        "pages": _pages(),
        "fetched": [],
        "forms": [],
    }
