"""The verbs of command-line tools that cannot be taken back: each row by its examples, and how words are compared."""

from __future__ import annotations

import shlex
import time
from collections import Counter

import pytest

from guardhouse.detect.acts import UNKNOWN, Scope
from guardhouse.detect.shell.programs.interface import Verb
from guardhouse.detect.shell.programs.verbs import TOOLS, VERBS, find_verbs, scope_of
from guardhouse.model import Effect

NAMES = [name for tool in TOOLS for name in tool.names.split()]


def found(command: str) -> list[Verb]:
    program, *words = shlex.split(command)
    return list(find_verbs(program, words))


def called(verb: Verb) -> str:
    return f"{verb.tool} {verb.verb} {verb.when}"[:60]


@pytest.mark.parametrize("verb", VERBS, ids=called)
def test_each_row_is_found_in_its_example(verb: Verb) -> None:
    assert verb in found(verb.example)


@pytest.mark.parametrize("verb", VERBS, ids=called)
def test_no_row_is_found_in_a_harmless_command(verb: Verb) -> None:
    assert shlex.split(verb.harmless)[0] in NAMES
    assert found(verb.harmless) == []


def test_each_row_says_what_would_be_lost_and_has_examples() -> None:
    for verb in VERBS:
        assert verb.what, verb
        assert verb.example, verb
        assert verb.harmless, verb


def test_no_row_is_there_twice() -> None:
    rows = Counter((verb.tool, verb.verb, verb.when, verb.where) for verb in VERBS)
    assert [row for row, times in rows.items() if times > 1] == []


def test_each_name_belongs_to_one_tool_and_each_tool_has_a_row() -> None:
    assert [name for name, times in Counter(NAMES).items() if times > 1] == []
    used = {verb.tool for verb in VERBS}
    assert used <= set(NAMES)
    assert [tool.names for tool in TOOLS if not used & set(tool.names.split())] == []


def test_each_further_condition_is_one_that_exists() -> None:
    assert {verb.where for verb in VERBS} == {"", "paths", "forced refs", "everyone", "before operands"}


@pytest.mark.parametrize(
    "command",
    [
        "git reset --har",
        "git checkout --forc main",
        "git clean --for -d",
        "git switch --discard main",
        "git branch --del --forc topic",
        "gpg --export-secret ann",
    ],
)
def test_a_long_option_is_seen_when_abbreviated(command: str) -> None:
    assert found(command)


@pytest.mark.parametrize("command", ["git push --force-with-lease", "gpg --export ann"])
def test_an_option_of_its_own_or_a_short_stub_is_no_abbreviation(command: str) -> None:
    assert found(command) == []


@pytest.mark.parametrize(
    "command",
    [
        "git clean -xdf",
        "git checkout -qf main",
        "git push -uf origin main",
        "docker compose down -v",
        "gsutil rm -mr gs://shop",
    ],
)
def test_a_short_option_is_seen_in_a_cluster(command: str) -> None:
    assert found(command)


def test_what_is_attached_to_a_valued_option_is_no_cluster() -> None:
    assert found("git checkout -bf") == []
    assert found("git checkout -qbforce") == []
    assert found("git clean -nef") == []


@pytest.mark.parametrize(
    "command",
    [
        "git -C repo reset --hard",
        "git -Crepo reset --hard",
        "git -c color.ui=never reset --hard",
        "git --git-dir repo/.git --work-tree=. --no-pager reset --hard",
        "git -- reset --hard",
        "kubectl -n shop --context dev delete deployment web",
        "docker --context far compose -f a.yml -p shop down -v",
        "terraform -chdir=prod destroy",
        "redis-cli -h cache.example.com -p 6380 -a x flushall",
        "gcloud --project shop compute instances delete web",
        "aws --profile ops --region eu-west-1 s3 rb s3://shop",
    ],
)
def test_the_verb_is_found_behind_options_of_the_tool(command: str) -> None:
    assert found(command)


def test_a_value_is_not_taken_for_the_verb() -> None:
    assert found("kubectl -n delete get pods") == []
    assert found("git -C reset status --hard") == []


