"""`guardhouse scan`, as its users run it: files in, places and an exit status out, and never a secret."""

from __future__ import annotations

import json
import os
import random
import socket
import string
import subprocess
import sys
from pathlib import Path

import pytest

_LETTERS = string.ascii_letters + string.digits
TOKEN = "gh" + "p_" + "".join(random.Random(7).choices(_LETTERS, k=36))
OTHER = "gl" + "pat-" + "".join(random.Random(8).choices(_LETTERS, k=20))
PASSWORD = "tr0ub4dor" + "&3xQ"
KEY_LINES = ["".join(random.Random(seed).choices(_LETTERS, k=64)) for seed in range(12)]
KEY = "\n".join(["-----BEGIN RSA " + "PRIVATE KEY-----", *KEY_LINES, "-----END RSA " + "PRIVATE KEY-----", ""])


@pytest.fixture
def scanned(machine):
    """The exit status of `guardhouse scan … --json`, and what it printed."""

    def run(*arguments: str, stdin: bytes | str = b""):
        done = machine.run("scan", *arguments, "--json", stdin=stdin)
        return done.returncode, json.loads(done.stdout)

    return run


def put(machine, name: str, text: str | bytes) -> Path:
    file = machine.project / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def paths(report) -> list[str]:
    return [finding["path"] for finding in report["findings"]]


def test_nothing_found_is_status_0(machine):
    put(machine, "a.txt", "nothing here\n")
    done = machine.run("scan", ".")
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 secrets in 0 of 1 file, 0 not scanned\n", "")


def test_something_found_is_status_1_and_told_with_its_place(machine):
    put(machine, "src/a.py", f"# é\n\ntoken = '{TOKEN}'  # mine\n")
    put(machine, "src/b.py", "pass\n")
    done = machine.run("scan", "src")
    assert done.returncode == 1
    place, summary = done.stdout.splitlines()
    assert place.startswith("src/a.py:3:14 github_token (")
    assert place.endswith("): token = 'ghp_[redacted]'  # mine")
    assert summary == "1 secret in 1 of 2 files, 0 not scanned"


def test_json_tells_everything_about_a_finding(machine, scanned):
    put(machine, "a.txt", f"é {TOKEN}\n")
    status, report = scanned("a.txt")
    assert status == 1
    confidence = report["findings"][0].pop("confidence")
    assert confidence in {"low", "medium", "high"}
    assert report == {
        "findings": [
            {
                "path": "a.txt",
                "line": 1,
                "column": 7,
                "end_line": 1,
                "end_column": 43,
                "kind": "github_token",
                "category": "provider_key",
                "opens": "GitHub",
                "echo": False,
                "excerpt": "é ghp_[redacted]",
                "fingerprint": "",
            }
        ],
        "not_scanned": [],
        "files": 1,
        "files_with_secrets": 1,
        "bytes": len(TOKEN) + 4,
        "links": 0,
        "not_entered": 0,
    }


@pytest.mark.parametrize("form", [(), ("--json",), ("--sarif",)], ids=["text", "json", "sarif"])
def test_no_secret_is_ever_printed(machine, form):
    put(machine, "a.txt", f"one {TOKEN} two {OTHER}\nthree {TOKEN}\n")
    put(machine, "key.pem", KEY)
    put(machine, "b.env", "PASS" + f"WORD={PASSWORD}\nlater, {PASSWORD} without its name\n")
    put(machine, "long.js", "x" * 5000 + f';a="{TOKEN}";b="{OTHER}";' + "y" * 5000)
    put(machine, f"{TOKEN}/{TOKEN}.txt", f"{TOKEN}\n")
    os.mkfifo(machine.project / f"{OTHER}.pipe")
    done = machine.run("scan", ".", "nowhere-" + TOKEN, *form)
    assert done.returncode == 2
    for secret in (TOKEN[4:], OTHER[6:], PASSWORD, *KEY_LINES):
        for part in (secret, secret[:16], secret[-12:]):
            assert part not in done.stdout + done.stderr
    assert done.stdout.count("[redacted]") >= 9


def test_a_secret_known_by_its_name_alone_is_masked_where_it_stands_without(machine, scanned):
    put(machine, "b.env", "PASS" + f"WORD={PASSWORD}\n\nlater, {PASSWORD} again\n")
    _status, report = scanned("b.env")
    assert [(found["line"], found["echo"]) for found in report["findings"]] == [(1, False), (3, True)]
    assert report["findings"][1]["excerpt"] == "later, [redacted] again"


