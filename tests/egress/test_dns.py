"""Looking names up: real look-ups on loopback, and a resolver that fails or hangs."""

import asyncio
import os
import socket
import threading
import time

import pytest

from guardhouse.egress import SkippedLookup, SystemResolver
from guardhouse.egress.dns import MAX_LOOKUPS
from guardhouse.model import Addresses


def lookup(resolver, host, *, asynchronous):
    return asyncio.run(resolver.resolve_async(host)) if asynchronous else resolver.resolve(host)


@pytest.fixture(params=[False, True], ids=["sync", "async"])
def asynchronous(request):
    return request.param


@pytest.fixture
def hang(monkeypatch):
    """Make every look-up hang until the test is over."""
    release = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_options: release.wait(30) and [])
    yield release
    release.set()


def answer_with(monkeypatch, *places):
    answers = [(family, socket.SOCK_STREAM, 6, "", place) for family, place in places]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_options: answers)


def test_localhost_resolves_to_loopback(asynchronous):
    answer = lookup(SystemResolver(), "localhost", asynchronous=asynchronous)
    assert answer.error == ""
    assert set(answer.addresses) <= {"127.0.0.1", "::1"}
    assert answer.addresses


def test_an_address_resolves_to_itself():
    assert SystemResolver().resolve("127.0.0.1") == Addresses(addresses=("127.0.0.1",))


def test_all_distinct_addresses_are_reported(monkeypatch, asynchronous):
    answer_with(
        monkeypatch,
        (socket.AF_INET, ("93.184.216.34", 0)),
        (socket.AF_INET6, ("2606:2800:220::1", 0, 0, 0)),
        (socket.AF_INET, ("93.184.216.34", 0)),
        (socket.AF_INET, ("10.0.0.1", 0)),
    )
    answer = lookup(SystemResolver(), "mixed.example", asynchronous=asynchronous)
    assert answer == Addresses(addresses=("93.184.216.34", "2606:2800:220::1", "10.0.0.1"))


def test_an_address_with_a_zone_is_an_error(monkeypatch):
    answer_with(monkeypatch, (socket.AF_INET6, ("fe80::1%eth0", 0, 0, 2)))
    answer = SystemResolver().resolve("zoned.example")
    assert answer.addresses == ()
    assert "interface" in answer.error


@pytest.mark.parametrize(
    "failure",
    [socket.gaierror(socket.EAI_NONAME, "Name or service not known"), OSError(), UnicodeError(), KeyError("x")],
)
def test_a_failed_lookup_is_an_answer_with_an_error(monkeypatch, asynchronous, failure):
    def fail(*_args, **_options):
        raise failure

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    answer = lookup(SystemResolver(), "missing.example", asynchronous=asynchronous)
    assert answer.addresses == ()
    assert answer.error


@pytest.mark.parametrize("host", ["", "a..b", "x" * 300, "nul\0.example"])
def test_what_is_no_host_name_is_an_answer_with_an_error(monkeypatch, host):
    real = socket.getaddrinfo

    def offline(name, *args, **options):
        # Only names that never reach a name server are passed on.
        assert not name or ".." in name or len(name) > 255 or "\0" in name
        return real(name, *args, **options)

    monkeypatch.setattr(socket, "getaddrinfo", offline)
    assert SystemResolver().resolve(host).error


def test_a_hanging_lookup_ends_at_the_deadline(hang, asynchronous):
    answer = lookup(SystemResolver(timeout=0.05), "slow.example", asynchronous=asynchronous)
    assert answer == Addresses(error="no answer from the resolver within 0.05 s")


def test_an_answer_after_the_deadline_disturbs_nobody(hang):
    async def late():
        answer = await SystemResolver(timeout=0.02).resolve_async("slow.example")
        hang.set()
        await asyncio.sleep(0.05)
        return answer

    assert asyncio.run(late()).error


def test_the_loop_goes_on_while_a_lookup_hangs(hang):
    async def both():
        waiting = asyncio.create_task(SystemResolver(timeout=5).resolve_async("slow.example"))
        await asyncio.sleep(0)
        hang.set()
        return await waiting

    assert asyncio.run(both()) == Addresses()


def test_the_number_of_hanging_lookups_is_bounded_and_recovers(hang, asynchronous):
    resolver = SystemResolver(timeout=0.001)
    for _ in range(MAX_LOOKUPS):
        assert "no answer" in resolver.resolve("slow.example").error
    hanging = [thread for thread in threading.enumerate() if thread.name == "guardhouse-dns"]
    assert len(hanging) >= MAX_LOOKUPS
    assert all(thread.daemon for thread in hanging)
    assert "too many" in lookup(resolver, "slow.example", asynchronous=asynchronous).error
    hang.set()
    resolver._timeout = 5
    deadline = time.monotonic() + 5
    while "too many" in (answer := resolver.resolve("slow.example")).error and time.monotonic() < deadline:
        time.sleep(0.01)
    assert answer.error == ""


def test_one_thread_looks_up_many_names_one_after_the_other(monkeypatch, asynchronous):
    used = set()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_options: used.add(threading.get_ident()) or [])
    resolver = SystemResolver()
    for _ in range(20):
        lookup(resolver, "one.example", asynchronous=asynchronous)
    assert len(used) <= 2, "it may be asked again before it has put itself among the idle ones"


def test_a_thread_that_nobody_asks_ends_and_another_takes_its_place(monkeypatch):
    monkeypatch.setattr("guardhouse.egress.dns._IDLE_FOR", 0.3)
    resolver = SystemResolver()
    resolver.resolve("localhost")
    [helper] = [thread for thread in threading.enumerate() if thread in resolver._idle]
    helper.join(5)
    assert not helper.is_alive()
    assert resolver.resolve("localhost").error == ""


def test_a_child_process_looks_up_with_threads_of_its_own():
    resolver = SystemResolver()
    assert resolver.resolve("localhost").error == ""
    child = os.fork()
    if child == 0:
        os._exit(0 if resolver.resolve("localhost").error == "" else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_skipped_lookup_says_so(asynchronous):
    assert lookup(SkippedLookup(), "example.com", asynchronous=asynchronous) == Addresses(skipped=True)
