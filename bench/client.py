"""What the guarded client costs beside plain httpx.

    python bench/client.py [--requests N] [--rounds N]

One server on loopback, in a process of its own; one kept-alive connection for each client. The four take turns within
each round, so that whatever else the machine does hits all of them. What is counted is the CPU time of this process;
the ratio is that of the medians. The guarded client reads and judges each URL, and unpacks each body within its limit.
Exit status 1 if a ratio is over the bar.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import statistics
import sys
import time

import httpx

from guardhouse.egress import AsyncGuardedClient, GuardedClient
from guardhouse.model import Addresses
from guardhouse.net import NetworkRules, NetworkSettings

BAR = 1.2
BODY = b"x" * 2048
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%b" % (len(BODY), BODY)


class Loopback:
    """Every name is this machine."""

    def resolve(self, _host):
        return Addresses(addresses=("127.0.0.1",))

    async def resolve_async(self, _host):
        return Addresses(addresses=("127.0.0.1",))


def serve(ports) -> None:
    async def answer(reader, writer):
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                writer.write(ANSWER)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def run():
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        ports.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def spent(run, requests) -> float:
    start = time.process_time()
    for _ in range(requests):
        run()
    return (time.process_time() - start) / requests * 1e6


async def spent_async(run, requests) -> float:
    start = time.process_time()
    for _ in range(requests):
        await run()
    return (time.process_time() - start) / requests * 1e6


def measure_sync(url, rules, requests, rounds):
    with httpx.Client() as plain, GuardedClient(rules, Loopback()) as guarded:
        assert plain.get(url).content == guarded.request("GET", url).body == BODY
        return [
            (spent(lambda: plain.get(url).content, requests), spent(lambda: guarded.request("GET", url).body, requests))
            for _ in range(rounds)
        ]


async def measure_async(url, rules, requests, rounds):
    async with httpx.AsyncClient() as plain, AsyncGuardedClient(rules, Loopback()) as guarded:
        assert (await plain.get(url)).content == (await guarded.request("GET", url)).body == BODY
        return [
            (
                await spent_async(lambda: plain.get(url), requests),
                await spent_async(lambda: guarded.request("GET", url), requests),
            )
            for _ in range(rounds)
        ]


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--requests", type=int, default=500)
    options.add_argument("--rounds", type=int, default=11)
    chosen = options.parse_args()
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(there,), daemon=True)
    server.start()
    url = f"http://localhost:{here.recv()}/v1/items?page=2"
    rules = NetworkRules(NetworkSettings(allowed_domains=("*",), deny_private_ips=False))
    measured = {
        "sync": measure_sync(url, rules, chosen.requests, chosen.rounds),
        "async": asyncio.run(measure_async(url, rules, chosen.requests, chosen.rounds)),
    }
    server.terminate()
    worst = 0.0
    for kind, pairs in measured.items():
        plain, guarded = (statistics.median(side) for side in zip(*pairs, strict=True))
        worst = max(worst, guarded / plain)
        print(f"{kind:5}  httpx {plain:6.0f} µs  guarded {guarded:6.0f} µs  ratio {guarded / plain:.2f}  (bar {BAR})")
    return int(worst > BAR)


if __name__ == "__main__":
    sys.exit(main())
