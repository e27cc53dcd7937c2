"""Files and directories: what is sensitive, what is spared, what counts as the project, and what a path really is."""

import pytest
from guarded_house import codes, found
from hypothesis import given
from hypothesis import strategies as st

from guardhouse.detect.paths.places import (
    HOOK_DIRECTORIES,
    HOOK_SETTINGS,
    NOT_SENSITIVE,
    PERSISTENCE,
    SENSITIVE,
    PlaceTable,
    glob_to_re2,
)
from guardhouse.detect.paths.readings import absolute, inside, other_readings, tidy
from guardhouse.detect.paths.wildcards import may_reach
from guardhouse.model import Decision, PathClass, RealPath, ToolCallPre


def one_row(kind, pattern):
    return PlaceTable({"any": [(kind, pattern)]})


@pytest.mark.parametrize(("kind", "pattern", "example"), SENSITIVE)
def test_every_sensitive_row_matches_its_example_and_not_a_neighbour(house, kind, pattern, example):
    table = one_row(kind, pattern)
    assert table.kinds(example).get("any") == kind
    assert table.kinds(example.upper()).get("any") == kind
    assert table.kinds(f"{example}-not-it/readme").get("any") is None or "**}" in pattern or pattern.endswith("**")
    assert table.kinds("/srv/app/readme.md").get("any") is None
    verdict = house.call("read_file", path=example)
    assert verdict.decision is Decision.REQUIRE_APPROVAL
    assert "path.sensitive_read" in codes(verdict)


@pytest.mark.parametrize(("pattern", "example"), NOT_SENSITIVE)
def test_every_spared_row_is_read_without_a_question(house, pattern, example):
    assert one_row("spared", pattern).kinds(example).get("any") == "spared"
    assert one_row("spared", pattern).kinds("/home/ada/.ssh/id_rsa").get("any") is None
    assert house.call("read_file", path=example).decision is Decision.ALLOW


@pytest.mark.parametrize(("kind", "pattern", "example"), PERSISTENCE)
def test_every_persistence_row_asks_before_a_write_and_not_before_a_read(house, kind, pattern, example):
    assert one_row(kind, pattern).kinds(example).get("any") == kind
    assert one_row(kind, pattern).kinds("/srv/app/main.py").get("any") is None
    verdict = house.call("write_file", path=example, content="x")
    assert "path.persistence_write" in codes(verdict)
    assert "path.persistence_write" not in codes(house.call("read_file", path=example))


@pytest.mark.parametrize(("agent", "pattern", "example"), HOOK_SETTINGS)
def test_every_row_of_hook_settings_is_denied_to_writers(house, agent, pattern, example):
    assert one_row(agent, pattern).kinds(example).get("any") == agent
    assert one_row(agent, pattern).kinds("/srv/app/settings.json").get("any") is None
    verdict = house.call("write_file", path=example, content="x")
    assert verdict.decision is Decision.DENY
    assert found(verdict, "guard.hook_settings")[0].detail == agent


@pytest.mark.parametrize(("agent", "pattern", "example"), HOOK_DIRECTORIES)
def test_every_directory_of_hook_settings_is_denied_to_removers_only(house, agent, pattern, example):
    assert one_row(agent, pattern).kinds(example).get("any") == agent
    assert one_row(agent, pattern).kinds(f"{example}x").get("any") is None
    assert "guard.hook_settings" in codes(house.call("delete_directory", path=example))
    covered = bool(PlaceTable({"hooks": ((row[0], row[1]) for row in HOOK_SETTINGS)}).kinds(f"{example}/notes.md"))
    assert ("guard.hook_settings" in codes(house.call("write_file", path=f"{example}/notes.md"))) == covered


