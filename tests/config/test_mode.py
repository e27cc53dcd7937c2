"""The mode that a command sets: its file, who wins over it, and that it may hold nothing else."""

import json
import stat

import pytest

from guardhouse.config import Locations, ReloadingPolicy, Sources, chosen_mode, get_mode, set_mode
from guardhouse.model import GuardhouseError, PolicyError


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


class Place:
    """A machine with a system, a home and a project, all empty."""

    def __init__(self, root):
        self.root = root
        self.project = root / "home" / "app"
        self.project.mkdir(parents=True)
        own = root / "home" / ".config" / "guardhouse"
        self.locations = Locations(
            home=root / "home", system=root / "etc", user=own, state=root / "state", keys=root / "keys"
        )
        self.locations.system.mkdir()
        own.mkdir(parents=True)

    def sources(self, **variables):
        return Sources(self.locations, self.project, variables)

    def mode(self, **variables):
        return self.sources(**variables).load().config.mode

    def write(self, where, text):
        file = {
            "system": self.locations.system / "config.yaml",
            "user": self.locations.user / "config.yaml",
            "project": self.project / ".guardhouse.yaml",
        }[where]
        file.write_text(text)
        return file


def test_without_a_command_the_policy_is_enforced(place):
    assert get_mode(place.locations) is None
    assert place.mode() == "enforce"
    assert chosen_mode(place.sources()).where == ""


def test_what_is_observed_by_command_is_enforced_again_by_command(place):
    set_mode(place.locations, "observe")
    assert get_mode(place.locations) == "observe"
    assert place.mode() == "observe"
    assert place.sources().load().engine.observe
    set_mode(place.locations, "enforce")
    assert not place.locations.mode.exists()
    assert place.mode() == "enforce"
    set_mode(place.locations, "enforce")


def test_the_file_is_the_users_alone_and_their_own_configuration_is_not_touched(place):
    own = place.write("user", "# mine\nguard: {preset: strict}\n")
    set_mode(place.locations, "observe")
    assert stat.S_IMODE(place.locations.mode.stat().st_mode) == 0o600
    assert own.read_text() == "# mine\nguard: {preset: strict}\n"
    policy = place.sources().load()
    assert (policy.config.mode, policy.config.preset) == ("observe", "strict")
    assert policy.sources["mode"] == str(place.locations.mode)


@pytest.mark.parametrize("written", ["enforce", "observe"])
def test_what_the_user_wrote_by_hand_wins_over_the_command(place, written):
    file = place.write("user", f"guard:\n  bash: ask\n  mode: {written}\n")
    set_mode(place.locations, "observe")
    assert place.mode() == written
    chosen = chosen_mode(place.sources())
    assert (chosen.mode, chosen.where) == (written, f"{file}:3")
    assert f"{file}:3: `mode` is `{written}`" in chosen.problem


def test_the_command_wins_over_what_the_system_says_without_a_lock(place):
    place.write("system", "guard: {mode: enforce}\n")
    set_mode(place.locations, "observe")
    assert place.mode() == "observe"
    set_mode(place.locations, "enforce")
    place.write("system", "guard: {mode: observe}\n")
    assert chosen_mode(place.sources()).where == f"{place.locations.system / 'config.yaml'}:1"


@pytest.mark.parametrize("lock", ["mode", "mode, bash"])
def test_a_lock_on_the_mode_stays_a_lock(place, lock):
    place.write("system", f"guard: {{lock: [{lock}]}}\n")
    with pytest.raises(PolicyError, match="locked by"):
        chosen_mode(place.sources(), assumed="observe")
    set_mode(place.locations, "observe")
    with pytest.raises(PolicyError, match=r"mode\.json:3: `mode` is locked by"):
        place.mode()
    set_mode(place.locations, "enforce")
    assert place.mode() == "enforce"


def test_a_variable_may_enforce_and_never_observe(place):
    set_mode(place.locations, "observe")
    assert place.mode(GUARDHOUSE_MODE="enforce") == "enforce"
    chosen = chosen_mode(place.sources(GUARDHOUSE_MODE="enforce"))
    assert chosen.where == "environment: GUARDHOUSE_MODE"
    set_mode(place.locations, "enforce")
    with pytest.raises(PolicyError):
        place.mode(GUARDHOUSE_MODE="observe")


def test_an_untrusted_project_may_enforce_where_the_user_observes(place):
    set_mode(place.locations, "observe")
    place.write("project", "guard: {mode: enforce}\n")
    assert place.mode() == "enforce"
    assert chosen_mode(place.sources()).mode == "observe"


@pytest.mark.parametrize(
    "guard",
    [
        {"enabled": False},
        {"mode": "observe", "bash": "deny"},
        {"preset": "container"},
        {"findings": {"private_ip": "allow"}},
        {"network": {"default": {"allowed_domains": ["*"]}}},
        {"rules": []},
        {"lock": ["mode"]},
    ],
)
def test_nothing_but_the_mode_counts_in_its_file(place, guard):
    place.locations.mode.write_text(json.dumps({"guard": guard}))
    with pytest.raises(PolicyError, match="is not the mode"):
        place.mode()
    with pytest.raises(GuardhouseError, match="damaged"):
        get_mode(place.locations)


@pytest.mark.parametrize("content", ["", "[]", "{", '{"guard": []}', '{"guard": {"mode": "off"}}', '{"x": 1}'])
def test_a_damaged_file_is_an_error_until_the_command_removes_it(place, content):
    place.locations.mode.write_text(content)
    with pytest.raises(PolicyError, match=r"mode\.json"):
        place.mode()
    with pytest.raises(GuardhouseError, match="damaged"):
        get_mode(place.locations)
    set_mode(place.locations, "enforce")
    assert place.mode() == "enforce"


def test_a_directory_in_its_place_is_an_error_and_is_not_taken_for_absent(place):
    place.locations.mode.mkdir()
    with pytest.raises(PolicyError, match=r"mode\.json"):
        place.mode()
    with pytest.raises(GuardhouseError, match="can't be removed"):
        set_mode(place.locations, "enforce")
    with pytest.raises(GuardhouseError, match="can't be written"):
        set_mode(place.locations, "observe")


def test_a_change_of_the_mode_is_picked_up_by_a_guard_that_runs(place):
    reloading = ReloadingPolicy(place.sources(), interval=0)
    assert not reloading.current().engine.observe
    set_mode(place.locations, "observe")
    assert reloading.current().engine.observe
    set_mode(place.locations, "enforce")
    assert not reloading.current().engine.observe


def test_observing_and_enforcing_are_two_revisions(place):
    before = place.sources().load().revision
    set_mode(place.locations, "observe")
    assert place.sources().load().revision != before
    set_mode(place.locations, "enforce")
    assert place.sources().load().revision == before
