"""What looking for secrets costs, side by side with the fastest peer: MB/s on a mix, one tool result, hostile texts.

    python bench/secret_scanner.py [--size MIB] [--seed N] [--rounds N] [--json]

CPU time, the best of several rounds, everything interleaved in one run. The mix is code of Python's own library, and
made-up JSON documents and logs, with a secret here and there: another seed makes another one, and one that nobody has
used before is the one to quote. Beside it, text as it is: code and JSON of the packages that are installed here. With
`kingfisher-secret-scanner` from PyPI installed (in the environment that runs this), it looks at the same pieces, with
its filters and its decoding on; plain Vectorscan (our databases, nothing behind them) and a copy in memory are there
for comparison.
"""

from __future__ import annotations

import argparse
import base64
import json
import random
import sysconfig
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from guardhouse.detect.secrets import SecretScanner
from guardhouse.detect.secrets.vectorscan import VectorscanMatcher, compiled
from guardhouse.redact import Redactor

MIB = 1 << 20
BARS = {"4 KiB result": 60e-6, "1 MiB": 8e-3, "1 MiB of code": 8e-3}
WORST = 60e-3
WORDS = (
    "request user service handler timeout connection cache index query result message order worker queue retry status"
    " payload metric value error node cluster shard replica region batch item"
).split()


def installed(kind: str, size: int, seed: int) -> str:
    """What the files of one kind hold that came with installed packages, in no order."""
    files = sorted(Path(sysconfig.get_paths()["purelib"]).rglob(f"*.{kind}"))
    random.Random(seed).shuffle(files)
    pieces: list[str] = []
    length = 0
    for path in files:
        pieces.append(path.read_text("utf-8", "replace")[:131072])
        length += len(pieces[-1])
        if length >= size:
            break
    return "".join(pieces)[:size]


def mix(size: int, seed: int) -> str:
    """Code, JSON and logs by turns, with a secret in one piece of eight."""
    chance = random.Random(seed)
    library = sorted(
        path
        for path in Path(sysconfig.get_paths()["stdlib"]).rglob("*.py")
        if "site-packages" not in path.parts and "test" not in path.parts
    )
    chance.shuffle(library)
    pieces: list[str] = []
    length = 0
    while length < size:
        kind = chance.random()
        if kind < 0.34:
            piece = library[len(pieces) % len(library)].read_text("utf-8", "replace")[:65536]
        elif kind < 0.67:
            piece = "\n".join(log_line(chance) for _ in range(400))
        else:
            piece = json.dumps([document(chance) for _ in range(120)], indent=chance.choice([None, 2]))
        if chance.random() < 0.125:
            piece += f"\ntoken = {made_up_token(chance)}\n"
        pieces.append(piece + "\n")
        length += len(piece) + 1
    return "".join(pieces)[:size]


def log_line(chance: random.Random) -> str:
    draw = chance.randint
    return (
        f"2026-{draw(1, 12):02}-{draw(1, 28):02}T{draw(0, 23):02}:{draw(0, 59):02}:{draw(0, 59):02}.{draw(0, 999):03}Z"
        f" {chance.choice(['INFO', 'WARN', 'ERROR', 'DEBUG'])} [{chance.choice(WORDS)}-{draw(1, 64)}]"
        f" trace_id={hexadecimal(chance, 32)} {chance.choice(WORDS)}"
        f" GET /api/v2/{chance.choice(WORDS)}/{hexadecimal(chance, 8)}?page={draw(1, 99)}&sort={chance.choice(WORDS)}"
        f' {chance.choice([200, 201, 404, 500])} {draw(1, 9999)}ms ua="Mozilla/5.0 (X11; Linux x86_64)"'
        f' ip=10.{draw(0, 255)}.{draw(0, 255)}.7 msg="{" ".join(chance.choices(WORDS, k=8))}"'
    )


def document(chance: random.Random) -> dict[str, Any]:
    return {
        "id": "-".join(hexadecimal(chance, size) for size in (8, 4, 4, 4, 12)),
        "name": " ".join(chance.choices(WORDS, k=2)),
        "created_at": f"2026-01-{chance.randint(1, 28):02}T00:00:00Z",
        "sha256": hexadecimal(chance, 64),
        "url": f"https://api.example.com/{chance.choice(WORDS)}/{chance.randint(1, 99999)}?a=1&b=%2Fx",
        "tags": chance.choices(WORDS, k=4),
        "nested": {"key": chance.choice(WORDS), "count": chance.randint(0, 999), "next_page_token": None},
        "text": " ".join(chance.choices(WORDS, k=20)) + "\n\té",
    }


def hexadecimal(chance: random.Random, size: int) -> str:
    return "".join(chance.choices("0123456789abcdef", k=size))


def made_up_token(chance: random.Random) -> str:
    return "gh" + "p_" + "".join(chance.choices("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789", k=36))