@pytest.mark.parametrize(
    "path",
    [
        "~/.ssh/id_ed25519.pub",
        "~/.ssh/known_hosts",
        ".env.example",
        "config/.env.sample",
        "/etc/os-release",
        "/etc/hosts",
        "/etc/passwd",
        "/usr/share/ca-certificates/x.pem",
        "venv/lib/python3.11/site-packages/certifi/cacert.pem",
        "node_modules/x/test.key",
        "README.md",
        "src/keys.py",
        "src/environment.ts",
        "src/app/[slug]/page.tsx",
        "routes/$id.tsx",
        "package-lock.json",
        "docs/secrets.md",
        "/proc/cpuinfo",
    ],
)
def test_files_that_only_sound_sensitive_are_read_without_a_question(house, path):
    assert house.call("read_file", path=path).decision is Decision.ALLOW


def test_a_path_class_says_where_a_path_lies(house):
    expected = {
        "src/x.py": PathClass.PROJECT,
        str(house.temp / "x"): PathClass.TEMP,
        "~/notes.txt": PathClass.HOME,
        "/etc/hosts": PathClass.SYSTEM,
        "/": PathClass.SYSTEM,
        "/usr/lib/x": PathClass.SYSTEM,
        "~/.netrc": PathClass.SECRET,
        "~/.bashrc": PathClass.PERSISTENCE,
        str(house.config / "x"): PathClass.GUARD,
        "/data/x": PathClass.OTHER,
    }
    for path, path_class in expected.items():
        verdict = house.call("write_file", path=path, content="x")
        assert {finding.path_class for finding in found(verdict, "path.touched")} == {path_class}, path


def test_writing_in_the_project_and_in_temporary_places_needs_no_question(house):
    for path in ("src/x.py", "./x", str(house.project / "deep" / "er" / "x"), str(house.temp / "x")):
        assert house.call("write_file", path=path, content="x").decision is Decision.ALLOW


def test_an_allowed_directory_counts_as_part_of_the_work(house):
    yaml = "guard: {paths: {allowed_directories: [~/notes]}}"
    assert house.call("write_file", yaml, path="~/notes/today.md", content="x").decision is Decision.ALLOW
    assert house.call("write_file", yaml, path="~/notes2/x", content="x").decision is Decision.REQUIRE_APPROVAL
    secret = house.call("read_file", yaml, path="~/notes/.env")
    assert codes(secret) == ["path.sensitive_read"]


def test_a_secret_file_is_allowed_only_by_its_own_name(house):
    yaml = "guard: {paths: {allowed_directories: [~/notes/.env]}}"
    assert house.call("read_file", yaml, path="~/notes/.env").decision is Decision.ALLOW


def test_configured_globs_add_sensitive_files(house):
    yaml = "guard: {paths: {sensitive: ['**/*.vault', '~/private/**']}}"
    for path in ("x.vault", "~/private/a/b"):
        assert codes(house.call("read_file", yaml, path=path)) == ["path.sensitive_read"]


@pytest.mark.parametrize(
    "cwd", ["/", "~", "/home", "/etc", "/usr", "/etc/nginx", "/usr/local/bin", "/proc/self", "~/.ssh", "~/.aws"]
)
def test_a_directory_too_wide_or_too_delicate_is_no_project(house, cwd):
    verdict = house.call("write_file", cwd=cwd, path="x.txt", content="x")
    assert verdict.decision is Decision.REQUIRE_APPROVAL
    assert PathClass.PROJECT not in {finding.path_class for finding in verdict.findings}


def test_a_deep_directory_of_the_system_can_be_a_project(house):
    for cwd in ("/srv/app", "/opt/tool", "/usr/src/app", "/var/www/site"):
        assert house.call("write_file", cwd=cwd, path="x.txt", content="x").decision is Decision.ALLOW, cwd


def test_the_project_is_known_by_its_real_place_too(house):
    link = house.root / "short"
    link.symlink_to(house.project)
    assert house.call("write_file", cwd=link, path="x.py", content="x").decision is Decision.ALLOW
    assert house.call("write_file", cwd=link, path=str(house.project / "x.py")).decision is Decision.ALLOW


