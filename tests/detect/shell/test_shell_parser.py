"""What the shell parser reads must be what bash would run."""

import sys
import time

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from shell_dumping import dump

from examples import up_to
from guardhouse.detect.shell.parser import Limits, parse
from guardhouse.detect.shell.syntax import Redirect, Script, Simple, Word

WORDS = [
    ("r''m -rf /x", "['r'+q''+'m' -rf /x]"),
    ("\"a\"b'c' ''", "[q'a'+'b'+q'c' q'']"),
    ("r\\m", "['r'+q'm']"),
    ("r\\\nm x", "['rm' x]".replace("'rm'", "rm")),
    ("$'\\x72\\155' $'\\u0072\\U0000006d\\x{2d}'", "[q'rm' q'rm-']"),
    ("$'a\\nb\\e\\cA\\q\\'' $'\\xc3\\xa9' $'a\\0b'c", "[q\"a\\nb\\x1b\\x01\\\\q'\" q'é' q'a'+'c']"),
    ('$"x y"', "[q'x y']"),
    ("echo a#b #c", "[echo a#b]"),
    ("{rm,-rf,/x}", "[{rm,-rf,/x}]"),
    ("/b?n/[r]m ~/x", "[/b?n/[r]m ~/x]"),
    ("ls @(a|b c) !(d)", "[ls '@(a|b c)' '!(d)']"),
    ("rm$IFS-rf$IFS/x", "['rm'+${IFS}+'-rf'+${IFS}+'/x']"),
    ("echo $ $% a$", "[echo '$' '$%' 'a$']"),
    ("echo hi\r\nrm x\r", "['hi\\r']".replace("[", "[echo ") + "; [rm 'x\\r']"),
    ("echo \\", "[echo q'\\\\']"),
    ('echo "a\\$b\\c\\\nd"', "[echo q'a$b\\\\cd']"),
]

EXPANSIONS = [
    ("echo $x $1 ${10} $@ $# $$ $_ $10", "[echo ${x} ${1} ${10} ${@} ${#} ${$} ${_} ${1}+'0']"),
    ("echo ${x:-a b} ${x##*/} ${x//a} ${x/#a/b}", "[echo ${x :- 'a b'} ${x ## */} ${x // a} ${x /# a b}]"),
    ("echo ${PATH:0:1} ${x: -1} ${x^^} ${x@Q}", "[echo ${PATH : 0 1} ${x : ' -1'} ${x ^^ ''} ${x @ Q}]"),
    ("echo ${a[@]} ${a[i+1]} ${#a[@]} ${!a[@]}", "[echo ${a[@]} ${a[i+1]} ${#a[@]} ${!a[@]}]"),
    ("echo ${!p*} ${!p@} ${!x} ${#} ${##} ${#x} ${!#}", "[echo ${!p *} ${!p @} ${!x} ${#} ${##} ${#x} ${!#}]"),
    ("echo \"${x:-'$(rm y)'}\"", '[echo q${x :- q"\'"+q$([rm y])+q"\'"}]'),
    ("echo \"${x#'$(no)'}\" \"${x:-'}'}\"", "[echo q${x # q'$(no)'} q${x :- q\"'\"+q'}'+q\"'\"}]"),
    ("echo ${x:-<(rm y)} ${x:-${y:-$(z)}}", "[echo ${x :- <([rm y])} ${x :- ${y :- $([z])}}]"),
    ("echo ${ rm z; } ${$(rm)}", "[echo $([rm z]) ${  $([rm])}]"),
    ("echo ${a[}\nrm x\necho ]}", "[echo ${a['']}]; [rm x]; [echo ]}]"),
    ('echo `a \\`b "\\\\\\`c\\\\\\`"\\``', "[echo $([a $([b q$([c])])])]"),
    ('echo "`echo \\"x\\"`"', "[echo q$([echo q'x'])]"),
    (
        "echo $((1+$(x))) $((a); b) $((a)|(b))",
        "[echo $((q'1+'+q$([x]))) $((subshell [a]); [b]) $((subshell [a]) | (subshell [b]))]",
    ),
    ('echo $[1+$(y)] "$((2))"', "[echo $(('1+'+$([y]))) q$((q'2'))]"),
    ("diff <(a) >(b) c<(d) 2<(e)", "[diff <([a]) >([b]) 'c'+<([d]) '2'+<([e])]"),
    ("x=$(<f)", "[x=$([<f])]"),
    ("$\\\n(rm x) $fo\\\no", "[$([rm x]) ${foo}]"),
    ('"$(echo "a b")"', "[q$([echo q'a b'])]"),
]

