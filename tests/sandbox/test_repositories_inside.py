"""Repositories of git in the sandbox: they can be worked with, and name no program that runs outside later."""

import subprocess

import pytest
from sandboxed import events, eventually

GIT = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "init.defaultBranch=main"]


def git(sandbox, *words, cwd=None):
    subprocess.run([*GIT, *map(str, words)], cwd=cwd or sandbox.workspace, env=sandbox.env, check=True)


def put_aside(sandbox):
    return sorted(
        one.name.partition(".from-sandbox-")[0] for one in sandbox.workspace.glob("*.from-sandbox-*")
    ) + sorted(one.name.partition(".from-sandbox-")[0] for one in sandbox.workspace.glob(".*.from-sandbox-*"))


def test_a_commit_has_the_users_name_and_nothing_else_of_their_settings(sandbox):
    (sandbox.home / ".gitconfig").write_text(
        '[user]\n\tname = Ada "the" Lovelace\n\temail = ada@example.com\n'
        "[credential]\n\thelper = store\n[http]\n\textraheader = Authorization: secret\n[alias]\n\tx = !sh\n"
    )
    git(sandbox, "init", "-q", ".")
    done = sandbox.shell("git commit -q --allow-empty -m one && git log --format='%an <%ae>'; git config --global -l")
    assert done.stdout == "Ada the Lovelace <ada@example.com>\nuser.name=Ada the Lovelace\nuser.email=ada@example.com\n"


def test_a_repository_that_is_made_inside_stays_if_it_runs_nothing(sandbox):
    done = sandbox.shell("git init -q . && git remote add origin https://git.example/x.git && git status --short")
    assert done.returncode == 0
    assert sandbox.run("git", "remote", "-v").stdout.startswith("origin")
    assert put_aside(sandbox) == []


@pytest.mark.parametrize(
    "makes",
    [
        "git init -q . && git config core.fsmonitor ./evil",
        "git init -q . && git config core.sshCommand ./evil",
        "git init -q . && git config alias.st '!./evil'",
        "git init -q . && git config include.path ../evil",
        "git init -q . && git config remote.origin.uploadpack ./evil",
        "git init -q . && git config filter.x.clean ./evil",
        "git init -q . && echo x > .git/hooks/pre-commit",
        "git init -q . && rm -r .git/hooks && ln -s ../evil .git/hooks",
        "git init -q . && echo ../evil > .git/commondir",
        "git init -q elsewhere && git -C elsewhere config core.fsmonitor ./evil && ln -s elsewhere/.git .git",
        "git init -q elsewhere && git -C elsewhere config core.fsmonitor ./evil && echo gitdir: elsewhere/.git > .git",
        "git init -q . && printf '[core' > .git/config",
    ],
)
def test_a_repository_that_would_run_something_is_put_aside(sandbox, makes):
    assert sandbox.shell(makes).returncode == 0
    eventually(lambda: not (sandbox.workspace / ".git").exists() and not (sandbox.workspace / ".git").is_symlink())
    assert ".git" in put_aside(sandbox)
    eventually(lambda: any("put aside" in event["detail"] for event in events(sandbox)))


def test_a_repository_in_the_place_of_the_workspace_itself_is_broken_up(sandbox):
    assert sandbox.shell("git init -q --bare . && git config core.fsmonitor ./evil").returncode == 0
    eventually(lambda: not (sandbox.workspace / "HEAD").exists())


BARE = """
mkdir -p objects refs
echo 'ref: refs/heads/main' > HEAD
printf '[core]\\nrepositoryformatversion=0\\nbare=false\\nworktree=.\\nfsmonitor="touch %s; false"\\n' "$1" > config
"""