def hostile() -> dict[str, str]:
    """Texts that are made to take long, a mebibyte each."""
    chance = random.Random(1)
    return {
        "one line": ("the quick brown fox jumps over the lazy dog " * 24_000)[:MIB],
        "one word": "x" * MIB,
        "base64": ("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo" * 30_000)[:MIB],
        "base64 of binary": base64.b64encode(random.Random(2).randbytes(MIB * 3 // 4)).decode(),
        "keyword soup": ("password token secret api_key authorization bearer github stripe algolia " * 14_000)[:MIB],
        "keyword soup with signs": ("password=token=secret=api_key=authorization=bearer:" * 21_000)[:MIB],
        "-----BEGIN": ("-----BEGIN RSA PRIVATE KEY-----\n" * 33_000)[:MIB],
        "20,000 tokens": "\n".join(f"line {made_up_token(chance)}" for _ in range(20_000)),
        "20,000 pairs": "\n".join(f"password = hunter{chance.randint(10**6, 10**7)}x" for _ in range(20_000)),
        "percent signs": ("%41%42%43" * 120_000)[:MIB],
        "beginnings of tokens": ("sk-ghp_AKIAxoxb-glpat-" * 48_000)[:MIB],
    }


def best(run: Callable[[], object], rounds: int) -> float:
    """CPU seconds of the fastest of some rounds."""
    times = []
    for _ in range(rounds):
        begin = time.process_time()
        run()
        times.append(time.process_time() - begin)
    return min(times)


def peer() -> Callable[[bytes], int] | None:
    """Kingfisher with its filters and its decoding on, if it is installed."""
    if find_spec("kingfisher_sdk") is None:
        return None
    import kingfisher_sdk

    scanner = kingfisher_sdk.Scanner(policy=kingfisher_sdk.DetectionPolicy())
    return lambda data: len(scanner.scan(data))


def measure(size: int, rounds: int, seed: int) -> dict[str, Any]:
    scanner, plain = SecretScanner(), SecretScanner()
    matcher = VectorscanMatcher(compiled())
    scanner.use(matcher)
    redactor = Redactor(scanner)
    texts = {
        "mix": mix(size * MIB, seed),
        "installed code": installed("py", 8 * MIB, seed),
        "installed JSON": installed("json", 4 * MIB, seed),
    }
    speeds = {name: side_by_side(text, scanner, plain, matcher, rounds) for name, text in texts.items()}
    result = texts["mix"][3 * MIB : 3 * MIB + 4096]
    return {
        "mb_per_s": speeds,
        "found": sum(len(scanner.scan(texts["mix"][at : at + MIB])) for at in range(0, size * MIB, MIB)),
        "seconds": {
            "4 KiB result": best(lambda: [scanner.scan(result) for _ in range(500)], rounds) / 500,
            "1 MiB": MIB / 1e6 / speeds["mix"]["guardhouse"],
            "1 MiB of code": MIB / 1e6 / speeds["installed code"]["guardhouse"],
        },
        "worst": {name: best(lambda piece=piece: scanner.scan(piece), rounds) for name, piece in hostile().items()},
        "worst_redacted": {
            name: best(lambda piece=piece: redactor.text(piece), rounds) for name, piece in hostile().items()
        },
    }


def side_by_side(
    text: str, scanner: SecretScanner, plain: SecretScanner, matcher: VectorscanMatcher, rounds: int
) -> dict[str, float]:
    """MB/s of each, the best of some rounds in which they take turns. What is prepared at first use is not counted."""
    pieces = [text[at : at + MIB] for at in range(0, len(text), MIB)]
    datas = [piece.encode("utf-8", "replace") for piece in pieces]
    size, some = sum(map(len, datas)), sum(map(len, datas[:2]))
    runs: dict[str, tuple[int, Callable[[], object]]] = {
        "guardhouse": (size, lambda: [scanner.scan(piece) for piece in pieces]),
        "guardhouse with RE2": (some, lambda: [plain.scan(piece) for piece in pieces[:2]]),
        "plain Vectorscan": (size, lambda: [matcher.places(data) for data in datas]),
        "copy in memory": (size, lambda: [bytearray(data) for data in datas]),
    }
    other = peer()
    if other is not None:
        runs["kingfisher"] = (size, lambda: [other(data) for data in datas])
    for _size, run in runs.values():
        run()
    times = dict.fromkeys(runs, float("inf"))
    for _ in range(rounds):
        for name, (_size, run) in runs.items():
            times[name] = min(times[name], best(run, 1))
    return {name: size / 1e6 / times[name] for name, (size, _run) in runs.items()}


def show(measured: dict[str, Any]) -> None:
    texts = measured["mb_per_s"]
    print(f"{'MB/s':26}" + "".join(f"{name:>18}" for name in texts))
    for name in texts["mix"]:
        print(f"{name:26}" + "".join(f"{speeds[name]:18.0f}" for speeds in texts.values()))
    if "kingfisher" in texts["mix"]:
        ratios = [speeds["guardhouse"] / speeds["kingfisher"] for speeds in texts.values()]
        print(f"{'ours to kingfisher':26}" + "".join(f"{ratio:17.2f}x" for ratio in ratios) + "  (mix: at least 1.0)")
    for name in ("plain Vectorscan", "copy in memory"):
        ratios = [speeds["guardhouse"] / speeds[name] for speeds in texts.values()]
        print(f"{'ours to ' + name:26}" + "".join(f"{ratio:17.3f}x" for ratio in ratios))
    print(f"{measured['found']} secrets found in the mix")
    for name, took in measured["seconds"].items():
        print(f"{name:26} {took * 1e6:9.0f} µs  (at most {BARS[name] * 1e6:.0f})")
    print(f"hostile texts of a mebibyte, scanned and redacted, ms (at most {WORST * 1e3:.0f})")
    for name, took in measured["worst"].items():
        print(f"  {name:24} {took * 1e3:7.1f} {measured['worst_redacted'][name] * 1e3:7.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description="What looking for secrets costs.")
    parser.add_argument("--size", type=int, default=40, help="mebibytes of the mix")
    parser.add_argument("--seed", type=int, default=7, help="makes the mix, and says which files are read")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    measured = measure(options.size, options.rounds, options.seed)
    if options.json:
        print(json.dumps(measured))
    else:
        show(measured)


if __name__ == "__main__":
    main()