SIMPLE = [
    ("a=b c+=d e[1 2]=f cmd x=y", "[a=b c+=d e['1 2']=f cmd x=y]"),
    ("g=(1 # c\n\n [x y]=3) ; a=", "[g=(1 '['+'x y'+']'+'=3')]; [a='']"),
    ('export a=(1 "$x") b', "[export 'a=('+'1'+' '+q${x}+')' b]"),
    (">f rm x; rm >f x", "[rm x >f]; [rm x >f]"),
    ("rm 2>&1 {fd}<g <&- >&-rm y &>z &>>w 2>|v", "[rm rm y 2>&1 {fd}<g <&- >&- &>z &>>w 2>|v]"),
    ("echo 2>f a2>g 99999999999>h", "[echo a2 99999999999 2>f >g >h]"),
    ('cat <<< "$x" 3<<<y <>z', "[cat <<<q${x} 3<<<y <>z]"),
    ('echo if "if"; \\if; if=1; "if" x', "[echo if q'if']; [q'i'+'f']; [if=1]; [q'if' x]"),
    ("a[1 2] x", "['a['+'1 2'+']' x]"),
]

DOCUMENTS = [
    ("cat <<E > f; rm y\nbody $x `id` \\$y\nE\nz", "[cat <<q'body '+q${x}+q' '+q$([id])+q' $y\\n' >f]; [rm y]; [z]"),
    ("cat <<-'E' <<F | sh\n\ta $x\n\tE\nb $(z)\nF\n", "[cat <<-!q'a $x\\n' <<q'b '+q$([z])+q'\\n'] | [sh]"),
    ('cat <<E"O"F\n$x\nEOF\nrm', "[cat <<!q'$x\\n']; [rm]"),
    ("cat <<EOF\na\nEO\\\nF\nrm x", "[cat <<q'a\\n']; [rm x]"),
    ("x=$(cat <<E\nfoo\nE\n); y", "[x=$([cat <<q'foo\\n'])]; [y]"),
    ("echo $(cat <<E\nfoo\nE rm x)\ny", "[echo $([cat <<q'foo\\n']; [rm x])]; [y]"),
    ("echo $(cat <<E)\nfoo\nE\ny", "[echo $([cat <<q'foo\\n'])]; [y]"),
    ("cat <<E $(a\nb)\nbody\nE\ny", "[cat $([a]; [b]) <<q'body\\n']; [y]"),
    ("cat <<E\nto the end", "[cat <<q'to the end']"),
    ("cat <<$x\na\n$x\ny", "[cat <<q'a\\n']; [y]"),
    ("cat <<E && {\nbody\nE\nrm x; }", "[cat <<q'body\\n'] && (group [rm x])"),
]

COMPOUNDS = [
    ("a | b |& c && d || e & f", "[a] | [b] |& [c] && [d] || [e] &; [f]"),
    ("a &&\n\n# c\nb |\nc", "[a] && [b] | [c]"),
    ("time -p a | b; ! c; time ! d", "[a] | [b]; ! [c]; ! [d]"),
    ("time -v rm x; !(rm y); !", "[time -v rm x]; ! (subshell [rm y]); ! []"),
    ("{ a; b & }; (a; b) 2>/n", "(group [a]; [b] &); (subshell [a]; [b] 2>/n)"),
    ("((a++)); ((a);(b)) >f", "(calc q'a++'); (subshell (subshell [a]); (subshell [b]) >f)"),
    ("((x < $(y))) && z", "(calc q'x < '+q$([y])) && [z]"),
    ("i\\\nf a; then b; elif c; then d; else e; fi", "(if [a] then [b] [c] then [d] else [e])"),
    ("while a; do b; done < <(c) | d", "(loop [a] do [b] <<([c])) | [d]"),
    ("for x in a b; do c; done; for x do c; done; for x; do c; done", "(for x in (a b) [c]); (for x [c]); (for x [c])"),
    ("for ((i=0;i<3;i++)); do c; done; select x in a; { b; }", "(for q'i=0;i<3;i++' [c]); (for x in (a) [b])"),
    (
        'case $x in a|"b") c;; (d) e;& @(f|g)) ;;& esac) h; esac >f'.replace("esac) h; ", "*) h; "),
        "(case ${x} (a|q'b') [c] (d) [e] ('@(f|g)')  (*) [h] >f)",
    ),
    ("x=$(case a in a) rm y;; esac); z", "[x=$((case a (a) [rm y]))]; [z]"),
    (
        "[[ $x =~ ^(a b|c)$ && ( -f y || ! a < b ) ]] && z",
        "(test ${x} =~ '^'+'(a b|c)'+'$' && '(' -f y || ! a < b ')') && [z]",
    ),
    (
        "f() { a; } >x; function g-h { b; }; j ( ) if a; then b; fi",
        "(function f (group [a]) >x); (function g-h (group [b])); (function j (if [a] then [b]))",
    ),
    ("+() { rm x; }", "(function + (group [rm x]))"),
    ("coproc a b; coproc n { c; }; coproc (d)", "(coproc [a b]); (coproc (group [c])); (coproc (subshell [d]))"),
    ("# only a comment", ""),
    ("", ""),
]


@pytest.mark.parametrize(("text", "tree"), WORDS + EXPANSIONS + SIMPLE + DOCUMENTS + COMPOUNDS)
def test_a_command_is_read_as_bash_reads_it(text, tree):
    parsed = parse(text)
    assert parsed.problem is None
    assert dump(parsed.script) == tree


