import time

import pytest

from guardhouse.detect.inline import read_code
from guardhouse.detect.inline.languages import LANGUAGES
from guardhouse.detect.inline.names import ROWS
from guardhouse.model import Effect

OTHERS = "sed vim ed gdb lldb tcl make tex powershell cmd nobody-knows".split()
ALL = [language.names.split()[0] for language in LANGUAGES] + OTHERS
SIZE = 16384

UNITS = [
    *["(", '"', "/[", "q(", "a=b=", "${shell ", '"${', "<<A\n", "$x", "$x;", "open(", "#{", "\n", "a ", "a.", "]", "$"],
    *["\\write18{", 'system("a",', "e a\n", "eval(x)\n", "iex a;", "s{a}{b}e", "!a\n", "open |a\n", "x:;a\n", "=pod\n"],
    *["(a)=>", "a,b=c\n", "for a in b ", '"$ENV{HOME}"', "eval(atob('YQ=='))", "os.homedir()+", '"$a"', '"\\x41"'],
    *["exe 'a'\n", "{a ", "s/a/b/e;", "{|a|", "\\directlua{a}", "| a | b\n", 'do shell script "a" '],
]
SCRIPTS = {
    "perl": 'while (my $line = <STDIN>) {\n    chomp $line;\n    print "$line\\n" if $line =~ /^a+/;\n}\n',
    "ruby": 'items.each do |item|\n  puts "#{item.name}: #{item.size}" unless item.empty?\nend\n',
    "node": "for (const item of items) {\n  if (item.size > 10) console.log(`${item.name} is large`);\n}\n",
    "php": "foreach ($items as $item) {\n    echo $item['name'] . \" is \" . strlen($item['text']);\n}\n",
    "awk": "$3 > 10 { count[$1]++; total += $3 }\nEND { for (k in count) print k, count[k] }\n",
    "lua": "for _, item in ipairs(items) do\n  print(item.name, #item.text)\nend\n",
    "powershell": "Get-ChildItem | Where-Object { $_.Length -gt 10 } | Select-Object Name, Length\n",
    "tcl": 'foreach item $items {\n    if {[string length $item] > 10} { puts "long: $item" }\n}\n',
    "make": "all: main.o\n\tcc -o main main.o $(LIBS)\n",
    "sed": "s/alpha/beta/g\n/^#/d\n",
    "vim": "set number\nlet g:item = 'a'\nnnoremap x y\n",
}


@pytest.mark.parametrize("unit", UNITS)
def test_any_code_of_sixteen_kibibytes_is_read_in_a_few_milliseconds(unit):
    code = (unit * (SIZE // len(unit) + 1))[:SIZE]
    for language in ALL:
        # The budget is 12 ms on a quiet machine; a scan that is quadratic takes seconds.
        assert _seconds(language, code) < 0.1, language


@pytest.mark.parametrize("row", ROWS[::6], ids=lambda row: row.names.split()[0])
def test_code_that_does_the_same_over_and_over_is_no_slower(row):
    unit = row.example.replace("NAME", row.names.split()[0]) + "\n"
    code = (unit * (SIZE // len(unit) + 1))[:SIZE]
    assert _seconds(row.languages.split()[0], code) < 0.1


@pytest.mark.parametrize("language", SCRIPTS)
def test_an_ordinary_script_of_six_kibibytes_is_read_to_its_end(language):
    unit = SCRIPTS[language]
    assert Effect.UNANALYSABLE not in {act.effect for act in read_code(language, unit * (6144 // len(unit)))}


@pytest.mark.parametrize("language", ["perl", "node", "vim", "tcl", "powershell", "make"])
def test_what_was_found_before_the_budget_was_used_up_is_kept(language):
    start = {
        "perl": "system('id');",
        "node": 'child_process.execSync("id");',
        "vim": "!id\n",
        "tcl": "exec id\n",
        "powershell": "start id\n",
        "make": "x:\n\tid\n",
    }[language]
    acts = read_code(language, start + "a;\n" * 20000)
    assert "id" in {act.target for act in acts}
    assert "the code is too long" in {act.what for act in acts if act.effect is Effect.UNANALYSABLE}


def _seconds(language, code):
    """The shortest of a few runs: the machine does other things, too."""
    best = 1.0
    for _ in range(3):
        before = time.process_time()
        read_code(language, code)
        best = min(best, time.process_time() - before)
        if best < 0.02:
            break
    return best
