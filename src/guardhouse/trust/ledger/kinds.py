"""Kinds of action: which one a tool is, by its name, and which ones the words of a person ask for.

A kind is a small class of verbs. People name goals, tools are means: whoever asks to buy something asks to fill a cart
and to check out, so every kind also says what it usually takes. The tables are about language, not about any tool.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.trust.ledger.words import COMMON, name_words, stem, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_VERBS: Final = (
    # kind, words of people and of tools that name it
    ("send", ("send sent mail email message msg dm sms write tell forward reply respond answer notify inform ask "
              "contact ping remind thank deliver cc say text invite report greet congratulate wish relay pass "
              "feedback broadcast drop chat speak update")),
    ("post", ("post publish announce share upload tweet comment blog release broadcast reply respond answer review "
              "rate write leave put feedback submit add thank say advertise renew")),
    ("share", "share give grant access permission invite collaborate expose allow send"),
    ("invite", ("invite add onboard join enrol enroll include bring participant attendee guest colleague member "
                "assign cc together with")),
    ("pay", ("pay paid transfer send sent wire refund reimburse repay settle tip donate owe remit payment "
             " deposit contribute ")),
    ("buy", ("buy bought order purchase get book reserve rent subscribe checkout grab pick renew reorder shop "
             "basket cart want need gift upgrade pay")),
    ("book", ("book reserve reservation schedule arrange appointment rent order table room seat ticket get plan hold "
              "stay ride trip")),
    ("plan", ("schedule plan arrange remind reminder calendar event meeting appointment book block invite set put "
              "add create make slot lunch dinner organise organize alarm wake timer save note agenda")),
    ("create", ("create make add new set write draft generate save put open start register log record store note "
                "build file raise prepare list append insert attach enter copy duplicate compose summarise summarize "
                "compile produce export document jot capture keep sign setup collect gather import clone fork init "
                "initiate request submit place report extract")),
    ("change", ("change update edit modify adjust set correct fix rename replace switch move reschedule postpone "
                "shift extend raise lower increase decrease turn mark rewrite append add bump convert swap assign "
                "apply put make merge amend revise refresh complete finish close reopen resolve rework refactor "
                "improve translate tweak push bring delay prolong shorten patch upgrade bump implement insert "
                "include implement clean format sort organise organize tidy label tag pin unpin star")),
    ("delete", ("delete remove erase trash bin discard cancel revoke purge uninstall wipe "
                "kick ban unshare unassign unlink destroy")),
    ("cancel", ("cancel delete unsubscribe void revoke withdraw decline "
                "terminate end call_off")),
    ("move", ("make move reschedule postpone shift archive relocate put push bring copy merge file sort transfer "
              "rename organise organize change delay forward")),
    ("run", ("run execute launch start deploy build test install compile invoke trigger restart retry redeploy rerun "
             "check lint benchmark try debug setup")),
    ("sign in", "login log sign authenticate verify account password code connect unlock credentials"),
    ("cart", "cart basket buy order purchase get shop add bag checkout reorder want"),
    ("confirm", ("confirm verify approve accept agree acknowledge rsvp code complete finish finalise finalize "
                 "proceed continue submit place")),
    ("approve", "approve accept confirm merge sign ok agree acknowledge review lgtm decline reject deny rsvp respond"),
    ("merge", "merge land integrate approve accept ship"),
    ("push", "push upload publish submit commit save ship sync deploy release send"),
    ("commit", "commit save push submit record publish upload ship fix change update add edit implement write bump"),
    ("pull", "pull update sync fetch refresh download upload push clone commit publish get latest"),
    ("branch", "branch fork checkout pull pr request patch push fix implement change commit contribute propose submit"),
    ("upload", "upload attach import push submit put send publish share add post"),
    ("download", "download save export fetch get grab install copy backup store"),
    ("switch", ("turn switch enable disable activate deactivate set dim lock unlock open close start stop mute "
                "unmute silence play pause arm disarm put make toggle change lower raise heat cool warm")),
    ("follow", ("subscribe follow watch star like join sign register favourite favorite bookmark save wishlist wish "
                "enrol track unfollow unsubscribe unwatch")),
    ("call", "call ring dial phone"),
    ("mark", ("mark label tag flag star pin assign categorise categorize archive snooze read unread close complete "
              "done tick check finish prioritise prioritize triage set put add")),
    ("return", "return refund exchange send back money complain claim replace"),
    ("redeem", "redeem apply use coupon voucher discount code gift card promo"),
    ("rate", "rate review star feedback score vote leave write post"),
    ("search", "search find look browse open view show list read get check fetch visit go navigate see compare"),
)  # fmt: skip

_RARER: Final = (
    # the same for words that are rarer, or of one trade
    ("send", "alert warn dispatch courier give provide hand"),
    ("share", "permit authorise authorize"),
    ("invite", "hire nominate"),
    ("pay", "spend debit topup"),
    ("buy", "sell trade bid"),
    ("book", "lend borrow lease loan hire"),
    ("create", "enqueue appeal transcribe stash issue bill invoice quote"),
    ("change", ("rebook allocate allot repair tune restore undo revert rollback reset downgrade split unpublish renew "
                "exchange hold freeze unfreeze block unblock release")),
    ("delete", "unpublish retract scrap kill empty unlist throw fire"),
    ("cancel", "scrap retract undo revert"),
    ("move", "rebook load unload tow dock moor deliver ship park unarchive"),
    ("run", "print scan stamp"),
    ("switch", "fill drain pump vent spray feed pair unpair connect disconnect quarantine"),
    ("mark", "escalate resolve acknowledge unarchive grade"),
    ("rate", "grade elect"),
    ("approve", "vote elect authorise authorize permit"),
)  # fmt: skip

KINDS: Final = tuple(kind for kind, _ in _VERBS)
"""Every kind, in the order in which sessions number them: new ones go to the end."""

_TOOL_VERBS: Final = (
    # words of a tool's name, the kind it is; the first that fits
    ("send forward reply respond notify message email mail dm sms text contact remind_by", "send"),
    ("post publish announce advertise tweet comment broadcast", "post"),
    ("share grant unshare", "share"),
    ("invite onboard enroll enrol", "invite"),
    ("pay transfer wire refund reimburse donate remit tip charge", "pay"),
    ("buy purchase order checkout subscribe_paid", "buy"),
    ("reserve book rent", "book"),
    ("schedule remind", "plan"),
    (("delete remove erase clear trash bin discard drop purge uninstall wipe kick ban revoke destroy "
      "unassign"), "delete"),
    ("cancel withdraw terminate void", "cancel"),
    ("return", "return"),
    ("reschedule move archive relocate rename transfer", "move"),
    ("run execute exec launch deploy install compile invoke trigger restart start_job rerun", "run"),
    ("login signin authenticate logon", "sign in"),
    ("confirm verify finalize finalise complete", "confirm"),
    ("approve accept decline reject rsvp acknowledge", "approve"),
    ("merge", "merge"),
    ("push", "push"),
    ("commit", "commit"),
    ("pull sync", "pull"),
    ("fork clone branch", "branch"),
    ("upload attach import", "upload"),
    ("download export", "download"),
    (("enable disable activate deactivate toggle lock unlock turn switch mute unmute arm disarm play "
      "pause open close start stop dim"), "switch"),
    ("subscribe follow watch star like join favorite favourite bookmark unfollow unsubscribe unwatch", "follow"),
    ("call dial ring", "call"),
    ("mark label tag flag pin unpin unlabel assign snooze star", "mark"),
    ("redeem apply", "redeem"),
    ("rate review", "rate"),
    ("update edit modify change set adjust correct fix replace append patch reset amend", "change"),
    ("create make add new register write save insert draft generate put submit open compose raise", "create"),
)  # fmt: skip

_RARER_TOOL_VERBS: Final = (
    # words that a tool's name may have for it; too little to be sure of what the tool does
    ("alert warn inform tell ask relay dispatch ship deliver courier escalate", "send"),
    ("allow permit authorise authorize give", "share"),
    ("hire nominate", "invite"),
    ("settle spend debit deposit topup", "pay"),
    ("sell trade bid", "buy"),
    ("lend borrow lease loan", "book"),
    ("plan arrange organise organize", "plan"),
    ("unpublish retract scrap kill empty unlist throw fire", "delete"),
    ("end", "cancel"),
    ("shift load unload park tow dock moor bring take collect unarchive", "move"),
    ("print scan stamp", "run"),
    ("connect disconnect pair unpair heat cool vent fill drain pump water spray feed", "switch"),
    ("resolve grade", "mark"),
    ("sign vote elect", "approve"),
    (("allocate allot repair tune restore undo revert rollback extend renew upgrade downgrade convert split sort swap "
      "exchange block unblock freeze unfreeze hold release quarantine translate transcribe"), "change"),
    ("record log enqueue note jot prepare issue claim appeal store keep copy duplicate request", "create"),
)  # fmt: skip

MEANS: Final = {
    "buy": "cart confirm sign_in pay book buy redeem",
    "book": "confirm sign_in pay buy plan",
    "cart": "cart",
    "pay": "confirm sign_in pay",
    "return": "return confirm sign_in",
    "post": "post upload create send",
    "push": "commit push pull branch",
    "commit": "commit push pull branch",
    "branch": "commit push pull branch",
    "merge": "merge pull push approve",
    "upload": "upload create push pull commit",
    "run": "run",
    "send": "send post",
    "plan": "plan create",
    "invite": "invite share send plan",
    "share": "share invite",
    "move": "move change",
    "follow": "follow sign_in confirm create",
    "cancel": "cancel delete confirm sign_in",
    "rate": "rate post create",
    "redeem": "redeem sign_in confirm",
}
"""What a goal usually takes, beside itself."""

OUTWARD: Final = frozenset("send post share invite pay buy book call rate upload".split())
"""What reaches other people, or costs money."""
DESTROYING: Final = frozenset("delete cancel".split())
WORKING: Final = frozenset("pull commit push branch".split())
"""Steps by which work on a versioned thing gets to where it belongs."""
PUBLISHED: Final = frozenset(map(stem, "site website page live online deploy publish release homepage blog".split()))
"""Words of people's for what has to be released and deployed before anybody sees it."""
FREE_STEPS: Final = frozenset("cart redeem mark search switch".split())
"""Steps in somebody's own store that are undone as easily as they were done."""

