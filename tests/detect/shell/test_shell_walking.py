"""Every simple command is found, wherever it stands."""

import pytest

from guardhouse.detect.shell import parse, simple_commands

SCRIPTS = {
    "a; b && c | d": ["a", "b", "c", "d"],
    "echo $(x `y`) <(z)": ["echo", "x", "y", "z"],
    "if p; then q; elif r; then s; else t; fi": ["p", "q", "r", "s", "t"],
    "for i in $(l); do m; done > $(n)": ["l", "m", "n"],
    "case $(c) in $(p)) b;; esac": ["c", "p", "b"],
    "f() { g; }; coproc h; ( i ); { j; }": ["g", "h", "i", "j"],
    'v=$(w) u "${x:-$(y)}"': ["u", "w", "y"],
    "cat <<E\n$(s) text rm\nE": ["cat", "s"],
    "[[ -f $(t) ]] && (( $(n) ))": ["t", "n"],
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_simple_command_is_found(script):
    found = [one.words[0].literal for one in simple_commands(parse(script).script)]
    assert sorted(found) == sorted(SCRIPTS[script])
