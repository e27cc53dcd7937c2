"""What a person reads of what would be lost."""

import pytest

from guardhouse.model import Effect, Extent, SkillInstall, ToolCallPre
from guardhouse.redact import describe
from guardhouse.redact.description import loss


def line(path, extent, effect=Effect.DELETES, mask=None):
    return "\n".join(loss(path, extent, effect, mask))


@pytest.mark.parametrize(
    ("extent", "text"),
    [
        (Extent(), ""),
        (Extent(untracked=0, changed=0), ""),
        (Extent(error="PermissionError"), "could not be counted: /srv/app"),
        (Extent(more=True), "could not be counted: /srv/app"),
        (Extent(files=1, bytes=1), "would be lost: /srv/app (1 file, 1 byte)"),
        (Extent(files=1, bytes=0, untracked=1, changed=0), "would be lost: /srv/app (1 file, 0 bytes, not in git)"),
        (Extent(files=1, bytes=999, untracked=0, changed=0), "would be lost: /srv/app (1 file, 999 bytes, in git)"),
        (
            Extent(files=1, bytes=1500, untracked=0, changed=1),
            "would be lost: /srv/app (1 file, 1.5 kB, changed since git last saw it)",
        ),
        (
            Extent(files=1204, bytes=38_000_000, untracked=17, changed=0),
            "would be lost: 1,204 files, 38 MB in /srv/app (17 not in git)",
        ),
        (
            Extent(files=2, bytes=20, untracked=0, changed=0),
            "would be lost: 2 files, 20 bytes in /srv/app (all in git)",
        ),
        (
            Extent(files=20_000, bytes=2_500_000_000, more=True),
            "would be lost: more than 20,000 files, 2.5 GB in /srv/app",
        ),
        (
            Extent(files=20_000, bytes=1, untracked=0, changed=0, more=True),
            "would be lost: more than 20,000 files, 1 byte in /srv/app",
        ),
        (
            Extent(files=3, bytes=20, untracked=2, error="PermissionError"),
            "would be lost: at least 3 files, 20 bytes in /srv/app (2 not in git)",
        ),
        (
            Extent(files=90, bytes=20, untracked=0, changed=0, history=True),
            "would be lost: 90 files, 20 bytes in /srv/app (with a git repository itself)",
        ),
    ],
)
def test_it_is_one_short_line_or_none(extent, text):
    assert line("/srv/app", extent) == text


def test_what_a_pattern_matches_could_be_lost():
    extent = Extent(files=2, bytes=20, untracked=1)
    assert line("/srv/app/*", extent) == "could be lost: 2 files, 20 bytes that match /srv/app/* (1 not in git)"


@pytest.mark.parametrize(
    ("extent", "text"),
    [
        (Extent(files=9), ""),
        (Extent(files=9, untracked=0, changed=0), ""),
        (Extent(files=9, untracked=2, changed=0), "could be lost: files in /srv/app: 2 that git does not have"),
        (
            Extent(files=9, untracked=0, changed=3, more=True),
            "could be lost: files in /srv/app: at least 3 changed since git last saw them",
        ),
    ],
)
def test_what_version_control_discards_is_what_it_does_not_have(extent, text):
    assert line("/srv/app", extent, Effect.DISCARDS) == text


def test_a_path_is_masked_cut_and_made_visible():
    extent = Extent(files=2, bytes=2)
    assert line("/a/key", extent, mask=lambda text: text.replace("key", "[redacted]")).endswith("in /a/[redacted]")
    assert len(line("/" + "a" * 5000, extent)) < 300
    assert "\n" not in line("/a\nwould be lost: nothing", extent)
    assert "\x1b" not in line("/a\x1b[2J", extent)


def test_the_summary_of_an_action_is_one_line():
    for action, body in (
        (ToolCallPre(tool="a\nb", params={"x\ny": "z\nz"}), {"x\ny": "z\nz"}),
        (SkillInstall(skill="a\nb", source="c\nd", tree_digest="sha256:0"), "c\nd"),
    ):
        assert "\n" not in describe(action, body, None).summary.text
