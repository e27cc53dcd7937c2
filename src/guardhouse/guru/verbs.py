"""The words of the grammar: verbs that tell people to act, what tells a noun from one, modals, subjects.

Data only, in lower case without accents. A verb that is missing here is an instruction that is not found.
"""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NOUN_VERBS: Final = _words(
    """
    access act address alert answer approach ask attempt back backup balance ban bind block book boot branch break
    bridge browse buffer build bump bundle cache call cancel change charge chart chat check claim clean clear click
    clone close code collect command comment commit compile compress configure consult contact contract control copy
    cost count cover crash create cross cut cycle deal debug default delay delete demand deploy design display
    document download draft drive drop dump echo edit email end escape exchange exit export express fall fax feature
    feed fetch file fill filter finish fix flag flash flip flush focus fold force fork form format forward frame
    function gate get go grant group guard guide hack halt hand handle harvest hash head help hide hold hook host hunt
    import increase index input insert invite issue join journal jump keep key kick kill label land launch lay lead
    leak lease leave level limit link list load lock log loop mail make manage map mark match merge message mirror
    mock mount move name need network note notice number offer open order output override own pack package page parse
    pass paste patch pause pay phone pick pin ping pipe place plan play point poll pool port post press prevent print
    probe process produce profile program prompt proof proxy publish pull purchase push put query queue quit quote
    race raise range reach read rebase rebuild recall record redirect release reload remark render repair repeat
    replace reply report request rescue research reserve reset respond restart result retreat retry return reverse
    revert review reward rise roll root rotate route rule run sample save scale scan schedule score scrape screen
    scroll seal search seek select sell send serve service set shape share shift ship shop show shrink sign signal
    size skip sleep slice snapshot sort sound source spawn spend split squash stage stamp stand star start state step
    stick stop store stream stress structure study style subject submit supply support surface switch swap tag take talk target
    task tell term test text thread throw tie time touch trace track trade train transfer transform transport travel
    treat trigger trim trust try turn tweak type update upgrade upload use value view visit visual vote wait wake
    walk warn wash watch wave whitelist wipe wire work wrap write zip experiment benchmark sandbox audit exploit unlock
    register mute archive blacklist blame broadcast bookmark checkpoint crawl dial dispatch encounter exercise inject
    migrate monitor order overwrite peek pledge quarantine rename reboot reinstall rewrite sponsor
    """
)
"""Verbs that are nouns too, and may begin a noun phrase."""

STRICT_VERBS: Final = _words(
    """
    abort accept activate adapt add adjust adopt advise agree aggregate allocate allow amend analyse analyze announce
    append apply approve arrange assemble assert assess assign assume attach authenticate authorise authorize avoid
    await backport be become begin beware borrow bring buy bypass calculate capture choose circumvent cite clarify
    collaborate combine compare complete compose compute concatenate conceal conclude conduct confirm connect consider
    construct consume continue convert convince correct coordinate customise customize deactivate decide declare
    decline decode decompress decrease decrypt dedicate deduce define defer degrade deliver demonstrate deny depend
    derive describe destroy detach detect determine develop differentiate disable disallow discard disclose disconnect
    discover discuss dismiss disregard distribute dive divide do don't donate downgrade drag duplicate ease elevate
    eliminate email embed embrace employ empty enable encode encourage encrypt endorse enforce engage enhance enjoy
    enlarge enrich enrol ensure enter enumerate erase establish estimate evaluate examine exclude execute exfiltrate
    expand expect explain explore expose extend extract facilitate familiarise figure find follow forget forbid
    formulate generate give grab grep harden help hit identify ignore illustrate imagine implement improve include
    incorporate inform infer initialise initialize initiate input inquire inspect install instruct integrate interrupt
    introduce invent invest investigate invoke isolate iterate kindly know learn lend let liaise listen locate look
    lower maintain mask maximise maximize mention minimise minimize mitigate modify multiply navigate negotiate
    normalise note notify obey observe obtain omit operate optimise optimize organise organize outline overcome parse
    participate perform permit persuade plug polish ponder populate pop postpone practise prefer prefix prepare
    preserve pretend prioritise prioritize proceed promote proceed prohibit protect prove provide provision prune
    purge recommend recompile reconfigure reconnect recover recreate redeploy redo reduce refactor refer refine refrain
    refresh refuse regenerate regard reject relax rely remain remember remind remove renew reopen reorganise report
    reproduce require resend resist resolve restore restrict resume retain rethink retrieve reveal revise revoke
    rewire run satisfy secure see sell separate settle simplify simulate smuggle solve specify spin stay strip
    subscribe subtract succeed suggest summarise summarize suppose suppress surf suspect suspend sync synchronise
    synchronize terminate tidy toggle tolerate transcribe translate transmit truncate tune unblock uncheck uncomment
    understand undo uninstall unlink unmount unpack unplug unset unsubscribe unwrap unzip utilise utilize validate
    verify vary weigh withdraw withhold wonder worry yield relaunch reformat recheck rerun re-run re-install
    re-enable log-in opt mind untar shut double-check cherry-pick have say think bear beware carry steer dig tear wind crank flick nudge poke ramp rip scrub slap slide slot
    squeeze stash stuff swing tack toss tuck twist yank zap chuck fiddle tinker rid pry peel settle strive aim embark
    resort stipulate hurry brush cram fetch flip grind hammer hop jot jam juggle knock lock mash mix nail pack phone pile
    pinch pitch rinse scoop scrap shove snatch sniff spell spray sprinkle sweep swipe tackle tame tear-down unload hide spread spin chmod cd mkdir hurry thank rest hover tap dismiss disarm
    """
)
"""Verbs that no noun phrase begins with, unless one makes a compound of it (`install size`)."""

