"""Every key of the configuration, with its type, its default and what it means.

This is the one place a key is declared: the JSON Schema for editors, the check for unknown keys, the environment
variables and the list of keys in `config.example.yaml` all follow from it. How a key may change from one layer to
the next is in `tightness.py`.
"""

# Without `from __future__ import annotations`: msgspec would have to compile every annotation again at start-up.

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from guardhouse.model import Limits

Outcome = Literal["allow", "redact", "require_approval", "deny"]
OneOrMore = str | tuple[str, ...]
Percent = Annotated[int, Meta(ge=0, le=100)]


class _Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Strict: a key that is not declared here is an error."""


class NetworkSection(_Section, frozen=True, kw_only=True):
    """Where a tool may reach out to. In `network.default`, or under a tool's own name, which then overrides it.

    A tool's section that names domains or prefixes replaces both lists of the default, so that it says it all.
    """

    allowed_domains: tuple[str, ...] | UnsetType = UNSET
    """Hosts: `api.example.com`, `*.example.com` (subdomains only), with `:port` if not the usual one; `*` is any."""
    allowed_url_prefixes: tuple[str, ...] | UnsetType = UNSET
    """URLs, compared part by part: `https://api.example.com/v1/`."""
    deny_private_ips: bool | UnsetType = UNSET
    """Refuse loopback, private, link-local, metadata and other addresses that are not on the public internet."""
    resolve_dns: bool | UnsetType = UNSET
    """Look the host up and judge every address it has; a failed look-up is a deny."""
    follow_redirects: bool | UnsetType = UNSET
    """Follow redirects to the same origin, judged again at every hop."""
    allow_proxy: bool | UnsetType = UNSET
    """Use proxies named in the environment."""
    endpoint: str | UnsetType = UNSET
    """In `network.web_search`: the search service that is asked, with `{query}` where the query goes, and perhaps
    `{count}`. Nothing else is reached then."""
    key_env: str | UnsetType = UNSET
    """The environment variable that holds the key of that service."""
    key_header: str | UnsetType = UNSET
    """The header that the key is sent in; `Authorization` unless said."""


class CommandsSection(_Section, frozen=True, kw_only=True):
    """Commands that run without a question."""

    allowed: tuple[str, ...] = ()
    """Exact commands, or the first words of plain ones: `make test`, `git log *`."""
    programs: tuple[str, ...] | UnsetType = UNSET
    """For `bash: listed`: programs, or programs with their first words: `rg`, `git log`."""
    loopback: bool | UnsetType = UNSET
    """Whether commands may reach ports of this machine itself."""


class PathsSection(_Section, frozen=True, kw_only=True):
    """Files and directories."""

    allowed_directories: tuple[str, ...] = ()
    """Absolute directories (or `~/…`) that count as part of the work, beside the project; a single file may be named,
    and only a file named itself is allowed even if it usually holds secrets."""
    sensitive: tuple[str, ...] = ()
    """Further globs for files that hold secrets, added to the built-in list: `~/vault/**`, `**/*.token`."""


class SecretPattern(_Section, frozen=True, kw_only=True):
    """A secret of your own."""

    id: Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]{1,63}$(?!\n)")]
    pattern: Annotated[str, Meta(min_length=1, max_length=1000)]
    """An RE2 expression; if it has a group, only the group is masked."""


class SecretsSection(_Section, frozen=True, kw_only=True):
    """Finding and masking secrets."""

    level: Literal["partial", "full"] = "full"
    """`partial` keeps a few characters at both ends of a long secret, so that people can tell which one it was."""
    fingerprints: bool = False
    """Whether masks tell one secret from another, as in `[redacted:1f8a09c2]`: by a hash with a key of this machine."""
    patterns: tuple[SecretPattern, ...] = ()
    kinds: dict[str, Literal["ignore", "redact", "require_approval", "deny"]] = {}
    """What a kind of secret leads to, by its id or a glob (`aws_*`): `ignore` says that it is none; the others are what
    must happen at least where it is found."""
    allowed: tuple[Annotated[str, Meta(pattern=r"^[0-9a-f]{32}$(?!\n)")], ...] = ()
    """Fingerprints of values that are no secrets, such as a test's key: `guardhouse scan --fingerprints` tells them."""


