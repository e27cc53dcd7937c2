"""What a command plants for whoever works outside later: it is put aside by the time that the command has ended,
wherever it lies and whatever was done to keep it from being found."""

import os
import signal
import subprocess
import tracemalloc

import pytest
from sandboxed import events, eventually

from guardhouse.config import find_sources
from guardhouse.sandbox import NoSandbox, looking, repositories, view_for
from guardhouse.sandbox.looking import Looker, TooMuch
from guardhouse.sandbox.repositories import is_plain
from guardhouse.sandbox.tidying import ToTidy, tidied
from guardhouse.sandbox.view import identity_of

EVIL = "git init -q {0} && git -C {0} config core.fsmonitor ./evil"
SECRET = "not-for-anybody-inside"


def aside(sandbox, *, deep=True):
    return sorted(
        {
            str(one.relative_to(sandbox.workspace)).partition(".from-sandbox-")[0]
            for one in (sandbox.workspace.rglob("*") if deep else sandbox.workspace.glob("*/.*"))
            if ".from-sandbox-" in one.name
        }
    )


def started(sandbox, command, **more):
    """A command that goes on, once it has said that it has begun."""
    process = subprocess.Popen(
        sandbox.command("bash", "-c", f"{command}; echo begun; sleep 600"),
        cwd=more.pop("cwd", sandbox.workspace), env=sandbox.env, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout.readline() == "begun\n"
    return process


@pytest.mark.parametrize(
    "place", ["vendor/x", "node_modules/x/y", "a/b/c/d/e/f/g/h", "target/x", "x.from-sandbox-0/y", ".hidden/x"]
)
def test_a_repository_that_runs_something_is_found_wherever_it_lies(sandbox, place):
    assert sandbox.shell(f"mkdir -p {place} && {EVIL.format(place)}").returncode == 0
    assert not (sandbox.workspace / place / ".git").exists()


@pytest.mark.parametrize("name", [".claude", ".cursor", ".mcp.json", ".roo", "opencode.json", ".vscode"])
def test_settings_of_an_agent_are_found_wherever_somebody_may_work(sandbox, name):
    assert sandbox.shell(f"mkdir -p vendor/a/b/c/d/e && mkdir vendor/a/b/c/d/e/{name} vendor/{name}").returncode == 0
    assert not (sandbox.workspace / "vendor" / name).exists()
    assert not (sandbox.workspace / "vendor/a/b/c/d/e" / name).exists()


@pytest.mark.parametrize("place", [".hg/hgrc", "sub/.hg/hgrc", ".jj/repo/config.toml", "sub/.jj/workspace-config.toml"])
def test_settings_of_other_systems_of_versions_can_neither_be_made_nor_changed(sandbox, place):
    made = sandbox.workspace / place
    assert sandbox.shell(f"mkdir -p $(dirname {place}); echo x > {place}").returncode == 0
    assert not made.exists()
    made.write_text("mine")
    assert sandbox.shell(f"echo x > {place}").returncode != 0
    assert sandbox.shell(f"echo x > $(dirname {place})/store").returncode == 0
    assert made.read_text() == "mine"


def test_what_packages_bring_along_stays(sandbox):
    assert sandbox.shell("mkdir -p node_modules/x/.claude").returncode == 0
    assert (sandbox.workspace / "node_modules/x/.claude").is_dir()
    assert aside(sandbox) == []


def test_a_repository_without_a_working_tree_is_broken_up_if_it_runs_something(sandbox):
    made = "git init -q --bare {0} && git -C {0} config core.fsmonitor ./evil"
    assert sandbox.shell(f"{made.format('a/b')}; {made.format('vendor')}; git init -q --bare plain").returncode == 0
    assert aside(sandbox) == ["a/b/HEAD", "vendor/HEAD"]
    assert (sandbox.workspace / "plain" / "HEAD").is_file()


@pytest.mark.parametrize(
    "makes",
    [
        # What git takes for a repository, in the forms that it accepts.
        "git init -q --bare real; mkdir x; echo ../real > x/commondir; cp real/HEAD x; git -C real config alias.a '!b'",
        "git init -q --bare x; git -C x config alias.a '!b'; rm -r x/objects x/refs; touch x/objects x/refs",
        "git init -q --bare x; git -C x config alias.a '!b'; mv x/refs r; ln -s ../r x/refs",
    ],
)
def test_whatever_git_takes_for_a_repository_is_one(sandbox, makes):
    assert sandbox.shell(makes).returncode == 0
    assert not (sandbox.workspace / "x" / "HEAD").exists()


def test_what_was_put_aside_is_no_repository_under_another_name(sandbox):
    assert sandbox.shell(f"mkdir x; {EVIL.format('x')}").returncode == 0
    [left] = (sandbox.workspace / "x").glob(".git.*")
    done = subprocess.run(["git", "-C", left, "rev-parse", "--git-dir"], capture_output=True, check=False)
    assert done.returncode != 0


def test_the_repository_of_a_submodule_can_not_be_prepared(sandbox):
    """Neither one that is there, by hiding that it is a repository, nor one that git will find later."""
    git = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "protocol.file.allow=always"]
    other = sandbox.home / "other"
    subprocess.run([*git, "init", "-q", other], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "one"], cwd=other, check=True)
    subprocess.run([*git, "init", "-q", sandbox.workspace], check=True)
    subprocess.run([*git, "submodule", "--quiet", "add", other, "sub"], cwd=sandbox.workspace, check=True)
    assert sandbox.shell("mv .git/modules/sub/HEAD .git/modules/sub/H").returncode == 0
    assert sandbox.shell("echo x > .git/modules/sub/config").returncode != 0
    assert sandbox.shell("mv .git/modules/sub/H .git/modules/sub/HEAD && git -C sub status").returncode == 0
    assert aside(sandbox) == []
    assert sandbox.shell("cp -r .git/modules/sub .git/modules/next").returncode == 0
    assert aside(sandbox) == []
    assert (
        sandbox.shell("git init -q --bare .git/modules/a/b && git -C .git/modules/a/b config alias.x '!y'").returncode
        == 0
    )
    assert aside(sandbox) == [".git/modules/a/b/HEAD"]


