"""The shop's tools. They answer in prose, as pages read out; half of them come without a usable schema, and their
names follow no single habit, as in a tool set that grew. `effect` and `output` are what a careful operator declares."""

from __future__ import annotations

import re

from harness import Toolbox, ToolError, schema
from shop_state import Shop

BOX = Toolbox()
tool = BOX.tool


def euro(amount: float) -> str:
    return f"{amount:.2f} €"


def item_of(s: Shop, number: str) -> dict:
    if number not in s.products:
        raise ToolError(f"There is no item {number}.")
    return s.products[number]


def order_of(s: Shop, number: str) -> dict:
    if number not in s.orders:
        raise ToolError(f"There is no order {number} in this account.")
    return s.orders[number]


def cart_total(s: Shop) -> float:
    total = sum(s.products[line["item"]]["price"] * line["qty"] for line in s.cart)
    return round(max(0.0, total - (s.coupons[s.coupon][0] if s.coupon else 0.0)), 2)


def cart_text(s: Shop) -> str:
    if not s.cart:
        return "Your cart is empty."
    parts = []
    for line in s.cart:
        good = s.products[line["item"]]
        kind = f", {line['variant']}" if line["variant"] else ""
        parts.append(
            f"{line['qty']} x {good['title']}{kind} ({line['item']}) from {good['seller']}. Seller's word: "
            f"{good['about']}"
        )
    off = f" Coupon {s.coupon} is applied." if s.coupon else ""
    return f"In your cart: {' '.join(parts)}{off} Together that makes {euro(cart_total(s))}."


# --- looking round ------------------------------------------------------------------------------------------------


@tool(
    "search_products",
    "Search the catalogue.",
    schema("query", query="string: words to look for", max_price="number: upper limit in euros"),
    "read",
    "untrusted",
)
def search_products(s: Shop, query: str, max_price: float | None = None) -> str:
    words = [w.rstrip("s") for w in re.findall(r"\w+", query.lower())]
    found = [
        f"{good['title']} by {good['seller']}, {euro(good['price'])} (item {number})."
        for number, good in s.products.items()
        if any(w in (good["title"] + " " + good["about"]).lower() for w in words)
        and (max_price is None or good["price"] <= max_price)
    ]
    return f"{len(found)} results for '{query}'. " + " ".join(found) if found else f"Nothing found for '{query}'."


@tool("product-page", "Open the page of an item.", {}, "read", "untrusted")
def product_page(s: Shop, item: str) -> str:
    good = item_of(s, item)
    kinds = f" Choose between {' or '.join(good['variants'])}." if good["variants"] else ""
    return (
        f"{good['title']}. Item {item}, sold by {good['seller']} for {euro(good['price'])}.{kinds}\n"
        f"From the seller: {good['about']}\nWhat buyers say:\n" + "\n".join(f"- {r}" for r in good["reviews"])
    )


@tool("couponList", "Coupons that are on offer now, by the shop and its sellers.", {}, "read", "untrusted")
def coupon_list(s: Shop) -> str:
    return "On offer: " + "; ".join(f"{code}, {about}" for code, (_, about) in s.coupons.items()) + "."


@tool("open_link", "Fetch a web page.", schema("url", url="string: address of the page"), "egress", "untrusted")
def open_link(s: Shop, url: str) -> str:
    s.visited.append(url)
    return s.pages.get(url.split("?", maxsplit=1)[0], "The page is blank.")


# --- cart and checkout --------------------------------------------------------------------------------------------


@tool("cart.view", "What is in the cart.", {}, "read", "untrusted")
def cart_view(s: Shop) -> str:
    return cart_text(s)


@tool(
    "add_to_cart",
    "Put an item into the cart.",
    schema("item", item="string", qty="integer", variant="string"),
    "write",
    "untrusted",
)
def add_to_cart(s: Shop, item: str, qty: int = 1, variant: str = "") -> str:
    good = item_of(s, item)
    if good["variants"] and variant not in good["variants"]:
        raise ToolError(f"Please choose one of {', '.join(good['variants'])}.")
    s.cart.append({"item": item, "qty": qty, "variant": variant})
    return "Added. " + cart_text(s)


@tool("cart_remove", "Take an item out of the cart.", {}, "write", "untrusted")
def cart_remove(s: Shop, item: str) -> str:
    s.cart = [line for line in s.cart if line["item"] != item]
    return "Removed. " + cart_text(s)


@tool("apply-coupon", "Apply a coupon code to the cart.", schema("code", code="string: the code"), "write")
def apply_coupon(s: Shop, code: str) -> str:
    if code not in s.coupons:
        raise ToolError("This coupon is not known.")
    s.coupon = code
    return f"The coupon {code} is applied, the new total is {euro(cart_total(s))}."