NOUNS: Final = (
    "email mail inbox message letter newsletter thread",
    "message dm chat text sms note thread conversation reply word",
    ("event calendar meeting appointment reminder invitation lunch dinner breakfast call trip agenda slot date "
     "party session interview"),
    "file document doc spreadsheet sheet list folder drive report pdf paper slide presentation template minute",
    ("money payment transaction bill invoice rent refund transfer bank iban standing order fee price amount debt "
     "salary donation share deposit due charge subscription premium"),
    ("user member person people colleague contact participant attendee guest collaborator friend team someone "
     "everyone everybody"),
    "channel room group space server chat",
    "page website site web webpage url link article blog post wiki",
    "hotel stay accommodation apartment hostel",
    "room stay hotel accommodation",
    "restaurant table dinner lunch food meal",
    "slot table seat appointment reservation booking visit time",
    "car vehicle rental ride taxi cab",
    "flight plane ticket airline trip",
    "password passcode pin credential login secret",
    "profile account info information address name phone detail data personal",
    "cart basket bag item product",
    "order purchase package parcel delivery shipment item product",
    "product item article thing goods gift",
    "issue ticket bug task todo problem report request",
    "pull pr request merge patch change branch",
    "repo repository project codebase code",
    "code function script file source program module class test",
    "photo picture image album pic screenshot",
    "alarm timer reminder wake",
    "light lamp device thermostat heating door lock switch plug temperature blind speaker",
    "setting preference mode option configuration config",
    "comment reply feedback review note remark answer",
    "review rating feedback star",
    "release version tag changelog",
    "note memo list",
    "song music playlist track album",
    "coupon voucher discount code promo gift",
    "code otp pin verification token",
    "address shipping delivery billing home",
    "app application software program package",
    "todo task list item",
    "notification alert",
    "key token secret credential",
    "label tag category status state",
)  # fmt: skip
"""Groups of nouns of which one may stand for another."""