ArgumentRole = Literal[
    "recipient",
    "destination",
    "amount",
    "date",
    "path",
    "code",
    "secret",
    "selector",
    "content",
    "query",
    "limit",
    "flag",
]
FieldLabel = Literal["server", "own", "third_party"]


class UntrustedSection(_Section, frozen=True, kw_only=True):
    """Content from outside, as a model gets it."""

    data_marking: bool = False
    """Write each space of it as a mark, so that a model sees in every line what it reads. Costs some tokens."""


class ToolSection(_Section, frozen=True, kw_only=True):
    """What you know about a tool."""

    capabilities: tuple[
        Literal[
            "reads",
            "reads_private",
            "reads_untrusted",
            "writes",
            "destructive",
            "executes",
            "egress",
            "sends",
            "spends",
        ],
        ...,
    ]
    """Everything it can do; an empty list says that it does nothing of consequence."""
    pinned_to: Annotated[str, Meta(pattern=r"^sha256:[0-9a-f]{64}$(?!\n)")] | None = None
    """The description that this was said of, by its digest: of a tool that is announced otherwise it says nothing."""
    description: Annotated[str, Meta(max_length=10_000)] = ""
    """What it does, in words, as a model is told."""
    parameters: dict[str, Any] = {}
    """Its arguments, as JSON Schema."""
    roles: dict[str, ArgumentRole] = {}
    """What its arguments are for, where their names and the schema do not tell."""
    fields: dict[str, FieldLabel] = {}
    """Who fills in the fields of its results: the service (`server`), the user (`own`), or anybody (`third_party`)."""


class LabelPattern(_Section, frozen=True, kw_only=True):
    """A label of your own."""

    id: Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]{1,63}$(?!\n)")]
    group: Literal["environment", "personal", "private", "business"] = "business"
    pattern: Annotated[str, Meta(min_length=1, max_length=1000)]
    """An RE2 expression; if it has a group, only the group is the labelled data."""


class LabelsSection(_Section, frozen=True, kw_only=True):
    """Data that is no secret and still not for everybody, by label; looked for only where it leaves.

    Keys are labels, groups of them, or `*`; a label beats its group, and both beat `*`. What no key names is allowed.
    """

    output: dict[str, Outcome] = {}
    """What it leads to in text that is published."""
    egress: dict[str, Outcome] = {}
    """What it leads to in a call that reaches out of the machine."""
    patterns: tuple[LabelPattern, ...] = ()
    private: tuple[Annotated[str, Meta(max_length=100_000)], ...] = ()
    """Texts such as a system prompt: eight words of one in a row have the label `system_prompt`."""


class RiskSection(_Section, frozen=True, kw_only=True):
    """From which score (0 to 100) a risk is called what. Below `medium` it is low."""

    medium: Percent = 30
    high: Percent = 60
    critical: Percent = 90


class RuleSection(_Section, frozen=True, kw_only=True):
    """One rule. It matches when everything it names matches; lists match when one entry does, and may not be empty:
    a rule for no tool is not a rule for every tool."""

    id: Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9_.-]{0,63}$(?!\n)")]
    effect: Outcome
    action: OneOrMore | UnsetType = UNSET
    """Action types, such as `ToolCallPre`."""
    tool: OneOrMore | UnsetType = UNSET
    """Tool names or globs; case does not count."""
    capability: OneOrMore | UnsetType = UNSET
    """What the tool can do: one of these; in allow rules, all it can do must be among these."""
    finding: OneOrMore | UnsetType = UNSET
    """Reason codes or globs over them, such as `url.*`."""
    does: OneOrMore | UnsetType = UNSET
    """What the action would do: reads, writes, deletes, connects, sends, executes."""
    domain: OneOrMore | UnsetType = UNSET
    """A host that is reached: `example.com`, `*.example.com`."""
    url_prefix: OneOrMore | UnsetType = UNSET
    """A URL that is reached, compared part by part."""
    path_class: OneOrMore | UnsetType = UNSET
    """Where a file lies: project, allowed, temp, home, system, secret, persistence, guard, other."""
    risk: Literal["low", "medium", "high", "critical"] | None = None
    """A finding of at least this risk."""
    regex: OneOrMore | UnsetType = UNSET
    """RE2 expressions looked for in every text of the action."""
    field: str | None = None
    """Only look for `regex` here: `params.command`, `content`."""
    when: str | None = None
    """A CEL expression over `action` and `finding`; only in rules that restrict."""
    waives: tuple[str, ...] = ()
    """In allow rules: the reason codes (not floors) that no longer stop what matches."""
    because: str = ""
    """Shown as the reason."""
    instead: str = ""
    """Shown as the safer way."""
    match: tuple[dict[str, Any], ...] = ()
    """Actions this rule must match; checked when the policy is loaded."""
    not_match: tuple[dict[str, Any], ...] = ()
    """Actions it must not match."""


