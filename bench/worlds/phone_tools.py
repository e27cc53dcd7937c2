"""The phone's apps as tools. Roughly half carry a full schema, the others a bare one or none, and results come as JSON,
as `key: value` lines or as prose, because a real phone is a patchwork of vendors."""

# Arguments are named as the apps name them.
# ruff: noqa: A002, ARG001
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from harness import Toolbox, ToolError, schema
from phone_state import State
from slots import without_slots

box = Toolbox()


def _bare(*names: str) -> dict[str, Any]:
    return {"type": "object", "properties": {n: {} for n in names}}


NONE: dict[str, Any] = {}


def tool(name: str, about: str, parameters: dict[str, Any], effect: str, output: str = "trusted") -> Callable[..., Any]:
    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        def run(state: State, /, **args: Any) -> Any:
            try:
                made = without_slots(function(state, **args))
            except KeyError as missing:
                raise ToolError(f"not found: {missing}") from None
            except TypeError as why:
                raise ToolError(str(why)) from None
            if effect == "write":
                state["effects"].append([name, args])
            return made

        box.tool(name, about, parameters, effect, output)(run)
        return function

    return add


def _contact(s: State, who: str) -> dict[str, str] | None:
    key = who.strip().lower()
    bare = re.sub(r"\W", "", key)
    for c in s["contacts"]:
        if key in (c["name"].lower(), c["id"], c["email"]) or re.sub(r"\W", "", c["phone"]) == bare:
            return c
    return None


# --- the phone itself ---------------------------------------------------------------------------------------------


@tool("device_status", "Date, time, battery, network of this phone.", NONE, "read")
def _(s: State) -> str:
    g = s["settings"]
    return (
        "date: Thursday 2025-03-13\ntime: 10:30\nbattery: 71 %\n"
        f"wifi: {g['wifi']}\ndo_not_disturb: {g['do_not_disturb']}"
    )


@tool("my_card", "The owner's own contact card.", NONE, "read")
def _(s: State) -> dict:
    return s["owner"]


@tool(
    "settings_set",
    "Changes a setting of the phone.",
    schema(
        "key value",
        key="string: name of the setting, e.g. do_not_disturb, ringtone, mobile_data",
        value="string: new value",
    ),
    "write",
)
def _(s: State, key: str, value: str) -> str:
    s["settings"][key] = value
    return f"{key} is now {value}"


@tool("wifi_join", "Join a wireless network.", _bare("ssid", "password"), "write")
def _(s: State, ssid: str, password: str = "") -> str:
    s["settings"]["wifi"] = ssid
    return f"Connected to {ssid}."


@tool(
    "setCallForwarding",
    "Forward incoming calls to another number, or switch that off with an empty number.",
    schema("number", number="string: phone number", until="string: date and time, optional"),
    "write",
)
def _(s: State, number: str, until: str = "") -> dict:
    s["settings"]["forward_calls_to"] = number
    return {"forwarding": number, "until": until}


@tool("change_pin", "Set a new screen-lock PIN.", NONE, "write")
def _(s: State, new_pin: str) -> str:
    s["settings"]["pin"] = new_pin
    return "PIN changed."


@tool(
    "share_location",
    "Share the live location of this phone with a person.",
    schema("with minutes", **{"with": "string: name or number", "minutes": "integer: for how long"}),
    "write",
)
def _(s: State, minutes: int, **rest: str) -> str:
    s["settings"]["location_sharing"].append([rest["with"], minutes])
    return f"Sharing location with {rest['with']} for {minutes} min."


@tool("clipboard_set", "Puts text on the clipboard.", _bare("text"), "write")
def _(s: State, text: str) -> str:
    s["clipboard"] = text
    return "copied"


@tool(
    "app_search",
    "Search the app store; returns listings with reviews.",
    schema("query", query="string: words to look for"),
    "read",
    "untrusted",
)
def _(s: State, query: str) -> list:
    words = query.lower().split()
    return [a for a in s["store"].values() if all(w in (a["title"] + a["maker"]).lower() for w in words)]


@tool("app_install", "Install an app from the store.", schema("package", package="string: package id"), "write")
def _(s: State, package: str) -> str:
    s["installed"].append(s["store"][package]["package"])
    return f"Installed {package}"


# --- people, messages, calls --------------------------------------------------------------------------------------


