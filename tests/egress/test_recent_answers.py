"""What a name was looked up to is good for a second; what failed is not."""

import asyncio

import pytest

from guardhouse.egress import RecentAnswers
from guardhouse.model import Addresses


class Scripted:
    """A resolver that answers as told, and counts."""

    def __init__(self, *answers):
        self.answers = list(answers)

    def resolve(self, host):
        return self.answers.pop(0)

    async def resolve_async(self, host):
        return self.answers.pop(0)


@pytest.fixture(params=[False, True], ids=["sync", "async"])
def look_up(request):
    if request.param:
        return lambda resolver, host: asyncio.run(resolver.resolve_async(host))
    return lambda resolver, host: resolver.resolve(host)


FIRST, SECOND = Addresses(addresses=("192.0.2.1",)), Addresses(addresses=("192.0.2.2",))


def test_an_answer_is_good_for_a_second_from_when_it_was_asked_for(look_up):
    now = [100.0]
    resolver = RecentAnswers(Scripted(FIRST, SECOND), clock=lambda: now[0])
    assert look_up(resolver, "a.example") == FIRST
    now[0] = 100.99
    assert look_up(resolver, "a.example") == FIRST
    now[0] = 101.0
    assert look_up(resolver, "a.example") == SECOND


def test_names_have_their_own_answers(look_up):
    resolver = RecentAnswers(Scripted(FIRST, SECOND), clock=lambda: 0.0)
    assert look_up(resolver, "a.example") == FIRST
    assert look_up(resolver, "b.example") == SECOND
    assert look_up(resolver, "a.example") == FIRST


@pytest.mark.parametrize(
    "failure",
    [Addresses(error="no such host"), Addresses(), Addresses(skipped=True), Addresses(("::1",), error="half")],
)
def test_what_failed_is_asked_for_again(look_up, failure):
    resolver = RecentAnswers(Scripted(failure, FIRST), clock=lambda: 0.0)
    assert look_up(resolver, "a.example") == failure
    assert look_up(resolver, "a.example") == FIRST


def test_what_is_remembered_is_bounded():
    resolver = RecentAnswers(Scripted(*[FIRST] * 2000), clock=lambda: 0.0)
    for number in range(2000):
        resolver.resolve(f"{number}.example")
    assert len(resolver._known) <= 256