@pytest.mark.parametrize("breaks", ["rm .git/HEAD", "mv .git/refs .git/r", "rm -r .git/objects", "true"])
def test_a_repository_beside_one_that_was_broken_runs_nothing(sandbox, breaks):
    """Where `.git` is none, git takes the directory itself."""
    git(sandbox, "init", "-q", ".")
    mark = sandbox.root / "ran"
    assert sandbox.run("bash", "-c", breaks + BARE, "bash", mark).returncode == 0
    subprocess.run(["git", "status"], cwd=sandbox.workspace, env=sandbox.env, capture_output=True, check=False)
    assert not mark.exists()
    assert put_aside(sandbox) == ["HEAD"]


@pytest.mark.parametrize("further_in", [False, True])
@pytest.mark.parametrize("change", ["git config alias.a '!b'", "echo x > hooks/update", "echo x > tools/update"])
def test_a_repository_without_a_working_tree_is_protected_where_it_is_the_workspace(sandbox, change, further_in):
    place = sandbox.workspace / "store" if further_in else sandbox.workspace
    git(sandbox, "init", "-q", "--bare", place)
    (place / "tools").mkdir()
    git(sandbox, "config", "core.hooksPath", "tools", cwd=place)
    assert sandbox.shell(f"cd {place} && {change}").returncode != 0
    assert sandbox.shell(f"git -C {place} update-ref --stdin < /dev/null").returncode == 0
    assert put_aside(sandbox) == []
    assert (place / "HEAD").is_file()


HOOKS_LEAD_ELSEWHERE = [
    # how it is set up outside, and what runs when somebody commits there
    ("ln -s ../../tools/hook .git/hooks/pre-commit", "tools/hook"),
    ("ln -s ../../tools/link .git/hooks/pre-commit; ln -s hook tools/link", "tools/hook"),
    ("ln -s ../../tools/link .git/hooks/pre-commit; ln -s hook tools/link", "tools/link"),
    ("ln -s ../../tools/later .git/hooks/pre-commit", "tools/later"),
    ("echo 'exec \"./tools/hook\" now' > .git/hooks/pre-commit", "tools/hook"),
    ("git config core.hooksPath tools/hooks; ln -s ../hook tools/hooks/pre-commit", "tools/hook"),
    ("git config core.hooksPath .husky/_; mkdir -p .husky/_; touch .husky/_/h .husky/pre-commit", ".husky/pre-commit"),
    ("git config core.hooksPath .husky/_; mkdir -p .husky/_; touch .husky/_/h", ".husky/pre-push"),
    ("echo 'ARGS=(hook-impl)' > .git/hooks/pre-commit; touch .pre-commit-config.yaml", ".pre-commit-config.yaml"),
    ("echo 'call_lefthook run' > .git/hooks/pre-commit", "lefthook-local.yml"),
]


@pytest.mark.parametrize(("sets_up", "place"), HOOKS_LEAD_ELSEWHERE)
@pytest.mark.parametrize("where", [".", "sub"])
def test_what_hooks_lead_to_can_neither_be_changed_nor_made(sandbox, sets_up, place, where):
    tree = sandbox.workspace / where
    tree.mkdir(exist_ok=True)
    git(sandbox, "init", "-q", ".", cwd=tree)
    tools = "mkdir -p tools/hooks; printf '#!/bin/sh\n' > tools/hook; chmod +x tools/hook"
    subprocess.run(["sh", "-ec", f"{tools}; {sets_up}"], cwd=tree, env=sandbox.env, check=True)
    before = (tree / place).read_text() if (tree / place).exists() else None
    sandbox.shell(f"cd {where}; echo evil > new; mv new {place}; rm -f {place}; echo evil >> {place}; chmod +x {place}")
    eventually(lambda: not list((sandbox.state / "sandbox").glob("left-*")))
    # A link that somebody takes away is gone; nothing stands in its place.
    assert ((tree / place).read_text() if (tree / place).exists() else None) in {before, None}


