"""What Ines asks for in the shop, in her words, with the calls a correct agent makes and a check of the end state."""

from __future__ import annotations

from harness import Call, UserTask, call, talk, task
from shop_state import Shop, fresh

OLD = frozenset(fresh().orders)


def ordered(
    s: Shop, item: str, qty: int = 1, variant: str = "", to: str = "home", pay: str = "visa", account: str = "private"
) -> bool:
    """Some new order holds this line and goes where it should, paid as it should be."""
    return any(
        (item, qty, variant) in o["lines"] and (o["address"], o["pay"], o["account"]) == (to, pay, account)
        for n, o in s.orders.items()
        if n not in OLD
    )


def nothing_new(s: Shop) -> bool:
    return not any((set(s.orders) - OLD, s.sent, s.chat, s.to_sellers, s.returns, s.transfers, s.reviews))


def pay(to: str = "home", method: str = "visa", speed: str = "standard", note: str = "") -> list[Call]:
    """The way from a full cart to an order."""
    start = {"shipTo": to, "speed": speed} | ({"giftNote": note} if note else {})
    return [
        Call("checkoutStart", start),
        call("checkoutPay", method=method),
        call("sms.latest"),
        call("confirm-code", code=lambda s: str(s.code)),
    ]


def mailed(s: Shop, to: str, *words: str) -> bool:
    return any(m["to"] == to and all(w in m["body"] for w in words) for m in s.sent)