_BLAND: Final = frozenset(
    stem(word)
    for word in "item entry record object thing data info information detail new all by id ids name current user my "
    "the to for of in from with a an on at as or and via into up out off tool api mcp v1 v2 async do go get batch bulk "
    "list status state start begin finish step next content resource value system service action single multiple "
    "direct directly".split()
)
"""Nouns in a tool's name that narrow nothing down."""


def stemmed(text: str) -> frozenset[str]:
    """The stems of the words of a table."""
    return frozenset(stem(word) for word in text.split())


KINDS_OF: Final[dict[str, frozenset[str]]] = {}
"""The kinds that a word of people's may name, by its stem."""
for _kind, _words in (*_VERBS, *_RARER):
    for _word in stemmed(_words):
        KINDS_OF[_word] = KINDS_OF.get(_word, frozenset()) | {_kind}
_TOOL_KIND: Final = {
    stem(word): kind for names, kind in reversed((*_TOOL_VERBS, *_RARER_TOOL_VERBS)) for word in names.split()
}
VERBS: Final = frozenset(KINDS_OF) - stemmed(
    "email mail message note event meeting appointment reminder calendar account gift ticket room table card lunch "
    "dinner member guest code coupon voucher participant attendee colleague alarm timer trip ride seat"
)
"""Words that tell what is done; they do not tell one thing from another."""
_GROUPS: Final = tuple(map(stemmed, NOUNS))


