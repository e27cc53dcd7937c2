"""Copies of events: whole lines on standard output, messages to the system's log, and never before the log has them."""

import json
import os
import re
import socket
import threading

import pytest
from audit_events import event

from guardhouse.audit import AuditLog, StreamSink, SystemLogSink, events, open_sinks
from guardhouse.audit.sinks import LONGEST_MESSAGE
from guardhouse.desk import Desk
from guardhouse.model import AuditEvent, Decision, Finding, GuardhouseError, Severity, encode_event

HEAD = re.compile(rb"<(\d+)>1 (\S+) - guardhouse (\d+) (\w+) - ")


@pytest.fixture
def system_log(tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as place:
        place.bind(str(tmp_path / "log"))
        place.settimeout(5)
        yield place


@pytest.fixture
def pipe():
    reading, writing = os.pipe()
    yield reading, writing
    for handle in (reading, writing):
        os.close(handle)


def wire(one: AuditEvent):
    return json.loads(encode_event(one))


def test_an_event_is_a_message_of_the_system_log(system_log):
    SystemLogSink(system_log.getsockname()).copy(event(7))
    received = system_log.recv(65536)
    head = HEAD.match(received)
    assert head.groups() == (b"84", b"2026-01-31T12:00:07.000000Z", str(os.getpid()).encode(), b"decision")
    assert json.loads(received[head.end() :]) == wire(event(7))


@pytest.mark.parametrize(("decision", "priority"), [(Decision.DENY, b"84"), (Decision.ALLOW, b"86"), (None, b"86")])
def test_a_deny_is_a_warning(system_log, decision, priority):
    SystemLogSink(system_log.getsockname()).copy(event(1, decision=decision))
    assert HEAD.match(system_log.recv(65536))[1] == priority


def test_an_event_that_is_too_long_for_a_message_is_cut_and_still_json(system_log):
    many = tuple(
        Finding(code="net.destination", detector="d", severity=Severity.INFO, host=f"{'x' * 60}{number}.example")
        for number in range(400)
    )
    long = event(1, findings=many, detail="raised")
    SystemLogSink(system_log.getsockname()).copy(long)
    received = system_log.recv(1 << 20)
    assert len(received) <= LONGEST_MESSAGE
    told = json.loads(received[HEAD.match(received).end() :])
    assert told["detail"] == "raised, cut"
    assert told["event_id"] == long.event_id
    assert "findings" not in told


def test_no_message_is_longer_than_a_system_log_takes(system_log):
    SystemLogSink(system_log.getsockname()).copy(event(1, session_id="s" * 60_000))
    assert len(system_log.recv(1 << 20)) == LONGEST_MESSAGE


def test_a_system_log_that_was_started_again_is_found_again(tmp_path):
    sink = SystemLogSink(str(tmp_path / "log"))
    for number in range(2):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as place:
            place.bind(str(tmp_path / "log"))
            sink.copy(event(number))
            assert f"ev_{number:024d}".encode() in place.recv(65536)
        with pytest.raises(GuardhouseError, match="can't be sent"):
            sink.copy(event(number))
        (tmp_path / "log").unlink()


def test_a_system_log_that_takes_nothing_is_not_waited_for(system_log):
    sink = SystemLogSink(system_log.getsockname(), patience=0.05)
    with pytest.raises(GuardhouseError, match="can't be sent"):
        for number in range(10_000):
            sink.copy(event(number))


def test_an_event_is_a_line_on_a_stream(pipe):
    reading, writing = pipe
    StreamSink(writing).copy(event(3))
    assert [json.loads(line) for line in os.read(reading, 65536).splitlines()] == [wire(event(3))]


def test_lines_of_many_threads_do_not_mix(pipe):
    reading, writing = pipe
    sink = StreamSink(writing)
    copying = [
        threading.Thread(target=lambda first=first: [sink.copy(event(first + one)) for one in range(50)])
        for first in (0, 100, 200, 300)
    ]
    for thread in copying:
        thread.start()
    with os.fdopen(os.dup(reading), "rb") as lines:
        told = {json.loads(lines.readline())["event_id"] for _ in range(200)}
    for thread in copying:
        thread.join()
    assert len(told) == 200


def test_whoever_reads_too_slowly_gets_whole_lines_again_when_they_have_caught_up(pipe):
    reading, writing = pipe
    sink = StreamSink(writing, patience=0.05)
    with pytest.raises(GuardhouseError, match="takes too long"):
        for number in range(10_000):
            sink.copy(event(number))
    os.set_blocking(reading, False)
    while len(os.read(reading, 1 << 16)) == 1 << 16:
        pass
    sink.copy(event(99_999))
    assert json.loads(os.read(reading, 65536).splitlines()[-1]) == wire(event(99_999))


def test_a_stream_that_nobody_reads_is_an_error():
    reading, writing = os.pipe()
    os.close(reading)
    with pytest.raises(GuardhouseError, match="Broken pipe"):
        StreamSink(writing).copy(event(1))
    os.close(writing)


def test_what_is_copied_was_recorded_and_what_was_not_recorded_is_not_copied(tmp_path, system_log):
    with AuditLog(tmp_path / "audit", sinks=(SystemLogSink(system_log.getsockname()),)) as log:
        log.record(event(1))
        log.record(event(2), durable=True)
    assert [event(number).event_id.encode() in system_log.recv(65536) for number in (1, 2)] == [True, True]
    (tmp_path / "blocked").write_text("in the way")
    system_log.settimeout(0.05)
    with pytest.raises(GuardhouseError):
        AuditLog(tmp_path / "blocked", sinks=(SystemLogSink(system_log.getsockname()),)).record(event(3))
    with pytest.raises(TimeoutError):
        system_log.recv(65536)


def test_an_event_that_could_not_be_copied_is_in_the_log(tmp_path):
    log = AuditLog(tmp_path / "audit", sinks=(SystemLogSink(str(tmp_path / "nowhere")),))
    with pytest.raises(GuardhouseError, match="can't be sent"):
        log.record(event(1))
    log.close()
    assert [entry.event for entry in events(tmp_path / "audit")] == [event(1)]


def test_standard_output_is_only_for_those_who_have_it():
    assert open_sinks(("stdout",), stdout=False) == ()
    assert [type(sink) for sink in open_sinks(("stdout", "syslog"), stdout=False)] == [SystemLogSink]
    assert [type(sink) for sink in open_sinks(("stdout", "syslog", "stdout"), stdout=True)] == [
        SystemLogSink,
        StreamSink,
    ]


def test_a_desk_copies_to_what_the_policy_names_and_to_standard_output_only_in_the_daemon(
    tmp_path, monkeypatch, system_log, capfd
):
    from guardhouse.config import find_sources

    monkeypatch.setattr("guardhouse.audit.sinks.SYSTEM_LOG", system_log.getsockname())
    config = tmp_path / "home" / ".config" / "guardhouse" / "config.yaml"
    config.parent.mkdir(parents=True)
    config.write_text("guard: {audit: {sinks: [stdout, syslog]}}\n")
    sources = find_sources(cwd=tmp_path, variables={"HOME": str(tmp_path / "home")})
    policy = sources.load()
    for has_stdout in (False, True):
        desk = Desk(sources.locations, lambda: policy, has_stdout=has_stdout)
        desk.audit.record(event(1))
        desk.close()
        assert event(1).event_id.encode() in system_log.recv(65536)
        assert bool(capfd.readouterr().out) is has_stdout


def test_a_forked_child_copies_although_a_thread_of_its_parent_was_copying(tmp_path, pipe):
    reading, writing = pipe
    sink = StreamSink(writing)
    log = AuditLog(tmp_path / "audit", sinks=(sink,))
    with sink._lock:
        child = os.fork()
        if child == 0:
            log.record(event(5))
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
    assert json.loads(os.read(reading, 65536)) == wire(event(5))
    log.close()