Seconds = Annotated[int, Meta(ge=1, le=86_400)]


class AnswerTimes(_Section, frozen=True, kw_only=True):
    """Seconds within which a person must answer, by how risky the action is; then it is denied with `timeout`."""

    low: Seconds = 300
    medium: Seconds = 300
    high: Seconds = 300
    critical: Seconds = 300


class TelegramSection(_Section, frozen=True, kw_only=True):
    """Cards in Telegram, sent by `guardhouse serve`. The bot's token is in GUARDHOUSE_TELEGRAM_TOKEN, or in a file."""

    chat_ids: tuple[Annotated[int, Meta(ge=1)], ...] = ()
    """Who gets cards and may answer, by their numbers; in a private chat the person and the chat have the same one.
    Without any, nothing is sent."""
    token_file: str = ""
    """A file that holds the bot's token, for their owner only."""
    template: Annotated[str, Meta(max_length=2000)] = ""
    """What a card says, with {id}, {risk}, {advice}, {action}, {reasons}, {session}, {expires} and {covers} in it."""
    api_url: str = "https://api.telegram.org"
    """Where the Bot API is."""


class WebhookSection(_Section, frozen=True, kw_only=True):
    """A signed message to a service of yours whenever a request is opened or settled. The secret that signs it is in
    GUARDHOUSE_WEBHOOK_SECRET, or in a file."""

    url: str = ""
    """Where it is sent; nowhere without."""
    secret_file: str = ""
    """A file that holds the secret, for its owner only."""


class ApprovalsSection(_Section, frozen=True, kw_only=True):
    """Questions to people."""

    answer_within: AnswerTimes = AnswerTimes()
    use_within: Seconds = 600
    """Seconds within which an approved call must be made."""
    unattended: bool = False
    """Nobody is there: what would ask is denied at once, and says so."""
    terminal: bool = True
    """Whether questions may be put and answered at a terminal of this machine."""
    anonymous_sessions: bool = False
    """Whether cards on other machines leave out which session asks."""
    second_approver: Literal["never", "critical", "high", "medium", "low"] = "never"
    """From which risk on two people must say yes."""
    people: dict[str, tuple[str, ...]] = {}
    """Which actors are one person: `ada: [approver:ada, telegram:1234, local:ada]`. Nobody answers what they asked, and
    nobody is the second approver of what they approved; an actor that is not named here is a person of its own."""
    longest_grant: Annotated[int, Meta(ge=0, le=604_800)] = 28_800
    """Seconds that a yes for more than once lasts at most; 0 is that there are none."""
    never_grant: tuple[str, ...] = ()
    """Reason codes, or globs, to which a yes is good for this once only."""
    pause_after: Annotated[int, Meta(ge=0, le=100)] = 5
    """After so many denials in a row a session asks nothing for a while: what would ask is denied. 0 is never."""
    pause: Seconds = 600
    """Seconds that this lasts, unless a person lifts it."""
    telegram: TelegramSection = TelegramSection()
    webhook: WebhookSection = WebhookSection()