VERBS: Final = NOUN_VERBS | STRICT_VERBS
RESEARCH: Final = _words(
    """find look learn check compare confirm list search get determine identify verify retrieve read fetch know see
    establish clarify collect describe summarise summarize explain ask query tell date name note count trace track
    locate discover resolve obtain investigate research review examine assess evaluate understand"""
)
"""What a request to a service may say: it looks, and changes nothing."""

LEADS: Final = _words(
    """please kindly just simply then now first firstly second secondly third thirdly next finally lastly also
    instead afterwards afterward later again immediately quickly carefully so and but or perhaps maybe otherwise
    alternatively therefore thus hence additionally furthermore moreover last step lastly optionally ideally
    preferably meanwhile either better manually explicitly directly temporarily permanently promptly urgently always never only
    at least once twice better quietly silently secretly safely gently"""
) - {"at", "least", "last", "step", "once", "second"}
"""What may stand before an imperative."""
ORDERING: Final = _words("always never please kindly")

DETERMINERS: Final = _words(
    """the a an this that these those your my our its their it them him her me us all any each every both some no
    another everything something anything nothing one yourself itself themselves myself ourselves whatever either
    whichever people everyone everybody someone nobody users up down out off away back over"""
) - {"no", "back", "over", "users"}
FINITE: Final = _words(
    """is are was were has have had can could may might will would must should shall does did isn't aren't wasn't
    weren't hasn't haven't hadn't can't cannot couldn't won't wouldn't mustn't shouldn't doesn't didn't"""
)
THIRD: Final = _words(
    """depends goes lives happens requires contains includes applies belongs consists begins exists gives
    makes becomes remains covers provides follows expires takes returns lasts supports uses comes works appears means
    helps keeps allows lets needs defaults stays lies runs stands varies grows drops falls raises fails occurs
    refers relies yields carries holds wins shows says states matters differs happened occurred took went came
    began became led brought existed ends starts"""
)
"""Finite verbs that are seldom nouns."""
AMBIGUOUS_THIRD: Final = _words(
    "runs returns supports works helps needs defaults drops falls raises shows states means takes holds"
)
"""Of those, the ones that may be nouns: not directly behind the verb."""
PLURAL_FINITE: Final = _words(
    """happen go live expire apply exist follow keep hold run need take appear start end return contain include depend
    default move cover ship use have mark point support require provide match pass fail work stay remain lie come
    make give carry share belong consist begin last vary grow occur refer rely mean do get let help fall yield install
    publish produce become differ matter restore"""
)
"""Base forms that are finite behind a plural."""
DESCRIBING: Final = _words(
    """contain provide include support return depend offer allow require take accept share implement follow help enable
    give make handle hold inherit expose use cover work need have lack belong"""
)
"""Verbs by which things are described, and nobody is told to do much."""
RISKY: Final = _words(
    """run delete install remove execute download upload send open stop kill push drop wipe disable enable copy move
    write forward transfer mail email post fetch restart reset revert merge commit deploy publish approve skip bypass
    trust grant share change edit replace reboot purchase format mount export upgrade rotate revoke"""
)
"""Verbs that stay orders in a list of things."""
WITH_GERUND: Final = _words("stop start try keep quit delay finish begin go get end escape risk need")
"""Verbs that take a form in -ing as their object."""
NO_VERBS: Final = _words(
    """in on at of to for from with without within by via per during under over above below behind beside besides between
    among through throughout across against along around before after since until till upon into onto like unlike near
    despite than as if when whenever where wherever while because unless though although whether how what which who whose
    whom why that and or nor but so yet not only even all both half such quite rather many much most more some any each
    every either neither no none this these those the a an it they he she we you i there here one two three four five
    once twice also is are was were be been being do does did has have had can could may might must shall should will
    would too very just then now still again later soon often never always sometimes perhaps maybe given except including
    instead inside outside toward towards about beyond beneath amid amidst worth next last first due thanks sans
    versus vs plus minus whatever whichever whoever whereas whereby hence thus therefore otherwise however moreover
    albeit lest save notwithstanding regarding concerning considering depending pending atop onto up down out off
    likewise indeed apart aside together well almost nearly roughly approximately at exactly ask"""
) - {"ask"}
"""Words that no order begins with. Any other that stands before a determiner at the beginning of a sentence is a verb."""
ADJECTIVES: Final = _words(
    "correct complete clean clear open secure separate empty free live direct duplicate lean slow express perfect"
)
SUBORDINATORS: Final = _words(
    """that which who whom whose if when whenever where wherever while because unless until till before after since
    whether how what why so although though than"""
)
PRONOUNS: Final = _words("it they he she we you i this these those there")
INTRODUCTORY: Final = _words(
    """to in for with on at if when whenever before after once unless until since otherwise instead as from by
    without via during upon under should because although though while given assuming first firstly next then finally
    later afterwards alternatively additionally also lastly therefore so however thus secondly second third furthermore
    depending using where now here again please if rather provided supposing whichever whatever sure okay ok yes no well"""
)
NEGATIONS: Final = _words("not don't dont never")

