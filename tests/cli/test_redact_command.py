"""`guardhouse redact`, as its users run it: anything in, the same out without its secrets."""

from __future__ import annotations

import json
import os
import random
import select
import string
import subprocess
import sys
from pathlib import Path

import pytest

TOKEN = "gh" + "p_" + "".join(random.Random(7).choices(string.ascii_letters + string.digits, k=36))
MIB = 1 << 20
EMITS_ITS_PEAK = """
import sys
from guardhouse.cli import main
try:
    main()
finally:
    with open("/proc/self/status") as status:
        print(next(line.split()[1] for line in status if line.startswith("VmHWM")), file=sys.stderr)
"""


@pytest.fixture
def redact(machine):
    """`guardhouse redact` on bytes."""

    def run(data: bytes, *arguments: str, program: tuple[str, ...] = ("-m", "guardhouse"), **streams):
        return subprocess.run(
            [sys.executable, *program, "redact", *arguments],
            input=data,
            stdout=streams.get("stdout", subprocess.PIPE),
            stderr=subprocess.PIPE,
            cwd=machine.project,
            env={"HOME": str(machine.home), "PATH": os.environ["PATH"]},
            timeout=120,
            check=False,
        )

    return run


def test_it_masks_text_and_leaves_the_rest_byte_for_byte(machine):
    done = machine.run("redact", stdin="a\r\nkey sk-abcdefghijklmnopqrstuvwx\n\tend")
    assert done.returncode == 0
    assert done.stdout == "a\r\nkey sk-[redacted]\n\tend"


def test_it_keeps_the_structure_of_a_value(machine):
    done = machine.run("redact", "--value", stdin='{"a": ["sk-abcdefghijklmnopqrstuvwx", 1, null]}')
    assert json.loads(done.stdout) == {"a": ["sk-[redacted]", 1, None]}


def test_it_refuses_a_value_that_is_not_json_without_repeating_it(machine):
    done = machine.run("redact", "--value", stdin="sk-abcdefghijklmnopqrstuvwx")
    assert done.returncode == 2
    assert "abcdefghijkl" not in done.stdout + done.stderr


def test_a_value_over_the_limit_is_refused_and_text_is_not(machine):
    machine.user_config("guard: {limits: {max_bytes: 100}}")
    text = f'"{"x" * 101}"'
    refused = machine.run("redact", "--value", stdin=text)
    assert (refused.returncode, refused.stdout) == (2, "")
    passed = machine.run("redact", stdin=text)
    assert (passed.returncode, passed.stdout) == (0, text)


def test_nothing_in_is_nothing_out(redact):
    done = redact(b"")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize(
    "data",
    [
        bytes(range(256)) * 40,
        "é€😀\u202e\ufeff\0".encode() * 1000,
        b"\xff\xfe\xed\xa0\x80\xc3\xf0\x9f",
        b"x" * (MIB - 1) + "😀".encode() + b"\xf0\x9f",
    ],
    ids=["every byte", "unicode", "no UTF-8", "a character across two reads, and one that never ends"],
)
def test_bytes_without_a_secret_come_out_as_they_went_in(redact, data):
    done = redact(data)
    assert done.returncode == 0
    assert done.stdout == data


def test_bytes_round_a_secret_come_out_as_they_went_in(redact):
    done = redact(b"\xff\0 " + TOKEN.encode() + b" \xc3\r\n")
    assert done.stdout == b"\xff\0 ghp_[redacted] \xc3\r\n"


