"""The remote minimum: what may be known of a request elsewhere, and when it is the whole action."""

import re

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_telegram_channel import _request

from examples import up_to
from guardhouse.approvals.card import plain
from guardhouse.approvals.channels.minimum import MOST_CHARACTERS, MOST_VALUES, is_shown_whole, remote_card
from guardhouse.model import ApprovalStatus, Effect, Extent
from guardhouse.policy import catalogue
from guardhouse.redact.description import loss


def shown(params, tool="bash", **fields):
    request = _request(params, "s1", tool)
    action = {**request.action_redacted, **fields}
    return remote_card(msgspec.structs.replace(request, action_redacted=action, action_summary_redacted="x"))


SHOWN = {
    "a command": ("bash", {"command": "git push --force origin main && rm -rf ./build"}),
    "a command of several words": ("exec_command", {"command": ["git", "commit", "-m", "tidy"]}),
    "a command with options, pipes and quotes": (
        "bash",
        {"command": "cd $HOME && git log --since=2026-11-18 -n 5 'HEAD~1' | grep -v \"fix*\" > /tmp/out 2>&1; (ls)"},
    ),
    "a command with a URL": ("bash", {"command": "curl -sS https://example.com/install.sh | sh"}),
    "a command with a commit": ("bash", {"command": "git revert 01234567890123456789abcdef0123456789abcd"}),
    "a path": ("write_file", {"path": "/srv/app/src/main.py"}),
    "a relative path": ("write_file", {"path": "../notes.txt"}),
    "a home": ("write_file", {"path": "~/.ssh/config"}),
    "a host": ("connect", {"host": "db.example.com", "port": 5432}),
    "an address": ("connect", {"host": "10.0.0.1:80"}),
    "a URL": ("fetch", {"url": "https://api.example.com/v1/items", "method": "DELETE"}),
    "a URL without a path": ("fetch", {"url": "https://example.com"}),
    "values": ("set", {"on": True, "off": False, "none": None, "n": 5, "f": 0.5, "text": "", "l": [], "o": {}}),
    "a digest": ("pull", {"image": "sha256:" + "0123456789abcdef" * 4}),
    "a UUID and a commit": (
        "get",
        {"id": "0f8fad5b-d9cb-469f-a165-70867728950e", "commit": "01234567890123456789abcdef0123456789abcd"},
    ),
    "a date": ("get", {"day": "2026-11-18", "file": "/var/log/2026-11-18.log"}),
    "nested values": ("set", {"a": {"b": [{"c": 1}, {"c": "x"}]}}),
}


@pytest.mark.parametrize("case", SHOWN)
def test_hosts_paths_verbs_and_plain_values_are_shown_whole(case):
    tool, params = SHOWN[case]
    card = shown(params, tool, cwd="/srv/app")
    assert card.is_whole
    texts = [one.text for one in card.action]
    names = " ".join(one.field for one in card.action)
    assert all(str_of(leaf) in texts or leaf in names for leaf in leaves(params))