class SandboxSection(_Section, frozen=True, kw_only=True):
    """Where commands run that a coding agent wants to run: `guardhouse sandbox`. Where they may reach out to from there
    is in `network.proxy`, or in `network.default`."""

    mode: Literal["off", "prefer", "require"] = "off"
    """Whether hooks put the commands of agents into it: never; where that can be done; or nothing runs outside."""
    outside: tuple[str, ...] = ()
    """Commands that run outside all the same, judged as without a sandbox: exact ones, or the first words of plain
    ones, as in `commands.allowed`: `docker *`, `git push *`."""
    workspace: Literal["write", "read"] = "write"
    """What may be done to the project inside."""
    readable: tuple[str, ...] = ()
    """Further absolute paths (or `~/…`) that can be read inside, beside programs and the tools of languages."""
    writable: tuple[str, ...] = ()
    """Further ones that can be written to, beside the project and `paths.allowed_directories`: a cache, perhaps."""
    shown: tuple[str, ...] = ()
    """Files of these that can be read although they look as if they hold secrets, which are hidden otherwise."""
    environment: tuple[Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}$(?!\n)")], ...] = ()
    """Further variables that commands get, beside those that are known to hold no password."""
    unix_sockets: bool = False
    """Whether commands may use sockets in the file system, as databases do. One that lies in the project leads out."""


class AuditSection(_Section, frozen=True, kw_only=True):
    """The record of decisions."""

    max_file_bytes: Annotated[int, Meta(ge=64 * 1024)] = 100_000_000
    """A new file is begun at this size, and every day."""
    max_age_days: Annotated[int, Meta(ge=1)] = 30
    max_total_bytes: Annotated[int, Meta(ge=1024 * 1024)] = 1_000_000_000
    """The oldest files are removed when they are older than that, or all together larger."""
    sinks: tuple[Literal["stdout", "syslog"], ...] = ()
    """Where events go besides the log: a line of JSON each, on standard output of the daemon or to the system's log."""


class ServerSection(_Section, frozen=True, kw_only=True):
    """The daemon, `guardhouse serve`."""

    host: str = "127.0.0.1"
    """The address it listens at. One that others can reach needs TLS, or `plain_http`."""
    port: Annotated[int, Meta(ge=0, le=65535)] = 8765
    tls_cert: str = ""
    """A certificate with its chain, and"""
    tls_key: str = ""
    """its key: files in PEM form."""
    plain_http: bool = False
    """Whether others may reach it without TLS: behind a proxy of yours that has it."""
    public_url: str = ""
    """How people reach it, for links on cards: `https://guard.example.com`."""
    requests_per_minute: Annotated[int, Meta(ge=1)] = 6000
    """How often one token may ask."""
    max_streams: Annotated[int, Meta(ge=1)] = 200
    """How many may listen to events at once, all together."""
    console_idle: Seconds = 1800
    """Seconds after which who does nothing in the console is signed out."""
    console_session: Seconds = 43_200
    """Seconds after which everybody has to sign in to it again."""


class ProxySection(_Section, frozen=True, kw_only=True):
    """The forward proxy: what one connection, or one agent, may take of it."""

    connections: Annotated[int, Meta(ge=1, le=100_000)] = 256
    """How many one agent, or one sandbox, may have at once."""
    all_connections: Annotated[int, Meta(ge=1, le=100_000)] = 1024
    """How many there may be at once, all together."""
    head_bytes: Annotated[int, Meta(ge=1024, le=1024 * 1024)] = 64 * 1024
    """Of the request line and the headers of a request, and of those of an answer."""
    head_seconds: Seconds = 10
    """Seconds in which a request must have come up to its body, or a TLS handshake have begun."""
    idle_seconds: Seconds = 300
    """Seconds after which a connection on which nothing moves is closed."""
    longest_seconds: Seconds = 14_400
    """Seconds after which any connection is closed."""
    up_bytes: Annotated[int, Meta(ge=1)] = 256 * 1024 * 1024
    """What may be sent on one connection,"""
    down_bytes: Annotated[int, Meta(ge=1)] = 1024 * 1024 * 1024
    """and what may come back."""


class ModelSection(_Section, frozen=True, kw_only=True):
    """The model of runs: any service that speaks OpenAI's protocol."""

    name: Annotated[str, Meta(max_length=200)] = ""
    """What the service knows it by. Without one there are no runs."""
    base_url: Annotated[str, Meta(max_length=2048)] = "https://api.openai.com/v1"
    key_env: Annotated[str, Meta(pattern=r"^([A-Za-z_][A-Za-z0-9_]{0,127})?$(?!\n)")] = "OPENAI_API_KEY"
    """The environment variable that holds its key; empty if it wants none."""
    seconds: Seconds = 120
    """How long one answer may take."""
    retries: Annotated[int, Meta(ge=0, le=10)] = 2


