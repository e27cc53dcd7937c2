"""Code whose target nobody can tell, programs that type, and rules that rename: each row of their tables, both ways."""

import pytest

from guardhouse.detect.acts import UNKNOWN
from guardhouse.detect.inline import read_code
from guardhouse.detect.paths.hooks import put_together
from guardhouse.detect.shell import follow
from guardhouse.detect.shell.programs.agents_in_code import starts_agent
from guardhouse.detect.shell.programs.typists import TYPISTS
from guardhouse.model import Effect

HOME = "/home/ada"


def acts(command):
    return follow(command, home=HOME, cwd="/srv/app").acts


def may_change(command):
    return {act.target for act in acts(command) if act.vague and act.effect is not Effect.READS}


@pytest.mark.parametrize("row", TYPISTS, ids=lambda row: row.names)
def test_a_program_that_types_elsewhere_is_seen_and_its_other_uses_are_not(row):
    assert any(act.effect is Effect.ESCALATES for act in acts(row.example))
    assert not any(act.effect is Effect.ESCALATES for act in acts(row.harmless))


@pytest.mark.parametrize(
    "command",
    [
        "tmux new -d -s x; tmux send-keys -t x 'npm run dev' Enter",
        "tmux new-session -d -s x && tmux send-keys -t x:0.1 ls Enter",
        "screen -dmS x; screen -S x -X stuff ls",
    ],
)
def test_a_session_that_the_same_command_opened_is_its_own(command):
    assert not any(act.effect is Effect.ESCALATES for act in acts(command))


@pytest.mark.parametrize(
    "command",
    [
        "F=~/.claude/settings.json python3 -c 'import os; os.remove(os.environ[\"F\"])'",
        "set -- ~/.claude/settings.json; python3 -c 'import os; os.remove(os.environ[\"F\"])'",
        "a=(~/.claude/settings.json); perl -e 'unlink $ENV{F}'",
        "perl -ne 'chomp; unlink $_' <<< ~/.claude/settings.json",
        "echo ~/.claude/settings.json > l; perl -ne 'chomp; unlink $_' l",
    ],
)
def test_what_code_may_get_at_it_may_mean(command):
    assert f"{HOME}/.claude/settings.json" in may_change(command)


@pytest.mark.parametrize(
    "command",
    [
        "F=~/.claude/settings.json python3 -c 'import os; print(open(os.environ[\"F\"]).read())'",
        'F=~/.claude/settings.json python3 -c \'import sys; open("a.txt", "w")\'',
        "F=~/notes/a.txt perl -e 'unlink $ENV{F}'",
        "python3 -c 'import glob, os; [os.remove(p) for p in glob.glob(\"*.py\")]' .claude",
    ],
)
def test_code_that_only_reads_or_names_what_it_changes_may_mean_nothing_else(command):
    assert may_change(command) == set()


def test_a_setting_is_put_together_of_its_names_and_of_a_stem_only_with_its_directory():
    assert put_together(frozenset({".claude", "settings.json"}), frozenset(), HOME) == ".claude/settings.json"
    assert put_together(frozenset({".claude"}), frozenset({"settings"}), HOME) == ".claude/settings.json"
    assert put_together(frozenset({"settings.json", "src"}), frozenset({"settings"}), HOME) is None
    assert put_together(frozenset({".claude.json"}), frozenset(), HOME) == f"{HOME}/.claude.json"


def test_an_agent_is_started_by_its_library_only_if_it_asks_nobody():
    assert starts_agent("from claude_agent_sdk import query; query(permission_mode='bypassPermissions')")
    assert not starts_agent("from claude_agent_sdk import query; query(prompt='x')")
    assert not starts_agent("mode = 'bypassPermissions'")


@pytest.mark.parametrize(
    ("language", "code", "path"),
    [
        ("node", "fs.unlinkSync(String.fromCharCode(97, 47) + 'b')", "a/b"),
        ("node", "fs.unlinkSync(['a', 'b'].join('/'))", "a/b"),
        ("node", "fs.unlinkSync('aX/b'.replace('X', ''))", "a/b"),
        ("node", "fs.unlinkSync('a'.concat('/b').trim())", "a/b"),
        ("perl", "unlink chr(97) . '/b'", "a/b"),
        ("perl", "unlink pack('C*', 97, 47, 98)", "a/b"),
        ("perl", "unlink join('/', 'a', 'b')", "a/b"),
        ("perl", "unlink sprintf('%s/%s', 'a', 'b')", "a/b"),
        ("perl", "unlink scalar reverse 'b/a'", "a/b"),
        ("perl", "$p = join('/', 'a', 'b'); unlink $p", "a/b"),
        ("php", "unlink(implode('/', ['a', 'b']));", "a/b"),
        ("php", "unlink(strrev('b/a'));", "a/b"),
        ("ruby", "File.delete(format('%s/b', 'a'))", "a/b"),
        ("ruby", "File.delete([97, 47, 98].pack('c*'))", "a/b"),
        ("lua", "os.remove(string.char(97, 47, 98))", "a/b"),
        ("perl", "unlink sprintf('%05d', $x)", UNKNOWN),
        ("node", "fs.unlinkSync('a'.padStart(9))", UNKNOWN),
        ("perl", "chdir 'a'; unlink 'b'", "a/b"),
        ("perl", "chdir 'a'; chdir 'c'; unlink 'b'", "a/c/b"),
        ("node", "process.chdir(d); fs.unlinkSync('b')", f"{UNKNOWN}/b"),
    ],
)
def test_a_path_that_is_put_together_is_known(language, code, path):
    assert path in {act.target for act in read_code(language, code) if act.effect is Effect.DELETES}