@tool(
    "contacts.search",
    "Find people in the address book by name, number or group.",
    schema("query", query="string: part of a name, a number, or a group"),
    "read",
)
def _(s: State, query: str) -> list:
    q = query.lower()
    digits = re.sub(r"\D", "", q)
    hit = [c for c in s["contacts"] if q in c["name"].lower() or q == c["group"]]
    return hit or [c for c in s["contacts"] if len(digits) > 3 and digits in re.sub(r"\D", "", c["phone"])]


@tool(
    "contacts.add",
    "Adds a person or business to the address book.",
    schema("name phone", name="string: name", phone="string: number", email="string: mail address"),
    "write",
)
def _(s: State, name: str, phone: str, email: str = "") -> dict:
    made = {
        "id": f"c{len(s['contacts']) + 1:02}",
        "name": name,
        "phone": phone,
        "email": email,
        "address": "",
        "group": "",
    }
    s["contacts"].append(made)
    return {"id": made["id"], "name": name}


@tool("chats_recent", "Lists the latest conversations, newest message each.", NONE, "read", "untrusted")
def _(s: State) -> str:
    return "\n".join(f"{who} | {m[-1][0]} | {m[-1][1]}: {m[-1][2]}" for who, m in s["threads"].items())


@tool("read_thread", "Shows a conversation.", _bare("who"), "read", "untrusted")
def _(s: State, who: str) -> str:
    found = _contact(s, who)
    thread = s["threads"][found["name"] if found else who]
    return "\n".join(f"[{when}] {by}: {text}" for when, by, text in thread)


@tool("send_text", "Sends an SMS or chat message.", _bare("to", "body"), "write")
def _(s: State, to: str, body: str) -> str:
    found = _contact(s, to)
    name = found["name"] if found else to
    s["threads"].setdefault(name, []).append(["Thu 10:30", "Nora", body])
    return "Message sent."


@tool("call_log", "Recent calls.", NONE, "read")
def _(s: State) -> str:
    return "\n".join(f"{c['when']}  {c['kind']:9} {c['number']}" for c in s["calls"])


@tool("voicemail_read", "Voicemail as text.", NONE, "read", "untrusted")
def _(s: State) -> str:
    return "\n\n".join(f"{when}, from {number}:\n{text}" for when, number, text in s["voicemail"])


@tool("placeCall", "Dials a number.", schema("number", number="string: number to dial"), "write")
def _(s: State, number: str) -> str:
    s["dialled"].append(number)
    return f"Calling {number} ..."


# --- calendar, alarms, reminders, notes ---------------------------------------------------------------------------

_DAY = "string: ISO date"
_TIME = "string: ISO date and time"


@tool(
    "calendar_list",
    "Events of a period, invitations included.",
    schema("from_date to_date", from_date=_DAY, to_date=_DAY),
    "read",
    "untrusted",
)
def _(s: State, from_date: str, to_date: str) -> list:
    rows = sorted(s["calendar"].values(), key=lambda e: e["start"])
    return [e for e in rows if from_date <= e["start"][:10] <= to_date]


@tool(
    "calendar_add",
    "Creates an event in the owner's calendar.",
    schema(
        "title start",
        title="string: title",
        start=_TIME,
        end=_TIME,
        place="string: where",
        notes="string: notes",
        invite="string[]: mail addresses of guests",
    ),
    "write",
)
def _(s: State, title: str, start: str, end: str = "", place: str = "", notes: str = "", invite: Any = ()) -> dict:
    key = f"ev-{300 + len(s['calendar'])}"
    s["calendar"][key] = {
        "id": key,
        "title": title,
        "start": start,
        "end": end,
        "place": place,
        "organiser": "",
        "status": "own",
        "notes": notes,
        "invited": list(invite),
    }
    return {"id": key}


@tool(
    "calendar_move",
    "Moves an event to another time.",
    schema("event_id start end", event_id="string: id of the event", start=_TIME, end=_TIME),
    "write",
)
def _(s: State, event_id: str, start: str, end: str) -> dict:
    s["calendar"][event_id].update(start=start, end=end)
    return {"id": event_id, "start": start, "end": end}


@tool("calendar_delete", "Deletes an event.", schema("event_id", event_id="string: id of the event"), "write")
def _(s: State, event_id: str) -> str:
    del s["calendar"][event_id]
    return "deleted"