@pytest.mark.parametrize(
    "command",
    [
        "git switch -- -f",
        "git clean -- -f",
        "git push origin -- --force",
        "git stash push -- drop",
        "git help reset",
    ],
)
def test_a_word_after_the_end_of_options_or_of_another_verb_is_only_a_word(command: str) -> None:
    assert found(command) == []


@pytest.mark.parametrize(
    "command",
    [
        "git clean -nfd",
        "git clean -f --dry-run",
        "kubectl delete pod web --dry-run=client",
        "zfs destroy -nv tank/shop",
        "rclone sync a b: --dry-run",
        "git push --force --dry-run origin main",
        "kubectl delete --help",
        "docker run --privileged=false alpine",
    ],
)
def test_a_dry_run_or_a_call_for_help_is_harmless(command: str) -> None:
    assert found(command) == []


@pytest.mark.parametrize(
    "command",
    [
        "kubectl delete pod web --dry-run=none",
        "kubectl delete pod web --dry-run=client --dry-run=none",
        "git clean -n --no-dry-run -f",
        "git clean -n --no-dry -f",
        "git clean -f -e -n",
        "git clean -f --exclude --dry-run",
        "git clean -f -- -n",
        "kill -9 -1 --help",
    ],
)
def test_what_only_looks_like_a_dry_run_is_not_one(command: str) -> None:
    assert found(command)


@pytest.mark.parametrize(
    "command",
    [
        "git checkout -- notes.txt",
        "git checkout -- -f",
        "git checkout HEAD -- notes.txt",
        "git checkout main a.txt b.txt",
        "git checkout --quiet main notes.txt",
        "git checkout .",
        "git checkout src/",
        "git checkout src/main.py",
        "git checkout '*.py'",
        "git checkout HEAD --pathspec-from-file paths.txt",
        "git checkout --pathspec-from-file=paths.txt",
    ],
)
def test_a_checkout_of_paths_loses_work(command: str) -> None:
    assert [verb.effect for verb in found(command)] == [Effect.DISCARDS]


@pytest.mark.parametrize(
    "command",
    [
        "git checkout main",
        "git checkout -",
        "git checkout v1.2.3",
        "git checkout origin/release-1.x",
        "git checkout -b topic origin/main",
        "git checkout -Btopic main",
        "git checkout --orphan pages",
        "git checkout --conflict merge main",
        "git checkout --detach main",
        "git checkout -t origin/topic",
        "git checkout main --",
    ],
)
def test_a_checkout_of_a_branch_does_not(command: str) -> None:
    assert found(command) == []


@pytest.mark.parametrize("refs", ["+main", ":topic", "main +topic:topic", "--force-with-lease +main"])
def test_a_push_that_forces_or_deletes_a_ref_is_found(refs: str) -> None:
    assert found(f"git push origin {refs}")


@pytest.mark.parametrize("refs", ["main", "HEAD:refs/for/main", ":", "--force-with-lease --force-if-includes main"])
def test_an_ordinary_push_is_not(refs: str) -> None:
    assert found(f"git push origin {refs}") == []


@pytest.mark.parametrize("words", ["-9 -1", "1", "-- -1", "-s KILL -1", "-TERM 1", "-9 -- 1", "-10 1", "-9 4321 -1"])
def test_a_signal_to_everyone_is_found(words: str) -> None:
    assert found(f"kill {words}")


@pytest.mark.parametrize("words", ["4321", "-9 4321", "-1 4321", "-0 1", "-l 1", "%1", "-s HUP 11"])
def test_a_signal_to_one_process_is_not(words: str) -> None:
    assert found(f"kill {words}") == []


def test_options_of_the_command_inside_a_container_are_not_those_of_the_container() -> None:
    assert found("docker run --rm -e A=1 alpine tool --privileged -v /:/x") == []
    assert found("docker run --rm -e A=1 --privileged alpine tool")
    assert found("docker run -e X=1 -v /:/x alpine tool")


def test_a_value_that_is_excused_does_not_excuse_another() -> None:
    both = "pip install -i https://pypi.org/simple --extra-index-url https://packages.example.net/simple shop"
    assert found(both)
    assert found("npm install --registry https://registry.npmjs.org.example.net shop")