def synonyms(noun: str) -> frozenset[str]:
    """The stems of the nouns that may stand for one, and it itself."""
    return frozenset({noun}).union(*(group for group in _GROUPS if noun in group))


DELICATE: Final = stemmed(
    "door gate garage lock alarm firewall security factor 2fa camera backup share sharing public link url payment "
    "money fund transfer payout escrow refund order checkout invoice bank card wire sale purchase reservation "
    "subscription plan premium account remote database production deploy release publish privacy permission access "
    "admin payee wallet autopay password credential dns domain server member role setting policy rule forward "
    "webhook key token all everything everyone"
)
"""Words of tools' names by which it matters a good deal which one it is."""


def is_delicate(tool: str) -> bool:
    """Whether it matters a good deal what a tool is used on, by any word of its name."""
    return not DELICATE.isdisjoint(map(stem, name_words(tool)))


def is_ordinary(word: str) -> bool:
    """Whether a word is one of the language, and so nobody's name."""
    base = stem(word)
    return word in COMMON or base in KINDS_OF or any(base in group for group in _GROUPS)


class Kind(msgspec.Struct, frozen=True):
    """What a tool does, as far as its name and description tell."""

    verbs: tuple[str, ...] = ()
    """The kind that its name has a word for, then others that it may be; none if it has no word that is known."""
    nouns: frozenset[str] = frozenset()
    """Stems of what it does that to, with those that may stand for them."""
    named: frozenset[str] = frozenset()
    """The stems themselves."""
    words: tuple[str, ...] = ()
    """The stems of the words of its name that tell what it does."""
    grave: frozenset[str] = frozenset()
    """Stems of its name that are about access."""
    breaks: str = ""
    """The stem of a word of its name by which something stops to work, or is closed."""
    delicate: frozenset[str] = frozenset()
    """Stems of its name, beside that for what is done, by which it matters a good deal what it is used on."""
    mentions: frozenset[str] = frozenset()
    """Further kinds that its description speaks of: `also sends an email`."""

    @property
    def is_outward(self) -> bool:
        """Whether it reaches other people or costs money."""
        return not OUTWARD.isdisjoint(self.verbs[:1])

    @property
    def is_destroying(self) -> bool:
        """Whether something is gone afterwards."""
        return not DESTROYING.isdisjoint(self.verbs[:1])

    @property
    def is_public(self) -> bool:
        """Whether others read what it makes."""
        return not _PUBLIC.isdisjoint(self.named) or self.verbs[:1] in (("commit",), ("merge",), ("push",))

    @property
    def is_grave(self) -> bool:
        """Whether it changes who has access to what; then it must be asked for by that name."""
        return bool(self.grave)

    @property
    def is_access(self) -> bool:
        """Whether it changes who may do what, by just that word."""
        return not _ACCESS.isdisjoint(self.grave)

    @property
    def is_costly(self) -> bool:
        """Whether it changes what somebody pays for from now on."""
        return not _CONTRACTS.isdisjoint(self.named)

    @property
    def is_free_step(self) -> bool:
        """Whether it is a step that is easily undone, in the user's own store."""
        return bool(self.verbs) and self.verbs[0] in FREE_STEPS


