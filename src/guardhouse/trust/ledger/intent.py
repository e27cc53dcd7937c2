"""Whether the user's words ask for the kind of action that a call is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.trust.ledger.kinds import graver, stemmed, synonyms, with_means
from guardhouse.trust.ledger.questions import RIGHTS

if TYPE_CHECKING:
    from guardhouse.trust.ledger.kinds import Kind
    from guardhouse.trust.ledger.sightings import Sightings

_SELF_EVIDENT: Final = frozenset({"cart", "sign in", "confirm", "commit", "push", "pull", "branch"})
"""Means that nobody names."""


def asks_for(
    kind: Kind,
    grave: frozenset[str],
    sightings: Sightings,
    *,
    all_theirs: bool,
    all_given: bool = False,
    led: bool = False,
) -> bool:
    """Whether the user asked for such an action, or for one that takes it.

    `grave` are words about access among the arguments: like those in the tool's name they must have been said. Where
    the user has a word for what is done but none for what it is done to, it is enough that every argument is theirs
    (`all_theirs`); where even the word says little, only if nobody else speaks of such a thing (not `led`). If
    something is gone afterwards, they must have named every one of them (`all_given`); if something is open to others,
    not even that will do. By a word for what is done alone nothing delicate is asked for but what that is about itself.
    """
    spoken = any(sightings.said_word(said) for word in kind.grave for said in graver(word))
    if kind.is_grave and not spoken and not (kind.is_access and sightings.by_user([RIGHTS])):
        return False
    if not all(map(sightings.said_word, grave)):
        return False
    direct = sightings.ordered
    named = any(map(sightings.said_word, kind.nouns))
    if any(map(sightings.bade, kind.words)) and (named or is_for(kind, direct, sightings)):
        return True
    if not kind.verbs:
        # Nobody knows what such a tool does: the user must have its own words for it.
        return bool(kind.named) and all(map(sightings.said_word, kind.named)) and all_theirs
    if kind.breaks and not sightings.bade(kind.breaks) and _ENDING.isdisjoint(direct & {*kind.verbs, *_ALWAYS_ENDS}):
        return False
    if kind.verbs[0] == "share" and "share" not in direct and "hands" not in sightings.marks:
        direct -= {"send", "post"}  # who is to be told of a thing is not thereby to have it
    asked = with_means(direct)
    if kind.verbs[0] == "pay" and "pay" not in asked:
        return False
    fitting = [verb for verb in kind.verbs if verb in direct or (verb in asked and verb == kind.verbs[0])]
    if not fitting:
        hinted = frozenset(one for request in sightings.requests for one in request.hints)
        return not hinted.isdisjoint(kind.verbs) and _is_meant(
            kind, hinted, named=named, all_theirs=all_theirs and not led
        )
    fits = is_for(kind, direct, sightings)
    if kind.verbs[0] == "confirm" and not (named or fits):
        return False  # who wants one thing confirmed confirms no other
    if named or (not kind.named and fits):
        return True
    # A goal was named, not its means: `buy me a watch` says nothing of carts.
    is_means = kind.is_free_step or any(verb not in direct or verb in _SELF_EVIDENT for verb in fitting)
    if is_means and fits:
        return True
    return (all_given or (all_theirs and not kind.is_destroying)) and not kind.is_grave


_FOR: Final = {
    "buy": stemmed("order purchase checkout card"),
    "cart": stemmed("order purchase checkout card"),
    "book": stemmed("reservation order purchase checkout card"),
    "pay": stemmed("payment transfer invoice bank card wire money"),
    "return": stemmed("order purchase refund"),
    "cancel": stemmed("order reservation subscription"),
    "change": stemmed("setting rule policy"),
    "switch": stemmed("setting rule policy"),
}
"""Delicate things that a goal is about, though nobody names them."""
_CODES: Final = stemmed("code otp pin step login")
"""What completes anything."""
MESSAGES: Final = stemmed(
    "message channel comment reply chat thread note dm conversation email mail sms text photo picture file someone "
    "person user customer client tenant patient seller contact guest member staff team colleague calendar event "
    "invitation invite meeting ticket issue review"
)
"""What a tool that tells somebody something is named after: the message, whom it goes to, or what it answers."""


def is_for(kind: Kind, direct: frozenset[str], sightings: Sightings) -> bool:
    """Whether a tool that would be a means is about nothing delicate but what the goal is about itself: to book a
    flight takes a confirmation, and not that of a transfer."""
    about = frozenset().union(*(_FOR.get(goal, frozenset()) for goal in direct))
    if kind.verbs[:1] == ("confirm",) and not kind.named <= about | _CODES:
        return False
    if kind.verbs[:1] == ("post",) and "post" not in direct and not kind.named <= MESSAGES:
        return False  # who writes to somebody publishes nothing
    return all(word in about or any(map(sightings.said_word, synonyms(word))) for word in kind.delicate)


def has_word_for(kind: Kind, sightings: Sightings) -> bool:
    """Whether the user has any word for such an action, or for one that takes it."""
    said = (one for request in sightings.requests for one in (*request.kinds, *request.hints))
    return not with_means(said).isdisjoint(kind.verbs)


_LASTING: Final = frozenset({"run", "push", "merge", "commit"})
_ALWAYS_ENDS: Final = ("cancel", "delete")
_ENDING: Final = frozenset({"cancel", "delete", "mark"})
"""What asks to close, to reset or to switch something off, beside the very word."""


def _is_meant(kind: Kind, hinted: frozenset[str], *, named: bool, all_theirs: bool) -> bool:
    """Whether a verb that says little means such an action: where something goes out, is gone or opens access by it,
    it must be that first of all, and there must be a word for what it is done to."""
    if kind.is_outward or kind.is_destroying or kind.is_grave or kind.verbs[0] in _LASTING:
        return named and kind.verbs[0] in hinted
    return named or not (kind.named or kind.delicate) or kind.is_free_step or all_theirs