DIGS = """
import os
for _ in range(40):
    os.mkdir("d" * 200)
    os.chdir("d" * 200)
os.makedirs(".git/objects")
os.mkdir(".git/refs")
open(".git/HEAD", "w").write("ref: refs/heads/main")
open(".git/config", "w").write("[core]\\nfsmonitor = ./evil")
"""


def test_a_path_that_is_too_long_for_the_system_hides_nothing(sandbox):
    """Git gets there step by step, from one repository to the next one in it."""
    assert sandbox.python(DIGS).returncode == 0
    found = subprocess.run(["find", sandbox.workspace, "-name", ".git*"], capture_output=True, text=True, check=True)
    assert [line.rpartition("/")[2].partition("-")[0] for line in found.stdout.split()] == [".git.from"]
    done = sandbox.run("echo", "run")
    assert done.stdout == "run\n", done.stderr


def test_a_path_without_end_is_put_aside_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(looking, "DEEPEST_PATH", 15)
    work = tmp_path
    for place in ("deep/er/and/deeper", "other/.cursor"):
        (work / place).mkdir(parents=True)
    left = ToTidy(
        home="", roots={str(work): identity_of(work)}, repository={}, settings={}, watched=(), closed=(), held={}
    )
    assert {one.place for one in tidied(left, Looker())} == {f"{work}/deep", f"{work}/other/.cursor"}


