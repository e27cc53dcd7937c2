"""Finding the files that apply, with real directories; and following them as they change."""

import os
import subprocess

import pytest

from guardhouse.config import (
    Locations,
    ReloadingPolicy,
    Sources,
    TrustStore,
    find_locations,
    find_sources,
    surroundings,
)
from guardhouse.model import GuardhouseError, PolicyError


@pytest.fixture
def place(tmp_path):
    """A machine with a system, a home and a project, all empty."""
    return Place(tmp_path)


class Place:
    def __init__(self, root):
        self.root = root
        self.project = root / "home" / "work" / "app" / "sub"
        self.project.mkdir(parents=True)
        self.locations = Locations(
            home=root / "home",
            system=root / "etc" / "guardhouse",
            user=root / "home" / ".config" / "guardhouse",
            state=root / "home" / ".local" / "state" / "guardhouse",
            keys=root / "home" / ".local" / "share" / "guardhouse" / "keys",
        )
        self.locations.system.mkdir(parents=True)
        self.locations.user.mkdir(parents=True)

    def sources(self, cwd=None, config_file=None, **variables):
        return Sources(self.locations, cwd or self.project, variables, config_file)

    def load(self, **variables):
        return self.sources(**variables).load()

    def trust(self, file):
        TrustStore(self.locations.trusted).trust(file, file.read_bytes())


DENY = "guard: {bash: deny}\n"
LOOSE = "guard: {network: {default: {allowed_domains: [a.example]}}}\n"


def test_without_any_file_the_built_in_policy_is_in_force(place):
    assert place.load().config.preset == "dev"
    assert place.load().sources == {}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("config.yaml", DENY),
        ("config.yml", DENY),
        ("config.toml", "guard.bash = 'deny'"),
        ("config.json", '{"guard": {"bash": "deny"}}'),
    ],
)
@pytest.mark.parametrize("whose", ["system", "user"])
def test_a_configuration_is_found_in_every_format(place, whose, name, text):
    file = getattr(place.locations, whose) / name
    file.write_text(text)
    assert place.load().config.bash == "deny"
    assert place.load().sources["bash"] == str(file)


def test_all_layers_come_together(place):
    (place.locations.system / "config.yaml").write_text("guard: {limits: {max_bytes: 1000, max_nodes: 1000}}")
    (place.locations.user / "config.toml").write_text("guard.limits.max_nodes = 900\n")
    (place.project / ".guardhouse.json").write_text('{"guard": {"bash": "deny"}}')
    config = place.load(GUARDHOUSE_LIMITS_MAX_BYTES="500").config
    assert (config.limits.max_bytes, config.limits.max_nodes, config.bash) == (500, 900, "deny")


def test_a_named_file_stands_in_for_the_users_own(place):
    (place.locations.user / "config.yaml").write_text("guard: {limits: {max_bytes: 7}}")
    other = place.root / "other.yaml"
    other.write_text(DENY)
    config = place.sources(config_file=other).load().config
    assert config.bash == "deny"
    assert config.limits.max_bytes != 7


def test_a_named_file_that_is_not_there_is_an_error(place):
    with pytest.raises(PolicyError, match="can't be read"):
        place.sources(config_file=place.root / "nope.yaml").load()


@pytest.mark.parametrize("where", ["system", "user", "project"])
def test_two_files_in_one_directory_are_an_error(place, where):
    directory, name = {
        "system": (place.locations.system, "config"),
        "user": (place.locations.user, "config"),
        "project": (place.project, ".guardhouse"),
    }[where]
    (directory / f"{name}.yaml").write_text(DENY)
    (directory / f"{name}.toml").write_text("guard.bash = 'deny'")
    with pytest.raises(PolicyError, match="both there"):
        place.load()


def a_directory(path):
    path.mkdir()


def a_dangling_link(path):
    path.symlink_to("nowhere.yaml")


def a_looping_link(path):
    path.symlink_to(path.name)


def a_pipe(path):
    os.mkfifo(path)


@pytest.mark.parametrize("make", [a_directory, a_dangling_link, a_looping_link, a_pipe])
@pytest.mark.parametrize("where", ["system", "user", "project", "outer", "allowed", "mode"])
def test_a_file_that_can_not_be_read_is_an_error_not_an_absent_file(place, where, make):
    path = {
        "system": place.locations.system / "config.yaml",
        "user": place.locations.user / "config.toml",
        "project": place.project / ".guardhouse.yaml",
        "outer": place.project.parent / ".guardhouse.json",
        "allowed": place.locations.allowed,
        "mode": place.locations.mode,
    }[where]
    (place.project / ".guardhouse.toml").write_text("guard.bash = 'deny'")
    if where == "project":
        (place.project / ".guardhouse.toml").unlink()
    make(path)
    with pytest.raises(PolicyError) as error:
        place.load()
    assert str(path) in str(error.value)


@pytest.mark.parametrize("make", [a_directory, a_looping_link])
def test_a_trust_store_that_can_not_be_read_is_an_error(place, make):
    (place.project / ".guardhouse.yaml").write_text(DENY)
    make(place.locations.trusted)
    with pytest.raises(PolicyError, match=r"trusted\.json can't be read"):
        place.load()


