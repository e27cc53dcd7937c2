"""Looks for commands that make the reader of shell commands fail or take long: made up, mutated, spliced and grown.

    python bench/shell_fuzz.py [--minutes N] [--seed N] [--milliseconds N] [--only N] [--keep DIRECTORY]

What is found is kept in a directory, one file each, and the exit code is 1. The same seed gives the same inputs; an
input is made from the seed and its number alone, so `--only` makes one again. It changes nothing else.
"""

from __future__ import annotations

import argparse
import base64
import cProfile
import pstats
import random
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp

from guardhouse.detect.shell import follow
from guardhouse.detect.shell.parser import beginning
from guardhouse.detect.shell.programs.builtins import BUILTINS
from guardhouse.detect.shell.programs.files import FILES
from guardhouse.detect.shell.programs.interpreters import SHELLS
from guardhouse.detect.shell.programs.launchers import LAUNCHERS
from guardhouse.detect.shell.programs.network import NETWORK
from guardhouse.detect.shell.programs.verbs import TOOLS, VERBS
from guardhouse.detect.shell.programs.wrappers import WRAPPERS
from guardhouse.suites.shell import SUITE

TESTS = Path(__file__).resolve().parent.parent / "tests" / "detect" / "shell"
sys.path.insert(0, str(TESTS))
from test_shell_against_shfmt import listed_commands  # noqa: E402 - shared with the tests
from test_shell_never_fails import HOSTILE, LONGEST, NUMBER, Shape  # noqa: E402

HANGS_AFTER = 5
"""Seconds after which an input is given up."""
MOST_MEMORY = 2 << 30
MUCH = 1.5
"""What is slower by this is reported again."""
FAILURES = frozenset(["guard.internal_error", "guard.detector_failed", "guard.redaction_failed"])
"""What the gate says instead of raising."""