def test_what_is_too_much_to_look_through_is_put_aside_whole_if_it_is_new(tmp_path, monkeypatch):
    """What was there before is looked through all the same, however long that takes."""
    for place in ("src/a/.cursor", "new/a/b/.cursor", "more/.cursor", *(f"src/{number}" for number in range(30))):
        (tmp_path / place).mkdir(parents=True)
    monkeypatch.setattr(looking, "MOST", 2)
    work = str(tmp_path)
    left = ToTidy(
        home="", roots={work: identity_of(work)}, repository={}, settings={}, watched=(), closed=(), held={},
        known={work: ("src",)},
    )  # fmt: skip
    told = list(tidied(left, Looker()))
    assert not any(one.problem for one in told)
    assert f"{work}/src/a/.cursor" in {one.place for one in told}
    assert (tmp_path / "src").is_dir()
    assert not [place for place in tmp_path.rglob(".cursor") if ".from-sandbox-" not in str(place)]
    assert [one for one in told if one.is_unseen]


def left_in(work, **more):
    """What has to be known to tidy up in a directory where nothing was before."""
    known = {"settings": {}, "watched": (), "closed": (), "held": {}, **more}
    return ToTidy(home="", roots={str(work): identity_of(work)}, repository={}, **known)


@pytest.mark.parametrize(("limit", "most"), [("MOST_WAITING", 20), ("MOST_TOLD", 100)])
def test_what_nobody_could_keep_in_mind_is_put_aside_whole_also_if_it_is_not_new(tmp_path, monkeypatch, limit, most):
    """Otherwise a command could make so much that the keeper fails, and what it left stays."""
    for place in (*(f"src/{number}/.cursor" for number in range(30)), "other/.cursor"):
        (tmp_path / place).mkdir(parents=True)
    monkeypatch.setattr(looking, limit, most)
    told = list(tidied(left_in(tmp_path, known={str(tmp_path): ("other", "src")}), Looker()))
    assert not any(one.problem for one in told)
    assert {one.place for one in told if one.is_unseen} == {f"{tmp_path}/src"}
    assert not (tmp_path / "src").exists()
    assert [one.name.partition(".from")[0] for one in (tmp_path / "other").iterdir()] == [".cursor"]


def test_many_directories_far_down_take_little_memory(tmp_path):
    """Each is known by its own name while it waits, not by the whole way there."""
    far = tmp_path.joinpath(*["d" * 250] * 13)
    for number in range(2_000):
        (far / str(number)).mkdir(parents=True)
    looker = Looker()
    tracemalloc.start()
    try:
        looker.look(str(tmp_path), "/nonexistent", (), leave=())
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 2_000_000  # the ways alone would be 6,500,000


def test_a_name_as_long_as_names_can_be_is_put_aside(tmp_path, monkeypatch):
    place = tmp_path / ("ä" * 127)
    (place / "a").mkdir(parents=True)
    monkeypatch.setattr(looking, "DEEPEST_PATH", 128)
    told = list(tidied(left_in(tmp_path), Looker()))
    assert [(one.place, one.problem) for one in told] == [(str(place), "")]
    assert not place.exists()


DIGS_DEEPER = """
import os
work = os.open(".", os.O_RDONLY)
for _ in range(4900):
    os.mkdir("d" * 9)
    os.chdir("d" * 9)
for number in range(250):
    os.mkdir(str(number))
os.mkdir("249/.cursor")
os.fchdir(work)
os.makedirs("aaa/.cursor")
"""


def test_a_long_way_down_is_no_reason_to_look_no_further(sandbox):
    try:
        assert sandbox.python(DIGS_DEEPER).returncode == 0
        assert aside(sandbox, deep=False) == ["aaa/.cursor"]
        found = subprocess.run(
            ["find", ".", "-name", ".cursor"], cwd=sandbox.workspace, capture_output=True, check=True
        )
        assert found.stdout == b""
    finally:
        subprocess.run(["rm", "-rf", sandbox.workspace], check=True)


