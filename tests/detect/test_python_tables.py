"""Every row of the tables of Python functions is seen at work, with an example for each name in it."""

import pytest

from guardhouse.detect.acts import UNKNOWN
from guardhouse.detect.python import read_python
from guardhouse.detect.python.folding import PATH_METHODS
from guardhouse.detect.python.known import (
    CLOUD,
    FILES,
    LISTENERS,
    LOOKUPS,
    OPENERS,
    OWNER,
    REACHES,
    SENDS,
    STARTS,
    WITH_SURROUNDINGS,
)
from guardhouse.model import Effect

MADE = {
    "pathlib.Path": "pathlib.Path('/v/a')",
    "websocket": "websockets.connect('wss://example.com')",
    "http.connection": "http.client.HTTPSConnection('example.com')",
    "smtplib.SMTP": "smtplib.SMTP('example.com')",
    "ftplib.FTP": "ftplib.FTP('example.com')",
    "zipfile.ZipFile": "zipfile.ZipFile('a')",
    "tarfile.TarFile": "tarfile.open('a')",
    "requests.session": "requests.session()",
    "socket.socket": "socket.socket()",
    "urllib.request.build_opener": "urllib.request.build_opener()",
}
"""How one gets the objects whose methods are in the tables; others are made by their class, without arguments."""
ADDRESSES = {
    "url": ("'https://example.com/a'", "https://example.com/a"),
    "host": ("'example.com', 8080", "example.com:8080"),
    "pair": ("('example.com', 8080)", "example.com:8080"),
}


def each(rows):
    return [pytest.param(row, name, id=f"{row.names.split()[0]}:{name}") for row in rows for name in row.names.split()]


def called(name, arguments):
    """Code that calls a function, or a method of an object that is made first."""
    home, _, last = name.rpartition(".")
    made = MADE.get(home, f"{home}()" if home.rpartition(".")[2][:1].isupper() else "")
    if not made:
        return f"import {home}\n{name}({arguments})"
    return f"import {made.partition('(')[0].rpartition('.')[0]}\nit = {made}\nit.{last}({arguments})"


def leading(row):
    """Arguments that stand before the one the row is about."""
    return "'x', " * row.at


@pytest.mark.parametrize(("row", "name"), each(STARTS))
def test_what_starts_a_process_is_seen(row, name):
    line = {"line": "'id -u'", "words": "'id', '-u'", "program": "'id', 'x', '-u'", "listed": "'id', ['x', '-u']"}
    code = called(name, leading(row) + line[row.form] + (", {}" if name in WITH_SURROUNDINGS else ""))
    assert [act.target for act in read_python(code) if act.effect is Effect.EXECUTES] == ["id -u"]


@pytest.mark.parametrize(("row", "name"), each(FILES))
def test_what_touches_a_file_is_seen_with_the_file(row, name):
    act = (row.effect, "/v/a", row.recursive)
    code = called(name, "" if row.at == OWNER else leading(row) + "'/v/a'")
    assert act in [(act.effect, act.target, act.recursive) for act in read_python(code)]


@pytest.mark.parametrize("name", OPENERS)
def test_what_opens_a_file_is_seen_with_the_mode(name):
    path = "" if name.startswith("pathlib.") else "'/v/a', "
    for mode, effect in (("r", Effect.READS), ("w", Effect.OVERWRITES), ("a", Effect.WRITES)):
        assert (effect, "/v/a") in [(act.effect, act.target) for act in read_python(called(name, f"{path}'{mode}'"))]


@pytest.mark.parametrize(("row", "name"), each(REACHES))
def test_what_goes_to_another_machine_is_seen_with_the_address(row, name):
    argument, target = ADDRESSES[row.form]
    code = called(name, leading(row) + argument)
    assert (Effect.CONNECTS, target) in [(act.effect, act.target) for act in read_python(code)]


@pytest.mark.parametrize(("row", "name"), [param for param in each(REACHES) if param.values[0].body < 99])
def test_what_is_sent_along_is_seen(row, name):
    arguments = ", ".join([ADDRESSES["url"][0], *["None"] * (row.body - 1), "open('b').read()"])
    assert Effect.SENDS in [act.effect for act in read_python(called(name, arguments))]


@pytest.mark.parametrize(("row", "name"), each(LOOKUPS))
def test_a_look_up_counts_only_if_the_name_may_carry_data(row, name):
    assert read_python(called(name, leading(row) + "'example.com'")) == ()
    acts = read_python(called(name, leading(row) + "open('b').read() + '.example.com'"))
    assert acts[-1].effect is Effect.SENDS


@pytest.mark.parametrize(("row", "name"), each(SENDS))
def test_what_sends_over_a_connection_is_seen(row, name):
    acts = read_python(called(name, leading(row) + "open('b').read()"))
    assert acts[-1].effect is Effect.SENDS
    assert acts[-1].sources


@pytest.mark.parametrize(("row", "name"), each(LISTENERS))
def test_what_listens_is_seen_with_the_address(row, name):
    argument, target = ADDRESSES[row.form]
    if row.at == 99:
        argument = "app, host='example.com', port=8080"
    elif row.at:
        argument = "handler, " + argument
    assert [(act.effect, act.target) for act in read_python(called(name, argument))] == [(Effect.LISTENS, target)]


@pytest.mark.parametrize(("row", "name"), [param for param in each(LISTENERS) if param.values[0].usual])
def test_what_listens_without_an_address_has_its_usual_one(row, name):
    code = called(name, "app" if row.at else "")
    assert [(act.effect, act.target) for act in read_python(code)] == [(Effect.LISTENS, row.usual)]


@pytest.mark.parametrize("start", [start for row in CLOUD for start in row.starts.split()])
def test_what_a_client_of_a_cloud_does_is_seen(start):
    method = start + "thing" if start.endswith("_") else start
    arguments = "Bucket='b', Filename='/v/a', Body=open('/v/a'), Fileobj=open('/v/a')"
    row = next(row for row in CLOUD if start in row.starts.split())
    acts = read_python(f"import boto3\nboto3.client('s3').{method}({arguments})")
    assert row.effect in [act.effect for act in acts]


PATHS = {
    "joinpath": ("joinpath('b')", "/v/a/b"),
    "expanduser": ("expanduser()", "/v/a"),
    "resolve": ("resolve()", "/v/a"),
    "absolute": ("absolute()", "/v/a"),
    "as_posix": ("as_posix()", "/v/a"),
    "__str__": ("__str__()", "/v/a"),
    "with_suffix": ("with_suffix('.b')", f"/v/a{UNKNOWN}"),
    "with_name": ("with_name('b')", "/v/b"),
    "glob": ("glob('*')", f"/v/a/{UNKNOWN}"),
    "rglob": ("rglob('*.b')", f"/v/a/{UNKNOWN}.b"),
    "iterdir": ("iterdir()", f"/v/a/{UNKNOWN}"),
    "walk": ("walk()", f"/v/a/{UNKNOWN}"),
}


@pytest.mark.parametrize("method", PATH_METHODS)
def test_what_a_method_of_a_path_gives_is_known(method):
    call, path = PATHS[method]
    taken = {"glob": "[0]", "rglob": "[0]", "iterdir": "[0]", "walk": "[0][0]"}.get(method, "")
    code = f"import os, pathlib\nos.remove(pathlib.Path('/v/a').{call}{taken})"
    assert [(act.effect, act.target) for act in read_python(code)] == [(Effect.DELETES, path)]
