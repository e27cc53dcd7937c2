"""Files as tools of a run: real files, and what happens to them between the verdict and the call."""

import os
import stat

import pytest
from running import results, scripted, worked
from tooling import called, errand, told

from guardhouse.model import RealPath
from guardhouse.runs.tools.files import FileTrouble, ListFiles, ReadFile, WriteFile, _fits

TOOLS = (ReadFile(), WriteFile(), ListFiles())


def test_a_file_is_read_relative_to_the_workspace_and_in_parts(machine):
    (machine.project / "long.txt").write_text("".join(f"line {number}\n" for number in range(1, 5001)))
    whole, part = told(
        machine,
        TOOLS,
        ("read_file", {"path": "long.txt"}),
        ("read_file", {"path": "long.txt", "offset": 4999, "limit": 1}),
    )
    assert whole.startswith("line 1\nline 2\n")
    assert "it goes on at line 2001" in whole
    assert part.startswith("line 4999\n\n[it goes on at line 5000")


def test_what_is_no_text_is_told_and_not_dumped(machine):
    (machine.project / "photo.png").write_bytes(b"\x89PNG\0\0" + b"x" * 4000)
    (machine.project / "sub").mkdir()
    os.mkfifo(machine.project / "pipe")
    binary, directory, pipe, nothing = told(
        machine,
        TOOLS,
        ("read_file", {"path": "photo.png"}),
        ("read_file", {"path": "sub"}),
        ("read_file", {"path": "pipe"}),
        ("read_file", {"path": "not-there"}),
    )
    assert binary == "A binary file of 4006 bytes, which is not shown."
    assert "a directory" in directory
    assert "no plain file" in pipe
    assert "No such file" in nothing


@pytest.mark.parametrize(
    "spelling", ["a.txt", "./a.txt", "sub/../a.txt", "{project}/a.txt", "{project}/./sub/../a.txt"]
)
def test_a_path_is_found_however_it_is_spelt(machine, spelling):
    (machine.project / "a.txt").write_text("plain")
    (machine.project / "sub").mkdir()
    [text] = told(machine, TOOLS, ("read_file", {"path": spelling.format(project=machine.project)}))
    assert text == "plain"


@pytest.mark.parametrize("spelling", ["~/a.txt", "$HOME/a.txt", "file:///etc/passwd", "a.txt\0.png"])
def test_a_path_that_can_be_read_in_two_ways_is_not_read_in_the_other(machine, spelling):
    (machine.project / "a.txt").write_text("plain")
    (machine.home / "a.txt").write_text("at home")
    [text] = told(machine, TOOLS, ("read_file", {"path": spelling}), answers=False)
    assert "at home" not in text
    assert "root:" not in text


def test_a_path_through_a_link_is_judged_and_opened_where_it_leads(machine):
    (machine.project / "a.txt").write_text("plain")
    (machine.home / "a.txt").write_text("at home")
    (machine.home / "sub").mkdir()
    (machine.project / "link").symlink_to(machine.home / "sub")
    [text] = told(machine, TOOLS, ("read_file", {"path": "link/../a.txt"}))
    assert "at home" in text
    assert "⚠️" in text


def test_one_endless_line_is_cut(machine):
    (machine.project / "line.txt").write_text("x" * 1_000_000)
    [text] = told(machine, TOOLS, ("read_file", {"path": "line.txt"}))
    assert len(text) < 250_000
    assert "it goes on" in text


def test_a_path_that_leads_elsewhere_since_it_was_judged_is_not_opened(machine):
    (machine.project / "secret").write_text("password")
    judged, path = machine.project / "plain", machine.project / "way"
    judged.write_text("plain")
    path.symlink_to(judged)
    under = errand(machine, real_paths={str(path): RealPath(path=str(judged))})
    assert called(ReadFile(), {"path": "way"}, under) == "plain"
    path.unlink()
    path.symlink_to(machine.project / "secret")
    assert called(ReadFile(), {"path": "way"}, under) == "plain"
    judged.unlink()
    judged.symlink_to(machine.project / "secret")
    with pytest.raises(FileTrouble):
        called(ReadFile(), {"path": "way"}, under)
    with pytest.raises(FileTrouble, match="no plain file"):
        called(WriteFile(), {"path": "way", "content": "x"}, under)
    assert (machine.project / "secret").read_text() == "password"


def test_a_directory_on_the_way_that_was_swapped_since_is_not_written_to(machine):
    inside, elsewhere = machine.project / "inside", machine.home / "elsewhere"
    inside.mkdir()
    elsewhere.mkdir()
    under = errand(machine, real_paths={str(inside / "new"): RealPath(path=str(inside / "new"))})
    inside.rmdir()
    inside.symlink_to(elsewhere)
    with pytest.raises(FileTrouble):
        called(WriteFile(), {"path": "inside/new", "content": "x"}, under)
    deeper = machine.project / "deeper"
    (deeper / "sub").mkdir(parents=True)
    under = errand(machine, real_paths={str(deeper / "sub" / "x"): RealPath(path=str(deeper / "sub" / "x"))})
    deeper.rename(machine.project / "gone")
    (elsewhere / "sub").mkdir()
    deeper.symlink_to(elsewhere)
    with pytest.raises(FileTrouble, match="somewhere else"):
        called(WriteFile(), {"path": "deeper/sub/x", "content": "x"}, under)
    assert list(elsewhere.rglob("*")) == [elsewhere / "sub"]