def test_who_waits_for_a_command_waits_until_it_is_tidied_up_however_long_that_takes(sandbox):
    process = subprocess.Popen(
        sandbox.command("bash", "-c", "echo begun; read; echo > .mcp.json; echo done"),
        cwd=sandbox.workspace, env=sandbox.env, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout.readline() == "begun\n"
    keeper = sandbox.keeper()
    os.kill(keeper, signal.SIGSTOP)
    try:
        process.stdin.write("\n")
        process.stdin.flush()
        assert "still being looked through" in process.stderr.readline()
        assert process.poll() is None
        assert (sandbox.workspace / ".mcp.json").exists()
    finally:
        os.kill(keeper, signal.SIGCONT)
    assert process.wait(30) == 0
    assert not (sandbox.workspace / ".mcp.json").exists()


def test_git_is_not_asked_about_every_repository_of_very_many(tmp_path, monkeypatch):
    """Those of the simplest form are read without; of the others, only some."""
    asked = []
    monkeypatch.setattr(repositories, "_read_settings", lambda content: asked.append(content) or [])
    for number in range(60):
        subprocess.run(["git", "init", "-q", tmp_path / f"plain{number}"], check=True)
    for number in range(55):
        (tmp_path / f"odd{number}" / ".git").mkdir(parents=True)
        (tmp_path / f"odd{number}" / ".git" / "config").write_text(f"# {number}")
    work = str(tmp_path)
    left = ToTidy(home="", roots={work: identity_of(work)}, repository={}, settings={}, watched=(), closed=(), held={})
    assert len(list(tidied(left, Looker()))) == 5
    assert len(asked) == 50


@pytest.mark.parametrize(
    "content",
    [
        b"[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
        b'[remote "origin"]\n\turl = https://git.example/x.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n',
        b'[branch "Main"]\n\tremote = origin\n\tMerge = refs/heads/main  \n',
        b"[core] fsmonitor = ./evil\n",
        b"[core]\n\tx = a \\\n\tfsmonitor = ./evil\n",
        b'[core]\n\tx = "a\n\tfsmonitor = ./evil\n',
        b"[core]\r\n\tfsmonitor = ./evil\r\n",
        b"\xef\xbb\xbf[core]\n\tbare = true\n",
        b"[core]\n\tbare\n",
        b"[core]\n\tbare = true # it is\n",
        b"bare = true\n",
        b'[a "b\\"c"]\nd = e\n',
        b"[a.B]\nd = e\n",
        b"[a]\n[b]\nc =\n",
        b"[a]\nb = c\x0bd\n",
        b"",
    ],
)
def test_settings_that_are_read_without_git_are_what_git_reads(content):
    simply = repositories._read_simply(content)
    assert simply is None or simply == repositories._read_settings(content)
    assert simply is not None or content not in {b"", b"[core]\n\trepositoryformatversion = 0\n\tbare = false\n"}


def test_a_workspace_in_another_one_is_tidied_up_wherever_it_was_moved_to(sandbox):
    """While a command runs in it, one in the outer workspace moves it, and puts a link in its place."""
    inner, elsewhere = sandbox.workspace / "a" / "inner", sandbox.home / "elsewhere" / "inner"
    inner.mkdir(parents=True)
    elsewhere.mkdir(parents=True)
    (elsewhere / ".mcp.json").write_text("mine")  # where the keeper has no business
    outer = started(sandbox, f"(until test -e go; do :; done; mv a b && ln -s {elsewhere.parent} a) & true")
    process = started(sandbox, "echo '{}' > .mcp.json", cwd=inner)
    (sandbox.workspace / "go").write_text("")
    assert process.wait(30) != 0
    outer.terminate()
    outer.wait()
    eventually(lambda: not list((sandbox.state / "sandbox").glob("left-*")))
    assert (elsewhere / ".mcp.json").read_text() == "mine"
    assert not (sandbox.workspace / "b" / "inner" / ".mcp.json").exists()


@pytest.mark.parametrize(
    ("plants", "again"),
    [
        ("mkdir .cursor sub; echo > .mcp.json; mkdir sub/.claude", "mkdir .cursor sub/.claude; echo > .mcp.json"),
        ("mkfifo .git", EVIL.format(".")),
        ("mkdir sub; mkfifo sub/.git", EVIL.format("sub")),
        (EVIL.format("."), EVIL.format(".")),
        ("git init -q --bare b; git -C b config alias.a '!b'; mv b/refs b/r", "mv b/r b/refs"),
        ("git init -q --bare b; git -C b config alias.a '!b'", "mv b/refs b/r; test -e over && mv b/r b/refs"),
    ],
)
def test_what_a_command_planted_does_not_stay_because_another_has_found_it(sandbox, plants, again):
    """The second command starts when it is there already, and makes it again when the first one has ended."""
    first = started(sandbox, f"({plants}) 2>/dev/null")
    second = started(sandbox, f"(until test -e over; do ({again}); sleep 0.01; done; {again}) >/dev/null 2>&1 & true")
    first.terminate()
    first.wait()
    (sandbox.workspace / "over").write_text("")
    second.terminate()
    second.wait()
    eventually(lambda: not list((sandbox.state / "sandbox").glob("left-*")))
    for place in (".cursor", ".mcp.json", "sub/.claude"):
        assert not (sandbox.workspace / place).exists(), place
    for place in (".git", "sub/.git"):  # who was ended in the middle of it may have made a plain one
        assert not (sandbox.workspace / place).exists() or is_plain(str(sandbox.workspace / place)), place
    assert not ((sandbox.workspace / "b" / "HEAD").exists() and (sandbox.workspace / "b" / "refs").exists())


def test_what_is_held_open_in_an_inner_workspace_outlives_a_command_in_the_outer_one(sandbox):
    inner = sandbox.workspace / "inner"
    inner.mkdir()
    outer = started(sandbox, "true")
    process = started(sandbox, "true", cwd=inner)
    outer.terminate()
    outer.wait()
    eventually(lambda: not (sandbox.workspace / ".codex").exists())
    assert (inner / ".claude").is_dir()
    assert process.poll() is None
    process.kill()
    process.wait()


def test_what_was_there_before_stays_and_can_not_be_changed_however_deep(sandbox):
    for place in ("vendor/x", "a/b/c/d/e/f/g"):
        where = sandbox.workspace / place
        subprocess.run(["git", "init", "-q", where], check=True)
        subprocess.run(["git", "-C", where, "config", "core.fsmonitor", "true"], check=True)
    subprocess.run(["git", "init", "-q", "--bare", sandbox.workspace / "store.git"], check=True)
    for change in (
        "git -C vendor/x config core.fsmonitor ./evil",
        "echo x > a/b/c/d/e/f/g/.git/hooks/pre-commit",
        "git -C store.git config core.fsmonitor ./evil",
    ):
        assert sandbox.shell(change).returncode != 0
    assert sandbox.python("import os; os.rename('a/b', 'other')").returncode != 0
    assert sandbox.shell("git -C vendor/x status --short; echo x > vendor/x/file").returncode == 0
    assert aside(sandbox) == []


def test_a_directory_set_back_in_time_is_looked_into_again(sandbox):
    """Twice: after the command that planted something, and before the one that would read something new."""
    place = sandbox.workspace / "sub"
    place.mkdir()
    (place / "file").write_text("")
    old = (1_700_000_000, 1_700_000_000)
    os.utime(place, old)
    assert sandbox.run("true").returncode == 0
    assert sandbox.shell("echo '{}' > sub/.mcp.json; touch -d @1700000000 sub").returncode == 0
    assert aside(sandbox) == ["sub/.mcp.json"]
    os.utime(place, old)
    assert sandbox.run("true").returncode == 0
    (place / ".env").write_text(SECRET)
    os.utime(place, old)
    assert SECRET not in sandbox.shell("cat sub/.env").stdout


@pytest.mark.parametrize("name", [".claude", ".codex"])
def test_who_takes_away_a_directory_that_is_held_open_ends_what_is_inside(sandbox, name):
    process = started(sandbox, f"(until mkdir {name} && echo > {name}/settings.json; do :; done) 2>/dev/null & true")
    (sandbox.workspace / name).rmdir()
    assert process.wait(30) != 0
    eventually(lambda: any("was replaced outside" in event["detail"] for event in events(sandbox)))
    eventually(lambda: not (sandbox.workspace / name).exists())


def test_what_somebody_outside_puts_into_a_directory_that_is_held_open_stays(sandbox):
    process = started(sandbox, "true")
    (sandbox.workspace / ".claude" / "settings.json").write_text("{}")
    process.kill()
    process.wait()
    eventually(lambda: not (sandbox.workspace / ".codex").exists())
    assert (sandbox.workspace / ".claude" / "settings.json").read_text() == "{}"


@pytest.mark.parametrize(
    "replaces",
    [
        "rm lib/.claude && mkdir lib/.claude && echo '{}' > lib/.claude/settings.json",
        "ln -sfn other lib/.claude",
        "mkdir x && ln -s ../../x lib/new && mv -T lib/new lib/.claude",
    ],
)
def test_a_link_that_was_there_before_is_put_aside_if_it_is_another_one(sandbox, replaces):
    (sandbox.workspace / "lib").mkdir()
    (sandbox.workspace / "settings").mkdir()
    (sandbox.workspace / "lib" / ".claude").symlink_to("../settings")
    assert sandbox.run("true").returncode == 0
    assert (sandbox.workspace / "lib" / ".claude").is_symlink()
    assert sandbox.shell("echo x > settings/settings.json").returncode != 0
    sandbox.shell(replaces)
    eventually(lambda: aside(sandbox) == ["lib/.claude"])
    assert not (sandbox.workspace / "lib" / ".claude").is_symlink()


def test_a_secret_behind_a_link_is_hidden_where_it_lies(sandbox):
    (sandbox.workspace / "settings").write_text(SECRET)
    (sandbox.workspace / ".env").symlink_to("settings")
    (sandbox.workspace / "around").mkdir()
    (sandbox.workspace / "around" / ".env").symlink_to(".")
    done = sandbox.shell("cat .env settings; ls")
    assert SECRET not in done.stdout
    assert done.stdout == "around\nsettings\n"


def test_the_keeper_can_not_be_outlived(sandbox):
    """Every process inside that could be stopped is."""
    process = started(sandbox, "for one in $(seq 2 40); do test $one = $$ || kill -STOP $one; done 2>/dev/null; :")
    sandbox.keeper_killed()
    assert process.wait(30) != 0


def test_what_was_planted_before_a_keeper_was_killed_is_put_aside_by_the_next(sandbox):
    process = started(sandbox, f"echo '{{}}' > .mcp.json; mkdir -p vendor/x; {EVIL.format('vendor/x')}")
    process.send_signal(signal.SIGSTOP)  # bubblewrap itself, outside
    sandbox.keeper_killed()
    assert (sandbox.workspace / ".mcp.json").exists()
    assert sandbox.run("true").returncode == 0
    assert aside(sandbox) == [".mcp.json", "vendor/x/.git"]
    process.send_signal(signal.SIGCONT)
    assert process.wait(30) != 0
    assert not (sandbox.workspace / ".codex").exists()
    assert not list((sandbox.state / "sandbox").glob("left-*"))


def test_what_a_killed_keeper_wrote_down_must_be_readable(sandbox):
    (sandbox.state / "sandbox").mkdir(parents=True)
    note = sandbox.state / "sandbox" / "left-999999999-x"
    note.write_text("{")
    done = sandbox.run("echo", "run")
    assert (done.returncode, done.stdout) == (125, "")
    assert note.name in done.stderr
    note.unlink()
    sandbox.keeper_killed()
    assert sandbox.run("echo", "run").stdout == "run\n"


def test_what_was_left_running_has_ended_when_the_command_has(sandbox):
    """It could put something back that was put aside."""
    loop = "while :; do mkdir -p .cursor; done"
    assert sandbox.shell(f"setsid -f bash -c '{loop}' 2>/dev/null; echo done").stdout == "done\n"
    assert not (sandbox.workspace / ".cursor").exists()
    assert set(aside(sandbox)) <= {".cursor"}


@pytest.fixture
def tree(sandbox):
    """A working tree whose repository lies elsewhere, and says where its hooks are."""
    git = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
    main = sandbox.home / "main"
    subprocess.run([*git, "init", "-q", main], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "one"], cwd=main, check=True)
    sandbox.workspace.rmdir()
    subprocess.run([*git, "worktree", "add", "-q", sandbox.workspace], cwd=main, check=True)
    return main