_CONTRACTS: Final = stemmed("plan subscription membership tier contract tariff premium")
_PUBLIC: Final = stemmed(
    "issue comment review pr wiki release post page gist discussion reply answer channel webpage blog"
)
GRAVE: Final = stemmed(
    "password permission visibility role webhook forwarding pin key token secret 2fa owner access credential scope "
    "lock unlock privacy dns nameserver public"
)
_ACCESS: Final = stemmed("access permission")
"""Words about access of which one may stand for another."""


def graver(word: str) -> frozenset[str]:
    """The stems of the words that somebody may say for one about access."""
    return _ACCESS if word in _ACCESS else frozenset({word})


def kind_of(tool: str, description: str = "") -> Kind:
    """The kind of a tool."""
    own = tool.strip().rpartition("__")[2]
    in_name = [stem(word) for word in name_words(own)]
    verbs = _verbs(in_name)
    if not verbs and not _LOOKING.isdisjoint(in_name):
        verbs = ("search",)
    if not verbs and description:
        verbs = _verbs([stem(word) for word in words(description[:200])][:6])
    named = frozenset(
        word
        for word in in_name
        if word not in _BLAND and word not in COMMON and (word not in _TOOL_KIND or word in _ALSO_NOUN)
    )
    nouns = frozenset().union(*map(synonyms, named))
    acts = tuple(word for word in _ranked(in_name)[:1] if word not in _GENERIC and word not in _ALSO_NOUN)
    return Kind(
        verbs=verbs,
        nouns=nouns,
        named=named,
        words=acts,
        grave=frozenset(in_name) & GRAVE,
        breaks=next((word for word in in_name if word in _BREAKING), ""),
        delicate=DELICATE.intersection(in_name).difference(_ranked(in_name)[:1]),
        mentions=_mentions(description),
    )


_LOOKING: Final = stemmed(
    "view show get list find search look lookup read fetch browse check see preview diff status methods "
    "options history details inbox overview latest"
)
_BREAKING: Final = stemmed("deactivate disable close reset disarm suspend terminate withdraw wipe")
_GENERIC: Final = stemmed(
    "send create add make new set update change edit delete remove get put write open close start post order"
)
"""Words of tools' names that say little without what they are done to."""
_ALSO_NOUN: Final = stemmed(
    "email mail message order review comment label tag branch star record log note issue copy request claim water feed "
    "store plan end grade vote trade loan lease deposit park print scan stamp release"
)
_MONEY: Final = stemmed("money payment funds cash payout")
_CARTS: Final = stemmed("cart basket")
_DATED: Final = stemmed("event calendar reminder alarm appointment")
_MAKING: Final = stemmed("create make new submit generate place open start issue")
_MADE: Final = (
    (stemmed("transfer refund payment payout"), "pay"),
    (stemmed("order purchase checkout"), "buy"),
    (stemmed("reservation booking"), "book"),
    (stemmed("share sharing"), "share"),
)
"""What is done by making such a thing, whatever the verb in the name says."""
_RELEASE: Final = stem("release")
_VERSIONS: Final = stemmed("release version build tag cut app package notes create make new list get")
_HELD: Final = stemmed("deposit escrow fund payment hold money salary payout")
"""What goes to somebody by being released."""
_WRITING: Final = stemmed("write compose new make")
_LETTERS: Final = stemmed("email mail message sms letter dm")
_ENTERING: Final = frozenset({("log", "in"), ("sign", "in")})
_MEMBERS: Final = stemmed("member participant collaborator user attendee guest")


def _verbs(in_name: Sequence[str]) -> tuple[str, ...]:
    """The kind that a tool is by its name, then what else it may be."""
    if not _CARTS.isdisjoint(in_name) and "checkout" not in in_name:
        return ("cart",)
    if any(pair in _ENTERING for pair in pairwise(in_name)):
        return ("sign in",)
    if "out" in in_name and "check" in in_name:
        return ("buy",)
    if "off" in in_name and "call" in in_name:
        return ("cancel",)
    ranked = _ranked(in_name)
    if not ranked:
        return ("pay",) if not _MONEY.isdisjoint(in_name) and _LOOKING.isdisjoint(in_name) else ()
    first = _TOOL_KIND[ranked[0]]
    if ranked[0] == _RELEASE and not _HELD.isdisjoint(in_name):
        return ("pay", first)
    if ranked[0] == _RELEASE and not _VERSIONS.issuperset(in_name):
        return ("post", first)
    if first in {"send", "move", "run", "switch"} and not _MONEY.isdisjoint(in_name):
        return ("pay",)
    hidden = next((kind for things, kind in _MADE if not things.isdisjoint(in_name)), None)
    if ranked[0] in _MAKING and hidden is not None:
        return (hidden, first)
    if first in {"create", "change"} and not _DATED.isdisjoint(in_name):
        return ("plan", first)
    if ranked[0] in _WRITING and not _LETTERS.isdisjoint(in_name):
        return ("send", first)
    if first == "create" and not _MEMBERS.isdisjoint(in_name):
        return ("invite", first)
    if ranked[0] == "checkout" and "git" in in_name:
        return ("branch",)
    return tuple(dict.fromkeys((first, *_ALSO.get(ranked[0], ()))))