def test_a_link_into_a_secret_is_the_secret(house):
    (house.home / ".ssh").mkdir()
    (house.home / ".ssh" / "id_rsa").write_text("x")
    (house.project / "notes.txt").symlink_to(house.home / ".ssh" / "id_rsa")
    (house.project / "dir").symlink_to(house.home / ".ssh")
    for path in ("notes.txt", "dir/id_rsa", "dir/../.ssh/id_rsa", "dir/*"):
        assert "path.sensitive_read" in codes(house.call("read_file", path=path)), path


DRIVE = "guard: {tools: {drive_write: {capabilities: [writes], description: Writes to the drive.}}}"


def test_a_path_of_a_store_somewhere_else_is_none_of_this_machine(house):
    outside = "path.write_outside_project"
    assert outside not in codes(house.call("drive_write", DRIVE, path="/no-such-place-here/notes/bins.txt"))
    assert "path.system_write" in codes(house.call("drive_write", DRIVE, path="/no-such-place-here/../srv/bins.txt"))
    assert outside in codes(house.call("drive_write", DRIVE, path="/no-such-file-here"))
    assert outside in codes(house.call("write_file", path="/no-such-place-here/notes/bins.txt", content="x"))


def test_a_link_out_of_the_project_is_a_write_outside(house):
    (house.project / "out").symlink_to(house.home)
    assert codes(house.call("write_file", path="out/x.txt")) == ["path.write_outside_project"]
    (house.project / "rc").symlink_to(house.home / ".bashrc")
    assert codes(house.call("write_file", path="rc")) == ["path.persistence_write"]


def test_a_path_that_leads_nowhere_is_asked_about(house):
    loop = house.project / "loop"
    loop.symlink_to(loop)
    for path in ("loop", "loop/x", "a\0b", "a\nb", "x" * 5000):
        for tool in ("read_file", "write_file"):
            verdict = house.call(tool, path=path)
            assert "path.unresolvable" in codes(verdict), path
            assert verdict.decision is Decision.REQUIRE_APPROVAL


@pytest.mark.parametrize("answer", [RealPath(), RealPath(path="relative/x"), RealPath(error="PermissionError")])
def test_an_answer_that_is_no_path_counts_as_none(house, answer):
    class Odd:
        def real_path(self, path):
            return answer

    verdict = house.guard(files=Odd()).evaluate(ToolCallPre(tool="read_file", params={"path": "x"}))
    assert codes(verdict) == ["path.unresolvable"]


def test_a_writer_that_names_no_path_is_asked_about(house):
    for tool, params in (("write_file", {}), ("apply_patch", {"input": "no header"}), ("edit", {"text": "x"})):
        verdict = house.call(tool, **params)
        assert "path.unresolvable" in codes(verdict)
    assert house.call("grep", pattern="x").decision is Decision.ALLOW


@pytest.mark.parametrize(
    "pattern",
    ["~/.s*/id_*", "~/.ss?/id_rsa", "~/.[s]sh/id_rsa", "/etc/sha?ow", "/etc/{shadow,passwd}", "~/.*", "~/.aws/*"],
)
def test_a_glob_that_can_match_a_secret_is_one(house, pattern):
    for tool, key in (("read_many_files", "paths"), ("glob", "pattern"), ("grep", "path")):
        assert "path.sensitive_read" in codes(house.call(tool, **{key: pattern})), (tool, pattern)


@pytest.mark.parametrize("pattern", ["**/*.py", "*.json", "src/**", "~/Documents/*.txt", "/usr/include/*.h", "*"])
def test_an_ordinary_glob_is_not(house, pattern):
    assert house.call("glob", pattern=pattern).decision is Decision.ALLOW


def test_what_is_searched_for_is_data(house):
    for pattern in ("/etc/shadow", "~/.ssh/id_rsa", ".config/guardhouse"):
        assert house.call("grep", pattern=pattern, path="src").decision is Decision.ALLOW