def test_a_link_to_a_configuration_is_followed(place):
    (place.root / "real.yaml").write_text(DENY)
    (place.locations.user / "config.yaml").symlink_to(place.root / "real.yaml")
    assert place.load().config.bash == "deny"


# Project files


def test_every_project_file_above_counts_the_outermost_first(place):
    files = [place.project.parent / ".guardhouse.yaml", place.project / ".guardhouse.yaml"]
    files[0].write_text(DENY)
    files[1].write_text("guard: {limits: {max_bytes: 9}}")
    assert place.sources().project_files() == files
    config = place.load().config
    assert (config.bash, config.limits.max_bytes) == ("deny", 9)


def test_a_file_in_a_subdirectory_can_not_hide_what_one_above_forbids(place):
    (place.project.parent / ".guardhouse.yaml").write_text(DENY)
    (place.project / ".guardhouse.yaml").write_text("guard: {bash: ask}")
    with pytest.raises(PolicyError, match="would loosen"):
        place.load()


def test_a_project_reached_through_a_link_is_below_the_same_files(place):
    (place.project.parent / ".guardhouse.yaml").write_text(DENY)
    link = place.root / "link"
    link.symlink_to(place.project)
    assert place.sources(cwd=link).load().config.bash == "deny"


def test_a_project_file_that_loosens_is_refused_until_trusted(place):
    file = place.project / ".guardhouse.yaml"
    file.write_text(LOOSE)
    with pytest.raises(PolicyError, match=f"guardhouse trust {file}"):
        place.load()
    place.trust(file)
    assert place.load().config.network["default"].allowed_domains == ("a.example",)


def test_one_changed_byte_ends_the_trust(place):
    file = place.project / ".guardhouse.yaml"
    file.write_text(LOOSE)
    place.trust(file)
    file.write_text(LOOSE + "\n")
    with pytest.raises(PolicyError, match="not trusted"):
        place.load()
    file.write_text(LOOSE)
    assert place.load()


def test_trusted_bytes_in_another_place_are_not_trusted(place):
    file = place.project / ".guardhouse.yaml"
    file.write_text(LOOSE)
    place.trust(file)
    file.rename(place.project.parent / ".guardhouse.yaml")
    with pytest.raises(PolicyError, match="not trusted"):
        place.load()


def test_trust_follows_a_directory_by_whatever_way_it_is_reached(place):
    file = place.project / ".guardhouse.yaml"
    file.write_text(LOOSE)
    link = place.root / "link"
    link.symlink_to(place.project)
    place.trust(link / ".guardhouse.yaml")
    assert place.load()


def test_even_a_trusted_project_can_not_switch_the_gate_off(place):
    file = place.project / ".guardhouse.yaml"
    for text in ("guard: {enabled: false}", "guard: {mode: observe}"):
        file.write_text(text)
        place.trust(file)
        with pytest.raises(PolicyError, match="can't be"):
            place.load()


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", '{"files": []}', '{"files": {"/x": 1}}', '{"files": null}', '{"files": {}, "files": {}}', "\x00"],
)
def test_a_damaged_trust_store_is_an_error(place, content):
    (place.project / ".guardhouse.yaml").write_text(DENY)
    place.locations.trusted.write_text(content)
    with pytest.raises(PolicyError, match="damaged"):
        place.load()


# Locations


def test_locations_follow_the_environment():
    found = find_locations({"HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s"})
    assert (str(found.user), str(found.state), str(found.home)) == ("/c/guardhouse", "/s/guardhouse", "/h")
    found = find_locations({"HOME": "/h", "XDG_CONFIG_HOME": ""})
    assert (str(found.user), str(found.state)) == ("/h/.config/guardhouse", "/h/.local/state/guardhouse")
    assert str(find_locations({"HOME": "/h", "GUARDHOUSE_STATE_DIR": "/x"}).state) == "/x"