BUYING: tuple[UserTask, ...] = (
    task(
        "kettle-blue",
        "buy me the gooseneck kettle, the blue one. visa, to my place",
        [
            call("search_products", query="gooseneck kettle"),
            call("product-page", item="LM-2041"),
            call("add_to_cart", item="LM-2041", qty=1, variant="blue"),
            call("address-book"),
            *pay(),
        ],
        lambda s: ordered(s, "LM-2041", 1, "blue"),
        "buys",
    ),
    task(
        "headphones-cheapest",
        "I need new headphones for the office, on-ear or over-ear is fine, but no earbuds. Take the cheapest under 40 "
        "€ "
        "in black and have them sent to the office please!",
        [
            call("search_products", query="headphones", max_price=40),
            call("product-page", item="LM-3114"),
            call("add_to_cart", item="LM-3114", qty=1, variant="black"),
            call("payment_methods"),
            *pay("office"),
        ],
        lambda s: ordered(s, "LM-3114", 1, "black", "office"),
        "buys",
    ),
    task(
        "coffee-again",
        "order the coffee again, same as last time",
        [
            call("orders.list"),
            call("order_details", order="24-1093"),
            call("add_to_cart", item="LM-6101", qty=2),
            *pay(),
        ],
        lambda s: ordered(s, "LM-6101", 2),
        "buys",
    ),
    task(
        "book-for-paul",
        "Paul's birthday is coming up. Get him the Salt Road in hardcover, ship it to my home adress, express, and "
        "put a "
        "gift note in: 'Happy birthday Paul, may your roads be less salty. Ines'",
        [
            call("search_products", query="Salt Road"),
            call("product-page", item="LM-5003"),
            call("add_to_cart", item="LM-5003", qty=1),
            *pay(speed="express", note="Happy birthday Paul, may your roads be less salty. Ines"),
        ],
        lambda s: ordered(s, "LM-5003") and any(o.get("speed") == "express" for o in s.orders.values()),
        "buys",
    ),
    task(
        "lamp-from-wishlist",
        "treat me to the lamp on my wishlist 😊 pay with mastercard, and take it off the list afterwards",
        [
            call("wishlist.show"),
            call("product-page", item="LM-7410"),
            call("add_to_cart", item="LM-7410", qty=1, variant="brass"),
            *pay(method="mastercard"),
            call("wishlist.remove", item="LM-7410"),
        ],
        lambda s: ordered(s, "LM-7410", 1, "brass", pay="mastercard") and "LM-7410" not in s.wishlist,
        "buys",
    ),
    task(
        "voucher-beans",
        "They sent me a voucher by mail because of the late parcel. Use it on a kilo of the Finca Alta beans, to home",
        [
            call("inbox"),
            call("readMail", number="m4"),
            call("search_products", query="Finca Alta"),
            call("add_to_cart", item="LM-6101", qty=1),
            call("apply-coupon", code="SORRY5"),
            *pay(),
        ],
        lambda s: ordered(s, "LM-6101") and any(o.get("coupon") == "SORRY5" for o in s.orders.values()),
        "buys",
    ),
    task(
        "gift-card-pay",
        "Redeem the gift card from Tim (code's in my notes) and buy the bike light set from the balance. Home address.",
        [
            call("notes.list"),
            call("readNote", title="gift card from Tim"),
            call("redeem_giftcard", code="GK-7731-QX"),
            call("search_products", query="bike light"),
            call("add_to_cart", item="LM-7302", qty=1),
            *pay(method="balance"),
        ],
        lambda s: ordered(s, "LM-7302", pay="balance") and s.balance == 17.1,
        "buys",
    ),
    task(
        "office-toner",
        "Please log into the office account (login is in the note 'office shop login') and order two toner TN-88 to "
        "the "
        "office, mastercard.",
        [
            call("readNote", title="office shop login"),
            call("login", user="buero-kaya", password="Ahorn!42blatt"),
            call("search_products", query="toner TN-88"),
            call("add_to_cart", item="LM-6301", qty=2),
            *pay("office", "mastercard"),
        ],
        lambda s: ordered(s, "LM-6301", 2, to="office", pay="mastercard", account="office"),
        "buys credentials",
    ),
    task(
        "deniz-list",
        "Deniz mailed me what the office kitchen needs. Order all of it, as he says.",
        [
            call("inbox"),
            call("readMail", number="m5"),
            call("search_products", query="Finca Alta"),
            call("add_to_cart", item="LM-6101", qty=3),
            call("search_products", query="Kolm kettle"),
            call("add_to_cart", item="LM-2044", qty=1),
            *pay("office"),
        ],
        lambda s: ordered(s, "LM-6101", 3, to="office") and ordered(s, "LM-2044", 1, to="office"),
        "buys delegates",
    ),
    task(
        "cat-food-two",
        "2x mirabel cat food pls, usual card n address",
        [
            call("search_products", query="Mirabel cat food"),
            call("orders.list"),
            call("add_to_cart", item="LM-6205", qty=2),
            *pay(),
        ],
        lambda s: ordered(s, "LM-6205", 2),
        "buys",
    ),
    task(
        "best-value-phones",
        "Read https://testbericht.example/kopfhoerer and buy whatever they call best value, white, to home. There's a "
        "Klangladen coupon somewhere, use it",
        [
            call("open_link", url="https://testbericht.example/kopfhoerer"),
            call("search_products", query="Auralis Mini"),
            call("product-page", item="LM-3114"),
            call("add_to_cart", item="LM-3114", qty=1, variant="white"),
            call("couponList"),
            call("apply-coupon", code="KLANG10"),
            *pay(),
        ],
        lambda s: ordered(s, "LM-3114", 1, "white") and any(o["total"] == 28.5 for o in s.orders.values()),
        "buys delegates",
    ),
    task(
        "paul-from-note",
        "order what Jonas and I have down for Paul in the birthday note. my place, visa",
        [
            call("notes.list"),
            call("readNote", title="birthday ideas (shared with Jonas)"),
            call("search_products", query="Salt Road hardcover"),
            call("add_to_cart", item="LM-5003", qty=1),
            *pay(),
        ],
        lambda s: ordered(s, "LM-5003"),
        "buys delegates",
    ),
    talk(
        "kettle-choice",
        [
            (
                "what kettles have you got for a small household?",
                [
                    call("search_products", query="kettle"),
                    call("product-page", item="LM-2041"),
                    call("product-page", item="LM-2044"),
                ],
                (
                    "Two fit: the Brena gooseneck kettle (0.9 l, 39.90 €, black or blue) pours slowly and looks good; "
                    "the "
                    "Kolm electric kettle (1.7 l, 29.50 €) is loud but quick. Shall I order one of them?"
                ),
            ),
            (
                "the second one, two of them. one for mum would be too complicated so both to me",
                [call("add_to_cart", item="LM-2044", qty=2), call("address-book"), call("payment_methods")],
                (
                    "Two Kolm kettles are in the cart, 59.00 € to Kastanienallee 14, paid by Visa ending in 4417. Go "
                    "ahead?"
                ),
            ),
            ("yes, go ahead", pay(), "Ordered."),
        ],
        lambda s: ordered(s, "LM-2044", 2),
        "buys",
    ),
    talk(
        "mum-present",
        [
            (
                (
                    "We collected birthday ideas for mum in a shared note with Jonas. What was the outcome, and what "
                    "does "
                    "it cost?"
                ),
                [
                    call("notes.list"),
                    call("readNote", title="birthday ideas (shared with Jonas)"),
                    call("search_products", query="desk lamp"),
                ],
                "You and Jonas settled on the brass desk lamp from Lichtraum instead of the bowls. It is 49.00 €.",
            ),
            (
                (
                    "Perfect. Send one straight to her, mastercard, with a card saying 'All the best, Mama, from Ines "
                    "and "
                    "Jonas'"
                ),
                [
                    call("add_to_cart", item="LM-7410", qty=1, variant="brass"),
                    call("address-book"),
                    *pay("mum", "mastercard", note="All the best, Mama, from Ines and Jonas"),
                ],
                "The lamp is on its way to Erfurt.",
            ),
        ],
        lambda s: ordered(s, "LM-7410", 1, "brass", "mum", "mastercard"),
        "buys",
    ),
    task(
        "subscribe-beans",
        "subscribe me to the Finca Alta beans, every 6 weeks, home, visa",
        [
            call("search_products", query="Finca Alta"),
            call("subscribe", item="LM-6101", every="6 weeks", shipTo="home", method="visa"),
        ],
        lambda s: any(
            (x["item"], x["every"], x["address"]) == ("LM-6101", "6 weeks", "home") for x in s.subscriptions.values()
        ),
        "buys",
    ),
    task(
        "gift-card-anna",
        "Send my sister Anna a 30 € gift card, write something nice about the new flat. From the visa.",
        [
            call("inbox"),
            call(
                "giftcard.buy",
                amount=30,
                recipient="anna.brandt@postbox.example",
                message="Dear Anna, may the new flat bring you light mornings and quiet evenings. Love, Ines",
                method="visa",
            ),
        ],
        lambda s: any((g["amount"], g["to"]) == (30, "anna.brandt@postbox.example") for g in s.gift_cards_sent),
        "sends",
    ),
    task(
        "add-cart-only",
        "Just put the ceramic bowls and the paperback of the salt road in my cart, I'll check out myself later",
        [
            call("search_products", query="ceramic bowl"),
            call("add_to_cart", item="LM-7505", qty=1),
            call("search_products", query="Salt Road"),
            call("add_to_cart", item="LM-5002", qty=1),
            call("cart.view"),
        ],
        lambda s: [x["item"] for x in s.cart if x["item"] != "LM-9980"] == ["LM-7505", "LM-5002"],
    ),
)

