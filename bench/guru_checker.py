"""How the checker of the Guru's replies does: what it catches, what it blocks that is true, and what it costs.

    python bench/guru_checker.py [--packages DIR ...] [--show] [--json]

Two corpora. One is in the repository, `tests/guru/corpus`: replies of our own, labelled when they were written; half
of them are looked at when rules are worked on, and both halves are told apart here, as are later ones (`worked` and
`last`: see `replies.py`). The other is what the packages that are installed say about themselves: sentences of their
METADATA that a filter takes for statements of fact. The filter knows nothing of the checker: it goes by how a
sentence begins, a finite verb near its beginning, and nobody being told anything. It errs: sentences that are orders
after all are listed by digests in `ORDERS_AFTER_ALL`. Nothing of what packages say is kept. `--show` prints what is
blocked. Times are CPU time of one reply; whole replies have a dozen such sentences.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "guru"))

from replies import FILES, LOG, SERVICES, Case, cases, replied

from guardhouse.guru import check_reply
from guardhouse.guru.log import fetched

SOURCES = fetched(LOG)
BARS = {"caught": 0.98, "blocked": 0.01, "time": 2e-3}
FINITE = (
    "is|are|was|were|has|have|can|may|supports?|provides?|requires?|uses?|runs?|contains?|includes?|implements?|allows?|"
    "offers?|adds?|works?|depends?|comes?|makes?|handles?|exists?|aims?|does|returns?|takes?|follows?|must"
)
BEGINS = re.compile(rf"(?:Support for|Use of|Access to|By default,|[A-Za-z][\w.-]*) (?:\S+ ){{0,6}}?(?:{FINITE})\b")
SPOKEN_TO = re.compile(
    r"\b(?:you|your|yours|yourself|we|us|our|i|my|let's|please|should|must be|need to|needs to|have to|has to"
    r"|recommend\w*|suggest\w*|how to|see|e\.g|i\.e)\b",
    re.IGNORECASE,
)
MARKS = re.compile(r"[`*_<>|\[\]{}#=$\\@~\"]|://|www\.|::|--|\w\.(?:com|org|net|io|dev)\b|:$|\.\.\.|^\W|\d\.$|\bv\d")
ORDERS = re.compile(
    r"(?:Install|Use|Run|See|Read|Add|Make|Check|Set|Try|Note|Fix|Remove|Create|Allow|Support|Update|Ensure|Do|Don't|Don’t"
    r"|Change|Move|Drop|Avoid|If|When|To|For|Once|After|Before|Instead|First|Then|Next|Now|Just|Simply|Also|And|But|Or|So"
    r"|Then)\b(?! (?:of|for|to) )"
)

ORDERS_AFTER_ALL = frozenset(
    """
    0ca855bf3ab0 2761b2d83ae2 2d83eaaa9252 3d32fa8ed4fd 4234f0f03922 50babea91748 51915e581175
    5afae09ab169 74be12538e30 8256cf644797 858785086c47 85c584488ce9 9266fe50be60 a2781a7e005a
    a4110d54835f b7347bfc42b2 c78b5b4f9227 ca1a98be1ab7 ce81d73e47c1 dcc4c7aabd67 df7f3675e7e9
    e07382f10cf3
    """.split()
)
"""Sentences that are orders in spite of the filter, which a person picked from those that were blocked."""


def sentences(folders: list[Path]) -> Iterator[str]:
    """The sentences about themselves that installed packages have, each once."""
    seen: set[str] = set()
    names: set[str] = set()
    for folder in folders:
        for file in sorted(folder.rglob("*.dist-info/METADATA")):
            if file.parent.name in names:
                continue
            names.add(file.parent.name)
            text = file.read_text("utf-8", "replace")
            summary = re.search(r"^Summary: (.*)$", text, re.MULTILINE)
            body = text.partition("\n\n")[2]
            for paragraph in [summary[1] if summary else "", *re.split(r"\n\s*\n", body)]:
                if re.search(r"^(?: {2,}|\t|[-*+>|#=~.\d])", paragraph, re.MULTILINE):
                    continue
                for sentence in re.split(r"(?<=[.!?])\s+", " ".join(paragraph.split())):
                    if sentence not in seen and is_fact(sentence):
                        seen.add(sentence)
                        yield sentence


def is_fact(sentence: str) -> bool:
    """Whether a sentence looks like a statement about a thing, by a filter that is not the checker's."""
    return (
        sentence.endswith(".")
        and 4 <= len(sentence.split()) <= 40
        and len(sentence) < 500
        and BEGINS.match(sentence) is not None
        and hashlib.sha256(sentence.encode()).hexdigest()[:12] not in ORDERS_AFTER_ALL
        and not (SPOKEN_TO.search(sentence) or MARKS.search(sentence) or ORDERS.match(sentence))
    )