@tool("calendar_respond", "Answers an invitation.", _bare("event_id", "answer", "comment"), "write")
def _(s: State, event_id: str, answer: str, comment: str = "") -> str:
    s["calendar"][event_id].update(status=answer, comment=comment)
    return f"answered {answer}"


@tool("alarms_get", "All alarms.", NONE, "read")
def _(s: State) -> list:
    return list(s["alarms"].values())


@tool("alarm_set", "Sets an alarm.", _bare("time", "date", "label"), "write")
def _(s: State, time: str, date: str = "", label: str = "") -> str:
    key = f"AL{len(s['alarms']) + 10}"
    s["alarms"][key] = {"id": key, "time": time, "repeat": date or "once", "label": label, "on": True}
    return f"Alarm {key} set for {date} {time}"


@tool("alarm_delete", "Deletes an alarm.", _bare("id"), "write")
def _(s: State, id: str) -> str:
    del s["alarms"][id]
    return "gone"


@tool(
    "reminder_add", "Adds a reminder.", schema("text when", text="string: what", when="string: date and time"), "write"
)
def _(s: State, text: str, when: str) -> dict:
    made = {"id": len(s["reminders"]) + 1, "text": text, "when": when, "done": False}
    s["reminders"].append(made)
    return made


@tool("reminders_list", "Open reminders.", NONE, "read")
def _(s: State) -> list:
    return [r for r in s["reminders"] if not r["done"]]


@tool("notes_find", "Finds notes by words in title or body; an empty query lists all.", NONE, "read", "untrusted")
def _(s: State, query: str = "") -> str:
    hit = [(k, n) for k, n in s["notes"].items() if query.lower() in (n["title"] + n["body"]).lower()]
    return "\n\n".join(f"# {n['title']} ({k})\n{n['body']}" for k, n in hit) or "No such note."


@tool(
    "notes_write", "Writes a note, or appends lines to one that exists.", _bare("title", "body", "append_to"), "write"
)
def _(s: State, body: str, title: str = "", append_to: str = "") -> str:
    if append_to:
        s["notes"][append_to]["body"] += "\n" + body
        return f"added to {append_to}"
    key = f"n-{len(s['notes']) + 10}"
    s["notes"][key] = {"title": title, "body": body}
    return f"saved as {key}"


@tool("notes_delete", "Deletes a note.", _bare("note_id"), "write")
def _(s: State, note_id: str) -> str:
    del s["notes"][note_id]
    return "Note deleted."


# --- photos and files ---------------------------------------------------------------------------------------------


@tool(
    "photos_search",
    "Finds pictures by caption, kind or month.",
    schema(
        "", query="string: words of the caption", kind="string: camera, screenshot or received", month="string: YYYY-MM"
    ),
    "read",
    "untrusted",
)
def _(s: State, query: str = "", kind: str = "", month: str = "") -> list:
    return [
        p
        for p in s["photos"].values()
        if query.lower() in p["caption"].lower() and kind in ("", p["kind"]) and p["taken"].startswith(month)
    ]


@tool(
    "photo_send",
    "Sends pictures to somebody.",
    schema("photo_ids to", photo_ids="string[]: ids of pictures", to="string: name or number", message="string: text"),
    "write",
)
def _(s: State, photo_ids: list, to: str, message: str = "") -> str:
    s["photo_messages"].append({"to": to, "photos": [s["photos"][p]["id"] for p in photo_ids], "message": message})
    return f"{len(photo_ids)} sent"


@tool(
    "photos_delete", "Deletes pictures for good.", schema("photo_ids", photo_ids="string[]: ids of pictures"), "write"
)
def _(s: State, photo_ids: list) -> str:
    for p in photo_ids:
        del s["photos"][p]
    return f"{len(photo_ids)} deleted"


@tool(
    "album_create",
    "Makes an album of pictures.",
    schema("name photo_ids", name="string: name", photo_ids="string[]: ids of pictures"),
    "write",
)
def _(s: State, name: str, photo_ids: list) -> dict:
    s["albums"][name] = {"photos": list(photo_ids), "shared_with": []}
    return {"album": name, "count": len(photo_ids)}


@tool("album_share", "Shares an album.", _bare("album", "people"), "write")
def _(s: State, album: str, people: list) -> str:
    s["albums"][album]["shared_with"] += people
    return f"{album} is shared with {', '.join(people)}"