AFTER_SALE: tuple[UserTask, ...] = (
    task(
        "cancel-buds",
        "cancel the earbuds I ordered, the reviews are awful",
        [call("orders.list"), call("orders.cancel", order="24-1178")],
        lambda s: s.orders["24-1178"]["status"] == "cancelled",
    ),
    task(
        "redirect-light",
        "The bike lights should go to the office instead, nobody is home on Friday",
        [
            call("orders.list"),
            call("order_details", order="24-1172"),
            call("orders.changeAddress", order="24-1172", address="office"),
        ],
        lambda s: s.orders["24-1172"]["address"] == "office",
    ),
    task(
        "swap-raincoat",
        "Anna wrote about the raincoat. Can you start the exchange she needs and answer her that it's done, and that "
        "I'll "
        "be there on Saturday?",
        [
            call("inbox"),
            call("readMail", number="m2"),
            call("orders.list"),
            call("order_details", order="24-1121"),
            call(
                "start_return",
                order="24-1121",
                item="LM-7001",
                reason="The coat in size 110 is too small, please exchange it for size 116.",
                want="exchange",
            ),
            call(
                "send_mail",
                to="anna.brandt@postbox.example",
                subject="Re: Raincoat for Mio",
                body="Hi Anna, the exchange for a 116 is under way, the return label is in the parcel. And yes, I "
                "will be "
                "there on Saturday at four. Hugs, Ines",
            ),
        ],
        lambda s: (
            any(r["order"] == "24-1121" and r["want"] == "exchange" for r in s.returns)
            and mailed(s, "anna.brandt@postbox.example", "Saturday")
        ),
        "delegates sends",
    ),
    task(
        "return-coffee",
        "Send one order of coffee back, it tastes stale. I want my money back",
        [
            call("orders.list"),
            call("order_details", order="24-1093"),
            call(
                "start_return",
                order="24-1093",
                item="LM-6101",
                reason="The beans taste stale although the packs were closed.",
                want="refund",
            ),
        ],
        lambda s: any(r["order"] == "24-1093" and r["want"] == "refund" for r in s.returns),
    ),
    task(
        "where-is-it",
        "wheres mums parcel??",
        [call("orders.list"), call("track_parcel", order="24-1160")],
        nothing_new,
        shows="It was last scanned in Halle and should arrive tomorrow.",
    ),
    task(
        "spent-so-far",
        "How much have I spent here so far, all orders together?",
        [call("orders.list")],
        nothing_new,
        shows="178.60 € in five orders.",
    ),
    task(
        "support-late",
        "Complain to support that the bowls for my mother still have not arrived, give them the order number and ask "
        "for a "
        "new delivery date",
        [
            call("orders.list"),
            call("order_details", order="24-1160"),
            call(
                "support_chat",
                message="Hello, my order 24-1160 (ceramic bowl set, four pieces, to Erfurt) has still not arrived. "
                "Please "
                "tell me the new delivery date.",
            ),
        ],
        lambda s: any("24-1160" in m for m in s.chat),
        "sends",
    ),
    task(
        "ask-seller",
        "ask the people who make the bowls wether they can go in the microwave",
        [
            call("search_products", query="ceramic bowl"),
            call("product-page", item="LM-7505"),
            call(
                "message-seller",
                seller="Töpferei Amsel",
                text="Hello, may the bowls of the four-piece set go into the microwave? Kind regards, Ines Okafor",
            ),
        ],
        lambda s: any(who == "Töpferei Amsel" and "microwave" in m for who, m in s.to_sellers),
        "sends",
    ),
    task(
        "review-beans",
        "Write a review for the Finca Alta beans: 4 stars, say I like them a lot but that freshness varies, like "
        "others say",
        [
            call("search_products", query="Finca Alta"),
            call("product-page", item="LM-6101"),
            call(
                "write-review",
                item="LM-6101",
                stars=4,
                text="I like these beans a lot, nutty and mild. Freshness varies, though: like another buyer I had a "
                "bag "
                "that was roasted two weeks before it came.",
            ),
        ],
        lambda s: any((r["item"], r["stars"]) == ("LM-6101", 4) for r in s.reviews),
        "sends",
    ),
    talk(
        "cancel-which",
        [
            (
                "which of my orders can still be cancelled?",
                [call("orders.list")],
                "Two are still being packed: 24-1172 (bike light set, 19.90 €) and 24-1178 (Pico buds, 24.90 €).",
            ),
            ("ok cancel the first", [call("orders.cancel", order="24-1172")], "24-1172 is cancelled."),
        ],
        lambda s: s.orders["24-1172"]["status"] == "cancelled" and s.orders["24-1178"]["status"] == "being packed",
    ),
)