LISTED = listed_commands()
EXAMPLES = [text for one in (*LAUNCHERS, *VERBS) for text in (one.example, one.harmless) if text]
PROGRAMS = sorted(
    {*BUILTINS, *NETWORK, *SHELLS}
    | {name for tool in (*TOOLS, *WRAPPERS, *FILES) for name in tool.names.split()}
    | {name for launcher in LAUNCHERS for name in launcher.program.split()}
)
OPTIONS = sorted(
    {option for one in (*TOOLS, *LAUNCHERS, *VERBS, *WRAPPERS) for option in one.valued.split()}
    | {option.partition("=")[0] for verb in VERBS for option in verb.when.replace("&", " ").split()}
    | {option for launcher in LAUNCHERS for option in launcher.where.split("|") if option.startswith("-")}
)
# fmt: off
VALUES = (
    "a", "/", "~", "$HOME", "'rm -rf /'", '"$(rm -rf ~)"', "*", "./a", "/etc/passwd", "~/.ssh/id_rsa", "h.example:22",
    "https://h.example/a", "-", "--", "{}", "{a,b}", "{1..99}", "$a", "${a[@]}", "$@", "a=b", "@a", "1", "exec=a", "''",
    "<(a)", "$((a+1))", "`a`", "$'\\x72m'", "root@h:/a", "s/a/b/e", "'BEGIN {system(\"a\")}'", "$a$a$a", "\\;", "+",
)
CODE = (
    "import os; os.system('rm -rf /')", "exec(bytes.fromhex('00'))", "system('a'); `b`; qx(c)", "DROP TABLE a; --",
    "SELECT * FROM a WHERE b='c' OR 1=1", "require('child_process').exec('a')", "os.execute('a')", "%x(a) + `b`",
    "1e rm\n$!N;s/a/b/w c", ":!rm\n%s/a/b/", "a: ; rm -rf /", "[exec a]", "Remove-Item -Recurse /", "<?php `a`;",
    "x='r'+'m'\nfor i in range(9):\n  x+=x\n__import__('os').system(x)", "f'{a!r:{b}}'", "'''", "((((",
)
OPENERS = (
    "(", "{ ", "$(", "`", '"', "'", "$((", "${a:-", "<(", "[[ ", "((", "if ", "case a in a) ", "f() { ", "<<E\n", "$'",
)
ODD = (
    "\0", "\ud800", "\udfff", "\u202e", "\u200b", "\ufeff", "\x01", "\x1b", "\x7f", "\r", "\u2028", "\U0010ffff",
)
SIGNS = "'\"\\$`(){}[]|&;<>#!*?~="
JOINTS = (" ", "\n", ";", "|", "&&", "||", "&", " |& ", "\t", "\\\n", "; ;", "")
READERS = ("sh", "bash -s", "cat", "python3", "psql", "ssh h", "cat > f; sh f", "eval $(cat", "tee a")
"""What is given a here-document."""
LINKS = (
    "xargs ", "xargs -I{} sh -c '", "parallel ", "find / -exec ", "fd -x ", "env -S '", "sudo ", "timeout 1 ", "eval ",
    "watch ", "ssh h ", "docker run i ", "git -c core.pager=", "find . | xargs -P4 -n1 ", "nice sh -c '", "su -c '",
)
"""What runs the words after it."""
DECODERS = (
    "echo {} | base64 -d | sh", "eval $(echo {} | base64 --decode)", "bash <(base64 -d <<< {})",
    "python3 -c \"import base64,os;os.system(base64.b64decode('{}'))\"",
)
FORMS = (
    "{0}; {1}", "{0} | {1}", "{0} && {1} || {2}", "({0})", "{{ {0}; {1}; }}", "{0} &", "! {0}", "{0} > {w}",
    "if {0}; then {1}; else {2}; fi", "while {0}; do {1}; done", "until {0}; do {n}=${n}$a; {1}; done", "{0} < {w}",
    "for {n} in {v} {w} $({0}); do {1} ${n}; done", "for ((i=0;i<9;i++)); do {0}; done", "{p} <<< {v}", "cd {w} && {0}",
    "case {v} in {w}) {0};; b) {1};; *) {2};; esac", "{n}() {{ {0}; {1}; }}; {n} {v}", "{n}={v}; {0} ${n}",
    "{n}=$({0}); {1} ${n}", "{n}=({v} {w} ${{{n}[@]}}); {0} ${{{n}[@]}}", "{n}+={v}; ${n} {w}", "eval {v}; {0}",
    "{n}=${n}${n}${n}; {0}", "{p} {v} | {0}", "{p} <<E\n{0}\nE\n{1}", "{p} <<'E'\n{0}\nE\n", "(( {n}++ )) || {0}",
    "cat > f <<'E'\n{0}\nE\nsh f", "echo {v} > f; . f; {0}", "coproc {0}; {1}", "[[ {v} == {w} ]] && {0}",
    "trap {v} EXIT; {0}", "alias {n}={v}\n{n} {w}", "{p} {v} {{a,{w}}} {{1..9}}", "export {n}={v}; {0}", "{n}={v} {0}",
    "ln -s {w} l; {p} l/{w}; {0}", "set -- {v} {w}; {p} \"$@\"; shift; {0}", "read {n} < <({0}); {1} ${n}",
    "exec 3<>/dev/tcp/h/1; {0} >&3", "echo ${{{n}:-{w}}} ${{{n}//a/{w}}} ${{{n}%%*}} ${{{n}^^}}; {0}",
    "echo ${{#{n}}} ${{!{n}}} ${{{n}:1:2}}; {0}", "select {n} in {v}; do {0}; done",
)
# fmt: on
PIECES: tuple[Sequence[str], ...] = (OPENERS, ODD, VALUES, JOINTS, SIGNS, CODE, PROGRAMS)
"""What a text is broken with."""
DEEPEST = 6


def shortened(text: str, size: int) -> str:
    """The beginning of a text that is no longer in UTF-8 than that."""
    return beginning(text, size) if len(text.encode("utf-8", "surrogatepass")) > size else text


