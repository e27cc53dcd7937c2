"""Which places on a file system are sensitive: the table, one entry a line, and the matcher over it.

A pattern is a glob on whole paths: `~` is any user's home, `**` any directories, `*` anything within one name. Case
does not count, because on some systems it does not. Whether touching such a place is allowed is policy's to say.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# fmt: off - one entry a line
SENSITIVE: Final[tuple[tuple[str, str, str], ...]] = (
    # kind, pattern, an example that must match
    ("ssh_private_key", "~/.ssh", "/home/ada/.ssh"),
    ("ssh_private_key", "~/.ssh/**", "/home/ada/.ssh/id_ed25519"),
    ("ssh_private_key", "**/id_{rsa,dsa,ecdsa,ed25519,ecdsa_sk,ed25519_sk}", "/srv/backup/id_rsa"),
    ("ssh_private_key", "**/id_{rsa,dsa,ecdsa,ed25519}{~,.old,.bak,.orig}", "/srv/backup/id_rsa.old"),
    ("ssh_private_key", "/etc/ssh/ssh_host_*_key", "/etc/ssh/ssh_host_rsa_key"),
    ("private_key_file", "**/*.{pem,key,p12,pfx,jks,keystore,ppk,pkcs12,kdbx,asc}", "/srv/app/tls/server.key"),
    ("system_password_file", "/etc/{shadow,gshadow,master.passwd}{,-,~}", "/etc/shadow"),
    ("system_secret", "/etc/{sudoers,sudoers.d/**,security/opasswd,krb5.keytab}", "/etc/sudoers"),
    ("system_secret", "/etc/{ssl/private,ipsec.d/private,wireguard,openvpn,ppp/*-secrets}{,/**}", "/etc/ssl/private/x"),
    (
        "system_secret",
        "/etc/{kubernetes/*.conf,kubernetes/pki/**,rancher/**,docker/key.json}",
        "/etc/kubernetes/admin.conf",
    ),
    ("system_secret", "/{run,var/run}/secrets{,/**}", "/run/secrets/db_password"),
    (
        "system_secret",
        "/etc/networkmanager/system-connections{,/**}",
        "/etc/NetworkManager/system-connections/home.nmconnection",
    ),
    ("system_secret", "/proc/*/{environ,mem,maps,fd/**}", "/proc/self/environ"),
    ("system_secret", "/proc/*/task/*/{environ,mem,maps,fd/**}", "/proc/self/task/1/environ"),
    ("cloud_credentials", "~/.aws{,/**}", "/home/ada/.aws/credentials"),
    ("cloud_credentials", "~/.azure{,/**}", "/home/ada/.azure/accessTokens.json"),
    ("cloud_credentials", "~/.config/gcloud{,/**}", "/home/ada/.config/gcloud/credentials.db"),
    ("cloud_credentials", "~/.{oci,aliyun,tencentcloud,bluemix,linode-cli,hcloud}{,/**}", "/home/ada/.oci/config"),
    ("cloud_credentials", "~/.config/{doctl,hcloud,scw,flyctl,heroku}{,/**}", "/home/ada/.config/doctl/config.yaml"),
    ("cloud_credentials", "~/.terraform.d/credentials.tfrc.json", "/home/ada/.terraform.d/credentials.tfrc.json"),
    (
        "cloud_credentials",
        "**/{application_default_credentials,service-account*,serviceaccount*}.json",
        "/x/service-account.json",
    ),
    ("cloud_credentials", "**/*.tfstate{,.backup}", "/srv/infra/terraform.tfstate"),
    ("kubeconfig", "~/.kube{,/**}", "/home/ada/.kube/config"),
    ("kubeconfig", "**/{kubeconfig,*.kubeconfig}", "/srv/ci/kubeconfig"),
    ("registry_credentials", "~/.docker/config.json", "/home/ada/.docker/config.json"),
    (
        "registry_credentials",
        "**/.{npmrc,pypirc,yarnrc.yml,gem/credentials,cargo/credentials,cargo/credentials.toml}",
        "/home/ada/.npmrc",
    ),
    (
        "registry_credentials",
        "~/.{m2/settings.xml,m2/settings-security.xml,gradle/gradle.properties,nuget/nuget.config}",
        "/root/.m2/settings.xml",
    ),
    ("tool_credentials", "~/.config/{gh,glab-cli,hub}{,/**}", "/home/ada/.config/gh/hosts.yml"),
    (
        "tool_credentials",
        "~/.{git-credentials,netrc,_netrc,pgpass,my.cnf,mylogin.cnf,boto,s3cfg,vault-token,databrickscfg}",
        "/root/.netrc",
    ),
    ("tool_credentials", "~/.config/rclone{,/**}", "/home/ada/.config/rclone/rclone.conf"),
    ("tool_credentials", "~/.config/github-copilot{,/**}", "/home/ada/.config/github-copilot/apps.json"),
    ("registry_credentials", "~/.config/containers{,/**}", "/home/ada/.config/containers/auth.json"),
    ("keyring", "~/.config/sops/age{,/**}", "/home/ada/.config/sops/age/keys.txt"),
    ("tool_credentials", "**/.{git-credentials,netrc,pgpass,htpasswd}", "/srv/www/.htpasswd"),
    (
        "tool_credentials",
        "~/.{claude/.credentials.json,codex/auth.json,gemini/oauth_creds.json,config/openai/**}",
        "/root/.codex/auth.json",
    ),
    ("keyring", "~/.gnupg{,/**}", "/home/ada/.gnupg/private-keys-v1.d/x.key"),
    ("keyring", "~/.local/share/keyrings{,/**}", "/home/ada/.local/share/keyrings/login.keyring"),
    ("keyring", "~/.password-store{,/**}", "/home/ada/.password-store/mail.gpg"),
    ("keyring", "~/library/keychains{,/**}", "/Users/ada/Library/Keychains/login.keychain-db"),
    ("keyring", "~/.{kwallet,config/keepassxc,config/bitwarden cli}{,/**}", "/home/ada/.config/KeePassXC/x"),
    ("browser_data", "~/.mozilla{,/**}", "/home/ada/.mozilla/firefox/x.default/logins.json"),
    (
        "browser_data",
        "~/snap/{firefox,chromium}{,/**}",
        "/home/ada/snap/firefox/common/.mozilla/firefox/x.default/logins.json",
    ),
    (
        "browser_data",
        "~/.config/{google-chrome,chromium,bravesoftware,microsoft-edge,vivaldi,opera}{,/**}",
        "/home/ada/.config/google-chrome/Default/Cookies",
    ),
    (
        "browser_data",
        "~/library/application support/{google/chrome,firefox,bravesoftware,microsoft edge}{,/**}",
        "/Users/ada/Library/Application Support/Firefox/x",
    ),
    ("browser_data", "~/library/cookies{,/**}", "/Users/ada/Library/Cookies/Cookies.binarycookies"),
    (
        "wallet",
        "~/.{bitcoin,ethereum,electrum,monero,solana,config/solana}{,/**}",
        "/home/ada/.electrum/wallets/default_wallet",
    ),
    ("wallet", "**/wallet.dat", "/srv/coins/wallet.dat"),
    ("env_file", "**/.env", "/srv/app/.env"),
    ("env_file", "**/.env~", "/srv/app/.env~"),
    ("env_file", "**/.env.*", "/srv/app/.env.production"),
    ("env_file", "**/*.env", "/srv/app/prod.env"),
    ("env_file", "**/.envrc", "/srv/app/.envrc"),
    ("shell_history", "~/.{*_history,*history,lesshst,viminfo}", "/home/ada/.bash_history"),
    ("shell_history", "~/.local/share/{fish/fish_history,*/history}", "/home/ada/.local/share/fish/fish_history"),
    (
        "application_secrets",
        "**/{secrets,credentials,client_secret*}.{json,yaml,yml,toml,ini}",
        "/srv/app/secrets.yaml",
    ),
    ("application_secrets", "**/config/{master.key,credentials.yml.enc}", "/srv/app/config/master.key"),
    ("application_secrets", "**/wp-config.php", "/srv/www/wp-config.php"),
)

NOT_SENSITIVE: Final[tuple[tuple[str, str], ...]] = (
    # pattern, an example that must be spared
    ("**/*.pub", "/home/ada/.ssh/id_ed25519.pub"),
    ("~/.ssh/{known_hosts,known_hosts.old,config,authorized_keys}", "/home/ada/.ssh/known_hosts"),
    ("~/.aws/{config,cli/alias}", "/home/ada/.aws/config"),
    ("**/{.env,*.env}.{example,sample,template,dist,defaults,tmpl,tpl}", "/srv/app/.env.example"),
    ("**/{example,sample,template,test}.env", "/srv/app/example.env"),
    ("**/{cert,cacert,ca,ca-bundle,chain,fullchain,*-public,public,*.crt}.pem", "/srv/tls/fullchain.pem"),
    ("**/{public,*-public,*.public}.{key,asc}", "/srv/keys/public.key"),
    ("/usr/share/**", "/usr/share/ca-certificates/x.pem"),
    ("/etc/ssl/certs/**", "/etc/ssl/certs/ISRG_Root_X1.pem"),
    ("**/{site-packages,node_modules}/**/*.{pem,key,asc}", "/srv/app/.venv/lib/site-packages/certifi/roots.pem"),
)

NEVER_SPARED: Final[tuple[tuple[str, str, str], ...]] = (
    # kind, pattern of places where only the plainest names are spared, an example that must match
    ("ssh_private_key", "~/.ssh/**", "/home/ada/.ssh/public.key"),
    ("cloud_credentials", "~/.aws/cli/cache{,/**}", "/home/ada/.aws/cli/cache/0a1b.json"),
)

SPARED_EVEN_THERE: Final[tuple[tuple[str, str], ...]] = (
    # pattern, an example that must be spared
    ("~/.ssh/**/*.pub", "/home/ada/.ssh/id_ed25519.pub"),
    ("~/.ssh/{known_hosts,known_hosts.old,config,authorized_keys}", "/home/ada/.ssh/config"),
)

PERSISTENCE: Final[tuple[tuple[str, str, str], ...]] = (
    # what it starts, pattern, an example that must match
    ("remote_login", "~/.ssh/{authorized_keys,authorized_keys2,rc,config,environment}", "/root/.ssh/authorized_keys"),
    ("shell_startup", "~/.{bashrc,bash_profile,bash_login,bash_logout,bash_aliases,profile}", "/home/ada/.bashrc"),
    ("shell_startup", "~/.{zshrc,zshenv,zprofile,zlogin,zlogout,kshrc,cshrc,tcshrc,inputrc}", "/home/ada/.zshrc"),
    ("shell_startup", "~/.config/{fish,nushell}{,/**}", "/home/ada/.config/fish/config.fish"),
    (
        "shell_startup",
        "/etc/{profile,profile.d/**,bash.bashrc,zsh/**,environment,ld.so.preload,ld.so.conf.d/**}",
        "/etc/profile.d/x.sh",
    ),
    ("scheduled_job", "/{etc/cron*,etc/anacrontab,var/spool/cron}{,/**}", "/etc/cron.d/x"),
    ("service", "/{etc,lib,usr/lib,run}/systemd/**", "/etc/systemd/system/x.service"),
    (
        "service",
        "~/.{config/systemd,config/autostart,local/share/systemd}{,/**}",
        "/home/ada/.config/autostart/x.desktop",
    ),
    ("service", "{~,}/library/{launchagents,launchdaemons,startupitems}{,/**}", "/Library/LaunchDaemons/x.plist"),
    ("service", "/etc/{init.d,rc.local,rc*.d,udev/rules.d,xdg/autostart}{,/**}", "/etc/init.d/x"),
    ("login", "/etc/pam.d/**", "/etc/pam.d/sshd"),
    ("git_hook", "**/.git/{hooks,hooks/**,config,config.worktree}", "/srv/app/.git/hooks/pre-commit"),
    ("git_hook", "**/.git/{modules,worktrees}/**/{hooks,hooks/**,config,config.worktree}", "/x/.git/modules/a/hooks/b"),
    ("git_hook", "~/.{gitconfig,config/git/**}", "/home/ada/.gitconfig"),
    (
        "agent_code",
        "**/.claude/{skills,agents,commands,workflows,plugins,output-styles}/**",
        "/x/.claude/skills/a/SKILL.md",
    ),
    ("agent_code", "**/.claude/scheduled_tasks.json", "/srv/app/.claude/scheduled_tasks.json"),
    ("agent_code", "**/.codex/{agents,skills,prompts}/**", "/srv/app/.codex/agents/x.toml"),
    ("agent_code", "**/.agents/**", "/srv/app/.agents/skills/x/SKILL.md"),
    ("agent_code", "**/.gemini/{agents,commands,skills}/**", "/srv/app/.gemini/commands/x.toml"),
    ("agent_code", "**/.cursor/{agents,commands,skills}/**", "/srv/app/.cursor/commands/x.md"),
    ("agent_code", "{**/.github,~/.copilot}/{agents,skills}/**", "/srv/app/.github/agents/x.md"),
    ("agent_code", "~/.hermes/{,profiles/*/}{cron,scripts,skills}/**", "/home/ada/.hermes/scripts/x.sh"),
    ("agent_variables", "**/.gemini/.env", "/srv/app/.gemini/.env"),
    ("agent_variables", "~/.hermes/{,profiles/*/}.env", "/home/ada/.hermes/.env"),
    ("python_startup", "**/site-packages/{*.pth,sitecustomize.py,usercustomize.py}", "/x/site-packages/a.pth"),
)

HOOK_SETTINGS: Final[tuple[tuple[str, str, str], ...]] = (
    # agent, pattern of the files that decide whether the agent calls the guard, an example
    ("claude-code", "**/.claude/settings{,.local}.json", "/srv/app/.claude/settings.local.json"),
    ("claude-code", "~/.claude.json", "/home/ada/.claude.json"),
    ("claude-code", "**/.claude/hooks{,/**}", "/srv/app/.claude/hooks/x.sh"),
    (
        "claude-code",
        "~/.claude/{.claude.json,remote-settings.json,plugins/installed_plugins.json}",
        "/root/.claude/.claude.json",
    ),
    (
        "claude-code",
        "/library/application support/claudecode{,/**}",
        "/Library/Application Support/ClaudeCode/managed-settings.json",
    ),
    ("claude-code", "**/.mcp.json", "/srv/app/.mcp.json"),
    ("claude-desktop", "**/claude_desktop_config.json", "/home/ada/.config/Claude/claude_desktop_config.json"),
    ("vscode", "**/.vscode/mcp.json", "/srv/app/.vscode/mcp.json"),
    ("vscode", "**/Code/User/mcp.json", "/home/ada/.config/Code/User/mcp.json"),
    ("windsurf", "**/.codeium/windsurf/mcp_config.json", "/home/ada/.codeium/windsurf/mcp_config.json"),
    ("claude-code", "/etc/claude-code/**", "/etc/claude-code/managed-settings.json"),
    ("codex", "**/.codex/{config.toml,hooks.json,requirements.toml,rules/**,hooks/**}", "/home/ada/.codex/config.toml"),
    ("codex", "~/.codex/*.config.toml", "/home/ada/.codex/work.config.toml"),
    ("roo", "**/.roo/mcp.json", "/srv/app/.roo/mcp.json"),
    ("kiro", "**/.kiro/settings/mcp.json", "/srv/app/.kiro/settings/mcp.json"),
    ("opencode", "**/opencode.json", "/srv/app/opencode.json"),
    ("codex", "/etc/codex/**", "/etc/codex/requirements.toml"),
    ("cursor", "**/.cursor/{hooks.json,hooks/**,mcp.json}", "/srv/app/.cursor/hooks.json"),
    ("cursor", "/etc/cursor/**", "/etc/cursor/hooks.json"),
    ("cursor", "/library/application support/cursor/hooks.json", "/Library/Application Support/Cursor/hooks.json"),
    ("gemini", "**/.gemini/{settings.json,policies/**,hooks/**,extensions/**}", "/home/ada/.gemini/settings.json"),
    ("gemini", "~/.gemini/trustedFolders.json", "/home/ada/.gemini/trustedFolders.json"),
    ("gemini", "/etc/gemini-cli/**", "/etc/gemini-cli/settings.json"),
    ("copilot", "**/.github/hooks/**", "/srv/app/.github/hooks/hooks.json"),
    ("copilot", "**/.github/copilot/settings{,.local}.json", "/srv/app/.github/copilot/settings.json"),
    ("copilot", "/etc/github-copilot/**", "/etc/github-copilot/policy.d/x.json"),
    (
        "copilot",
        "~/.copilot/{config.json,settings.json,hooks/**,mcp-config.json}",
        "/home/ada/.copilot/hooks/guardhouse.json",
    ),
    ("goose", "~/.config/goose/**", "/home/ada/.config/goose/config.yaml"),
    ("goose", "**/.agents/plugins/**", "/home/ada/.agents/plugins/guardhouse/hooks/hooks.json"),
    ("goose", "**/.agents/settings{,.local}.json", "/srv/app/.agents/settings.json"),
    (
        "hermes",
        "~/.hermes/{config.yaml,hooks/**,plugins/**,shell-hooks-allowlist.json}",
        "/home/ada/.hermes/config.yaml",
    ),
    (
        "hermes",
        "~/.hermes/profiles/*/{config.yaml,hooks/**,plugins/**,shell-hooks-allowlist.json}",
        "/home/ada/.hermes/profiles/work/config.yaml",
    ),
    ("guardhouse", "**/.guardhouse.{yaml,yml,toml,json}", "/srv/app/.guardhouse.yaml"),
)
SETTINGS_NAMES: Final = frozenset(
    name
    for name in (
        pattern.removeprefix("**/").partition("/")[0] for _, pattern, _ in HOOK_SETTINGS if pattern[:3] == "**/"
    )
    if "." in name and "{" not in name and name != ".github"  # which is more than its hooks
)
"""Of these, the names in a project that they begin with, wherever they lie."""

HOOK_DIRECTORIES: Final[tuple[tuple[str, str, str], ...]] = (
    # agent, pattern of directories with such files in them: whoever moves or removes one takes them along; an example
    ("claude-code", "{**/.claude,/etc/claude-code}", "/srv/app/.claude"),
    ("codex", "{**/.codex,/etc/codex}", "/home/ada/.codex"),
    ("cursor", "{**/.cursor,/etc/cursor}", "/srv/app/.cursor"),
    ("gemini", "{**/.gemini,/etc/gemini-cli}", "/home/ada/.gemini"),
    ("copilot", "{**/.github,~/.copilot,/etc/github-copilot}", "/srv/app/.github"),
    ("goose", "~/.config/goose", "/home/ada/.config/goose"),
    ("goose", "**/.agents", "/home/ada/.agents"),
    ("hermes", "~/.hermes{,/profiles}", "/home/ada/.hermes/profiles"),
    ("roo", "**/.roo", "/srv/app/.roo"),
    ("kiro", "**/.kiro{,/settings}", "/srv/app/.kiro/settings"),
)

# fmt: on

NO_PROJECTS: Final = (
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/proc",
    "/run",
    "/sbin",
    "/sys",
    "/usr/bin",
    "/usr/lib",
    "/usr/local/bin",
    "/usr/local/lib",
    "/usr/local/sbin",
    "/usr/sbin",
    "/usr/share",
    "/system",
    "/library",
    "/applications",
    "/private/etc",
)
"""Directories that are nobody's project, however deep inside one works."""