def test_text_is_not_read_for_paths(house):
    text = "cat /etc/shadow > ~/.config/guardhouse/config.yaml"
    assert house.call("write_file", path="x.md", content=text).decision is Decision.ALLOW
    assert house.call("edit_file", path="x.md", old_string="/etc/shadow", new_string="~/.bashrc").reasons == ()


@pytest.mark.parametrize(
    "path",
    [
        "C:\\Users\\ada\\.ssh\\config",
        "\\\\server\\share\\x",
        "c:/windows/system32",
        "%USERPROFILE%\\x",
        "$env:USERPROFILE\\x",
        "~\\x",
        "CON",
        "x:y",
        "~nobody/x",
        "%",
        "%zz",
        "$",
        "${",
        "~",
        "",
        " ",
        ".",
        "file:",
        "file://",
        "file:x",
        "[",
        "{",
        "{{}}",
        "**",
        "[!",
        "é" * 300,
    ],
)
def test_odd_spellings_are_judged_without_a_failure(house, path):
    for tool in ("read_file", "write_file", "delete_file", "glob", "bash", "url_fetch", "frobnicate"):
        verdict = house.call(tool, path=path, pattern=path)
        assert "guard.detector_failed" not in codes(verdict)
        assert "guard.internal_error" not in codes(verdict)


def test_a_call_with_very_many_paths_is_denied_for_their_number(house):
    paths = [f"f{number}" for number in range(2000)]
    for tool in ("read_file", "write_file"):
        verdict = house.call(tool, "guard: {mode: observe}", paths=paths)
        assert verdict.decision is Decision.DENY
        assert codes(verdict) == ["action.too_many_targets"]


@given(st.text(max_size=60), st.sampled_from(["/srv/app", "/", ""]), st.sampled_from(["/home/ada", "/"]))
def test_any_text_becomes_an_absolute_tidy_path(raw, cwd, home):
    path = tidy(absolute(raw, cwd, home))
    assert path.startswith("/")
    assert not path.startswith("//")
    assert ".." not in path.split("/")
    assert tidy(path) == path
    assert all(isinstance(other, str) for other in other_readings(absolute(raw, cwd, home)))
    assert inside(path, "/")


@given(st.text(alphabet="ab/*?[]{},.~-^$()|+\\", max_size=30))
def test_any_pattern_makes_a_table(pattern):
    assert PlaceTable({"g": [("any", pattern)]}, ("/home/a(b",)).kinds("/x/y") in ({}, {"g": "any"})
    assert glob_to_re2(pattern)


@given(st.text(alphabet="ab*?[].{}/", max_size=40), st.sampled_from(["/a/b", "/a/.b/a", "/"]))
def test_a_glob_is_compared_without_failing_and_a_plain_path_as_itself(glob, directory):
    result = may_reach(glob, directory)
    assert may_reach(glob, directory, or_above=True) or not result
    assert may_reach(f"{directory}/x", directory)


def test_a_wildcard_matches_names_and_hidden_ones_only_if_told():
    assert may_reach("/home/ada/*/x", "/home/ada/.config/x", hidden=True)
    assert may_reach("/home/**/x", "/home/ada/.config", hidden=True)
    assert may_reach("/home/*/.config/x", "/home/ada/.config")
    assert not may_reach("/home/ada/*/x", "/home/ada/.config")
    assert may_reach("/home/ada/.*/x", "/home/ada/.config")
    assert may_reach("/home/**/x", "/home/ada/config")
    assert not may_reach("/home/**/x", "/home/ada/.config")
    assert not may_reach("/home", "/home/ada")
    assert may_reach("/ho*", "/home/ada", or_above=True)


def test_many_stars_take_no_time():
    assert not may_reach("/**/a" * 200 + "/**/**/**", "/b/c/d/e/f/.g")
