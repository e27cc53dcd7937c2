"""Reading Python code takes little time, whatever the code is, and says so when it gave up."""

import time

import pytest

from guardhouse.detect.python import read_python
from guardhouse.model import Confidence, Effect

LENGTH = 16_384
BUDGET = 0.06
"""Four times what it may take, for machines that are slow or busy."""


def seconds(code):
    taken = []
    for _ in range(3):
        before = time.process_time()
        read_python(code)
        taken.append(time.process_time() - before)
    return min(taken)


def gave_up(code):
    return any(act.effect is Effect.UNANALYSABLE for act in read_python(code))


UNITS = [
    "a+", "f(", "(", "-", "not ", "x.a()", "f(x)\n", "print 'x'\n", "x=x+x\n", "x=x.join(x)\n", "if a: x=b\n", "'",
    "\0", "a\n", "a;", "[a],", "é,", "@a\n", "f(a=b),", "f'{a}',", "f()\n", "exec('a')\n", "exec('os.remove(1)')\n",
    "os.system('a')\n", "f(a for a in b)\n", "lambda:", "a if b else ", "while 1:\n", "def f(a):pass\n", "'\\a",
    "# a\n", "f(a b)\n", "a<b<", "from os import *\n", "{'a':1},", "x=[1,2];", "open('a','w').write(x)\n",
    "(lambda x:x)(1)\n", "eval('f')(1)\n", "print 'x'; os.system('a')\n", "if f(a) x: g(b c); h(d)\n", "x[::-1];",
    "x.split('a');",
]  # fmt: skip


@pytest.mark.parametrize("share", [1, 2, 4])
@pytest.mark.parametrize("unit", UNITS)
def test_time_is_bounded_whatever_is_repeated(unit, share):
    dense = unit * (LENGTH // share // len(unit))
    code = f"x = 'ab' * 2000\n{dense}\n#"
    assert seconds(code.ljust(LENGTH, "c")) < BUDGET


@pytest.mark.parametrize("unit", UNITS)
def test_time_is_bounded_for_code_inside_the_code(unit):
    assert seconds(f"exec({unit * (LENGTH // 2 // len(unit))!r})"[:LENGTH]) < BUDGET


@pytest.mark.parametrize("head", ["for x{0} in range(99):", "while x:", "while x:\n{1} x = x + y\n{1}while x:"])
def test_loops_in_loops_do_not_multiply(head):
    loops = "\n".join(" " * depth + head.format(depth, " " * depth) for depth in range(60))
    assert seconds(f"{loops}\n{' ' * 60}x = os.system(str(x1))") < BUDGET


def test_text_that_is_put_together_does_not_grow_the_work():
    assert seconds("x = 'a\\'' * 2000 + y\n" + "os.system(x + 'b')\n" * 850) < BUDGET
    assert seconds("if a: x='a'\nelse: x='b'\nif a: x+='c'\nelse: x+='d'\n" * 300 + "os.system(x+x+x)\n") < BUDGET


@pytest.mark.parametrize("padding", ["a;", "f(x)\n", "[a],", "import a\n", "if a: x=b\n", "(", "x = 'x'\n"])
def test_what_hides_in_code_that_is_too_dense_is_found_and_the_rest_is_said_to_be_unread(padding):
    filled = padding * (15_000 // len(padding))
    acts = read_python(f"{filled}\nimport os\nos.remove('/v/a')\n{filled[:1200]}")
    assert "/v/a" in [act.target for act in acts]
    assert (acts[-1].effect, acts[-1].certainty) == (Effect.UNANALYSABLE, Confidence.MEDIUM)
    assert acts[-1].what == "the code is too long or too dense"


def test_ordinary_code_of_that_length_is_read_in_full():
    function = '''
def fetch_{0}(session, name, *, retries=3):
    """Get one entry, and try again if the service is busy."""
    for attempt in range(retries):
        response = session.get(BASE + "/entries/" + name, timeout=TIMEOUT)
        if response.status_code == 503:
            time.sleep(2 ** attempt)
            continue
        response.raise_for_status()
        return [Entry(item["id"], item.get("title", "")) for item in response.json()["items"]]
    raise RuntimeError(f"no answer for {{name}} after {{retries}} times")

'''
    code = "import os, time\n" + "".join(function.format(index) for index in range(29)) + "os.remove('a')\n"
    assert 15_000 < len(code) <= LENGTH
    assert not gave_up(code)
    assert "a" in [act.target for act in read_python(code)]
    assert seconds(code) < BUDGET
