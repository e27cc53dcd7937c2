"""Files with several names (hard links): what lies over one name does not lie over another."""

import os
import subprocess

import pytest
from sandboxed import eventually

from guardhouse.sandbox import NoSandbox
from guardhouse.sandbox.linking import Names

SECRET = "not-for-anybody-inside"


def refused(sandbox, *names):
    done = sandbox.run("echo", "run")
    assert (done.returncode, done.stdout) == (125, "")
    assert all(name in done.stderr for name in names), done.stderr
    return True


def test_a_new_repository_whose_settings_have_another_name_is_put_aside(sandbox):
    assert sandbox.shell("git init -q . && ln .git/config backdoor").returncode == 0
    assert not (sandbox.workspace / ".git").exists()
    assert sandbox.shell("git init -q --bare b && ln b/config backdoor2").returncode == 0
    assert not (sandbox.workspace / "b" / "HEAD").exists()


@pytest.mark.parametrize("name", [".git/config", ".git/hooks/pre-commit", ".mcp.json", ".husky/pre-push"])
@pytest.mark.parametrize("other", ["notes.txt", ".git/objects/notes", "node_modules/x/y"])
def test_what_is_protected_may_have_no_other_name_that_can_be_written_to(sandbox, name, other):
    subprocess.run(["git", "init", "-q", sandbox.workspace], check=True)
    subprocess.run(["git", "-C", sandbox.workspace, "config", "core.hooksPath", ".husky"], check=True)
    place = sandbox.workspace / name
    place.parent.mkdir(exist_ok=True)
    with place.open("a"):
        pass
    link = sandbox.workspace / other
    link.parent.mkdir(parents=True, exist_ok=True)
    os.link(place, link)
    assert refused(sandbox, name, other)
    link.unlink()
    assert sandbox.run("echo", "run").stdout == "run\n"


def test_a_file_that_is_also_a_file_outside_the_workspace_lets_a_command_in(sandbox):
    subprocess.run(["git", "init", "-q", sandbox.workspace], check=True)
    os.link(sandbox.workspace / ".git" / "config", sandbox.home / "backup")
    for _ in range(2):
        assert sandbox.run("echo", "run").stdout == "run\n"
    assert sandbox.shell("echo >> .git/config").returncode != 0


def test_a_file_that_is_hidden_is_hidden_under_all_its_names(sandbox):
    """A command that finds no `.env` gives one of its files that name, for the person to write to."""
    assert sandbox.shell("mkdir deep .git; echo > notes.txt; ln notes.txt .env; ln notes.txt deep/x").returncode == 0
    (sandbox.workspace / ".env").write_text(SECRET)
    os.link(sandbox.workspace / ".env", sandbox.workspace / "deep" / "y")
    done = sandbox.shell("cat notes.txt deep/x deep/y .env; mv deep other; cat other/*; echo end")
    assert SECRET not in done.stdout
    assert done.stdout == "end\n"
    assert SECRET not in sandbox.shell("cat */*").stdout


def test_settings_that_get_another_name_while_git_writes_them_are_written_anew(sandbox):
    """Git writes to `config.lock`, and renames it."""
    subprocess.run(["git", "init", "-q", sandbox.workspace], check=True)
    repository = sandbox.workspace / ".git"
    links = "echo begun; until ln .git/config.lock .git/bd; do :; done 2>/dev/null; sleep 60"
    process = subprocess.Popen(
        sandbox.command("bash", "-c", links),
        cwd=sandbox.workspace, env=sandbox.env, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout.readline() == "begun\n"
    wanted = (repository / "config").read_text() + "[user]\n\tname = Ada\n"
    (repository / "config.lock").write_text(wanted)
    eventually((repository / "bd").exists)
    (repository / "config.lock").replace(repository / "config")
    assert process.wait(30) != 0
    eventually(lambda: not list((sandbox.state / "sandbox").glob("left-*")))
    assert (repository / "config").read_text() == wanted
    assert sandbox.shell("echo '[alias]x=!y' >> .git/bd").returncode == 0
    assert (repository / "config").read_text() == wanted


def test_settings_that_are_changed_in_place_name_no_programs_of_a_command(sandbox):
    """By a name that the keeper did not know of."""
    subprocess.run(["git", "init", "-q", sandbox.workspace], check=True)
    config = sandbox.workspace / ".git" / "config"
    before = config.read_text()
    process = subprocess.Popen(
        sandbox.command("bash", "-c", "echo begun; until test -e go; do :; done; echo '[alias]x=!y' >> later"),
        cwd=sandbox.workspace, env=sandbox.env, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout.readline() == "begun\n"
    os.link(config, sandbox.workspace / "later")
    (sandbox.workspace / "go").write_text("")
    assert process.wait(30) == 0
    assert config.read_text() == before


def test_where_other_names_can_not_be_looked_for_nobody_is_let_in(tmp_path):
    """Below a path that is too long for the system."""
    (tmp_path / "one").write_text("")
    os.link(tmp_path / "one", tmp_path / "two")
    assert Names().others((str(tmp_path / "one"),), (str(tmp_path),))
    handle = os.open(tmp_path, os.O_RDONLY)
    for _ in range(25):
        os.mkdir("d" * 200, dir_fd=handle)
        below = os.open("d" * 200, os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = below
    os.close(handle)
    with pytest.raises(NoSandbox, match="other names"):
        Names().others((str(tmp_path / "one"),), (str(tmp_path),))
    subprocess.run(["rm", "-rf", tmp_path / ("d" * 200)], check=True)