def test_an_excerpt_is_short_and_can_not_talk_to_the_terminal(machine, scanned):
    put(machine, "a.bin", b"\x1b[2J\xff" * 400 + TOKEN.encode() + b"\x1b]0;x\x07" * 400)
    _status, report = scanned("a.bin")
    excerpt = report["findings"][0]["excerpt"]
    assert len(excerpt) <= 162
    assert "ghp_[redacted]" in excerpt
    assert excerpt.isprintable()


def test_a_key_over_several_lines_says_where_it_ends(machine, scanned):
    put(machine, "key.pem", "\n" + KEY)
    _status, report = scanned("key.pem")
    (found,) = report["findings"]
    assert (found["kind"], found["line"], found["end_line"]) == ("private_key", 2, 15)


def test_standard_input_is_scanned(scanned):
    status, report = scanned("-", stdin=f"key {TOKEN}\n")
    assert (status, paths(report)) == (1, ["-"])


def test_everything_below_a_directory_is_scanned_but_git_s_own(machine, scanned):
    for name in ("a", "node_modules/x/b", "build/c", ".hidden/d", ".git/e", "sub/.git/f", "sub/.gitignore"):
        put(machine, name, TOKEN)
    _status, report = scanned(".")
    assert sorted(paths(report)) == [".hidden/d", "a", "build/c", "node_modules/x/b", "sub/.gitignore"]
    assert paths(scanned(".git")[1]) == [".git/e"]


@pytest.mark.parametrize(
    ("globs", "left"),
    [
        (("node_modules",), ["a.lock", "a.py", "src/gen/b.py"]),
        (("node_modules/", "*.lock"), ["a.py", "src/gen/b.py"]),
        (("src/gen/*", "./node_modules"), ["a.lock", "a.py"]),
        (("gen/*",), ["a.lock", "a.py", "node_modules/c.js", "src/gen/b.py"]),
        (("*",), []),
    ],
)
def test_what_is_excluded_is_left_out(machine, scanned, globs, left):
    for name in ("a.py", "a.lock", "src/gen/b.py", "node_modules/c.js"):
        put(machine, name, TOKEN)
    status, report = scanned(".", *(part for glob in globs for part in ("--exclude", glob)))
    assert (status, paths(report), report["not_scanned"]) == (1 if left else 0, left, [])


def test_a_file_named_twice_is_scanned_once(machine, scanned):
    put(machine, "src/a", TOKEN)
    _status, report = scanned("src", "src/a", str(machine.project), "./src/../src/a")
    assert paths(report) == ["src/a"]


def test_links_are_not_followed_and_counted(machine, scanned):
    put(machine, "tree/a", "nothing")
    put(machine, "elsewhere/b", TOKEN)
    (machine.project / "tree" / "loop").symlink_to("..")
    (machine.project / "tree" / "out").symlink_to("../elsewhere/b")
    status, report = scanned("tree")
    assert (status, report["files"], report["links"]) == (0, 1, 2)
    assert "2 symbolic links not followed" in machine.run("scan", "tree").stdout


def test_a_link_that_is_named_is_followed(machine, scanned):
    put(machine, "elsewhere/b", TOKEN)
    (machine.project / "link").symlink_to("elsewhere")
    assert paths(scanned("link")[1]) == ["link/b"]


def _pipe(place: Path) -> None:
    os.mkfifo(place)