@pytest.mark.parametrize("file", ["config", "included", "worktrees/project/config.worktree"])
def test_hooks_of_a_linked_working_tree_are_where_its_settings_say(sandbox, tree, file):
    for place in (".husky", "tools"):
        (sandbox.workspace / place).mkdir()
    (sandbox.workspace / "tools" / "clean.sh").write_text("")
    config = tree / ".git" / file
    with config.open("a") as settings:
        settings.write("[core]\n\thooksPath = .husky\n[filter \"x\"]\n\tclean = sh 'tools/clean.sh' %f\n")
    if file == "included":
        with (tree / ".git" / "config").open("a") as settings:
            settings.write("[include]\n\tpath = included\n")
    assert sandbox.shell("echo x > .husky/pre-commit").returncode != 0
    assert sandbox.shell("echo x > tools/clean.sh").returncode != 0
    assert sandbox.shell("echo x > tools/other.sh").returncode == 0


def test_hooks_are_where_the_user_says_for_all_repositories(sandbox):
    (sandbox.home / ".gitconfig").write_text("[core]\n\thooksPath = .githooks\n")
    for place in ("sub", "other"):
        subprocess.run(["git", "init", "-q", sandbox.workspace / place], check=True)
    (sandbox.workspace / "sub" / ".githooks").mkdir()
    assert sandbox.shell("echo x > sub/.githooks/pre-commit").returncode != 0
    assert sandbox.shell("mkdir other/.githooks").returncode == 0
    assert aside(sandbox) == ["other/.githooks"]
    assert sandbox.shell("git init -q new; mkdir new/.githooks; echo x > new/.githooks/pre-commit").returncode == 0
    assert not (sandbox.workspace / "new" / ".git").exists()
    assert sandbox.shell("git init -q plain").returncode == 0
    assert (sandbox.workspace / "plain" / ".git").is_dir()