def test_a_path_that_the_gate_has_read_otherwise_is_refused(machine):
    under = errand(machine, real_paths={"/somewhere/else": RealPath(path="/somewhere/else")})
    with pytest.raises(FileTrouble, match="more than one way"):
        called(ReadFile(), {"path": "x"}, under)


def test_a_file_is_replaced_at_once_and_keeps_its_permissions_and_its_link(machine):
    script, link = machine.project / "run.sh", machine.project / "link.sh"
    script.write_text("old")
    script.chmod(0o750)
    link.symlink_to(script)
    before = script.stat().st_ino
    [text] = told(machine, TOOLS, ("write_file", {"path": "link.sh", "content": "new ü"}))
    assert text == "Written: 6 bytes."
    assert script.read_text() == "new ü"
    assert script.stat().st_ino != before
    assert stat.S_IMODE(script.stat().st_mode) == 0o750
    assert link.is_symlink()
    assert sorted(path.name for path in machine.project.iterdir()) == ["link.sh", "run.sh"]


def test_a_new_file_is_made_and_one_without_a_directory_is_not(machine):
    made, failed = told(
        machine,
        TOOLS,
        ("write_file", {"path": "new.txt", "content": "x"}),
        ("write_file", {"path": "no/new.txt", "content": "x"}),
    )
    assert made == "Written: 1 bytes."
    assert "No such file" in failed


def test_files_are_found_by_a_pattern_without_following_links(machine):
    for name in ("a.py", "src/b.py", "src/deep/test_c.py", "src/deep/d.txt", ".git/config"):
        (machine.project / name).parent.mkdir(parents=True, exist_ok=True)
        (machine.project / name).write_text("")
    (machine.project / "out").symlink_to(machine.home)
    everything, python, tests, outside = told(
        machine,
        TOOLS,
        ("list_files", {}),
        ("list_files", {"pattern": "**/*.py"}),
        ("list_files", {"path": "src", "pattern": "**/test_*"}),
        ("list_files", {"pattern": "../*"}),
    )
    assert everything.split("\n") == ["a.py", "out", "src/b.py", "src/deep/d.txt", "src/deep/test_c.py"]
    assert python.split("\n") == ["a.py", "src/b.py", "src/deep/test_c.py"]
    assert tests == "deep/test_c.py"
    assert "below the directory" in outside


def test_many_files_are_listed_up_to_a_bound(machine):
    for number in range(1100):
        (machine.project / f"{number:04}").touch()
    [text] = told(machine, TOOLS, ("list_files", {}))
    assert text.endswith("[there are more than 1000]")
    assert len(text.split("\n")) == 1001


def test_the_gate_judges_the_path_before_anything_is_opened(machine):
    key = machine.home / ".ssh" / "id_ed25519"
    key.parent.mkdir()
    key.write_text("the key")
    (machine.project / "innocent").symlink_to(key)
    direct, led = told(
        machine,
        TOOLS,
        ("read_file", {"path": str(key)}),
        ("read_file", {"path": "innocent"}),
        answers=False,
    )
    assert "the key" not in direct + led


@pytest.mark.parametrize(
    "params", [{}, {"path": 1}, {"path": "x", "mode": "r"}, {"path": "x", "offset": "1"}, {"path": "x", "limit": 0}]
)
def test_arguments_that_do_not_fit_are_told_and_nothing_is_opened(machine, params):
    (machine.project / "x").write_text("content")
    [text] = told(machine, TOOLS, ("read_file", params))
    assert "content" not in text
    assert "fit" in text or "counted" in text


def test_listing_no_directory_is_judged_as_listing_the_workspace(machine):
    machine.state.mkdir(exist_ok=True)
    heard = []
    runs = machine.runs(
        scripted(("list_files", {}), lambda messages: heard.extend(results(messages)) or "Done."), tools=TOOLS
    )
    worked(runs, runs.start("Look.", workspace=str(machine.state)).id)
    assert "guard.own_files" in heard[0]


def test_a_pattern_that_is_meant_to_keep_us_busy_does_not():
    deep = ["a"] * 60
    assert _fits([*deep, "b"], [*["**"] * 60, "b"])
    assert not _fits(deep, [*["**"] * 60, "b"])
    assert not _fits(deep, ["**", *["a", "**"] * 30, "b"])


@pytest.mark.parametrize(
    ("path", "pattern", "fits"),
    [
        ("a.py", "*.py", True),
        ("src/a.py", "*.py", False),
        ("src/a.py", "**/*.py", True),
        ("a.py", "**/*.py", True),
        ("src/one/test_a", "src/**/test_*", True),
        ("src/test_a", "src/**/test_*", True),
        ("lib/test_a", "src/**/test_*", False),
        ("src/a/b", "src/**", True),
        ("src", "src/*", False),
        ("a/b/c", "**/b/**", True),
    ],
)
def test_patterns_fit_as_they_are_described(path, pattern, fits):
    assert _fits(path.split("/"), pattern.split("/")) is fits


def test_a_pattern_that_is_too_long_is_refused(machine):
    [text] = told(machine, TOOLS, ("list_files", {"pattern": "**/" * 1000 + "x"}))
    assert "500 characters" in text