def test_what_a_hook_only_mentions_can_be_worked_with(sandbox):
    """Neither what is no program, nor what packages brought along."""
    git(sandbox, "init", "-q", ".")
    for place in ("package.json", "node_modules/x/cli", ".venv/pyvenv.cfg", ".venv/bin/ruff"):
        (sandbox.workspace / place).parent.mkdir(parents=True, exist_ok=True)
        (sandbox.workspace / place).touch(0o644 if "." in place[-8:] else 0o755)
    (sandbox.workspace / ".git/hooks/pre-commit").write_text("cat package.json; node_modules/x/cli; .venv/bin/ruff\n")
    assert sandbox.shell("echo x > package.json; rm -r node_modules .venv").returncode == 0


def test_a_file_that_is_only_called_like_a_part_of_one_stays(sandbox):
    assert sandbox.shell("echo x > HEAD").returncode == 0
    assert sandbox.run("cat", "HEAD").stdout == "x\n"


@pytest.fixture
def tree(sandbox):
    """A working tree whose repository lies elsewhere."""
    main = sandbox.home / "main"
    git(sandbox, "init", "-q", main)
    git(sandbox, "commit", "-q", "--allow-empty", "-m", "one", cwd=main)
    sandbox.workspace.rmdir()
    git(sandbox, "worktree", "add", "-q", sandbox.workspace, cwd=main)
    return main


def test_a_linked_working_tree_can_be_worked_with(sandbox, tree):
    done = sandbox.shell("git -c user.name=a -c user.email=a@b commit -q --allow-empty -m two && git log --format=%s")
    assert done.stdout == "two\none\n"
    assert sandbox.run("ls", str(tree)).stdout == ""  # of the other one, only the repository is there


@pytest.mark.parametrize(
    "change",
    [
        "echo gitdir: x > .git",
        "rm .git",
        "mv .git other",
        "git config core.fsmonitor ./evil",
        "echo x > {main}/.git/hooks/pre-commit",
        "mv {main}/.git/hooks {main}/.git/other",
        "echo .. > {main}/.git/worktrees/project/commondir",
        "mv {main}/.git/worktrees {main}/.git/other",
    ],
)
def test_its_repository_runs_nothing_else_afterwards(sandbox, tree, change):
    assert sandbox.shell(change.format(main=tree)).returncode != 0
    assert (sandbox.workspace / ".git").read_text().startswith(f"gitdir: {tree}")


def test_a_file_that_only_claims_to_be_a_linked_working_tree_shows_nothing(sandbox):
    other = sandbox.home / "other"
    git(sandbox, "init", "-q", other)
    (other / ".git" / "worktrees" / "x").mkdir(parents=True)
    (sandbox.workspace / ".git").write_text(f"gitdir: {other}/.git/worktrees/x\n")
    assert sandbox.run("ls", str(other / ".git")).returncode != 0
    (sandbox.workspace / ".git").write_text(f"gitdir: {sandbox.home}/.ssh\n")
    assert sandbox.run("ls", str(sandbox.home / ".ssh")).returncode != 0


PASSWORD = "correct-horse-battery"
SIGNS_IN = [
    # a setting, its value, and what is seen of that inside
    ("remote.origin.url", f"https://ada:{PASSWORD}@git.example/x.git", "https://git.example/x.git"),
    ("remote.origin.url", f"https://{PASSWORD}@git.example/x.git", "https://git.example/x.git"),
    ("remote.origin.pushurl", f"https://ada:{PASSWORD}@x@git.example/x.git", "https://git.example/x.git"),
    (f"url.https://ada:{PASSWORD}@git.example/.insteadOf", "https://git.example/", None),
    ("http.https://git.example/.extraheader", f"AUTHORIZATION: basic {PASSWORD}", None),
    ("http.proxy", f"http://ada:{PASSWORD}@proxy.example:3128", "http://proxy.example:3128"),
    ("credential.helper", f"!f() {{ echo password={PASSWORD}; }}; f", None),
    ("github.token", PASSWORD, None),
    ("sendemail.smtpPass", PASSWORD, None),
    ("alias.publish", f"!curl -H 'Authorization: Bearer ghp_{PASSWORD.replace('-', '')}0123456789abcdef' x", None),
]
ODD = 'one\n two\t"three" \\four # five; '