@pytest.mark.parametrize("replaces", ["ln -sfn other tools/link", "rm tools; mkdir tools", "ln -sfn new tools"])
def test_a_link_to_a_program_that_settings_name_is_kept(sandbox, replaces):
    subprocess.run(["git", "init", "-q", sandbox.workspace], check=True)
    subprocess.run(["git", "-C", sandbox.workspace, "config", "core.fsmonitor", "tools/link"], check=True)
    (sandbox.workspace / "real").mkdir()
    (sandbox.workspace / "real" / "program").write_text("")
    (sandbox.workspace / "real" / "link").symlink_to("program")
    (sandbox.workspace / "tools").symlink_to("real")
    assert sandbox.shell("echo x > real/program").returncode != 0
    sandbox.shell(f"{replaces}; mkdir -p new tools; echo x > new/link; echo x > tools/link; sleep 600", timeout=60)
    eventually(lambda: not (sandbox.workspace / "tools" / "link").exists())


def test_hooks_may_lie_beside_the_repository_that_has_them(sandbox):
    subprocess.run(["git", "init", "-q", sandbox.workspace / "sub"], check=True)
    subprocess.run(["git", "-C", sandbox.workspace / "sub", "config", "core.hooksPath", "../hooks"], check=True)
    (sandbox.workspace / "hooks").mkdir()
    assert sandbox.shell("echo x > hooks/pre-commit").returncode != 0