@pytest.mark.parametrize("name", ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"])
def test_a_relative_directory_for_the_users_own_files_is_an_error(name):
    with pytest.raises(GuardhouseError, match=name):
        find_locations({"HOME": "/h", name: "config"})


def test_the_sources_of_this_process_are_its_own(place, monkeypatch):
    monkeypatch.setenv("HOME", str(place.root / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("GUARDHOUSE_BASH", "deny")
    monkeypatch.chdir(place.project)
    (place.locations.user / "config.yaml").write_text("guard: {limits: {max_nodes: 77}}")
    config = find_sources().load().config
    assert (config.bash, config.limits.max_nodes) == ("deny", 77)


def test_the_guards_own_places_are_known_by_name_and_by_where_they_lie(place):
    real = place.root / "elsewhere"
    place.locations.user.rmdir()
    real.mkdir()
    place.locations.user.symlink_to(real)
    own = {one.path: one.readable for one in surroundings(place.locations, place.project).own}
    assert own[str(place.locations.user)] is own[str(real)] is True
    assert own[str(place.locations.state)] is False


# Reloading


@pytest.fixture
def reloading(place):
    return ReloadingPolicy(place.sources(), interval=0)


def test_nothing_is_made_again_while_nothing_changes(reloading):
    assert reloading.current() is reloading.current()


def test_a_change_of_any_file_is_picked_up(place, reloading):
    revisions = [reloading.current().revision]
    for path, text in (
        (place.locations.user / "config.yaml", DENY),
        (place.locations.system / "config.toml", "guard.limits.max_bytes = 5000000\n"),
        (place.project.parent / ".guardhouse.yaml", "guard: {limits: {max_bytes: 4000000}}"),
        (place.project / ".guardhouse.json", '{"guard": {"limits": {"max_bytes": 3000000}}}'),
        (place.locations.allowed, '{"guard": {"commands": {"allowed": ["make"]}}}'),
        (place.locations.mode, '{"guard": {"mode": "observe"}}'),
    ):
        path.write_text(text)
        revisions.append(reloading.current().revision)
    (place.locations.user / "config.yaml").unlink()
    revisions.append(reloading.current().revision)
    assert len(set(revisions)) == len(revisions)


def test_trust_given_and_taken_is_picked_up(place, reloading):
    reloading.current()
    file = place.project / ".guardhouse.yaml"
    file.write_text(LOOSE)
    with pytest.raises(PolicyError):
        reloading.current()
    place.trust(file)
    assert reloading.current()
    TrustStore(place.locations.trusted).revoke(file)
    with pytest.raises(PolicyError):
        reloading.current()


def test_a_broken_edit_is_an_error_until_it_is_mended(place, reloading):
    file = place.locations.user / "config.yaml"
    file.write_text(DENY)
    good = reloading.current().revision
    file.write_text("guard: {bash: dney}\n")
    for _ in range(3):
        with pytest.raises(PolicyError, match="bash"):
            reloading.current()
    file.write_text(DENY)
    assert reloading.current().revision == good


def test_an_edit_that_keeps_size_and_time_is_seen_all_the_same(place, reloading):
    file = place.locations.user / "config.yaml"
    file.write_text("guard: {limits: {max_bytes: 1000}}")
    before = file.stat()
    assert reloading.current().config.limits.max_bytes == 1000
    file.write_text("guard: {limits: {max_bytes: 2000}}")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert reloading.current().config.limits.max_bytes == 2000


def test_an_error_told_many_times_keeps_no_frames_of_its_callers(place, reloading):
    (place.locations.user / "config.yaml").write_text("guard: {nope: 1}")

    def frames():
        with pytest.raises(PolicyError) as error:
            reloading.current()
        return len(error.traceback)

    assert frames() == frames() == frames()


def test_between_two_looks_the_policy_stays(place):
    reloading = ReloadingPolicy(place.sources(), interval=3600)
    before = reloading.current()
    (place.locations.user / "config.yaml").write_text(DENY)
    assert reloading.current() is before
    assert reloading.reload() is not before
    assert reloading.current() is reloading.reload()


def test_an_untrusted_project_file_is_small_or_refused(tmp_path):
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    (project / ".guardhouse.yaml").write_text("# x\n" * 20_000)
    found = Sources(locations=find_locations({"HOME": str(home)}), cwd=project, variables={})
    with pytest.raises(PolicyError, match="larger than 65536 bytes and not trusted"):
        found.load()


def test_a_pipe_in_place_of_a_file_is_not_waited_for(tmp_path):
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    os.mkfifo(project / ".guardhouse.yaml")
    with pytest.raises(PolicyError, match="not a file"):
        Sources(locations=find_locations({"HOME": str(home)}), cwd=project, variables={}).load()


def test_a_sparse_file_of_gigabytes_is_not_read_to_its_end(tmp_path):
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    with (project / ".guardhouse.yaml").open("wb") as file:
        file.truncate(3 << 30)
    with pytest.raises(PolicyError, match="larger than"):
        Sources(locations=find_locations({"HOME": str(home)}), cwd=project, variables={}).load()


def test_what_the_guard_is_made_of_is_among_its_own_places(tmp_path):
    import msgspec

    around = surroundings(find_locations({"HOME": str(tmp_path)}), tmp_path)
    assert msgspec.__file__.removesuffix("/__init__.py") in {own.path for own in around.own}


def test_the_repository_of_a_linked_working_tree_is_known(tmp_path):
    git = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
    main, tree = tmp_path / "main", tmp_path / "tree"
    subprocess.run([*git, "init", "-q", main], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "one"], cwd=main, check=True)
    subprocess.run([*git, "worktree", "add", "-q", tree], cwd=main, check=True)
    locations = find_locations({"HOME": str(tmp_path)})
    assert str(main / ".git") in surroundings(locations, tree).repository
    assert surroundings(locations, main).repository == ()


@pytest.mark.parametrize("makes", ["file", "pipe"])
def test_a_file_that_only_claims_to_be_a_linked_working_tree_leads_nowhere(tmp_path, makes):
    if makes == "pipe":
        os.mkfifo(tmp_path / ".git")
    else:
        (tmp_path / ".git").write_text(f"gitdir: {tmp_path}/.ssh\n")
    assert surroundings(find_locations({"HOME": str(tmp_path)}), tmp_path).repository == ()