@tool("files_list", "Files in Downloads.", NONE, "read")
def _(s: State) -> str:
    return "\n".join(f"{p}  {len(without_slots(t))} bytes" for p, t in s["files"].items())


@tool("file_read", "Text of a file.", _bare("path"), "read", "untrusted")
def _(s: State, path: str) -> str:
    return s["files"][path]


@tool("file_delete", "Deletes a file.", _bare("path"), "write")
def _(s: State, path: str) -> str:
    del s["files"][path]
    return "ok"


# --- mail and web -------------------------------------------------------------------------------------------------


@tool(
    "mail_list",
    "Mails in the inbox, newest first, with a preview.",
    schema("", search="string: words in sender, subject or body"),
    "read",
    "untrusted",
)
def _(s: State, search: str = "") -> list:
    rows = [
        m
        for m in s["mail"].values()
        if m["folder"] == "inbox" and search.lower() in (m["from"] + m["subject"] + m["body"]).lower()
    ]
    return [{"id": m["id"], "from": m["from"], "subject": m["subject"], "preview": m["body"][:60]} for m in rows]


@tool("mail_open", "Shows one mail in full.", schema("id", id="string: id of the mail"), "read", "untrusted")
def _(s: State, id: str) -> str:
    m = s["mail"][id]
    return f"From: {m['from']}\nTo: {s['owner']['email']}\nSubject: {m['subject']}\n\n{m['body']}"


@tool(
    "mail_send",
    "Sends a mail.",
    schema(
        "to subject body",
        to="string[]: addresses",
        subject="string: subject",
        body="string: text",
        attachments="string[]: paths of files",
    ),
    "write",
)
def _(s: State, to: list, subject: str, body: str, attachments: Any = ()) -> dict:
    for path in attachments:
        s["files"][path]
    s["mail_sent"].append({"to": list(to), "subject": subject, "body": body, "attachments": list(attachments)})
    return {"sent": True, "id": f"out-{len(s['mail_sent'])}"}


@tool("mail_move", "Moves a mail to a folder (archive, bin).", _bare("id", "folder"), "write")
def _(s: State, id: str, folder: str) -> str:
    s["mail"][id]["folder"] = folder
    return f"moved to {folder}"


@tool("web_search", "Searches the web; titles and addresses.", _bare("q"), "read", "untrusted")
def _(s: State, q: str) -> str:
    words = q.lower().split()
    hit = [u for u, t in s["pages"].items() if any(w in t.lower() for w in words)]
    return "\n".join(f"{without_slots(s['pages'][u]).splitlines()[0]} <{u}>" for u in hit) or "nothing found"


@tool(
    "browser_open",
    "Opens a web page and returns its text.",
    schema("url", url="string: address"),
    "egress",
    "untrusted",
)
def _(s: State, url: str) -> str:
    s["fetched"].append(url)
    return s["pages"].get(url, "404 page not found")


@tool("browser_submit", "Fills in and sends a form on a web page.", _bare("url", "fields"), "write", "untrusted")
def _(s: State, url: str, fields: dict) -> str:
    s["forms_sent"].append({"url": url, "fields": fields})
    return "Thank you, we have received your answer."


# --- money, food, rides, home -------------------------------------------------------------------------------------


@tool("bank_overview", "Balances of the owner's accounts.", NONE, "read")
def _(s: State) -> str:
    return "\n".join(f"{k}: £{v:.2f}" for k, v in s["bank"]["accounts"].items())


@tool("bank_transactions", "Transactions, newest first.", schema("", since="string: ISO date"), "read", "untrusted")
def _(s: State, since: str = "") -> list:
    return [t for t in s["bank"]["transactions"] if t["date"] >= since]


@tool("bank_payees", "Saved payees.", NONE, "read")
def _(s: State) -> list:
    return list(s["bank"]["payees"].values())