PROBLEMS = [
    ("echo ok\n)", "[echo ok]"),
    ("rm x\nif a; then rm y", "[rm x]; (if [a] then [rm y])"),
    ('echo "$(rm x', "[echo q$([rm x])]"),
    ("a; ;b", "[a]"),
    ("{ rm x", "(group [rm x])"),
    ("rm x; echo 'a", "[rm x]; [echo q'a']"),
    ("echo `)`; rm x", "[echo $()]; [rm x]"),
    ("cat <<E\n$(\nE\nrm x", "[cat <<q$()+q'']; [rm x]".replace("+q''", "")),
    ("a\0b", "[a]"),
    ("echo > 2>f", "[echo >2]"),
    ("f() rm x", "(function f [])"),
    ("a | ! b", "[a]"),
    ("[[ a b ]]", "(test a b)"),
    ("((1+$(echo 1 # '\n) )); rm x; ((1+$(echo 1 # '\n) ))", None),
    ("echo \"${x:-$'\\'}'\"; rm y; '}\"", None),
    ("echo $[ $(echo ]); rm x; ) ]", None),
]


@pytest.mark.parametrize(("text", "tree"), PROBLEMS)
def test_what_came_before_a_problem_is_kept(text, tree):
    parsed = parse(text)
    assert parsed.problem is not None
    assert parsed.problem.kind == "syntax"
    assert tree is None or dump(parsed.script) == tree


def test_a_text_over_the_byte_limit_is_read_as_far_as_it_goes():
    parsed = parse("rm x\necho é", Limits(max_bytes=11))
    assert dump(parsed.script) == "[rm x]; [echo]"
    assert parsed.problem.kind == "bytes"


def test_too_many_nodes_and_too_deep_a_nest_are_problems_of_their_own():
    assert parse("a " * 100, Limits(max_nodes=50)).problem.kind == "nodes"
    assert parse("$(" * 61).problem.kind == "nesting"
    assert parse("{ " * 50 + "a" + ";}" * 50).problem is None


def test_a_caller_deep_in_the_stack_gets_an_answer():
    def call(depth):
        return parse("$(" * 59 + "a" + ")" * 59) if depth == 0 else call(depth - 1)

    assert call(sys.getrecursionlimit() - 150).problem.kind == "nesting"


PIECES = (
    "${ $( (( ` <<E\n { ' \" if case\ta\tin [[ a=( $(( ( $[ <( @( a[ ${a[ \\ \\\n $ a; a| a&& \n # ;; ! time coproc "
    'f() while [[\t( <<-E\n\t$x\n <<E\n$x\nE\n <<E\n$(\nE\n $(<<E\n) "$( "${x:- ${x:-\' "${x:-\'$a\'}" ((1)); $((1)) '
    "$((a)\t) $((\t#'\n `a` \\` $' $'\\x41' a[1]=2 >f 2>&1 >&- &> @(a) ((\" $((\"$((\" a=(\n [[\ta\t=~\t( "
    "[[\ta\t=~\ta| ${x/ ${\ta;} <<$(a)\n ((${ ) )) } ] ]] ;done fi esac then"
).split(" ")


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("space", ["", " "])
def test_time_does_not_grow_faster_than_the_text(piece, space):
    unit = piece + space
    text = (unit * 8000)[:16_000]
    nested = unit * 57 + "a $x 'b' " * 1600
    assert any(parsing_time(text, nested) < 0.3 for _ in range(3))


def parsing_time(*texts):
    started = time.process_time()
    for text in texts:
        parse(text)
    return time.process_time() - started


def walk(node):
    yield node
    if isinstance(node, msgspec.Struct):
        for field in node.__struct_fields__:
            yield from walk(getattr(node, field))
    elif isinstance(node, tuple):
        for inner in node:
            yield from walk(inner)


@settings(max_examples=up_to(400), deadline=None)
@given(
    st.one_of(st.text(), st.lists(st.sampled_from([*PIECES, " ", "a", "\n", "\0", "\ud800", "\u200b"])).map("".join))
)
@example("${")
@example("\\")
@example("<<")
@example("a=(")
@example("[[ a =~")
@example("coproc")
def test_any_text_gives_a_tree_whose_spans_lie_in_it(text):
    parsed = parse(text)
    assert type(parsed.script) is Script
    for node in walk(parsed.script):
        if isinstance(node, Word | Simple):
            assert 0 <= node.start <= node.end <= len(text)
    assert parsed.problem is None or 0 <= parsed.problem.position <= len(text)


def test_spans_point_at_the_text_and_those_in_back_ticks_at_the_back_ticks():
    text = "echo `rm x` $(rm y) <<E\n$(rm z)\nE"
    found = [text[node.start : node.end] for node in walk(parse(text).script) if isinstance(node, Simple)]
    assert found == [text[:23], "`rm x`", "rm y", "rm z"]
    (body,) = [node.target for node in walk(parse(text).script) if isinstance(node, Redirect)]
    assert text[body.start : body.end] == "$(rm z)\n"
