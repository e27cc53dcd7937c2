import pytest

from guardhouse.detect.acts import Source
from guardhouse.detect.inline import read_code
from guardhouse.detect.inline.languages import BY_NAME
from guardhouse.detect.inline.names import EFFECTS, ROWS, Does


def spelled(language, name):
    """A name of the table as the language writes it; a method needs something that it belongs to."""
    joins = BY_NAME[language].joins.split()
    owner = "x" if name.startswith(".") else ""
    return owner + (name.replace(".", joins[0]) if joins else name)


def example_of(row, name):
    language = row.languages.split()[0]
    return row.example.replace("NAME", name if row.own else spelled(language, name))


EACH_NAME = [(row, name) for row in ROWS for name in row.names.split()]


@pytest.mark.parametrize(
    ("row", "name"), EACH_NAME, ids=[f"{row.languages.split()[0]}-{name}-{row.does.name}" for row, name in EACH_NAME]
)
def test_each_name_of_a_row_has_the_effect_of_the_row(row, name):
    seen_acts = read_code(row.languages.split()[0], example_of(row, name))
    acts = [act for act in seen_acts if act.effect is EFFECTS[row.does]]
    assert acts
    if row.does in (Does.DELETES, Does.DELETES_TREE):
        assert {act.recursive for act in acts} == {row.does is Does.DELETES_TREE}
    if row.does in (Does.RUNS_LINE, Does.RUNS_WORDS):
        assert {act.kind for act in acts} == {"shell"}
    if row.does is Does.DECODES:
        assert any(Source.DECODED in act.sources for act in acts)


@pytest.mark.parametrize(
    "row", ROWS, ids=lambda row: f"{row.languages.split()[0]}-{row.names.split()[0]}-{row.does.name}"
)
def test_nothing_is_seen_in_what_only_looks_like_a_row(row):
    language = row.languages.split()[0]
    assert not read_code(language, row.harmless.replace("NAME", spelled(language, row.names.split()[0])))