COMPOUNDS: Final = {
    "run": "time times mode length level", "install": "size time location path script scripts base hook hooks step",
    "test": "suite framework runner coverage data case helper utility plugin tool harness client double",
    "build": "system backend tool number time size process artifact dependency requirement frontend",
    "query": "builder language engine parser planner string parameter", "lock": "file format manager",
    "log": "level file parser format viewer handler formatter", "file": "format system handler watcher parser",
    "release": "date process automation notes tool candidate", "format": "string converter specification",
    "task": "queue runner scheduler", "command": "line", "code": "generator coverage formatter base style quality",
    "type": "checker stubs hints annotations system", "load": "balancer testing", "map": "projection",
    "time": "zone series", "process": "manager pool supervisor", "text": "editor wrapping processing",
    "help": "text", "set": "theory", "search": "engine index", "cache": "backend implementation",
    "hash": "function table", "index": "file", "message": "queue broker passing", "network": "library analysis client",
    "service": "discovery mesh client", "stream": "processing processor",
    "thread": "pool", "parse": "tree", "call": "graph stack",
    "request": "handler context", "proxy": "server", "mock": "server library objects",
    "trace": "collector", "upload": "limit", "download": "manager", "import": "hook sorter linter",
    "print": "layout", "profile": "guided", "program": "analysis", "prompt": "toolkit", "record": "format",
    "schedule": "parser", "sort": "order", "state": "machine management", "tag": "parser",
    "source": "code map distribution", "support": "library", "port": "scanner", "pin": "file", "plan": "cache",
    "package": "manager index installer metadata", "page": "cache object", "patch": "release level",
    "view": "layer", "work": "stealing", "root": "certificate certificates",
    "exit": "code status", "default": "value timeout port branch", "branch": "name coverage",
    "access": "token control level log", "update": "interval channel", "backup": "tool", "back": "then", "display": "name",
    "feature": "flag flags", "key": "derivation management", "function": "decorator", "group": "id", "host": "name",
    "name": "server", "output": "format", "input": "validation format", "range": "type", "return": "type value code",
    "style": "guide checker", "subject": "line", "target": "platform version", "transport": "layer", "value": "type",
    "wire": "format", "write": "lock", "read": "lock timeout only", "signal": "handler dispatcher",
    "control": "flow plane", "design": "system", "document": "store database", "drive": "letter", "end": "date",
    "form": "validation handling", "frame": "rate", "guide": "lines", "label": "printer", "level": "db",
    "mail": "client server transport", "mirror": "list", "number": "formatting parser", "order": "book",
    "paste": "buffer", "score": "function", "screen": "reader", "size": "limit", "sound": "library", "split": "view",
    "step": "function", "surface": "mesh", "term": "frequency", "touch": "bar", "wrap": "mode", "zip": "file",
}  # fmt: skip
"""What makes a noun of a verb by standing behind it, where there is no finite verb to tell."""
NOUN_PAIRS: Final = _words(
    """access:to support:for need:for limit:of request:for query:for answer:to approach:to link:to reply:to
    help:for demand:for end:of test:for plan:for work:on result:of mirror:of port:of fork:of clone:of copy:of
    guide:to bridge:to contract:between control:over"""
)
"""Noun and preposition that make a title of it, not an order."""