TOO_WIDE: Final[tuple[tuple[str, str], ...]] = (
    # pattern of directories that are nobody's project, though a directory further in may be; an example
    ("~", "/home/bob"),
    ("~/.config", "/home/ada/.config"),
    ("~/.local{,/share,/state,/bin}", "/home/ada/.local/state"),
    ("/var/{lib,log,cache,spool,db,backups}{,/*}", "/var/lib/mysql"),
)

SYSTEM_ROOTS: Final = (
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/opt",
    "/proc",
    "/run",
    "/sbin",
    "/srv",
    "/sys",
    "/usr",
    "/var",
    "/system",
    "/library",
    "/applications",
    "/private/etc",
    "/private/var",
)


_FEW: Final = 64
"""Paths that are looked up one pattern at a time. Compiling all patterns pays only in a process that stays."""


class PlaceTable:
    """Groups of patterns: under which of each group, if any, a path falls.

    A process that looks up a few paths tries only the patterns that a path could match at all, by words it must hold;
    one that looks up more compiles them all into one set. The answers are the same.
    """

    def __init__(self, groups: Mapping[str, Iterable[tuple[str, str]]], homes: tuple[str, ...] = ()) -> None:
        self._homes = homes
        self._rows = [(group, kind, pattern) for group, patterns in groups.items() for kind, pattern in patterns]
        self._words = [words_of(pattern) for _group, _kind, pattern in self._rows]
        self._singles: dict[int, Any] = {}
        self._looked_up = 0
        self._set: tuple[Any, int] | None = None

    def kinds(self, path: str) -> dict[str, str]:
        """For each group with a pattern that `path` matches, the kind of the first."""
        found: dict[str, str] = {}
        for index in self._indexes(path):
            group, kind, _pattern = self._rows[index]
            found.setdefault(group, kind)
        return found

    def compile(self) -> tuple[Any, int]:
        """All patterns as one set, and the number of one that always matches; RE2's own error if they can't be."""
        import re2  # only needed once a path is looked at

        patterns = re2.Set.FullMatchSet(_options())
        for _group, _kind, pattern in self._rows:
            patterns.Add(glob_to_re2(pattern, self._homes))
        # RE2 answers "no match" also when it ran out of memory. This one always matches.
        witness = patterns.Add("(?s:.*)")
        patterns.Compile()
        self._set = patterns, witness
        return self._set

    def _indexes(self, path: str) -> list[int]:
        compiled = self._set
        if compiled is None:
            self._looked_up += 1
            # Beyond ASCII, upper and lower case are RE2's to compare.
            if self._looked_up <= _FEW and path.isascii():
                return self._one_by_one(path)
            compiled = self.compile()
        patterns, witness = compiled
        indexes = patterns.Match(path)
        if not indexes or witness not in indexes:
            raise MemoryError("the table of places could not be searched")
        return sorted(index for index in indexes if index != witness)

    def _one_by_one(self, path: str) -> list[int]:
        lowered = path.lower()
        return [
            index
            for index, words in enumerate(self._words)
            if any(word in lowered for word in words) and self._single(index).fullmatch(path) is not None
        ]

    def _single(self, index: int) -> Any:
        single = self._singles.get(index)
        if single is None:
            import re2

            single = self._singles[index] = re2.compile(glob_to_re2(self._rows[index][2], self._homes), _options())
        return single