@pytest.mark.parametrize("inside", [1, 4, 20, len(TOKEN) - 1])
def test_a_secret_that_is_cut_by_a_read_is_masked(redact, inside):
    line = b"nothing to see in this line\n"
    before = (line * (MIB // len(line) + 1))[: MIB - inside - 1] + b" "
    done = redact(before + TOKEN.encode() + b"\n" + line)
    assert done.stdout == before + b"ghp_[redacted]\n" + line


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the peak from /proc")
def test_a_long_stream_takes_no_more_memory_than_a_short_one(redact, tmp_path):
    line = f"2026-01-01 a request came, and was answered 😀 {TOKEN}\n".encode()
    size = 32 * MIB // len(line)
    with (tmp_path / "out").open("wb") as out:
        done = redact(line * size, program=("-c", EMITS_ITS_PEAK), stdout=out)
    assert done.returncode == 0
    assert (tmp_path / "out").stat().st_size == len(line.replace(TOKEN.encode(), b"ghp_[redacted]")) * size
    # A text of this length takes 128 MiB by itself, and so does what is made of it. Most of what is seen here is for
    # the scanner's database, while it is made.
    assert int(done.stderr) < 200 * 1024


def test_a_reader_who_goes_away_ends_it_quietly(machine):
    with subprocess.Popen(
        [sys.executable, "-m", "guardhouse", "redact"],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=machine.project,
        env={"HOME": str(machine.home), "PATH": os.environ["PATH"]},
    ) as process:
        process.stdout.close()
        with pytest.raises(BrokenPipeError):
            for _ in range(64):
                process.stdin.write(b"a line\n" * 100_000)
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device here")
@pytest.mark.parametrize("arguments", [(), ("--value",)])
def test_a_full_disk_is_an_error(redact, arguments):
    with Path("/dev/full").open("wb") as full:
        done = redact(b'"hello"', *arguments, stdout=full)
    assert done.returncode == 2
    assert b"No space left" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_a_closed_stream_is_an_error(machine, closed):
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m guardhouse redact {closed}"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        cwd=machine.project,
        env={"HOME": str(machine.home), "PATH": os.environ["PATH"]},
        check=False,
    )
    assert done.returncode == 2
    assert b"is closed" in done.stderr


def test_output_goes_to_a_file_that_only_its_owner_can_read(machine, redact):
    done = redact(f"key {TOKEN}\n".encode(), "--output", "out.txt")
    assert (done.returncode, done.stdout) == (0, b"")
    out = machine.project / "out.txt"
    assert out.read_text() == "key ghp_[redacted]\n"
    assert out.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in machine.project.iterdir()] == ["out.txt"]


def test_a_file_can_be_masked_in_its_place(machine):
    file = machine.project / "log"
    file.write_text(f"key {TOKEN}\n" * 50_000)
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m guardhouse redact --output log < log"],
        cwd=machine.project,
        env={"HOME": str(machine.home), "PATH": os.environ["PATH"]},
        check=False,
    )
    assert done.returncode == 0
    assert file.read_text() == "key ghp_[redacted]\n" * 50_000


def test_an_output_file_stays_as_it_was_if_something_fails(machine, redact):
    out = machine.project / "out.txt"
    out.write_text("before")
    assert redact(b"{", "--value", "--output", "out.txt").returncode == 2
    assert out.read_text() == "before"
    assert [file.name for file in machine.project.iterdir()] == ["out.txt"]


@pytest.mark.parametrize("output", ["/dev/null", "nowhere/out.txt", "pipe"])
def test_output_to_what_is_no_file_is_refused(machine, redact, output):
    os.mkfifo(machine.project / "pipe")
    done = redact(b"hello", "--output", output)
    assert done.returncode == 2
    assert b"can't be written" in done.stderr
    assert [file.name for file in machine.project.iterdir()] == ["pipe"]
    assert Path("/dev/null").is_char_device()


def test_what_has_come_is_let_go_without_waiting_for_more(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "guardhouse", "redact"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "HOME": str(tmp_path)},
    )
    try:
        process.stdin.write(b"a line of a log that goes on and on\n" * 6_000)
        process.stdin.flush()
        # No end of input: this would wait for ever if it waited for more.
        assert select.select([process.stdout], [], [], 60)[0]
        assert os.read(process.stdout.fileno(), 100).startswith(b"a line of a log")
    finally:
        process.kill()
        process.communicate()