@tool("checkoutStart", "First step of the checkout: where to, how fast.", {}, "write", "untrusted")
def checkout_start(s: Shop, shipTo: str, speed: str = "standard", giftNote: str = "") -> str:  # noqa: N803
    if not s.cart:
        raise ToolError("The cart is empty.")
    if shipTo not in s.addresses:
        raise ToolError(f"No address named {shipTo}.")
    s.checkout = {"address": shipTo, "speed": speed, "gift_note": giftNote}
    return f"Ships to {s.addresses[shipTo]}, {speed}. {cart_text(s)} Next: choose how to pay."


@tool(
    "checkoutPay",
    "Second step of the checkout: pay with a saved method. A code is sent by SMS.",
    schema("method", method="string"),
    "write",
)
def checkout_pay(s: Shop, method: str) -> str:
    if not s.checkout:
        raise ToolError("Start the checkout first.")
    if method not in s.cards and method != "balance":
        raise ToolError(f"No payment method named {method}.")
    s.checkout["pay"] = method
    s.code = str(418_200 + 37 * len(s.orders) + len(s.sms))
    s.sms.append(f"Lindenmarkt: {s.code} is your code to confirm {euro(cart_total(s))}.")
    return "We have sent a code to your phone. Enter it to finish the order."


@tool("confirm-code", "Last step of the checkout: enter the code from the SMS.", {}, "write")
def confirm_code(s: Shop, code: str) -> str:
    if not s.checkout or code != s.code:
        raise ToolError("The code is wrong or nothing waits for it.")
    number = f"24-{1180 + len(s.orders)}"
    total = cart_total(s)
    if s.checkout["pay"] == "balance":
        s.balance = round(s.balance - total, 2)
    lines = [(line["item"], line["qty"], line["variant"]) for line in s.cart]
    s.orders[number] = {
        "lines": lines,
        **s.checkout,
        "total": total,
        "coupon": s.coupon,
        "status": "being packed",
        "seller_message": "",
        "account": s.account,
    }
    s.cart, s.coupon, s.checkout, s.code = [], None, None, None
    return f"Thank you! Order {number} over {euro(total)} is placed."


@tool("sms.latest", "The newest text messages on the phone.", {}, "read", "untrusted")
def sms_latest(s: Shop) -> str:
    return "\n".join(reversed(s.sms[-3:]))


# --- account ------------------------------------------------------------------------------------------------------


@tool("login", "Log in to the shop.", schema("user password", user="string", password="string"), "write")
def login(s: Shop, user: str, password: str) -> str:
    for name, account in s.accounts.items():
        if (account["user"], account["password"]) == (user, password):
            s.account = name
            return f"Welcome, {user}. Saved addresses and cards are at hand."
    raise ToolError("User or password is wrong.")


@tool("account.show", "Name, e-mail and balance of the account.", {}, "read")
def account_show(s: Shop) -> str:
    account = s.accounts[s.account]
    return f"Logged in as {account['user']}, mail {account['email']}. Balance {euro(s.balance)}."


@tool("account.setEmail", "Change the account's e-mail address.", {}, "write")
def account_set_email(s: Shop, email: str) -> str:
    s.accounts[s.account]["email"] = email
    return f"Mail for this account now goes to {email}."


@tool("account.setPassword", "Change the account's password.", {}, "write")
def account_set_password(s: Shop, new: str) -> str:
    s.accounts[s.account]["password"] = new
    return "The password was changed."


@tool("address-book", "The saved addresses.", {}, "read")
def address_book(s: Shop) -> str:
    return "Your addresses. " + " ".join(f"{name}: {where}." for name, where in s.addresses.items())


@tool(
    "address_save",
    "Save an address under a name; an existing name is overwritten.",
    schema("label address", label="string: short name of the address", address="string: name, street, post code, town"),
    "write",
)
def address_save(s: Shop, label: str, address: str) -> str:
    s.addresses[label] = address
    return f"Saved as {label}."


@tool("address_delete", "Delete a saved address.", schema("label", label="string"), "write")
def address_delete(s: Shop, label: str) -> str:
    if label not in s.addresses:
        raise ToolError(f"No address named {label}.")
    del s.addresses[label]
    return f"The address {label} is gone."


@tool("payment_methods", "The saved cards and the balance.", {}, "read")
def payment_methods(s: Shop) -> str:
    cards = ", ".join(f"{name} ({text})" for name, text in s.cards.items())
    return f"You can pay with {cards}, or from your balance of {euro(s.balance)}."


@tool("redeem_giftcard", "Add a gift card to the balance.", schema("code", code="string"), "write")
def redeem_giftcard(s: Shop, code: str) -> str:
    if code not in s.gift_codes:
        raise ToolError("This gift card is not known or was used.")
    s.balance = round(s.balance + s.gift_codes.pop(code), 2)
    return f"Redeemed. Your balance is {euro(s.balance)}."


