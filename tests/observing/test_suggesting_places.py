"""What is never suggested, whatever was seen: directories, delicate places, and names that others share."""

from shlex import quote

import pytest
from msgspec.structs import replace
from observed_machine import bash, fetch
from test_suggesting import commands, judge, reason, recorded

from guardhouse.audit import events
from guardhouse.audit.statistics import DOCTOR_SESSION
from guardhouse.config import discovery
from guardhouse.model import Decision
from guardhouse.observing import allowed_by, standing, suggest, unfit_place
from guardhouse.observing.shared_hosts import SHARED, is_one_owners, shared_domain


@pytest.fixture
def elsewhere(machine, monkeypatch):
    """A directory outside of the project that is no temporary one, though the tests themselves run in one."""
    real = discovery.surroundings
    monkeypatch.setattr(discovery, "surroundings", lambda *given, **more: replace(real(*given, **more), temp=()))
    directory = machine.home / "elsewhere"
    directory.mkdir()
    return directory


def written(machine, path, by="paths"):
    """A write of a tool's, or of a command's, that was stopped for being outside of the project."""
    told = reason(
        "path.write_outside_project", decided_by=f"detector:{by}", remedy=f"guardhouse allow path {quote(str(path))}"
    )
    recorded(machine, told)


def test_a_file_that_a_tool_writes_is_suggested_by_its_own_name(machine):
    written(machine, machine.home / "notes" / "a.txt")
    assert commands(machine.suggestions()) == [f"guardhouse allow path {machine.home}/notes/a.txt"]


@pytest.mark.parametrize("command", ["cp a {}", "ln -s x {}", "tar xf a.tar -C {}", "mv a {}"])
def test_a_directory_that_a_command_puts_something_into_is_not_suggested(machine, elsewhere, command):
    judge(machine, bash(command.format(elsewhere), cwd=str(machine.project)))
    found = machine.suggestions()
    assert (found.stopped, found.suggestions) == (1, ())
    assert "directory" in found.kept[0].why


def test_what_a_command_writes_to_and_is_not_there_may_be_a_directory(machine):
    target = machine.home / "notes"
    written(machine, target, by="commands")
    assert machine.suggestions().suggestions == ()
    target.write_text("a file")
    assert commands(machine.suggestions()) == [f"guardhouse allow path {target}"]


def test_a_path_that_is_a_directory_is_not_suggested_for_a_tool_either(machine):
    (machine.home / "notes").mkdir()
    written(machine, machine.home / "notes")
    assert machine.suggestions().suggestions == ()
    assert "directory" in machine.suggestions().kept[0].why


@pytest.mark.parametrize(
    "place",
    [
        ".local/bin/git",
        "bin/ls",
        ".cargo/bin/cargo",
        ".ssh/notes.txt",
        ".aws/x",
        ".config/guardhouse/x.yaml",
        ".config/autostart/x",
        ".config/fish/functions/ls.fish",
        "other/.claude/settings.json",
        "other/.claude/notes.md",
        "other/.codex/x",
        "other/.git/hooks/pre-commit",
        ".bashrc",
        "../home",
        "..",
    ],
)
def test_no_delicate_place_is_fit(machine, place):
    unfit = unfit_place(machine.sources.load().settings.surroundings, "")
    assert unfit(str(machine.home / place), "file")


def test_a_directory_that_programs_are_run_from_is_not_fit(machine):
    tools = machine.home / "tools"
    tools.mkdir()
    around = machine.sources.load().settings.surroundings
    assert not unfit_place(around, "")(str(tools / "x"), "file")
    assert unfit_place(around, f"/usr/bin:{tools}")(str(tools / "x"), "file")


def test_a_link_into_a_delicate_place_is_not_fit(machine):
    (machine.home / ".ssh").mkdir()
    (machine.home / "notes").symlink_to(machine.home / ".ssh")
    unfit = unfit_place(machine.sources.load().settings.surroundings, "")
    assert unfit(str(machine.home / "notes" / "x"), "file")


def test_files_of_one_directory_are_offered_together_only_if_nothing_delicate_lies_in_it(machine):
    notes = machine.home / "work" / "notes"
    notes.mkdir(parents=True)
    for name in "abc":
        written(machine, notes / name)
    broad = machine.suggestions().suggestions[-1]
    assert (broad.entry, broad.notes[0]) == (str(notes), "BROADER than what was seen")
    (notes / "deep" / ".git" / "hooks").mkdir(parents=True)
    assert not any(one.instead_of for one in machine.suggestions().suggestions)


def test_nothing_is_suggested_for_paths_that_nobody_looked_at(machine):
    written(machine, machine.home / "notes" / "a.txt")
    seen = [entry.event for entry in events(machine.log)]
    assert suggest(seen, allowed_by(machine.sources.load())).suggestions == ()


@pytest.mark.parametrize(
    "suffix",
    "co.uk com.au github.io pages.dev workers.dev s3.amazonaws.com blob.core.windows.net azurewebsites.net"
    " herokuapp.com vercel.app netlify.app web.app firebaseapp.com cloudfront.net r2.dev s3.eu-west-1.amazonaws.com"
    " googleapis.com"
    " ada.github.io".split(),
)
def test_hosts_below_a_shared_domain_are_never_put_together(machine, suffix):
    judge(machine, *(fetch(f"https://{name}.{suffix}/") for name in ("a", "b", "c")))
    found = machine.suggestions().suggestions
    assert len(found) == 3
    assert not any(one.instead_of for one in found)


@pytest.mark.parametrize("host", ["ada.github.io", "x.s3.amazonaws.com", "f.workers.dev", "github.io"])
def test_a_single_host_below_a_shared_domain_is_marked(machine, host):
    judge(machine, fetch(f"https://{host}/"))
    (one,) = machine.suggestions().suggestions
    assert any("anybody can have a name" in note for note in one.notes)


def test_every_name_in_the_table_is_shared_and_a_name_that_only_ends_alike_is_not():
    for _kind, names in SHARED:
        for name in names.split():
            assert shared_domain(f"x.{name}") in {
                name,
                *(name.split(".", n)[-1] for n in range(1, name.count(".") + 1)),
            }
            assert not is_one_owners(name)
            assert shared_domain(f"my{name}") != name
    assert is_one_owners("example.com")
    assert is_one_owners("api.example.co.uk")


def test_the_doctors_canary_counts_neither_in_the_status_nor_in_suggestions(machine):
    recorded(machine, reason("guard.own_files", remedy=""), session_id=DOCTOR_SESSION)
    recorded(machine, reason("guard.own_files", remedy=""), session_id="s1")
    assert standing(machine.sources, machine.now).today.calls == 1
    assert machine.suggestions().calls == 1
    recorded(machine, session_id=DOCTOR_SESSION, decision=Decision.ALLOW)
    assert standing(machine.sources, machine.now).today.calls == 2