def test_settings_of_git_that_can_not_be_read_let_nobody_in(sandbox):
    subprocess.run(["git", "init", "-q", sandbox.workspace], check=True)
    (sandbox.workspace / ".git" / "config").write_text("[core")
    done = sandbox.run("echo", "run")
    assert (done.returncode, done.stdout) == (125, "")
    assert "Git can't read" in done.stderr


@pytest.mark.parametrize("problem", [TooMuch(), OSError(24, "Too many open files")])
def test_a_workspace_that_can_not_be_looked_through_lets_nobody_in(tmp_path, monkeypatch, problem):
    """Before a command; and after one it is told, so that it can be recorded."""

    def fails(*_words, **_more):
        raise problem

    monkeypatch.setattr(Looker, "look", fails)
    work = tmp_path / "home" / "project"
    work.mkdir(parents=True)
    sources = find_sources(cwd=work, variables={"HOME": str(work.parent)})
    with pytest.raises(NoSandbox, match="look"):
        view_for(sources, work)
    left = ToTidy(
        home="", roots={str(work): identity_of(work)}, repository={}, settings={}, watched=(), closed=(), held={}
    )
    if isinstance(problem, OSError):
        [told] = tidied(left, Looker())
        assert (told.place, told.problem) == (str(work), problem.strerror)