@lru_cache(maxsize=1)
def _options() -> Any:
    import re2

    options = re2.Options()
    options.case_sensitive = False
    options.encoding = re2.Options.Encoding.UTF8
    options.max_mem = 64 << 20
    return options


_TELLING: Final = 3
"""A word as long as this is in few paths."""


def words_of(pattern: str) -> tuple[str, ...]:
    """Words in lower case of which every path that matches `pattern` holds one; the empty one if none is certain."""
    if not (_braces_pair(pattern) and pattern.isascii()):
        return ("",)
    before, brace, rest = pattern.partition("{")
    word = max(_longest_word(before), _longest_word(rest.rpartition("}")[2]), key=len)
    first, _, further = rest.partition("}")
    if brace and len(word) < _TELLING and "{" not in first:
        word = max(word, _longest_word(further.partition("{")[0]), key=len)
        choices = tuple(map(_longest_word, first.split(",")))
        if len(word) < _TELLING and min(map(len, choices)) > len(word):
            return choices
    return (word,)


def _longest_word(text: str) -> str:
    """The longest piece of a pattern without braces that is matched as it stands."""
    return max(text.lower().replace("**/", "*").replace("~", "*").split("*"), key=len)


_HOMES: Final = ("/home/[^/]+", "/root", "/var/root", "/users/[^/]+")