MODALS: Final = _words(
    """should must can could may might will would shall ought cannot can't shouldn't mustn't couldn't won't
    wouldn't"""
)
OBLIGED: Final = _words("need needs have has had want wants got")
"""With `to` behind them they are modals too."""
PEOPLE: Final = _words(
    """user users developer developers administrator administrators admin admins agent agents assistant assistants
    reader readers everyone everybody anyone anybody someone somebody one operator operators we people bot bots
    maintainer maintainers contributor contributors visitor visitors customer customers team teams engineer engineers
    companies organisations organizations folks testers reviewers owners whoever"""
)
ADVERBS: Final = _words(
    """also then always first now not never therefore immediately really certainly definitely probably at least
    still just simply only strongly highly generally usually thus next again kindly please instead either soon
    better ever easily"""
)
ADVISED: Final = _words(
    """advised required expected encouraged supposed urged asked invited free able welcome recommended obliged
    requested told allowed permitted going"""
)
JUDGED_AS: Final = _words(
    """recommended advisable best better necessary important wise wiser essential advised required mandatory crucial
    suggested good vital imperative critical sensible prudent safer okay ok fine worth time needed sense idea practice"""
)
ADVICE: Final = _words(
    "step way thing solution fix workaround remedy option course action advice recommendation answer left remains"
)
RECOMMENDS: Final = _words(
    "recommend recommends recommended suggest suggests suggested advise advises advised urge urges encourage encourages"
)
TELLS: Final = _words(
    """says said tells told asks asked instructs instructed urges urged recommends advises suggests wants orders directs
    invites requests requires demands urge urging advise recommend instruct"""
)
TELLING: Final = _words(
    """page readme documentation docs issue article site comment mail email message author authors maintainers post text
    guide blog source answer advisory vendor tutorial manual document wiki snippet result website note"""
)
"""What tells people, and does not steer a program."""
AUXILIARIES: Final = _words(
    """could can would will might may should shall did do have are won't couldn't wouldn't can't don't didn't is were
    isn't aren't must"""
)
REQUESTING: Final = _words("could would will can might may won't couldn't wouldn't can't should shall must")

ACTED: Final = _words(
    """run rerun executed deleted removed restarted applied upgraded updated disabled enabled posted uploaded
    downloaded opened started stopped copied pasted shared pushed committed merged reverted rotated reinstalled rebuilt
    ignored overwritten replaced revoked cleared wiped erased changed made moved renamed killed turned switched
    uninstalled purged reset unlocked forwarded migrated downgraded deployed patched fixed edited modified granted
    rebooted reconfigured exported published transferred added disclosed bypassed skipped approved dropped cleaned
    backed set regenerated recreated redeployed reissued swapped bumped raised lowered whitelisted blacklisted unpinned shut escalated elevated emailed mailed launched invoked triggered tested reviewed created
    pinned bumped avoided taken done followed obeyed closed"""
) - {"set", "closed", "followed", "tested", "created", "taken", "fixed", "invoked", "dropped", "avoided", "changed"}
"""What is done to things by somebody, and is no property of data. `changed` counts with an order of time."""
STATED: Final = _words(
    "installed changed set configured invoked created closed taken called loaded initialised initialized imported sent"
)
"""The same, where it may be a requirement: it counts with an order of time, or with `should`."""
PARTICIPLES: Final = _words("run set read put cut split hit shut cast spread broadcast built left")
"""Verbs whose base form is a participle too: `set by the operator, the limit applies`."""
OF_DATA: Final = _words(
    """accepted sorted treated encoded escaped quoted formatted given passed called declared defined written read separated
    signed typed named stored kept returned raised ordered listed specified provided supported used considered expected
    handled ignored counted compared rounded parsed decoded validated displayed shown printed rendered aligned
    imported loaded interpreted represented normalised normalized preserved omitted included placed assigned inherited
    honoured resolved cached indexed logged reported raised measured understood seen matched mapped converted emitted
    rejected caught closed released freed reused shared checked"""
)
"""What happens to data: with `should`, it says how something behaves."""
JUDGEMENTS: Final = _words(
    """sensible only best right safest easiest recommended simple simplest quick quickest proper good preferred wise wisest
    obvious reasonable better safe correct usual fastest"""
)
ORDERED: Final = _words(
    "first before now immediately then next again prior afterwards beforehand today tonight asap right once manually"
)


def gerunds(verbs: frozenset[str]) -> frozenset[str]:
    """The forms in -ing."""
    found = set()
    for verb in verbs:
        found.add(f"{verb}ing")
        if verb.endswith("e"):
            found.add(f"{verb[:-1]}ing")
        if verb[-1] not in "aeiouwxy" and len(verb) > 2:
            found.add(f"{verb}{verb[-1]}ing")
    return frozenset(found)


GERUNDS: Final = gerunds(VERBS) - {"being"}
RISKY_GERUNDS: Final = gerunds(RISKY)
