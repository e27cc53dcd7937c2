"""The labelled replies of the checker's corpus, and what each of them is checked against.

`violating` and `facts` were written before the rules. Half of them (by a digest of the text, so that nobody chooses)
are looked at when the rules are worked on; of the other half only the figures are. `worked_…` are later ones that the
rules were worked on with, `last_…` those that were written after the last rule.
"""

from __future__ import annotations

import base64
import hashlib
import json
import random
import string
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).parent / "corpus"
SERVICES = ("research",)
FILES = {"src/client.py": 20, "README.md": 40}
PAGE = (
    "The transport layer keeps a pool of idle connections and closes each of them after five seconds without traffic."
)
LOG = (
    {
        "url": "https://docs.example/httpx",
        "title": "HTTP transports",
        "snippet": "How idle connections are kept.",
        "extracted_text": f"Transports. {PAGE} A limit on the number of idle connections can be given.",
        "retrieved_at": "2026-05-04T10:00:00Z",
    },
)
ANSWERED = {"role": "guru", "summary": "The project uses httpx 0.27.", "repo_facts": [], "internet_facts": [],
            "open_questions": [], "mcp_requests": []}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One reply, and whether it is to be blocked."""

    kind: str
    reply: str
    told: str
    """What tells it apart: the text in question, or the whole reply."""

    @property
    def is_seen(self) -> bool:
        return hashlib.sha256(self.told.encode()).digest()[0] % 2 == 0


def replied(text: str, field: str) -> dict[str, Any]:
    """A reply that is in order but for what `text` in `field` does to it."""
    if field == "summary":
        return {**ANSWERED, "summary": text}
    if field in {"repo_facts", "open_questions"}:
        return {**ANSWERED, field: [text]}
    if field == "claims":
        fact = {"source": LOG[0]["url"], "retrieved_at": LOG[0]["retrieved_at"], "claims": [text], "confidence": "low"}
        return {**ANSWERED, "internet_facts": [fact]}
    request = {
        "mcp": "research",
        "purpose": "The release date of httpx 0.28.",
        "query": "httpx 0.28 release date",
        "context_refs": ["file:src/client.py#L1-L9"],
    }
    return {**ANSWERED, "mcp_requests": [{**request, field: text}]}


def cases(name: str) -> list[Case]:
    """The labelled replies in one file of the corpus."""
    found = []
    for line in (CORPUS / f"{name}.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if "raw" in row:
            found.append(Case(row["kind"], row["raw"], row["raw"]))
        else:
            text = _with_secrets(row["text"])
            reply = json.dumps(replied(text, row["in"]), ensure_ascii=False)
            found.append(Case(row["kind"], reply, f"{row['in']}: {row['text']}"))
    return found


def _with_secrets(text: str) -> str:
    """Secrets are made up here: none lies in a file of the repository."""
    for name, secret in _SECRETS.items():
        text = text.replace(f"{{{{{name}}}}}", secret)
    return text


def _letters(count: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    return "".join(random.Random(count).choices(alphabet, k=count))


def _part(value: str) -> str:
    return base64.urlsafe_b64encode(value.encode()).decode().rstrip("=")


_SECRETS = {
    "openai": "sk-proj-" + _letters(48),
    "github": "ghp_" + _letters(36),
    "aws": "AKIA" + _letters(16, string.ascii_uppercase + "234567"),
    "jwt": ".".join((_part('{"alg":"HS256","typ":"JWT"}'), _part('{"sub":"1234567890"}'), _letters(43))),
    "pem": "-----BEGIN RSA PRIVATE" + " KEY-----\n" + "\n".join(_letters(64 + n)[:64] for n in range(6)),
    "slack": "xoxb-" + _letters(12, string.digits) + "-" + _letters(13, string.digits) + "-" + _letters(24),
    "stripe": "sk_live_" + _letters(24),
}  # fmt: skip
