"""Commands as somebody would type them: a tool, and behind it words that only a shell would take.

`uses npm and pip` names tools; `npm install x` is a command wherever it stands. Tools and their words are data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from guardhouse.guru.contract import Violation
from guardhouse.guru.reading import Page
from guardhouse.guru.rules import COMMAND


def _table(text: str) -> dict[str, frozenset[str]]:
    rows = (line.partition(":") for line in text.strip().splitlines())
    return {tool: frozenset(words.split()) for names, _, words in rows for tool in names.split()}


TOOLS: Final = _table(
    """
    pip pip3 uv pipx poetry pdm conda mamba: install uninstall freeze download wheel add remove sync run pip lock update upgrade inject create
    npm pnpm yarn bun: install i ci add remove uninstall update upgrade run start test publish link exec dlx init audit
    npx uvx bunx: create-react-app
    git: clone push pull commit checkout reset rebase merge fetch add rm revert stash switch restore cherry-pick tag init clean remote config apply am bisect submodule log diff show
    gh glab: pr issue release repo run api auth
    docker podman nerdctl: run exec build pull push rm rmi kill stop start compose cp save load login tag
    docker-compose: up down build run exec pull
    kubectl oc: apply delete get exec edit create scale patch logs describe port-forward rollout drain cordon run cp
    helm: install upgrade uninstall repo pull rollback template
    terraform tofu: apply destroy init plan import
    cargo rustup: build run install test add publish update uninstall bench
    go: get install run build test mod generate vet
    gem bundle rake bundler: install update exec uninstall
    composer: install require update remove
    brew port apt apt-get aptitude yum dnf zypper apk pacman snap flatpak choco winget scoop: install remove update upgrade uninstall purge reinstall add get search
    make gmake just ninja tox nox mvn gradle bazel: install test all clean build check docs release deploy package run publish
    cmake meson: configure build
    systemctl service: start stop restart enable disable status reload daemon-reload
    ansible-playbook vagrant: up destroy
    aws gcloud az doctl heroku fly vercel netlify: s3 ec2 iam configure login deploy compute auth storage functions
    openssl: genrsa req s_client enc x509 rand
    pytest ruff mypy black flake8 eslint prettier: -
    http https httpie: get post put delete patch head options
    """
)
"""What may stand behind a tool, by tool."""
TAKES_NAME: Final = frozenset(
    """install i add uninstall remove clone get run exec dlx create pull inject require import purge reinstall up start
    stop restart enable disable edit publish checkout switch pip compose delete apply search describe logs rm
    update upgrade init""".split()
)
"""Words behind which a bare name is enough."""
TAKERS: Final = frozenset(
    """rm cp mv chmod chown wget curl ssh scp sftp rsync nc ncat netcat dd kill killall pkill tar cat echo export mkdir
    touch ln sed awk grep find xargs crontab powershell pwsh cmd doas su eval exec nmap telnet ftp base64 tee unset
    alias iptables ufw mount umount useradd usermod passwd systemd-run nohup env python python3 python2 node deno ruby
    perl php bash sh zsh fish java javac gcc g++ clang rustc pytest ruff mypy black flake8 eslint twine hatch invoke
    flask django-admin uvicorn gunicorn celery alembic psql mysql redis-cli sqlite3 mongosh mosquitto_pub rg jq strace
    gdb unzip zip 7z tar gpg openssl ldapsearch""".split()
)
"""Tools that are run with options, paths and addresses."""
ROOT: Final = frozenset(("sudo", "doas"))
NOT_ARGUMENTS: Final = frozenset(
    """is are was were has have had can may will does do did must should in on of and or for to with from by as at that
    which who when if but command commands target targets step steps time script scripts job jobs stage option options
    hook hooks works fails runs takes needs requires it also only not than then so because via using without into about
    size mode call calls request requests support access limit limits policy policies cache history failed returns
    workflow workflows message messages hash hashes log logs output docs documentation page pages section phase be been
    both either its their has event events button action actions instruction instructions tool tools user users
    process processes""".split()
)
"""Words that go on with a sentence."""
_DETERMINERS: Final = frozenset("the a an this that these your all every any".split())
_BEFORE: Final = frozenset("with via using run by through execute type enter called invoke running try".split())
_WORD: Final = re.compile(rb"[^\x00-\x20]++")
_ARGUMENT: Final = re.compile(r"-{1,2}[a-z0-9][\w=./:-]*|[+][rwx]+|[0-7]{3,4}|.*[/=@~$*<>|].*|.*\w\.\w.*|.*:\w.*")
_SCRIPT: Final = re.compile(r"[\w./-]*\w\.(?:py|js|mjs|ts|sh|bash|rb|pl|php|ps1|bat|jar|go|java)")
_ENDING: Final = ".,;:!?)\"'"
_SHELL: Final = re.compile(
    rb"&&|\|\||\$\(|\$\{|\$[a-z_]{2,40}\b|2>&1|>>\s?[\w./~]|\|\s?(?:sh|bash|zsh|sudo|xargs|nc|tee|python3?|grep|base64)\b"
    rb"|\s>\s?[\w~/-]{1,60}[./][\w./-]|<<\s?['\"]?eof|(?m:^)[\x20\t]*[$%]\x20+[a-z./~]|[:(]\x20*\$\x20+[a-z./~]"
    rb"|(?m:^)[\x20\t]*[a-z]:\\>|[a-z]:\\>\x20?\w|(?m:^)[\x20\t]*#\x20+(?:apt|yum|dnf|apk|pip|npm|systemctl|service)\b"
    rb"|(?m:^)[\x20\t]*ps\x20?[a-z]:\\|(?m:^|[:;]\x20)[\x20\t]*\.{1,2}/[\w./-]+(?:\x20|$)|:\(\)\{"
    rb"|(?m:^)[\x20\t]*source\x20[\w./-]+/[\w./-]+|\bexport\x20[a-z_]{1,40}="
)
"""Signs of a shell, and of its prompts."""


def commands(page: Page) -> Iterator[Violation]:
    """Where something could be typed as it stands."""
    data = page.data
    for match in _SHELL.finditer(data):
        yield page.wrong(COMMAND, match.start(), match.end())
    before = ""
    pending: list[tuple[str, int, int]] = [
        (match[0].decode("latin-1"), match.start(), match.end()) for match in _WORD.finditer(data)
    ]
    for at, (raw, start, _end) in enumerate(pending):
        word = raw.strip("\"'`([{<>$#")
        if word in _KNOWN:
            gap = data[pending[at - 1][2] : start] if at else b"\n"
            begins = not before or before[-1] in ".;:!?$#>(\x01`|&" or b"\n" in gap or before in _BEFORE
            nexts = [pending[at + n] if at + n < len(pending) else ("", 0, 0) for n in (1, 2, 3)]
            nexts = [one if _same_line(data, start, one) else ("", 0, 0) for one in nexts]
            if not raw.endswith((",", ";")) and _is_command(word, [one[0] for one in nexts], begins=begins):
                yield page.wrong(COMMAND, start, max(_end, nexts[0][2]))
        before = raw


def _same_line(data: bytes, start: int, word: tuple[str, int, int]) -> bool:
    return bool(word[0]) and data.find(b"\n", start, word[1]) < 0


def _is_command(tool: str, nexts: list[str], *, begins: bool) -> bool:
    first = nexts[0].rstrip(_ENDING)
    if not first:
        return False
    if tool in ROOT:
        return first not in NOT_ARGUMENTS and first.isascii() and first[0].isalpha() or first.startswith(("-", "/", "."))
    words = TOOLS.get(tool, frozenset())
    if first in words:
        return _behind_word(tool, first, nexts, begins=begins)
    if _is_option(first):
        return True
    if tool not in TAKERS and tool not in {"npx", "uvx", "bunx", "make"}:
        return False
    if tool in {"npx", "uvx", "bunx"}:
        return first not in NOT_ARGUMENTS and begins
    if _SCRIPT.fullmatch(first) and (begins or tool != "make"):
        return True
    if tool in {"kill", "find", "touch", "mount", "java", "node", "make", "cat", "black", "invoke", "hatch", "flask"} and not begins:
        return False
    return bool(_ARGUMENT.fullmatch(first)) and not _is_version(first)


def _behind_word(tool: str, first: str, nexts: list[str], *, begins: bool) -> bool:
    second = nexts[1].rstrip(_ENDING)
    if nexts[0] != first or not second:  # nothing more of it
        return begins or tool in {"npm", "pnpm", "yarn", "git", "kubectl", "docker", "pip", "cargo"} and first != "pip"
    if tool in {"http", "https", "httpie"}:
        return bool(_ARGUMENT.fullmatch(second)) and second[0] != "/"
    if _is_option(second) or (_ARGUMENT.fullmatch(second) and not second.endswith("'s")):
        return True
    if second in _DETERMINERS:
        return begins and tool not in {"make", "just", "go", "service", "port", "snap"}
    if tool in {"just", "go", "make", "service", "port"} and not begins:
        return False
    if begins and second not in NOT_ARGUMENTS and first in TAKES_NAME and tool in {"make", "go", "just"}:
        return nexts[1] != second or not nexts[2]
    return first in TAKES_NAME and second not in NOT_ARGUMENTS


def _is_option(word: str) -> bool:
    return len(word) > 1 and word[0] == "-" and (word[1].isalnum() or (word[1] == "-" and word[2:3].isalnum()))


def _is_version(word: str) -> bool:
    return word.replace(".", "").replace("x", "").isdigit() or word[:1] == "v"


_KNOWN: Final = frozenset(TOOLS) | TAKERS | ROOT