class McpServerSection(_Section, frozen=True, kw_only=True):
    """An MCP server whose tools runs have."""

    command: tuple[str, ...] = ()
    """How it is started."""
    environment: tuple[Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}$(?!\n)")], ...] = ()
    """Variables that it gets, beside those that every program has."""


class RunsSection(_Section, frozen=True, kw_only=True):
    """Runs: `guardhouse run`, and those of the daemon."""

    model: ModelSection = ModelSection()
    tools: tuple[
        Literal[
            "url_fetch", "web_search", "read_file", "write_file", "list_files", "bash", "memory", "delegate", "skills"
        ],
        ...,
    ] = ("url_fetch", "web_search", "read_file", "write_file", "list_files", "bash", "memory", "delegate")
    """Tools that agents have. What each may do is for the rest of the policy to say."""
    mcp: dict[str, McpServerSection] = {}
    """Servers by name; their tools are called `mcp__NAME__TOOL`."""
    instructions: Annotated[str, Meta(max_length=20_000)] = ""
    """What every agent is told beside its task."""
    most_steps: Annotated[int, Meta(ge=1, le=10_000)] = 50
    """Answers of the model after which a run ends."""
    most_tokens: Annotated[int, Meta(ge=1)] = 2_000_000
    """Tokens, read and written, after which it does."""
    most_denied: Annotated[int, Meta(ge=1, le=1000)] = 6
    """Calls denied in a row after which it does."""
    at_once: Annotated[int, Meta(ge=1, le=1000)] = 8
    """Runs that a daemon works on at once."""
    workspaces: tuple[Annotated[str, Meta(pattern=r"^/", max_length=4096)], ...] = ()
    """Directories that a run of the daemon may be started in. One that names none has a new one for itself."""
    keep_days: Annotated[int, Meta(ge=1, le=29)] = 7
    """Days after which a run that is over is removed, and one that waits is cancelled."""


class McpServedSection(_Section, frozen=True, kw_only=True):
    """An MCP server behind the gateway: `/mcp/NAME` of the daemon, or `guardhouse mcp --name NAME`."""

    command: tuple[str, ...] = ()
    """How the daemon starts it; one for each session of a client."""
    environment: tuple[Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}$(?!\n)")], ...] = ()
    """Variables that it gets, beside those that every program has."""
    url: Annotated[str, Meta(max_length=8192)] = ""
    """Or where it is, if it speaks streamable HTTP. `network.mcp__NAME` says where that may be."""
    headers: tuple[
        Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9-]{0,127}=[A-Za-z_][A-Za-z0-9_]{0,127}$(?!\n)")], ...
    ] = ()
    """Headers that are sent to the URL, each as `NAME=VARIABLE`: the variable holds its value."""
    allowed_tools: tuple[str, ...] = ("*",)
    """Its tools that clients see and may call, by their own names or globs."""
    denied_tools: tuple[str, ...] = ()
    """Those that they do not, whatever is allowed."""


class McpSection(_Section, frozen=True, kw_only=True):
    """MCP servers behind the gateway."""

    servers: dict[Annotated[str, Meta(pattern=r"^[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?$(?!\n)")], McpServedSection] = {}
    """By name; a tool of one is known as `mcp__NAME__TOOL`."""


