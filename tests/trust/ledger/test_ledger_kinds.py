"""Kinds of action: which one a tool is by its name, and which ones words ask for."""

import pytest

from guardhouse.trust.ledger.asking import asked_for
from guardhouse.trust.ledger.bidding import bids
from guardhouse.trust.ledger.kinds import KINDS, MEANS, acts_in, kind_of, with_means
from guardhouse.trust.ledger.words import stem, words

OF_TOOLS = (
    # tool, its kind, a kind that it is not
    ("send_email", "send", "pay"),
    ("sendMail", "send", "create"),
    ("mcp__bank__send_money", "pay", "send"),
    ("transfer_funds", "pay", "send"),
    ("make_payment_refund", "pay", "create"),
    ("mail_delete", "delete", "send"),
    ("orders.cancel", "cancel", "buy"),
    ("add_to_cart", "cart", "create"),
    ("check_out", "buy", "search"),
    ("checkout", "buy", "branch"),
    ("git_checkout", "branch", "buy"),
    ("log_in", "sign in", "create"),
    ("sign_in", "sign in", "follow"),
    ("create_calendar_event", "plan", "send"),
    ("add_collaborator", "invite", "cart"),
    ("share_file", "share", "delete"),
    ("post_comment", "post", "delete"),
    ("set_visibility", "change", "delete"),
    ("archive_mail", "move", "delete"),
    ("mark_as_read", "mark", "delete"),
    ("run_script", "run", "delete"),
    ("book_hotel", "book", "delete"),
    ("reschedule_event", "move", "delete"),
)
OF_WORDS = (
    # what somebody says, a kind they ask for, one they do not
    ("please pay the invoice", "pay", "delete"),
    ("buy me a watch", "buy", "delete"),
    ("delete the old files", "delete", "pay"),
    ("forward it to Bob", "send", "delete"),
    ("summarise my inbox", "create", "pay"),
    ("book a table for two", "book", "delete"),
    ("what is the weather like", "", "send"),
)


@pytest.mark.parametrize(("tool", "kind", "other"), OF_TOOLS)
def test_a_tool_is_of_the_kind_that_its_name_says(tool, kind, other):
    verbs = kind_of(tool).verbs
    assert verbs[0] == kind
    assert other not in verbs


@pytest.mark.parametrize(("said", "kind", "other"), OF_WORDS)
def test_words_ask_for_the_kinds_that_they_name(said, kind, other):
    asked = asked_for(one.core for one in bids(said))
    assert not kind or kind in asked.plainly
    assert other not in asked.plainly | asked.perhaps


def test_a_name_without_a_known_word_is_of_the_kind_that_its_description_begins_with():
    assert kind_of("frobnicate", "Deletes a record.").verbs[0] == "delete"
    assert kind_of("frobnicate").verbs == ()


def test_every_kind_that_is_a_means_is_a_kind():
    assert {name.replace("_", " ") for means in MEANS.values() for name in means.split()} <= set(KINDS)
    assert MEANS.keys() <= set(KINDS)


def test_whoever_asks_for_a_goal_asks_for_its_means_and_not_the_other_way_round():
    assert {"cart", "confirm", "pay"} <= with_means({"buy"})
    assert "buy" not in with_means({"cart"})
    assert "delete" not in with_means(set(KINDS) - {"delete", "cancel"})


def test_what_reaches_others_destroys_or_opens_doors_is_known_by_its_name():
    assert kind_of("send_email").is_outward
    assert not kind_of("create_note").is_outward
    assert kind_of("delete_note").is_destroying
    assert not kind_of("archive_note").is_destroying
    assert kind_of("set_repo_visibility").is_grave
    assert kind_of("reset_password").is_grave
    assert not kind_of("set_title").is_grave
    assert kind_of("add_to_cart").is_free_step
    assert kind_of("create_issue_comment").is_public
    assert not kind_of("create_note").is_public


def test_what_a_description_mentions_is_noted():
    assert kind_of("create_event", "Creates an event and emails all participants.").mentions == {"send"}
    assert kind_of("create_event", "Creates an event.").mentions == frozenset()


def test_a_sentence_that_tells_to_act_is_known_by_the_words_of_tools():
    assert "delete" in acts_in([stem(word) for word in words("Delete all files")])
    assert "cart" in acts_in([stem(word) for word in words("put it into the basket")])
    assert acts_in([stem(word) for word in words("A quiet cottage by the sea")]) == frozenset()