def test_how_much_is_looked_through_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(looking, "MOST", 50)
    for number in range(40):
        (tmp_path / str(number)).mkdir()
    assert Looker().look(str(tmp_path), "/nonexistent", ()).secrets == []
    for number in range(11):
        (tmp_path / "0" / str(number)).write_text("")
    with pytest.raises(TooMuch):
        Looker().look(str(tmp_path), "/nonexistent", ())


def test_settings_that_are_replaced_outside_name_no_programs_of_a_command(sandbox):
    """It writes into the new file, until it is ended."""
    config = sandbox.workspace / ".git" / "config"
    subprocess.run(["git", "init", "-q", sandbox.workspace], check=True)
    before = config.read_text()
    evil = "while :; do echo '[core] fsmonitor = ./evil' >> .git/config; done 2>/dev/null"
    process = started(sandbox, f"({evil}) & true")
    subprocess.run(["git", "-C", sandbox.workspace, "config", "user.name", "Ada"], check=True)
    assert process.wait(30) != 0
    eventually(lambda: not list((sandbox.state / "sandbox").glob("left-*")))
    # It may have been ended before it could write anything: then what was replaced stays.
    assert config.read_text() in {before, f"{before}[user]\n\tname = Ada\n"}
    assert aside(sandbox) == ([".git/config"] if config.read_text() == before else [])


def test_a_lock_on_settings_does_not_outlast_the_command(sandbox):
    """Git would say outside that they are busy, for ever."""
    places = [".git", ".git/modules/x", "sub/.git"]
    for place in places:
        subprocess.run(["git", "init", "-q", "--bare", sandbox.workspace / place], check=True)
    mine = sandbox.workspace / "sub/.git/config.worktree.lock"
    mine.touch()
    assert sandbox.shell(f"for one in {' '.join(places)}; do touch $one/config.lock; done").returncode == 0
    for place in places:
        subprocess.run(["git", "config", "--file", sandbox.workspace / place / "config", "a.b", "c"], check=True)
    assert mine.exists()


def test_settings_that_somebody_outside_changes_stay_changed(sandbox):
    subprocess.run(["git", "init", "-q", sandbox.workspace], check=True)
    process = started(sandbox, "true")
    subprocess.run(["git", "-C", sandbox.workspace, "config", "user.name", "Ada"], check=True)
    assert process.wait(30) != 0
    eventually(lambda: not list((sandbox.state / "sandbox").glob("left-*")))
    assert "Ada" in (sandbox.workspace / ".git" / "config").read_text()