def glob_to_re2(pattern: str, homes: tuple[str, ...] = ()) -> str:
    """A path glob (`~`, `**`, `*`, `{a,b}`) as an RE2 expression for the whole path; `homes` are further homes."""
    home = _home(homes)
    out: list[str] = []
    # A brace without its partner is a character like any other.
    paired = _braces_pair(pattern)
    depth = index = 0
    while index < len(pattern):
        char = pattern[index]
        if pattern.startswith("**", index):
            slash = pattern.startswith("**/", index)
            out.append("(?:/?(?:[^/]+/)*)" if slash else ".+")
            index += 3 if slash else 2
            continue
        if char == "*":
            out.append("[^/]*")
        elif char == "~" and (index == 0 or pattern[index - 1] == "{"):
            out.append(f"(?:{home})")
        elif char == "{" and paired:
            depth += 1
            out.append("(?:")
        elif char == "}" and depth:
            depth -= 1
            out.append(")")
        elif char == "," and depth:
            out.append("|")
        else:
            out.append(_literal(char))
        index += 1
    return f"(?s:{''.join(out)})"


@lru_cache(maxsize=8)
def _home(homes: tuple[str, ...]) -> str:
    return "|".join((*_HOMES, *("".join(map(_literal, path)) for path in homes)))


def _braces_pair(pattern: str) -> bool:
    depth = 0
    for char in pattern:
        depth += (char == "{") - (char == "}")
        if depth < 0:
            return False
    return depth == 0