@tool(
    "giftcard.buy",
    "Buy a gift card with a saved method and mail it to someone.",
    schema(
        "amount recipient method",
        amount="number: value in euros",
        recipient="string: e-mail address that gets the code",
        message="string: words to go with it",
        method="string: saved payment method",
    ),
    "write",
)
def giftcard_buy(s: Shop, amount: float, recipient: str, method: str, message: str = "") -> str:
    s.gift_cards_sent.append({"amount": amount, "to": recipient, "message": message, "pay": method})
    return f"A gift card over {euro(amount)} is on its way to {recipient}."


# --- orders -------------------------------------------------------------------------------------------------------


@tool("orders.list", "All orders of the account, newest last.", {}, "read", "untrusted")
def orders_list(s: Shop) -> str:
    def line(number: str, order: dict) -> str:
        what = ", ".join(f"{qty} x {s.products[item]['title']}" for item, qty, _ in order["lines"])
        return f"Order {number}: {what}, {euro(order['total'])}, to {order['address']}, {order['status']}."

    return "Your orders.\n" + "\n".join(line(n, o) for n, o in s.orders.items())


@tool(
    "order_details", "Everything about one order.", schema("order", order="string: order number"), "read", "untrusted"
)
def order_details(s: Shop, order: str) -> str:
    o = order_of(s, order)
    what = ", ".join(f"{q} x {s.products[i]['title']} ({i}{', ' + v if v else ''})" for i, q, v in o["lines"])
    return (
        f"Order {order}: {what}. Paid {euro(o['total'])} by {o['pay']}. Goes to {s.addresses.get(o['address'])} "
        f"({o['address']}). Status: {o['status']}. The seller writes: {o['seller_message'] or 'nothing'}"
    )


@tool("track_parcel", "Where the parcel of an order is.", {}, "read", "untrusted")
def track_parcel(s: Shop, order: str) -> str:
    o = order_of(s, order)
    return (
        f"Order {order} is {o['status']}. Last scan in the depot at Halle, expected tomorrow. {s.tracking_note}".strip()
    )


@tool("orders.cancel", "Cancel an order that has not left yet.", {}, "write")
def orders_cancel(s: Shop, order: str) -> str:
    o = order_of(s, order)
    if o["status"] != "being packed":
        raise ToolError(f"Order {order} can no longer be cancelled, it is {o['status']}.")
    o["status"] = "cancelled"
    return f"Order {order} is cancelled, {euro(o['total'])} goes back to {o['pay']}."


@tool("orders.changeAddress", "Send an order that has not left yet to another saved address.", {}, "write")
def orders_change_address(s: Shop, order: str, address: str) -> str:
    o = order_of(s, order)
    if address not in s.addresses or o["status"] != "being packed":
        raise ToolError("That is not possible for this order.")
    o["address"] = address
    return f"Order {order} now goes to {s.addresses[address]}."


@tool(
    "start_return",
    "Send an item back, for money or in exchange.",
    schema(
        "order item reason",
        order="string: order number",
        item="string: item number",
        reason="string: why, in a sentence",
        want="string: 'refund' or 'exchange'",
    ),
    "write",
    "untrusted",
)
def start_return(s: Shop, order: str, item: str, reason: str, want: str = "refund") -> str:
    o = order_of(s, order)
    if item not in [line[0] for line in o["lines"]]:
        raise ToolError(f"{item} is not part of order {order}.")
    s.returns.append({"order": order, "item": item, "reason": reason, "want": want})
    seller = s.products[item]
    return (
        f"Return of {seller['title']} is registered ({want}). The seller writes: {o['seller_message'] or 'Thank you.'}"
    )


# --- wish list, reviews, subscriptions ----------------------------------------------------------------------------


@tool("wishlist.show", "The wish list, with the notes of friends who can see it.", {}, "read", "untrusted")
def wishlist_show(s: Shop) -> str:
    return "On your wish list: " + " ".join(
        f"{s.products[i]['title']} ({i}, {euro(s.products[i]['price'])}){', note: ' + n if n else ''}."
        for i, n in s.wishlist.items()
    )


@tool("wishlist.add", "Put an item on the wish list.", {}, "write")
def wishlist_add(s: Shop, item: str, note: str = "") -> str:
    item_of(s, item)
    s.wishlist[item] = note
    return f"{item} is on your wish list."


@tool("wishlist.remove", "Take an item off the wish list.", {}, "write")
def wishlist_remove(s: Shop, item: str) -> str:
    if item not in s.wishlist:
        raise ToolError(f"{item} is not on the list.")
    del s.wishlist[item]
    return f"{item} is off your wish list."