@pytest.mark.parametrize(
    "command",
    [
        "kubectl get secret db -ojson",
        "kubectl get secrets -o=jsonpath={.items}",
        "kubectl get secret/db --output yaml",
        "gh repo edit --visibility=public",
        "git gc --prune=now",
    ],
)
def test_a_value_is_seen_however_it_is_attached(command: str) -> None:
    assert found(command)


def test_an_unknown_word_is_no_option_but_may_stand_before_the_verb() -> None:
    assert list(find_verbs("git", ["reset", UNKNOWN])) == []
    assert list(find_verbs("git", ["push", UNKNOWN, UNKNOWN])) == []
    assert list(find_verbs("git", [UNKNOWN, "reset", "--hard"]))
    assert list(find_verbs("kubectl", [UNKNOWN])) == []
    assert list(find_verbs("git", ["clean", "-f", UNKNOWN]))
    assert list(find_verbs("git", ["push", "origin", f"+{UNKNOWN}"]))


def test_a_program_is_known_by_its_other_spellings() -> None:
    assert found("Git.exe reset --hard")
    assert found("git-reset --hard")
    assert found("git-filter-repo --path src")
    assert found("git-lfs pull") == []
    assert found("pip3.12 install git+https://git.example.com/shop.git")
    assert found("WEVTUTIL.EXE CL Security")
    assert found("diskutil ERASEDISK JHFS+ Data disk2")


@pytest.mark.parametrize(
    "command",
    [
        "git commit -m 'git reset --hard'",
        "git rebase -i main",
        "git tag -d v1",
        "git stash",
        "git rm -r --cached .",
        "git restore --staged .",
        "git remote remove old",
        "docker rm -f web",
        "docker rmi old",
        "docker compose up -d",
        "docker run -it -v /etc/localtime:/etc/localtime:ro -p 80:80 alpine",
        "kubectl apply -f web.yml",
        "kubectl rollout restart deployment web",
        "kubectl scale --replicas=0 deployment web",
        "terraform apply tfplan",
        "terraform plan -destroy",
        "aws s3 cp a.txt s3://shop/",
        "aws ec2 run-instances --instance-initiated-shutdown-behavior terminate",
        "npm publish",
        "npm install -g typescript",
        "pip install -r requirements.txt",
        "pip install torch --index-url https://download.pytorch.org/whl/cpu",
        "cargo install --git https://git.example.com/shop.git",
        "apt-get install -y nginx",
        "apt-get remove -y nginx",
        "brew uninstall shop",
        "systemctl restart nginx",
        "systemctl stop nginx",
        "systemctl enable --now ssh",
        "systemctl status auditd",
        "service nginx stop",
        "crontab -l",
        "vault kv get secret/shop",
        "sysctl -w vm.max_map_count=262144",
        "rails db:migrate",
        "manage.py migrate",
        "pkill -f server.py",
        "unknown-tool destroy --force",
    ],
)
def test_everyday_use_is_left_alone(command: str) -> None:
    assert found(command) == []


def test_the_scope_is_where_the_tool_acts() -> None:
    assert scope_of("aws") is Scope.CLOUD
    assert scope_of("redis-cli") is Scope.REMOTE
    assert scope_of("git") is Scope.LOCAL
    assert scope_of("no-such-tool") is Scope.LOCAL


@pytest.mark.parametrize("words", [[], [""], ["-"], ["--"], ["-" * 9], ["="], ["--="], ["-="], ["\ud800"], ["-e"]])
def test_no_words_make_it_fail(words: list[str]) -> None:
    for name in NAMES:
        assert all(verb.example for verb in find_verbs(name, words))
    assert list(find_verbs("", words)) == []


@pytest.mark.parametrize("program", ["git", "gcloud", "docker", "aws", "systemctl", "kill", "pip"])
def test_long_commands_take_time_in_proportion(program: str) -> None:
    start = time.perf_counter()
    for words in (
        ["a"] * 20_000,
        ["-f"] * 20_000,
        ["-" + "fx" * 50_000],
        ["--" + "f" * 100_000],
        ["delete" + "-*" * 50_000] * 2,
    ):
        list(find_verbs(program, words))
        list(find_verbs(program, ["run", *words]))
    assert time.perf_counter() - start < 5