class GuardianSection(_Section, frozen=True, kw_only=True):
    """A second opinion on calls, by a model: any service that speaks OpenAI's protocol."""

    mode: Literal["off", "audit", "enforce"] = "off"
    """`audit` asks and records, and changes nothing."""
    model: Annotated[str, Meta(max_length=200)] = ""
    """What the service knows it by."""
    base_url: Annotated[str, Meta(max_length=2048)] = "https://api.openai.com/v1"
    key_env: Annotated[str, Meta(pattern=r"^([A-Za-z_][A-Za-z0-9_]{0,127})?$(?!\n)")] = "OPENAI_API_KEY"
    """The environment variable that holds its key; empty if it wants none."""
    answer: Literal["line", "structured"] = "line"
    """One line, or JSON that also says how risky the call is and how far the user wanted it."""
    held_to: Literal["words", "grammar", "regex", "schema"] = "words"
    """What holds the model to that form: the words alone, or something that the service knows: a GBNF `grammar`
    (llama.cpp), `guided_regex` (vLLM), or a JSON `schema` (for structured answers)."""
    spares: bool = True
    """Ask it to spare a person a question of at most medium risk."""
    watches: Literal["never", "tainted", "always"] = "tainted"
    """Ask it about calls that would simply go through and do something: those of sessions that untrusted content has
    come into, or all."""
    may_clear: Literal["known", "wide"] = "known"
    """Which questions it may spare: none about a destination, a recipient, an amount or code that only untrusted
    content knows; or `wide`, also those."""
    on_block: Literal["require_approval", "deny"] = "require_approval"
    """What a call comes to, at least, that it is against."""
    on_error: Literal["keep", "require_approval", "deny"] = "require_approval"
    """What a call comes to, at least, that it gives no answer on; `keep` leaves it as policy decides alone, unless
    the judge is not asked any more."""
    context: Annotated[str, Meta(max_length=8_000)] = ""
    """What it is told of your agents and their work."""
    seconds: Seconds = 12
    """How long an answer may take, all attempts together."""
    retries: Annotated[int, Meta(ge=0, le=10)] = 2
    allow_proxy: bool = False
    """Whether it is reached by the proxies that the environment names."""
    prompt_chars: Annotated[int, Meta(ge=4_000, le=1_000_000)] = 60_000
    """How much it is shown. Of what does not fit it sees the structure only, and can then spare no question."""
    session_tokens: Annotated[int, Meta(ge=0)] = 500_000
    """Tokens, read and written, that it may take for one session,"""
    day_tokens: Annotated[int, Meta(ge=0)] = 5_000_000
    """and for all of them in a day; after that it is not asked. 0 is no limit."""
    keep_answers: Annotated[int, Meta(ge=0, le=86_400)] = 900
    """Seconds for which the same question about the same session has the same answer without asking again."""


class GuardSection(_Section, frozen=True, kw_only=True):
    """The whole policy."""

    enabled: bool = True
    """`false` switches the gate off; every surface then says so."""
    mode: Literal["observe", "enforce"] = "enforce"
    """`observe` records what would be decided and enforces only the floors."""
    preset: Literal["dev", "ci", "strict", "container", "read-only"] = "dev"
    """The defaults to start from."""
    lock: tuple[str, ...] = ()
    """Keys of this policy that later layers may only tighten: `network.default.deny_private_ips`, `rules`."""
    bash: Literal["effects", "listed", "ask", "deny"] = "effects"
    """What happens to shell commands that are not on the allowlist: what they would do decides; those of
    `commands.programs`, plainly written, run if what they would do allows it, and the rest ask; all ask; none run."""
    commands: CommandsSection = CommandsSection()
    paths: PathsSection = PathsSection()
    network: dict[str, NetworkSection] = {}
    secrets: SecretsSection = SecretsSection()
    labels: LabelsSection = LabelsSection()
    untrusted: UntrustedSection = UntrustedSection()
    tools: dict[str, ToolSection] = {}
    """Tools by name or glob."""
    own: tuple[str, ...] = ()
    """What is the user's own: mail addresses, account numbers, names. It may go into any call."""
    detectors: dict[str, bool] = {}
    """Detectors that are switched off; not those that keep a floor."""
    findings: dict[str, Outcome] = {}
    """What a reason code leads to, where you want it otherwise than the preset."""
    risk: RiskSection = RiskSection()
    limits: Limits = Limits()
    approvals: ApprovalsSection = ApprovalsSection()
    audit: AuditSection = AuditSection()
    server: ServerSection = ServerSection()
    sandbox: SandboxSection = SandboxSection()
    proxy: ProxySection = ProxySection()
    runs: RunsSection = RunsSection()
    mcp: McpSection = McpSection()
    guardian: GuardianSection = GuardianSection()
    rules: tuple[RuleSection, ...] = ()


class Configuration(_Section, frozen=True, kw_only=True):
    """A configuration file."""

    guard: GuardSection = GuardSection()


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a configuration file, for editors."""
    schema = msgspec.json.schema(Configuration)
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "Guardhouse configuration"
    return schema