def _ranked(in_name: Sequence[str]) -> list[str]:
    """The words of a name that tell what is done, the one that counts first."""
    return sorted((word for word in in_name if word in _TOOL_KIND), key=_by_weight)


def _by_weight(word: str) -> int:
    """What a name with several verbs in it is first of all: `mail_delete` deletes, `orders.cancel` cancels."""
    if _TOOL_KIND[word] in DESTROYING:
        return 0
    if word in _RARER_VERBS:
        return 4
    return 3 if word in _ALSO_NOUN else 2 if word in _VAGUE else 1


_RARER_VERBS: Final = frozenset(stem(word) for names, _ in _RARER_TOOL_VERBS for word in names.split())


_VAGUE: Final = stemmed("start open close new set add put make write stop")
_ALSO: Final = {
    stem(word): tuple(kinds.split(","))
    for word, kinds in {
        "respond": "approve", "reply": "post", "set": "switch,plan", "close": "cancel,mark", "write": "send,post",
        "install": "download,create", "share": "send,post", "join": "follow,sign in", "submit": "send,post,confirm",
        "book": "buy", "order": "book,cart", "review": "approve,post", "comment": "send", "assign": "change,invite",
        "label": "change", "tag": "change", "open": "switch", "add": "change", "append": "create", "save": "change",
        "play": "run", "call": "send", "subscribe": "buy", "reserve": "buy", "update": "create", "put": "change",
        "mark": "change", "archive": "mark", "rename": "change", "transfer": "move", "draft": "send", "log": "change",
        "attach": "send", "remind": "send", "publish": "change", "push": "commit", "merge": "approve",
        "schedule": "pay,create", "invite": "share",
    }.items()
}  # fmt: skip
"""What else a word of a tool's name may be for people."""


def _mentions(description: str) -> frozenset[str]:
    found = set()
    for word in words(description[:400]):
        if word in {"sends", "emails", "notifies", "mails"}:
            found.add("send")
        if word in {"charges", "pays", "bills"}:
            found.add("pay")
    return frozenset(found)


_BY_VERB: Final = {word: kind for names, kind in reversed(_TOOL_VERBS) for word in names.split()}


def kind_of_verb(word: str) -> str | None:
    """The kind of action that a verb in its plain form is for, if it is in the table."""
    return _BY_VERB.get(word)


def acts_in(said: Sequence[str]) -> frozenset[str]:
    """The kinds of action that a sentence has a word for: one that speaks of deleting does not just list. A set of
    bowls is no order to set anything, and `order 24-1093` is none at all."""
    said = [
        word
        for word, following in pairwise((*said, ""))
        if (word != "set" or following in COMMON) and (word != "order" or not following[:1].isdecimal())
    ]
    found = {_TOOL_KIND[word] for word in said if word in _TOOL_KIND and (word not in _ALSO_NOUN or word == "order")}
    for word in said:
        kinds = KINDS_OF.get(word, frozenset())
        found |= kinds if len(kinds) <= _TELLING else frozenset()
    return frozenset(found | ({"cart"} if not _CARTS.isdisjoint(said) else set()))


_TELLING: Final = 2
"""Kinds that a word may stand for and still tell one."""


def with_means(kinds: Iterable[str]) -> frozenset[str]:
    """Kinds with what they usually take."""
    found = set(kinds)
    for kind in tuple(found):
        found.update(name.replace("_", " ") for name in MEANS.get(kind, "").split())
    return frozenset(found)
