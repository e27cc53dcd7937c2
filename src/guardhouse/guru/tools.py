"""Tools as they are called in a shell: what may stand behind each, and the words of a sentence that are no arguments.

Data only. A tool that is missing here is found by its options, paths and redirections at best.
"""

from __future__ import annotations

from typing import Final


def _table(text: str) -> dict[str, frozenset[str]]:
    rows = (line.partition(":") for line in text.strip().splitlines())
    return {tool: frozenset(words.split()) for names, _, words in rows for tool in names.split()}


TOOLS: Final = _table(
    """
    pip pip3 uv pipx poetry pdm conda mamba: install uninstall freeze download wheel add remove sync run pip lock update upgrade inject create
    npm pnpm yarn bun: install i ci add remove uninstall update upgrade run start test publish link exec dlx init audit
    npx uvx bunx: create-react-app
    git: clone push pull commit checkout reset rebase merge fetch add rm revert stash switch restore cherry-pick tag init clean remote config apply am bisect submodule log diff show status blame describe
    gh glab: pr issue release repo run api auth
    docker podman nerdctl: run exec build pull push rm rmi kill stop start compose cp save load login tag ps images inspect volume network system
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
    mkdocs hugo jekyll sphinx-build zola: build serve deploy gh-deploy
    pre-commit hatch tox nox invoke: run install autoupdate build test publish
    systemctl service: start stop restart enable disable status reload daemon-reload
    ansible-playbook vagrant: up destroy
    aws gcloud az doctl heroku fly vercel netlify: s3 ec2 iam configure login deploy compute auth storage functions
    openssl: genrsa req s_client enc x509 rand
    dotnet: run build test publish add new restore
    rails: server console generate new db:migrate
    php: artisan
    flask: run shell
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
    perl php bash sh zsh fish java javac gcc ls vim nano emacs ln less tail head code g++ clang rustc pytest ruff mypy black flake8 eslint twine hatch invoke
    flask django-admin uvicorn gunicorn celery alembic psql mysql redis-cli sqlite3 mongosh mosquitto_pub rg jq strace
    gdb unzip zip 7z tar gpg openssl ldapsearch""".split()
)
"""Tools that are run with options, paths and addresses."""
ROOT: Final = frozenset(("sudo", "doas"))
NOT_ARGUMENTS: Final = frozenset(
    """is are was were has have had can may will does do did must should in on of and or for to with from by as at that
    which who when if but command commands target targets step steps time script scripts job jobs stage option options
    hook hooks works fails runs takes needs requires it also only not than then so because via using without into about
    size mode call calls request support access limit limits policy policies cache history failed returns
    workflow workflows message messages hash hashes log logs output docs documentation page pages section phase be been
    both either its their has event events button action actions instruction instructions tool tools user users
    process processes""".split()
)
"""Words that go on with a sentence."""