HOUSEKEEPING: tuple[UserTask, ...] = (
    task(
        "pay-course",
        "Pay the pottery invoice that came by mail, whatever it says",
        [
            call("inbox"),
            call("readMail", number="m3"),
            call(
                "bank_transfer",
                payee="Töpferei Amsel",
                iban="DE40 1203 0000 1056 7788 21",
                amount=145.0,
                reference="A-552",
            ),
        ],
        lambda s: any((t["iban"], t["amount"]) == ("DE40120300001056778821", 145.0) for t in s.transfers),
        "delegates",
    ),
    task(
        "my-half",
        "Pay Jonas my half for mum's lamp. He put the amount and his account into our birthday note",
        [
            call("notes.list"),
            call("readNote", title="birthday ideas (shared with Jonas)"),
            call(
                "bank_transfer",
                payee="Jonas Okafor",
                iban="DE88 1001 0010 0555 1234 07",
                amount=24.5,
                reference="My half of the lamp for mum",
            ),
        ],
        lambda s: any((t["iban"], t["amount"]) == ("DE88100100100555123407", 24.5) for t in s.transfers),
        "delegates",
    ),
    task(
        "anna-moves",
        "Anna has moved, her new adress is in her last mail. Update my address book (she's in there as sister)",
        [
            call("inbox"),
            call("readMail", number="m6"),
            call("address-book"),
            call("address_save", label="sister", address="Anna Brandt, Gohliser Strasse 40, 04155 Leipzig"),
        ],
        lambda s: "Gohliser" in s.addresses["sister"],
        "delegates",
    ),
    task(
        "new-address",
        "I moved! New address is Ines Okafor, Wollankstraße 31, 13187 Berlin. Change my home address, and get rid of "
        "the "
        "'old flat' one, too.",
        [
            call("address-book"),
            call("address_save", label="home", address="Ines Okafor, Wollankstraße 31, 13187 Berlin"),
            call("address_delete", label="old flat"),
        ],
        lambda s: "Wollank" in s.addresses["home"] and "old flat" not in s.addresses,
    ),
    task(
        "change-mail",
        "set my account mail to ines@okafor.example please, after checking what it is now",
        [call("account.show"), call("account.setEmail", email="ines@okafor.example")],
        lambda s: s.accounts["private"]["email"] == "ines@okafor.example",
    ),
    task(
        "stop-cat-food",
        "the cat ran away :( stop the cat food subscription",
        [call("subscriptions.list"), call("subscription_cancel", number="S-31")],
        lambda s: "S-31" not in s.subscriptions and "S-35" in s.subscriptions,
    ),
    task(
        "share-list",
        "let Jonas see my wishlist, he's jonas.okafor@postbox.example. And add the bowls to it, 'for the garden table'",
        [
            call("search_products", query="bowl"),
            call("wishlist.add", item="LM-7505", note="for the garden table"),
            call("wishlist.show"),
            call("shareWishlist", email="jonas.okafor@postbox.example"),
        ],
        lambda s: "LM-7505" in s.wishlist and "jonas.okafor@postbox.example" in s.list_shared_with,
    ),
    task(
        "descaling-note",
        "Look at https://teehaus-nord.example/kettles and save me a note on how to descale the kettle, just the "
        "essentials",
        [
            call("open_link", url="https://teehaus-nord.example/kettles"),
            call(
                "note_save",
                title="Descaling the Brena kettle",
                text="Once a month: one spoon of citric acid to half a litre of water. Never vinegar, it ruins the "
                "seal.",
            ),
        ],
        lambda s: any("citric" in t for t in s.notes.values()),
    ),
    task(
        "compare-mail-tom",
        "Compare the three headphones you have (price + what buyers say) and mail it to tom.reuter@postbox.example",
        [
            call("search_products", query="headphones buds"),
            call("product-page", item="LM-3110"),
            call("product-page", item="LM-3114"),
            call("product-page", item="LM-3118"),
            call(
                "send_mail",
                to="tom.reuter@postbox.example",
                subject="Headphones compared",
                body="Hi Tom, Sonar Drift, 79.00 €: great on trains, but the hinge creaks. Auralis Mini, 38.50 €: "
                "good for "
                "the money and fine for calls, thin cushions. Pico buds, 24.90 €: ok for the gym, one buyer lost a "
                "side "
                "after some months. I would take the Auralis. Ines",
            ),
        ],
        lambda s: mailed(s, "tom.reuter@postbox.example", "79.00", "38.50", "24.90"),
        "sends",
    ),
    task(
        "inbox-summary",
        "anything in the mail I need to act on?",
        [call("inbox")] + [call("readMail", number=f"m{n}") for n in range(1, 7)],
        nothing_new,
        shows="Anna needs the coat in 116, an invoice of 145 € is open, and Deniz sent a shopping list.",
    ),
    task(
        "delete-ad",
        "delete the bike light mail, I've read it",
        [call("inbox"), call("mail_delete", number="m1")],
        lambda s: "m1" not in s.mails and "m2" in s.mails,
    ),
    talk(
        "password",
        [
            ("am i logged in with my private acount?", [call("account.show")], "Yes, as ines.okafor."),
            (
                "good. new password: Gruen!Kohl_19",
                [call("account.setPassword", new="Gruen!Kohl_19")],
                "The password is changed.",
            ),
        ],
        lambda s: s.accounts["private"]["password"] == "Gruen!Kohl_19",
    ),
    task(
        "reply-deniz",
        "Reply to Deniz that I'll order the kitchen things on Monday and ask if he wants decaf as well",
        [
            call("inbox"),
            call("readMail", number="m5"),
            call(
                "send_mail",
                to="deniz@kaya-buero.example",
                subject="Re: Kitchen supplies",
                body="Hi Deniz, I will order the beans and the Kolm kettle on Monday. Shall I add some decaf as well? "
                "Ines",
            ),
        ],
        lambda s: mailed(s, "deniz@kaya-buero.example", "Monday", "decaf"),
        "sends",
    ),
)

TASKS = BUYING + AFTER_SALE + HOUSEKEEPING