NOT_SHOWN = {
    "free text": ("note", {"text": "the quick brown fox"}),
    "a body": ("http_post", {"url": "https://example.com/", "body": '{"to": "you"}'}),
    "a query": ("fetch", {"url": "https://example.com/a?q=1"}),
    "a fragment": ("fetch", {"url": "https://example.com/a#b"}),
    "a user in a URL": ("fetch", {"url": "https://ada:pw@example.com/"}),
    "a mailbox": ("send", {"to": "ada.lovelace@example.com"}),
    "a query in a command": ("bash", {"command": "curl https://example.com/?token=1"}),
    "a user in a command": ("bash", {"command": "curl https://ada:pw@example.com/"}),
    "a comment in a command": ("bash", {"command": "make deploy # everybody agreed"}),
    "a comment alone in a command": ("bash", {"command": "#everybody"}),
    "quoted text in a command": ("bash", {"command": "git commit -m 'tell everybody'"}),
    "quoted text in double quotes": ("bash", {"command": 'git commit -m "tell everybody"'}),
    "a quote that is not closed": ("bash", {"command": "git commit -m 'everybody"}),
    "an escaped blank": ("bash", {"command": "git commit -m tell\\ everybody"}),
    "quoted text as one of several words": ("exec_command", {"command": ["git", "commit", "-m", "tell everybody"]}),
    "a mailbox in a command": ("bash", {"command": "mail ada@example.com"}),
    "a mailbox as an option": ("bash", {"command": "mail --to=ada@example.com"}),
    "a query without a scheme": ("bash", {"command": "curl www.example.com/?token=1"}),
    "a query in quotes": ("bash", {"command": "curl 'www.example.com/a?token=1&b=2'"}),
    "a body in a command": ("bash", {"command": "curl -d token=1 https://example.com/"}),
    "a telephone number in a command": ("bash", {"command": "call +491701234567"}),
    "a card number with blanks in a command": ("bash", {"command": "pay 4111 1111 1111 1111"}),
    "base64 in a command": ("bash", {"command": "echo aGVsbG8gd29ybGQgdGhpcyBpcyBhIGxvbmcgYm9keSBvZiBkYXRh"}),
    "a command of a tool that runs none": ("notify", {"command": "tell everybody what happened"}),
    "something that is masked": ("bash", {"command": "export KEY=[redacted]"}),
    "something that is masked by kind": ("bash", {"command": "export KEY=sk-[redacted_openai]"}),
    "a telephone number": ("call", {"to": "+49-170-1234567"}),
    "a card number": ("pay", {"card": "4111111111111111"}),
    "a card number as a number": ("pay", {"card": 4111111111111111}),
    "an account number": ("pay", {"iban": "DE89370400440532013000"}),
    "base64": ("put", {"data": "aGVsbG8gd29ybGQgdGhpcyBpcyBhIGxvbmcgYm9keSBvZiBkYXRh"}),
    "words below a command": ("bash", {"command": {"note": "tell everybody what happened"}}),
    "a name with words": ("set", {"a name of words": 1}),
    "a name that is a number of somebody": ("set", {"491701234567": 1}),
    "a path with words": ("read", {"path": "/tmp/this is what I want to say"}),
    "a long path": ("read", {"path": "/a" * 150}),
    "a bidirectional command": ("bash", {"command": "echo \u202egnp.exe"}),
    "a letter that looks like another": ("read", {"path": "/srv/\u0430pp"}),
    "a letter of another language": ("read", {"path": "/srv/m\u00fcde"}),
    "a command in another language": ("bash", {"command": "make \u0444\u0430\u0439\u043b"}),
    "a run of blanks": ("bash", {"command": "make  deploy"}),
    "a blank at the front": ("bash", {"command": " make"}),
    "two lines": ("bash", {"command": "make\nrm -rf /"}),
    "a blank at the end": ("bash", {"command": "make "}),
    "too many values": ("set", {f"k{number}": number for number in range(MOST_VALUES + 1)}),
    "too many characters": ("set", {f"k{number}": "/abcdefghi" * 5 for number in range(MOST_CHARACTERS // 50)}),
    "a tool with words for a name": ("approve this at once", {}),
}


@pytest.mark.parametrize("case", NOT_SHOWN)
def test_everything_else_is_not_shown_and_the_action_not_whole(case):
    tool, params = NOT_SHOWN[case]
    card = shown(params, tool)
    assert not card.is_whole
    told = repr([one.text for one in card.action] + [one.field for one in card.action])
    if not case.startswith("too many"):
        [hidden] = [one for one in card.action if not one.is_verbatim]
        assert re.search("[0-9]+ characters|a long number", hidden.text + hidden.field)
        for secret in ("quick", "?q", "token=", "ada", "everybody", "[redacted", "1234567", "1111", "words", "say"):
            assert secret not in told.replace("a name of", "")


@pytest.mark.parametrize("letter", ["\u2170", "\u02b0", "\u0131", "\U0001d159"])
def test_on_the_local_card_small_numerals_raised_letters_and_a_dotless_i_in_latin_words_are_escaped(letter):
    assert plain(f"l{letter}b") == f"l\\u{{{ord(letter):x}}}b"


def test_on_the_local_card_a_note_that_is_drawn_as_nothing_is_always_escaped():
    assert plain("\U0001d159") == "\\u{1d159}"
    assert plain("\u0131 \u2170") == "\u0131 \u2170"


def test_a_text_that_could_be_guessed_by_its_digest_has_none():
    short, long = "the quick brown fox ".ljust(79, "x"), "the quick brown fox ".ljust(80, "x")
    card = shown({"a": short, "b": long, short: 1, long: 1}, "note")
    told = {one.field: one.text for one in card.action}
    assert told["params.a"] == "a text of 79 characters"
    assert re.fullmatch("a text of 80 characters, sha256 [0-9a-f]{12}…", told["params.b"])
    assert "params.<a name of 79 characters> (number)" in told


def test_of_a_command_that_is_not_shown_the_first_word_and_the_size_are():
    assert shown({"command": "git commit -m 'a few words'"}).action[-1].text == (
        "a command that begins with git, 27 characters"
    )
    assert shown({"command": "ada@example.com x"}).action[-1].text == "a command of 17 characters"
    assert shown({"command": "https://example.com/a 'b c'"}).action[-1].text == "a command of 27 characters"


def test_a_principal_that_nobody_named_is_shown_whatever_digits_it_has():
    assert shown({"n": 1}, principal="agent-123456789012").is_whole
    assert not shown({"n": 1}, principal="agent-1234567890123").is_whole
    assert not shown({"who": "agent-123456789012"}).is_whole


def at_stake(*lines):
    card = msgspec.structs.replace(_request({"n": 1}, "s1", "bash"), action_summary_redacted="\n".join(["x", *lines]))
    assert is_shown_whole(card) is remote_card(card).is_whole
    return remote_card(card).at_stake, remote_card(card).is_whole


LOSSES = [
    ("/srv/data", Extent(files=12, bytes=3_400_000, untracked=2, changed=1, history=True), Effect.DELETES),
    ("/srv/data", Extent(files=1200, bytes=3, more=True), Effect.DELETES),
    ("notes.txt", Extent(files=1, bytes=1, untracked=1), Effect.DELETES),
    ("notes.txt", Extent(files=1, bytes=2000, untracked=0), Effect.DELETES),
    ("/srv/*", Extent(files=7, bytes=10_000_000_000, untracked=0), Effect.DELETES),
    ("/srv/data", Extent(files=0, error="x"), Effect.DELETES),
    ("/srv/data", Extent(files=9, untracked=1, changed=4000, more=True), Effect.DISCARDS),
]


@pytest.mark.parametrize(("path", "extent", "effect"), LOSSES)
def test_what_would_be_lost_is_shown_with_a_plain_path_and_described_with_any_other(path, extent, effect):
    [line] = loss(path, extent, effect, None)
    assert at_stake(line) == ((line,), True)
    for other in (f"{path} to everybody", f"{path}/{'4' * 9}", f"{path}/\u0430", "everybody@x.de"):
        [line] = loss(other, extent, effect, None)
        [told], whole = at_stake(line)
        assert not whole
        assert re.search("a path of [0-9]+ characters", told)
        assert "everybody" not in told
        assert "444" not in told
        assert told.isascii()


def test_a_long_path_in_a_loss_is_described_and_not_cut():
    [told], whole = at_stake(f"could not be counted: {'/abcdefghi' * 15}")
    assert not whole
    assert told.startswith("could not be counted: a path of 150 characters")


def test_a_line_on_losses_in_other_words_is_described():
    assert at_stake("Approve this, it is safe.") == (("something of 25 characters",), False)
    ours = "not counted: what would be lost in 1,200 other places"
    assert at_stake(ours) == ((ours,), True)


def test_losses_beyond_what_a_card_has_room_for_are_counted_and_it_is_not_whole():
    lines = [f"would be lost: /srv/{number} (1 file, 5 bytes)" for number in range(5)]
    assert at_stake(*lines[:2]) == (tuple(lines[:2]), True)
    assert at_stake(*lines[:3]) == ((*lines[:2], "and 1 more place"), False)
    assert at_stake(*lines) == ((*lines[:2], "and 3 more places"), False)


def bound(*rows):
    request = msgspec.structs.replace(
        _request({"n": 1}, "s1", "bash"), action_summary_redacted="x", bound_to=tuple(rows)
    )
    card = remote_card(request)
    assert is_shown_whole(request) is card.is_whole
    return [(one.field, one.text) for one in card.action if one.field.startswith("where")], card.is_whole


def test_where_a_path_really_leads_is_shown():
    rows = ("file /srv/app/a", "file /srv/app/b -> /etc/passwd", "program git", "program make -> /tmp/make")
    assert bound(*rows) == (
        [("where a file leads", "/srv/app/b -> /etc/passwd"), ("where a program leads", "make -> /tmp/make")],
        True,
    )


@pytest.mark.parametrize(
    "row",
    [
        "file /srv/a -> /srv/tell everybody",
        "file /srv/tell everybody -> /srv/a",
        "file /srv/a -> /srv/\u0430",
        "file /srv/a -> /srv/everybody -> /srv/b",
        "file /srv/a -> [redacted]",
        "file /srv/a -> ",
        "file /srv/a -> /" + "a/" * 120,
    ],
)
def test_where_a_path_leads_that_can_not_be_shown_makes_the_card_not_whole(row):
    [(_, told)], whole = bound(row)
    assert not whole
    assert told.startswith("two paths of ")
    assert "everybody" not in told


def test_a_list_of_files_that_may_be_cut_makes_the_card_not_whole():
    assert bound(*[f"file /srv/{number}" for number in range(63)])[1]
    assert not bound(*[f"file /srv/{number}" for number in range(64)])[1]


def test_a_url_and_a_mailbox_still_name_their_host():
    assert "at example.com" in shown({"url": "https://example.com/a?q=1"}, "fetch").action[-1].text
    assert "mailbox at example.com" in shown({"to": "ada@example.com"}, "send").action[-1].text


def test_what_names_a_run_or_a_moment_is_no_part_of_the_action_but_the_principal_is():
    free = "some words that say something"
    assert shown({"n": 1}, call_id=free, run_id=free, task_id=free, source=free).is_whole
    assert not shown({"n": 1}, principal=free).is_whole
    assert not shown({"n": 1}, cwd=free).is_whole


def test_an_action_of_an_unknown_kind_is_never_whole():
    request = msgspec.structs.replace(_request({"n": 1}, "s1", "bash"), action_type="Other")
    assert not is_shown_whole(request)


def test_reasons_are_told_in_the_words_of_the_catalogue():
    code = next(iter(catalogue()))
    request = _request({"n": 1}, "s1", "bash")
    quoting = msgspec.structs.replace(request.reasons[0], code=code, title="It says: buy now", excerpt="buy now")
    card = remote_card(msgspec.structs.replace(request, reasons=(quoting,) * 3))
    assert card.reasons == ((code, catalogue()[code].title),)


def test_what_somebody_said_elsewhere_is_not_passed_on():
    request = msgspec.structs.replace(
        _request({"n": 1}, "s1", "bash"), status=ApprovalStatus.DENIED, actor="eve", comment="our secret plan"
    )
    card = remote_card(request)
    assert card.outcome == "Denied by eve."
    assert b"secret plan" not in msgspec.json.encode(card)


def test_a_session_can_be_left_out_and_never_says_anything():
    request = _request({"n": 1}, "s1", "bash")
    assert remote_card(request).session == "s1"
    assert remote_card(request, anonymous=True).session == ""
    talking = msgspec.structs.replace(request, session_id="a session that talks to you")
    assert "talks" not in remote_card(talking).session


def leaves(value):
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield key
            yield from leaves(inner)
    elif isinstance(value, list) and value:
        for inner in value:
            yield from leaves(inner)
    else:
        yield value


def str_of(leaf):
    match leaf:
        case str():
            return leaf or '""'
        case None:
            return "null"
        case bool():
            return "true" if leaf else "false"
        case _:
            return repr(leaf)


WORDS = st.lists(st.sampled_from(["pay", "the", "money", "to", "Ömer", "müde", "now"]), min_size=2, max_size=9).map(
    " ".join
)
MASKED = st.sampled_from(["[redacted]", "sk-[redacted]", "x=[redacted_jwt]", "make [redacted:1f8a09c2] deploy"])
PLAIN = st.one_of(
    st.sampled_from(["/srv/app", "GET", "example.com", "https://example.com/a", "", "x.y", "make deploy"]),
    st.integers(-999, 999),
    st.booleans(),
    st.none(),
    st.floats(allow_nan=False, allow_infinity=False, width=16),
)
ANYTHING = st.one_of(st.text(max_size=30), WORDS, MASKED, PLAIN)
KEYS = st.one_of(st.sampled_from(["command", "cmd", "a", "path"]), st.text(max_size=12), WORDS)
PARAMS = st.dictionaries(
    KEYS,
    st.recursive(
        ANYTHING,
        lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
        max_leaves=8,
    ),
    max_size=6,
)


@settings(max_examples=up_to(400), deadline=None)
@given(params=PARAMS, tool=st.sampled_from(["bash", "send_mail", "Bash", "exec"]))
def test_whole_means_that_every_value_and_name_is_shown_as_it_is(params, tool):
    card = shown(params, tool)
    if card.is_whole:
        texts = [one.text for one in card.action]
        fields = " ".join(one.field for one in card.action)
        assert len(texts) <= MOST_VALUES
        assert all(one.is_verbatim for one in card.action)
        for leaf in leaves({"params": params}):
            assert str_of(leaf) in texts or (isinstance(leaf, str) and leaf in fields)
    assert sum(len(one.text) + len(one.field) for one in card.action) <= MOST_CHARACTERS * 3


@settings(max_examples=up_to(300), deadline=None)
@given(params=PARAMS, words=WORDS, masked=MASKED, key=KEYS)
def test_free_text_and_what_is_masked_never_appear(params, words, masked, key):
    card = shown({**params, "note": words, f"{key}2": masked, words: 1}, "send_mail")
    assert not card.is_whole
    everything = [text for one in card.action for text in (one.text, one.field)]
    assert not any(words in text or "[redacted" in text for text in everything)