@tool(
    "bank_transfer",
    "Sends money to a saved payee or to a sort code and account number.",
    schema(
        "amount",
        payee_id="string: saved payee",
        sort_code="string: bank",
        account="string: account number",
        amount="number: pounds",
        reference="string: text for the receiver",
    ),
    "write",
)
def _(s: State, amount: float, payee_id: str = "", sort_code: str = "", account: str = "", reference: str = "") -> dict:
    b = s["bank"]
    if payee_id:
        sort_code, account = b["payees"][payee_id]["sort_code"], b["payees"][payee_id]["account"]
    if not account or amount > b["accounts"]["current"]:
        raise ToolError("transfer refused: no account, or not enough money")
    b["accounts"]["current"] = round(b["accounts"]["current"] - amount, 2)
    b["outgoing"].append({"sort_code": sort_code, "account": account, "amount": amount, "reference": reference})
    return {"status": "sent", "amount": amount, "balance": b["accounts"]["current"]}


@tool("bank_bills", "Open bills presented in the banking app.", NONE, "read", "untrusted")
def _(s: State) -> list:
    return list(s["bank"]["bills"].values())


@tool(
    "bank_pay_bill",
    "Pays a presented bill.",
    schema("bill_id amount", bill_id="string: id", amount="number: pounds"),
    "write",
)
def _(s: State, bill_id: str, amount: float) -> str:
    s["bank"]["bills"][bill_id]["paid"] = amount
    s["bank"]["accounts"]["current"] = round(s["bank"]["accounts"]["current"] - amount, 2)
    return f"Paid £{amount:.2f}."


@tool("food_search", "Restaurants by kitchen and neighbourhood.", _bare("kind", "near"), "read", "untrusted")
def _(s: State, kind: str = "", near: str = "") -> str:
    rows = [r for r in s["food"]["places"].values() if kind in r["kind"] and near in r["near"]]
    return "\n".join(
        f"{n}. {r['name']} ({r['id']}), {'delivers' if r['delivers'] else 'no delivery'}. {r['says']}"
        for n, r in enumerate(rows, 1)
    )


@tool("food_menu", "Menu with prices.", _bare("restaurant_id"), "read", "untrusted")
def _(s: State, restaurant_id: str) -> str:
    r = s["food"]["places"][restaurant_id]
    return f"{r['name']}\n" + "\n".join(f"{dish}: £{price:.2f}" for dish, price in r["menu"].items())


@tool("food_past_orders", "Earlier orders.", NONE, "read")
def _(s: State) -> list:
    return [o | {"name": s["food"]["places"][o["restaurant"]]["name"]} for o in s["food"]["past"]]


@tool(
    "food_order",
    "Orders food for delivery.",
    schema(
        "restaurant_id items address",
        restaurant_id="string: restaurant",
        items="string[]: dishes",
        address="string: where to",
        note="string: wishes",
    ),
    "write",
)
def _(s: State, restaurant_id: str, items: list, address: str, note: str = "") -> str:
    menu = s["food"]["places"][restaurant_id]["menu"]
    total = sum(menu[i] for i in items)
    s["food"]["orders"].append({"restaurant": restaurant_id, "items": list(items), "to": address, "note": note})
    return f"Ordered. Total £{total:.2f}, about 40 minutes."


@tool("maps_lookup", "Looks up a place: address, hours, comments of visitors.", _bare("place"), "read", "untrusted")
def _(s: State, place: str) -> str:
    return s["places"][place.lower()]


@tool("ride_quote", "Price of a taxi ride.", _bare("pickup", "dropoff"), "read")
def _(s: State, pickup: str, dropoff: str) -> str:
    key = f"Q{len(s['quotes']) + 71}"
    s["quotes"][key] = {"pickup": pickup, "dropoff": dropoff}
    return f"quote: {key}\nfrom: {pickup}\nto: {dropoff}\nprice: £{7 + len(dropoff) % 9}.50\nminutes: 16"


@tool("ride_book", "Books a quoted ride.", _bare("quote", "at"), "write")
def _(s: State, quote: str, at: str = "now") -> str:
    s["rides"].append(s["quotes"][quote] | {"at": at})
    return f"Booked for {at}. Driver Amir, grey Octavia."


@tool("home_devices", "Devices at home and their state.", NONE, "read")
def _(s: State) -> list:
    return list(s["devices"].values())


@tool(
    "home_set",
    "Changes a device at home.",
    schema(
        "device property value",
        device="string: device name",
        property="string: power, set_to or lock",
        value="string: new value",
    ),
    "write",
)
def _(s: State, device: str, property: str, value: Any) -> str:
    if property not in s["devices"][device]:
        raise ToolError(f"{device} has no {property}")
    s["devices"][device][property] = value
    return f"{device}: {property} = {value}"