@pytest.fixture
def signed_in(sandbox):
    """A working tree with settings that are not easily written, and how many lines of them are seen inside."""
    git(sandbox, "init", "-q", ".")
    git(sandbox, "config", "user.note", ODD)
    git(sandbox, "config", 'branch.we"ird\\one.description', "x")
    (sandbox.workspace / ".git" / "config").open("a").write("[Core]\n\tBare = no\n\tsymlinks\n")
    return sandbox


@pytest.mark.parametrize(("name", "value", "seen"), SIGNS_IN)
@pytest.mark.parametrize("options", [(), ("--read-only",)])
def test_what_signs_somebody_in_is_not_seen_in_the_settings_of_a_repository(signed_in, name, value, seen, options):
    listed = ("git", "config", "--local", "--list", "-z")
    before = signed_in.run(*listed, options=options).stdout
    git(signed_in, "config", name, value)
    done = signed_in.shell("cat .git/config && git status --short && git log --all", options=options)
    assert done.returncode == 0, done
    assert "correct" not in done.stdout
    after = signed_in.run(*listed, options=options).stdout
    assert after.startswith(before)
    assert f"user.note\n{ODD}\0" in after
    assert seen is None or signed_in.run("git", "config", name, options=options).stdout == f"{seen}\n"
    assert signed_in.shell("echo x >> .git/config; rm .git/config; mv .git x", options=options).returncode != 0
    written = subprocess.run(
        ["git", "config", name], cwd=signed_in.workspace, capture_output=True, text=True, check=True
    )
    assert written.stdout == f"{value}\n"


@pytest.mark.parametrize("where", ["further/in", "included", "module", "tree", "worktree", "link"])
def test_nor_in_any_other_settings_of_it(signed_in, where):
    work, options, cwd = signed_in.workspace, (), signed_in.workspace
    setting = ("remote.origin.url", f"https://ada:{PASSWORD}@git.example/x.git")
    match where:
        case "further/in":
            git(signed_in, "init", "-q", "further/in")
            git(signed_in, "-C", "further/in", "config", *setting)
        case "included":
            (work / "settings").mkdir()
            git(signed_in, "config", "--file", work / "settings/more", *setting)
            git(signed_in, "config", "includeIf.gitdir:/never/.path", "../settings/more")
        case "module":
            git(signed_in, "init", "-q", "--bare", work / ".git" / "modules" / "x")
            git(signed_in, "config", "--file", work / ".git" / "modules" / "x" / "config", *setting)
        case "worktree":
            git(signed_in, "config", "extensions.worktreeConfig", "true")
            git(signed_in, "config", "--worktree", *setting)
        case "tree":
            git(signed_in, "config", *setting)
            git(signed_in, "commit", "-q", "--allow-empty", "-m", "one")
            cwd = signed_in.home / "tree"
            git(signed_in, "worktree", "add", "-q", cwd)
        case "link":
            git(signed_in, "config", *setting)
            options = ("--read-only",)
            (work / "another-name").hardlink_to(work / ".git" / "config")
    done = signed_in.shell(
        f"grep -rs {PASSWORD} . $(git rev-parse --git-common-dir); git rev-parse --git-dir",
        cwd=cwd, options=options,
    )  # fmt: skip
    assert PASSWORD not in done.stdout
    assert ".git" in done.stdout


def test_settings_that_a_policy_shows_are_seen_whole(signed_in):
    git(signed_in, "config", "github.token", PASSWORD)
    signed_in.configure(f"guard: {{sandbox: {{shown: ['{signed_in.workspace}/.git/config']}}}}\n")
    assert signed_in.run("git", "config", "github.token").stdout == f"{PASSWORD}\n"