def judged(reply: str) -> tuple[bool, tuple[str, ...], float]:
    """Whether it passes, what it broke, and the CPU time."""
    began = time.process_time()
    checked = check_reply(reply, sources=SOURCES, services=SERVICES, files=FILES)
    return checked.passes, checked.codes, time.process_time() - began


def measure(rows: list[Case], *, passing: bool, show: bool = False) -> dict[str, float]:
    times = []
    wrong = 0
    for case in rows:
        passes, codes, took = judged(case.reply)
        times.append(took)
        if passes != passing:
            wrong += 1
            if show:
                print("   ", ", ".join(codes) or "passes", "|", case.told[:160])
    times.sort()
    return {
        "replies": len(rows),
        "wrong": wrong,
        "right": 1 - wrong / max(len(rows), 1),
        "median_ms": times[len(times) // 2] * 1e3,
        "p99_ms": times[int(len(times) * 0.99)] * 1e3,
        "worst_ms": times[-1] * 1e3,
    }


def whole_replies(facts: list[str]) -> list[Case]:
    """Replies as they are in life: a summary, eight facts, four claims about a page, two questions."""
    found = []
    for at in range(0, len(facts) - 12, 12):
        reply = replied(" ".join(facts[at : at + 2])[:1990], "summary")
        reply["repo_facts"] = facts[at + 2 : at + 10]
        reply["internet_facts"] = replied(facts[at + 10], "claims")["internet_facts"]
        reply["open_questions"] = ["Is the pinned version affected?", "Which branch is deployed?"]
        found.append(Case("whole", json.dumps(reply), str(at)))
    return found


def hostile() -> dict[str, float]:
    """Milliseconds for the largest reply there may be, of kinds that make a careless reader slow, beside half of it."""
    pieces = {
        "commas": "a, " * 190,
        "verbs": "run " * 145,
        "subjects": "you to be " * 55,
        "base64": "QUJD" * 145,
        "dots": "a." * 290,
        "entities": "&amp;" * 115,
        "spaces apart": "a b " * 145,
        "look-alikes": "а" * 400,
        "brackets": "f(" * 290,
        "stars": "*a" * 290,
    }
    found = {}
    for name, text in pieces.items():
        halves = []
        for count in (24, 48):
            reply = json.dumps(
                {
                    **json.loads(cases("facts")[-1].reply),
                    "internet_facts": [],
                    "mcp_requests": [],
                    "repo_facts": [text[:590]] * count,
                },
                ensure_ascii=False,
            )
            halves.append(min(judged(reply)[2] for _ in range(3)))
        found[name] = halves[1] * 1e3
        found[f"{name}: twice the text"] = halves[1] / halves[0]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", action="append", type=Path, help="where packages are installed; here, by default")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    for case in cases("violating")[::7]:  # compiles the tables
        judged(case.reply)
    report: dict[str, dict[str, float]] = {}
    for name, passing in (("violating", False), ("facts", True)):
        rows = cases(name)
        for half in (True, False):
            part = [case for case in rows if case.is_seen is half]
            report[f"{name}, {'seen' if half else 'unseen'} half"] = measure(
                part, passing=passing, show=given.show and half
            )
    for name in ("worked", "last"):
        report[f"violating, {name}"] = measure(cases(f"{name}_violating"), passing=False, show=given.show)
        report[f"facts, {name}"] = measure(cases(f"{name}_facts"), passing=True, show=given.show)
    folders = given.packages or [Path(sysconfig.get_paths()["purelib"])]
    facts = [Case("package", json.dumps(replied(text, "repo_facts")), text) for text in sentences(folders)]
    report["facts, of packages"] = measure(facts, passing=True, show=given.show)
    report["whole replies"] = measure(whole_replies([fact.told for fact in facts]), passing=True)
    worst = hostile()
    if given.json:
        print(json.dumps({"report": report, "hostile": worst}, indent=2))
        return
    for name, row in report.items():
        times = "  ".join(f"{which} {row[f'{which}_ms']:.2f} ms" for which in ("median", "p99", "worst"))
        print(f"{name:26} {row['replies']:5.0f} replies  {row['wrong']:3.0f} wrong  {row['right']:7.2%} right  {times}")
    print("\nReplies of up to 28,000 characters that are made to be slow, and how many times slower than half of each:")
    for name in [name for name in worst if ":" not in name]:
        print(f"  {name:14} {worst[name]:7.2f} ms  x {worst[f'{name}: twice the text']:.2f}")


if __name__ == "__main__":
    main()