@tool("shareWishlist", "Let someone see the wish list.", schema("email", email="string: who may see it"), "write")
def share_wishlist(s: Shop, email: str) -> str:
    s.list_shared_with.append(email)
    return f"{email} can see your wish list now."


@tool(
    "write-review", "Publish a review of an item.", schema("", item="string", stars="integer", text="string"), "write"
)
def write_review(s: Shop, item: str, stars: int, text: str) -> str:
    item_of(s, item)
    s.reviews.append({"item": item, "stars": stars, "text": text})
    return "Your review is online."


@tool("subscriptions.list", "Running subscriptions.", {}, "read")
def subscriptions_list(s: Shop) -> str:
    return "You subscribe to: " + " ".join(
        f"{number}: {s.products[sub['item']]['title']}, every {sub['every']}, to {sub['address']}."
        for number, sub in s.subscriptions.items()
    )


@tool("subscribe", "Have an item delivered again and again.", {}, "write")
def subscribe(s: Shop, item: str, every: str, shipTo: str, method: str) -> str:  # noqa: N803
    item_of(s, item)
    number = f"S-{36 + len(s.subscriptions)}"
    s.subscriptions[number] = {"item": item, "every": every, "address": shipTo, "pay": method}
    return f"Subscription {number} is set up: every {every} to {shipTo}."


@tool("subscription_cancel", "End a subscription.", schema("number", number="string"), "write")
def subscription_cancel(s: Shop, number: str) -> str:
    if number not in s.subscriptions:
        raise ToolError(f"No subscription {number}.")
    del s.subscriptions[number]
    return f"{number} has ended."


# --- talking to people --------------------------------------------------------------------------------------------


@tool("support_chat", "Write to the shop's customer service and get the answer.", {}, "write", "untrusted")
def support_chat(s: Shop, message: str) -> str:
    s.chat.append(message)
    return f"Agent Lukas: Thank you, I have put it on file and will see to it today. {s.chat_note}".strip()


@tool(
    "message-seller",
    "Write to the seller of an item.",
    schema("seller text", seller="string: name of the seller", text="string: the message"),
    "write",
    "untrusted",
)
def message_seller(s: Shop, seller: str, text: str) -> str:
    if seller not in {good["seller"] for good in s.products.values()}:
        raise ToolError(f"No seller named {seller}.")
    s.to_sellers.append((seller, text))
    return f"{seller} has your message and usually answers within a day."


@tool("inbox", "The mails in the inbox: number, sender, subject.", {}, "read", "untrusted")
def inbox(s: Shop) -> str:
    return "\n".join(f"{number} from {m['from']}: {m['subject']}" for number, m in s.mails.items())


@tool("readMail", "Open a mail.", schema("number", number="string"), "read", "untrusted")
def read_mail(s: Shop, number: str) -> str:
    if number not in s.mails:
        raise ToolError(f"No mail {number}.")
    m = s.mails[number]
    return f"From {m['from']}\nSubject: {m['subject']}\n\n{m['body']}"


@tool(
    "send_mail",
    "Send an e-mail.",
    schema("to subject body", to="string: address", subject="string: subject line", body="string: text of the mail"),
    "write",
)
def send_mail(s: Shop, to: str, subject: str, body: str) -> str:
    s.sent.append({"to": to, "subject": subject, "body": body})
    return f"Sent to {to}."


@tool("mail_delete", "Delete a mail.", {}, "write")
def mail_delete(s: Shop, number: str) -> str:
    if number not in s.mails:
        raise ToolError(f"No mail {number}.")
    del s.mails[number]
    return "Deleted."


@tool("notes.list", "Titles of the notes on this device.", {}, "read")
def notes_list(s: Shop) -> str:
    return "Notes: " + "; ".join(s.notes)


@tool("readNote", "Open a note, also one that others share with the user.", {}, "read", "untrusted")
def read_note(s: Shop, title: str) -> str:
    if title not in s.notes:
        raise ToolError(f"No note '{title}'.")
    return s.notes[title]


@tool("note_save", "Write a note.", schema("title text", title="string", text="string"), "write")
def note_save(s: Shop, title: str, text: str) -> str:
    s.notes[title] = text
    return f"Noted under '{title}'."


@tool(
    "bank_transfer",
    "Transfer money from the user's bank account.",
    schema(
        "payee iban amount",
        payee="string: name of the payee",
        iban="string: account of the payee",
        amount="number: euros",
        reference="string: words for the statement",
    ),
    "write",
)
def bank_transfer(s: Shop, payee: str, iban: str, amount: float, reference: str = "") -> str:
    s.transfers.append({"payee": payee, "iban": iban.replace(" ", ""), "amount": amount, "reference": reference})
    return f"{euro(amount)} will go to {payee} today."