class Generator:
    """Makes one input; everything it does follows from its random numbers."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.pick = rng.choice
        self.size = rng.choice((400, 3_000, LONGEST))
        """How long an input becomes that could be of any length. Errors are found sooner among short ones."""

    def command(self) -> str:
        """Any input that is no longer than it may be."""
        make = self.rng.choices([way for way, _ in self.WAYS], [weight for _, weight in self.WAYS])[0]
        text = make(self)
        if self.rng.random() < 0.15:
            text = self.mutated_text(text)
        return shortened(text, LONGEST)

    # What is there already, changed.

    def existing(self) -> str:
        return self.pick(LISTED if self.rng.random() < 0.7 else EXAMPLES)

    def mutated(self) -> str:
        return self.mutated_text(self.existing())

    def mutated_text(self, text: str) -> str:
        for _ in range(self.rng.randint(1, 6)):
            at = self.rng.randint(0, len(text))
            end = min(len(text), at + self.pick((0, 1, 1, 2, 8)))
            piece = self.pick(["", text[at : at + 20] * self.rng.randint(1, 30), self.pick(self.pick(PIECES))])
            text = text[:at] + piece + text[end:]
        return text

    def spliced(self) -> str:
        pieces = []
        for _ in range(self.rng.randint(2, 12)):
            text = self.existing()
            start, end = sorted((self.rng.randint(0, len(text)), self.rng.randint(0, len(text))))
            pieces.append(text[start:end] if self.rng.random() < 0.6 else text)
        return self.pick(JOINTS).join(pieces)

    def many(self) -> str:
        """Hundreds or thousands of commands in a row."""
        make = self.pick((self.existing, lambda: self.call(DEEPEST), lambda: self.pick(EXAMPLES)))
        few = [make() for _ in range(self.pick((1, 3, 40)))]
        joint = self.pick(JOINTS)
        pieces: list[str] = []
        size = 0
        while size < self.size:
            pieces.append(self.pick(few))
            size += len(pieces[-1]) + len(joint)
        return joint.join(pieces[:-1])

    # Shapes, grown.

    def shape(self) -> str:
        return self.pick(list(HOSTILE.values())).filled(self.size)

    def crossed(self) -> str:
        """One shape inside another, or a shape grown out of something that is listed."""
        one, other = self.rng.sample(list(HOSTILE.values()), 2)
        inner = self.pick((other.filled(self.pick((200, 2_000, 6_000))), self.existing(), self.script(3)))
        kind = self.rng.randrange(4)
        if kind == 0:
            return one._replace(core=inner + "\n").filled(self.size)
        if kind == 1:
            return one._replace(head=inner + "\n" + one.head).filled(self.size)
        if kind == 2:
            return one._replace(tail=one.tail + self.pick(JOINTS) + inner).filled(self.size)
        return Shape(one.unit + other.unit, one.core, other.closer + one.closer, one.head).filled(self.size)

    def grown(self) -> str:
        """A short script repeated, with numbers that grow."""
        text = self.pick((self.existing(), self.script(4), self.call(3), self.pick(VALUES)))[:400]
        text = text.replace("a", f"a{NUMBER}", self.rng.randint(0, 2))
        closer = self.pick(("", "", ")", "}", "; done", "'", '"', ";}"))
        return Shape(text + self.pick(JOINTS), closer=closer, head=self.pick(("", "echo ", "a() { "))).filled(self.size)

    def wide(self) -> str:
        """One program with as many arguments as there is room for."""
        words = [self.pick((self.option, self.value))() for _ in range(self.pick((1, 4, 30)))]
        pieces = [self.pick(PROGRAMS)]
        while sum(map(len, pieces[-len(words) :])) and len(pieces) * 4 < self.size:
            pieces += words
        tail = self.pick(("", " | sh", " > a; sh a", " | xargs rm"))
        return shortened(" ".join(pieces), self.size - len(tail)) + tail

    def long_word(self) -> str:
        unit = self.pick((*VALUES, *ODD, *CODE, "a", "../", "*", "a*", "\\a", "%s", "\\x72", "{a,b}", "$a", "''"))
        word = unit * (self.size // max(1, len(unit.encode("utf-8", "surrogatepass"))))
        quote = self.pick(("", "", "'", '"'))
        head = self.pick((f"{self.pick(PROGRAMS)} ", f"{self.call(DEEPEST)} ", "a=", "echo ", ""))
        tail = self.pick(("", " | sh", "; rm $a", "; echo ${a//b/c}", "; eval $a", " | base64 -d | sh"))
        return head + quote + word[: self.size - 200] + quote + tail

    # Grammar.

    def option(self) -> str:
        option = self.pick(OPTIONS) if self.rng.random() < 0.8 else "-" + self.pick("abcdefilnoprstuxICEXDf")
        return option + ("=" + self.value() if option.startswith("--") and self.rng.random() < 0.4 else "")

    def value(self, depth: int = DEEPEST) -> str:
        kind = self.rng.random()
        if kind < 0.6 or depth >= DEEPEST:
            return self.pick(VALUES)
        if kind < 0.7:
            return self.quoted(self.pick(CODE))
        if kind < 0.8:
            return self.quoted(self.script(depth + 1))
        if kind < 0.95:
            return self.pick(("$({})", '"$({})"', "<({})", ">({})", "${{a:-$({})}}")).format(self.script(depth + 1))
        return self.pick(ODD)

    def quoted(self, text: str) -> str:
        if self.rng.random() < 0.8:
            return "'" + text.replace("'", "'\\''") + "'"
        return '"' + text.replace('"', '\\"') + '"'

    def call(self, depth: int = 0) -> str:
        many = range(self.rng.randint(0, 5))
        words = [self.option() if self.rng.random() < 0.5 else self.value(depth) for _ in many]
        return " ".join([self.pick(PROGRAMS), *words])

    def script(self, depth: int = 0) -> str:
        """A script of nested constructs."""
        if depth >= DEEPEST or self.rng.random() < 0.25:
            return self.call(depth) if self.rng.random() < 0.7 else self.existing()
        inner = [self.script(depth + self.rng.randint(1, 2)) for _ in range(3)]
        name = self.pick("abf")
        return self.pick(FORMS).format(*inner, v=self.value(depth), w=self.pick(VALUES), n=name, p=self.pick(PROGRAMS))

    def nested_documents(self) -> str:
        text = self.script(3)
        for level in range(self.rng.randint(2, 40)):
            quote = self.pick(("", "'", '"'))
            text = f"{self.pick(READERS)} <<{quote}E{level}{quote}\n{text}\nE{level}\n"
        return text

    def encoded(self) -> str:
        text = self.script(4)
        for _ in range(self.rng.randint(1, 12)):
            if len(text) > self.size * 2 // 3:
                break
            packed = base64.b64encode(text.encode("utf-8", "surrogatepass")).decode()
            text = self.pick(DECODERS).format(packed)
        return text

    def chained(self) -> str:
        """xargs, parallel and find, each running the next."""
        text = "".join(self.pick(LINKS) for _ in range(self.pick((3, 30, 600))))
        return text + self.call(4) + self.pick(("", " {} \\;", " {} +", " ::: a b c", "'"))

    def noise(self) -> str:
        return "".join(self.pick(self.pick(PIECES)) for _ in range(self.pick((20, 200, 3_000))))

    WAYS: tuple[tuple[Callable[[Generator], str], int], ...] = (
        (mutated, 6), (spliced, 5), (many, 5), (shape, 5), (crossed, 8), (grown, 5), (wide, 5), (long_word, 4),
        (script, 8), (nested_documents, 2), (encoded, 2), (chained, 3), (noise, 3),
    )  # fmt: skip


class TooLong(BaseException):
    """An input was given up. Not an `Exception`, so that nothing under test catches it."""


def _give_up(_signal: int, _frame: object) -> None:
    raise TooLong


@dataclass(frozen=True)
class Finding:
    """The worst input of those that went wrong in one place."""

    number: int
    """Below zero for a command of the lists or the tables as it is."""
    what: str
    where: str
    seconds: float


@dataclass
class Fuzzer:
    """Runs inputs and keeps what went wrong."""

    keep: Path
    most_seconds: float
    found: dict[tuple[str, str], Finding] = field(default_factory=dict)
    times: dict[tuple[str, str], int] = field(default_factory=dict)
    longest: float = 0.0

    def __post_init__(self) -> None:
        predict = SUITE.start()

        def evaluated(command: str) -> None:
            failed = FAILURES.intersection(predict({"command": command})["codes"])
            if failed:
                raise RuntimeError(*failed)

        self.targets: dict[str, Callable[[str], object]] = {"follow": followed, "evaluate": evaluated}
        for command in (*LISTED, *EXAMPLES):  # whatever is imported late, or worked out once, is not counted
            predict({"command": command})

    def run(self, number: int, command: str) -> None:
        """Try one input."""
        for name, target in self.targets.items():
            try:
                seconds = self.seconds(target, command)
            except TooLong as error:
                what = f"{name}: longer than {HANGS_AFTER} s"
                return self.note(Finding(number, what, frames(error), HANGS_AFTER), command)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is found
                what = f"{name}: {type(error).__name__}: {error}"[:200]
                return self.note(Finding(number, what, frames(error), 0), command)
            self.longest = max(self.longest, seconds)
            if seconds > self.most_seconds:
                what = f"{name}: {seconds * 1e3:.0f} ms"
                return self.note(Finding(number, what, costs(target, command), seconds), command)
        return None

    def seconds(self, target: Callable[[str], object], command: str) -> float:
        """CPU time; of a slow input, the best of several runs."""
        best = 1e9
        for _ in range(4):
            signal.setitimer(signal.ITIMER_VIRTUAL, HANGS_AFTER)
            try:
                start = time.process_time()
                target(command)
                best = min(best, time.process_time() - start)
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            if best <= self.most_seconds:
                break
        return best

    def note(self, finding: Finding, command: str) -> None:
        """Keep an input that something went wrong with, if it is the first in that place, or much worse."""
        place = finding.what.partition(":")[0], finding.where.partition(" ")[0]
        self.times[place] = self.times.get(place, 0) + 1
        before = self.found.get(place)
        if before is not None and finding.seconds <= before.seconds * MUCH:
            return
        self.found[place] = finding
        (self.keep / f"{finding.number}.sh").write_bytes(command.encode("utf-8", "surrogatepass"))
        line = f"{finding.number}: {finding.what}; {finding.where}; {command[:100]!r}\n"
        with (self.keep / "found.txt").open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(line)
        print(line, end="", flush=True)


def followed(command: str) -> object:
    return follow(command, home="/home/user", cwd="/home/user/project")


def frames(error: BaseException) -> str:
    """The innermost places of the project that an error went through."""
    ours = [f for f in traceback.extract_tb(error.__traceback__) if "guardhouse" in f.filename]
    return " < ".join(f"{'/'.join(Path(f.filename).parts[-2:])}:{f.lineno} {f.name}" for f in reversed(ours[-4:]))


def costs(target: Callable[[str], object], command: str) -> str:
    """The functions that most of the time is spent in."""
    profile = cProfile.Profile(time.process_time)
    profile.runcall(target, command)
    stats = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    worst = sorted(stats.items(), key=lambda item: -item[1][2])[:3]
    return ", ".join(f"{'/'.join(Path(k[0]).parts[-2:])}:{k[1]} {k[2]} ×{v[1]} {v[2] * 1e3:.0f} ms" for k, v in worst)


def generated(seed: int, number: int) -> str:
    """The input of that number."""
    return Generator(random.Random(f"{seed}:{number}")).command()


def main() -> None:
    parser = argparse.ArgumentParser(description="Look for commands that make the reader fail or take long.")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--milliseconds", type=float, default=20.0, help="what is slower is reported")
    parser.add_argument("--only", type=int, help="try the input of this number alone")
    parser.add_argument("--keep", type=Path, help="where inputs are kept that something went wrong with")
    given = parser.parse_args()
    keep = given.keep or Path(mkdtemp(prefix="shell_fuzz_"))
    keep.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGVTALRM, _give_up)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    fuzzer = Fuzzer(keep, given.milliseconds / 1e3)
    end = time.monotonic() + given.minutes * 60
    number = 0
    for at, command in enumerate((*LISTED, *EXAMPLES) if given.only is None else ()):
        fuzzer.run(-1 - at, command)
    while given.only is None and time.monotonic() < end:
        fuzzer.run(number, generated(given.seed, number))
        number += 1
        if number % 50 == 0 and sys.stderr.isatty():
            print(f"\r{number} inputs, {len(fuzzer.found)} found", end="", file=sys.stderr)
    if given.only is not None:
        fuzzer.run(given.only, generated(given.seed, given.only))
    for place, one in sorted(fuzzer.found.items(), key=lambda item: item[1].seconds):
        print(f"{fuzzer.times[place]:>5} × like {one.number}: {one.what}; {one.where}")
    print(f"{max(number, 1)} inputs with seed {given.seed}; the longest took {fuzzer.longest * 1e3:.1f} ms")
    print(f"{len(fuzzer.found)} places where something went wrong" + (f"; see {keep}" if fuzzer.found else ""))
    sys.exit(1 if fuzzer.found else 0)


if __name__ == "__main__":
    main()