MOST_PATTERNS: Final = 1000
LONGEST_PATTERN: Final = 512
_PROBES: Final = ("/", "/srv/app/readme.md", "/home/ada/" + "a/" * 500, "/" + "a" * 4000, "/" + "a.b-c_" * 600)


def check_patterns(patterns: Iterable[str]) -> str | None:
    """What is wrong with configured path patterns, for the person who wrote them; None if they can be used.

    They are compiled together, as they will be, and tried on some paths: RE2 can run out of memory on either.
    """
    given = list(patterns)
    if len(given) > MOST_PATTERNS:
        return f"{len(given)} path patterns; at most {MOST_PATTERNS} can be used"
    for pattern in given:
        if len(pattern) > LONGEST_PATTERN:
            return (
                f"the path pattern {pattern[:40]}… has {len(pattern)} characters; at most {LONGEST_PATTERN} can be used"
            )
    try:
        table = PlaceTable({"configured": (("configured", pattern) for pattern in given)})
        table.compile()
        for probe in _PROBES:
            table.kinds(probe)
    except Exception as error:  # noqa: BLE001 - RE2 has errors of its own; each means that the patterns are no use
        return f"these path patterns can't be searched for together ({type(error).__name__}); use fewer or simpler ones"
    return None


def _literal(char: str) -> str:
    return char if char.isalnum() or char in "/_-" or not char.isascii() else f"\\{char}"