def _socket(place: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(place.name)  # the whole path may be longer than a socket's may be


def _circle(place: Path) -> None:
    place.symlink_to(place.name)


def _too_large(place: Path) -> None:
    with place.open("wb") as file:
        file.truncate((64 << 20) + 1)


def _absent(_place: Path) -> None:
    """Named, and not there."""


@pytest.mark.parametrize("make", [_pipe, _socket, _circle, _too_large, _absent])
def test_what_can_not_be_scanned_is_named_and_is_status_2_whatever_was_found(machine, scanned, monkeypatch, make):
    monkeypatch.chdir(machine.project)
    put(machine, "a", TOKEN)
    make(machine.project / "odd")
    status, report = scanned("a", "odd")
    assert (status, paths(report), report["files"]) == (2, ["a"], 1)
    (left,) = report["not_scanned"]
    assert left["path"] == "odd"
    assert left["why"]
    text = machine.run("scan", "a", "odd")
    assert text.returncode == 2
    assert f"odd NOT SCANNED: {left['why']}\n1 secret in 1 of 1 file, 1 not scanned\n" in text.stdout


def test_a_pipe_and_a_large_file_are_named_where_they_are_met_in_a_directory(machine, scanned):
    put(machine, "d/large", "x" * 101)
    put(machine, "d/right", "x" * 100)
    os.mkfifo(machine.project / "d" / "pipe")
    status, report = scanned("d", "--max-bytes", "100")
    assert (status, report["files"]) == (2, 1)
    assert [left["path"] for left in report["not_scanned"]] == ["d/pipe", "d/large"]


def test_an_empty_name_is_not_the_working_directory(scanned):
    status, report = scanned("")
    assert (status, report["files"], len(report["not_scanned"])) == (2, 0, 1)


def test_standard_input_over_the_limit_is_not_scanned(scanned):
    status, report = scanned("-", "--max-bytes", "10", stdin="x" * 11)
    assert (status, report["not_scanned"]) == (2, [{"path": "-", "why": "It is larger than 10 bytes."}])


def test_a_file_that_vanishes_or_turns_into_something_else_is_named(machine):
    from guardhouse.scanning import NotScanned, read_file, walk

    gone, turned = put(machine, "gone", "x"), put(machine, "turned", "x")
    files = {file.path: file for file in walk([str(machine.project)]).files}
    gone.unlink()
    turned.unlink()
    turned.symlink_to("/etc/passwd")
    assert read_file(files[str(gone)], 100) == NotScanned(str(gone), "No such file or directory.")
    assert isinstance(read_file(files[str(turned)], 100), NotScanned)
    turned.unlink()
    os.mkfifo(turned)
    assert read_file(files[str(turned)], 100) == NotScanned(str(turned), "It is no longer a file.")


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read everything")
def test_what_one_may_not_read_is_named(machine, scanned):
    put(machine, "d/a", "x").chmod(0)
    put(machine, "closed/b", "x").parent.chmod(0)
    status, report = scanned(".")
    (machine.project / "closed").chmod(0o700)
    assert status == 2
    assert [left["path"] for left in report["not_scanned"]] == ["closed", "d/a"]


def test_a_name_that_is_not_utf_8_can_be_told(machine, scanned):
    with open(os.fsencode(machine.project) + b"/\xff\n.txt", "w") as file:  # noqa: PTH123 - a name of bytes
        file.write(TOKEN)
    assert paths(scanned(".")[1]) == ["\\udcff\n.txt"]
    assert machine.run("scan", ".").stdout.startswith("\\u{dcff}\\u{a}.txt:1:5 ")
    document = json.loads(machine.run("scan", ".", "--sarif").stdout)
    location = document["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "%FF%0A.txt"


def test_only_kinds_that_are_asked_for_are_told_and_all_are_masked(machine, scanned):
    put(machine, "a", f"{TOKEN} {OTHER}\n")
    _status, report = scanned("a", "--kind", "gitlab_*")
    (found,) = report["findings"]
    assert found["kind"].startswith("gitlab_")
    assert TOKEN not in found["excerpt"]
    assert len(scanned("a", "--kind", "gitlab_*", "--kind", "github_*")[1]["findings"]) == 2
    assert scanned("a", "--kind", "private_key")[0] == 0


def test_a_kind_that_does_not_exist_is_bad_usage(machine):
    done = machine.run("scan", ".", "--kind", "gihtub_*")
    assert (done.returncode, done.stdout) == (2, "")
    assert "gihtub_*" in done.stderr


def test_a_kind_of_one_s_own_can_be_asked_for(machine, scanned):
    machine.user_config("guard: {secrets: {patterns: [{id: house_key, pattern: 'HOUSE-[0-9]{8}'}]}}")
    put(machine, "a", "HOUSE-" + "12345678")
    _status, report = scanned("a", "--kind", "house_*")
    assert [(found["kind"], found["category"], found["opens"]) for found in report["findings"]] == [
        ("house_key", "custom", "")
    ]


def test_only_what_is_certain_enough_is_told(machine, scanned):
    put(machine, "a", "PASS" + f"WORD={PASSWORD}\n{KEY}")
    assert {found["confidence"] for found in scanned("a")[1]["findings"]} == {"medium", "high"}
    assert {found["confidence"] for found in scanned("a", "--min-confidence", "high")[1]["findings"]} == {"high"}


def test_bad_usage_is_status_2(machine):
    assert machine.run("scan").returncode == 2
    assert machine.run("scan", ".", "--json", "--sarif").returncode == 2
    assert machine.run("scan", ".", "--max-bytes", "0").returncode == 2
    assert machine.run("scan", ".", "--config", "nowhere.yaml").returncode == 2


def test_sarif_has_the_form_that_code_hosts_read(machine):
    put(machine, "src/a b.py", f"x = '{TOKEN}'\ny = '{TOKEN}'\n")
    put(machine, "src/c.env", "PASS" + f"WORD={PASSWORD}\n")
    put(machine, "src/key.pem", KEY)
    os.mkfifo(machine.project / "src" / "pipe")
    done = machine.run("scan", "src", "--sarif")
    assert done.returncode == 2
    document = json.loads(done.stdout)
    assert document["version"] == "2.1.0"
    assert document["$schema"].endswith("sarif-2.1.0.json")
    (run,) = document["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    driver = run["tool"]["driver"]
    assert driver["name"] == "Guardhouse"
    rules = [rule["id"] for rule in driver["rules"]]
    assert sorted(rules) == ["github_token", "private_key", "sensitive_pair"]
    assert all(rule["shortDescription"]["text"] for rule in driver["rules"])
    assert len(run["results"]) == 4
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["message"]["text"]
        assert result["level"] == ("error" if result["properties"]["confidence"] == "high" else "warning")
        assert not {"fingerprints", "partialFingerprints"} & set(result)
        place = result["locations"][0]["physicalLocation"]
        region = place["region"]
        assert (1, 1) <= (region["startLine"], region["startColumn"]) < (region["endLine"], region["endColumn"])
    uris = {place["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for place in run["results"]}
    assert uris == {"src/a%20b.py", "src/c.env", "src/key.pem"}
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    (told,) = invocation["toolExecutionNotifications"]
    assert "src/pipe" in told["message"]["text"]


def test_sarif_of_a_scan_without_findings_is_a_whole_document(machine):
    put(machine, "a", "nothing")
    done = machine.run("scan", str(machine.project), "--sarif")
    assert done.returncode == 0
    (run,) = json.loads(done.stdout)["runs"]
    assert (run["results"], run["tool"]["driver"]["rules"]) == ([], [])
    assert run["invocations"][0]["executionSuccessful"] is True


def test_progress_goes_to_standard_error_and_only_when_asked_for_or_at_a_terminal(machine):
    put(machine, "a", "nothing")
    assert machine.run("scan", "a").stderr == ""
    asked = machine.run("scan", "a", "--progress", "--json")
    assert "Scanning" in asked.stderr
    assert json.loads(asked.stdout)["files"] == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device here")
def test_a_report_that_can_not_be_written_is_an_error(machine):
    put(machine, "a", "nothing")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "guardhouse", "scan", "a"],
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=machine.project,
            env={"HOME": str(machine.home), "PATH": os.environ["PATH"]},
            check=False,
        )
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


def test_a_fingerprint_is_the_same_for_the_same_value_and_lets_it_be_allowed(machine, scanned):
    put(machine, "a.txt", f"{TOKEN} and {OTHER}\n")
    put(machine, "b.txt", f"{TOKEN}\n")
    _status, report = scanned("a.txt", "b.txt", "--fingerprints")
    first, other, again = (finding["fingerprint"] for finding in report["findings"])
    assert len(first) == 32
    assert (first == again, first == other) == (True, False)
    config = put(machine, "own.yaml", f"guard:\n  secrets:\n    allowed: ['{first}']\n")
    _status, report = scanned("a.txt", "b.txt", "--config", str(config))
    assert [finding["path"] for finding in report["findings"]] == ["a.txt"]


def test_what_is_a_secret_in_a_file_is_not_told_by_its_name(machine):
    put(machine, f"{PASSWORD}/conf", "pass" + f"word = {PASSWORD}\n")
    done = machine.run("scan", ".")
    assert PASSWORD not in done.stdout + done.stderr


def test_directories_of_git_are_counted(machine, scanned):
    put(machine, "a/.git/config", f"url = https://{TOKEN}@git.example\n")
    _status, report = scanned(".")
    assert (report["findings"], report["not_entered"]) == ([], 1)


@pytest.mark.parametrize("arguments", [(TOKEN,), ("scan", "--kind", TOKEN, "."), ("scan", f"--{TOKEN}", "x")])
def test_bad_usage_does_not_repeat_a_secret(machine, arguments):
    done = machine.run(*arguments)
    assert done.returncode == 2
    assert TOKEN[8:] not in done.stdout + done.stderr
    assert "Usage" in done.stderr
