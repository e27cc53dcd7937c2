"""The table of places: a few look-ups, one pattern at a time, and many, all patterns at once, give the same answers."""

from hypothesis import given
from hypothesis import strategies as st

from guardhouse.detect.paths.places import (
    HOOK_DIRECTORIES,
    HOOK_SETTINGS,
    NEVER_SPARED,
    NOT_SENSITIVE,
    PERSISTENCE,
    SENSITIVE,
    SPARED_EVEN_THERE,
    TOO_WIDE,
    PlaceTable,
    words_of,
)

HOMES = ("/root", "/data/Ada Lovelace")
NAMED = {
    "sensitive": [(kind, pattern) for kind, pattern, _example in SENSITIVE],
    "never spared": [(kind, pattern) for kind, pattern, _example in NEVER_SPARED],
    "persistence": [(kind, pattern) for kind, pattern, _example in PERSISTENCE],
    "hooks": [(kind, pattern) for kind, pattern, _example in HOOK_SETTINGS],
    "hook directories": [(row[0], row[1]) for row in HOOK_DIRECTORIES],
    "spared": [("spared", pattern) for pattern, _example in (*NOT_SENSITIVE, *SPARED_EVEN_THERE)],
    "too wide": [("wide", pattern) for pattern, _example in TOO_WIDE],
}
EXAMPLES = [
    *(example for table in (SENSITIVE, NEVER_SPARED, PERSISTENCE, HOOK_SETTINGS) for _, _, example in table),
    *(row[2] for row in HOOK_DIRECTORIES),
    *(example for table in (NOT_SENSITIVE, SPARED_EVEN_THERE, TOO_WIDE) for _, example in table),
]
COMPILED = PlaceTable(NAMED, HOMES)
COMPILED.compile()


def answers_alike(path: str) -> None:
    assert PlaceTable(NAMED, HOMES).kinds(path) == COMPILED.kinds(path), path


def test_every_example_is_found_alike_however_many_paths_are_looked_up():
    for example in EXAMPLES:
        for path in (example, example.upper(), f"{example}/x", f"{example}.bak", f"/data/Ada Lovelace{example}"):
            answers_alike(path)


@given(
    st.lists(
        st.sampled_from(["/", ".", "~", "*", "\n", "é", "K", "ſ", "Etc", *"ahr_-", *"/etc /root .ssh .env key".split()])
        | st.sampled_from([piece for example in EXAMPLES for piece in example.split("/") if piece]),
        max_size=8,
    )
)
def test_paths_put_together_from_pieces_are_found_alike(pieces):
    answers_alike("/" + "/".join(pieces))
    answers_alike("/" + "".join(pieces))


@given(st.text(alphabet="ab/.*~{},k", max_size=12), st.text(alphabet="AaBb/.~{},kK", max_size=12))
def test_any_pattern_is_matched_alike(pattern, path):
    table = PlaceTable({"configured": [("configured", pattern)]}, HOMES)
    compiled = PlaceTable({"configured": [("configured", pattern)]}, HOMES)
    compiled.compile()
    assert table.kinds(path) == compiled.kinds(path)


def test_the_words_of_a_pattern_are_in_what_it_matches():
    assert words_of("~/.ssh/**") == ("/.ssh/",)
    assert words_of("**/{secrets,credentials}.{json,toml}") == ("secrets", "credentials")
    assert words_of("{~,}/library/{launchagents,launchdaemons}") == ("/library/",)
    assert words_of("~") == ("",)
    assert words_of("/a{b") == ("",)


def test_after_many_look_ups_the_answers_stay_the_same():
    table = PlaceTable(NAMED, HOMES)
    for number in range(200):
        assert table.kinds(f"/srv/app/{number}/.env") == {"sensitive": "env_file"}
    assert table.kinds("/srv/app/main.py") == {}
