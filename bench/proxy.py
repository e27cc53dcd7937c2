"""What the forward proxy costs: a request over a new connection through it, beside the same request without it.

    python bench/proxy.py [--requests N] [--connections N] [--crowds N] [--json]

One server on loopback and one `guardhouse proxy`, each in a process of its own: the real command, with a token, the
real gate, and the record on disk. Each URL is another one. Two clients, each the same both ways: `http.client` within
this process, which does next to nothing, and `curl`, a process for each request, as agents run it. Ways take turns
request by request, so that whatever else the machine does hits all of them; what is told is the median time of one,
from before the connection is made until it is closed, and the ratio of the medians. Beside `http.client`, a relay in a
few lines of asyncio that reads, judges and records nothing shows what a second connection costs by itself.

Then many connections at once, half of them TLS, each with an upload and a download whose bytes are compared; the memory
of the proxy is looked at meanwhile and after. Exit status 1 if a ratio is over the bar, a byte is wrong, or memory has
grown.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import hashlib
import http.client
import itertools
import json
import multiprocessing
import os
import re
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BAR = 2.0
WARM_UP = 10.0
"""Seconds."""
GROWTH = 16 * 1024
"""Kilobytes by which the memory of the proxy may grow in the last third of the crowds."""
BODY = b"x" * 2048
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%b" % (len(BODY), BODY)
LARGE = os.urandom(1024) * 1024
DIGEST = hashlib.sha256(LARGE).hexdigest()


class Answering(asyncio.Protocol):
    """Answers a GET with a small body, and a POST with its own body."""

    def connection_made(self, transport):
        self.transport = transport
        self.data = bytearray()

    def data_received(self, data):
        self.data += data
        head, end, _ = bytes(self.data[:4096]).partition(b"\r\n\r\n")
        if not end:
            return
        if head.startswith(b"GET"):
            self.data.clear()
            self.transport.write(ANSWER)
            return
        length = int(re.search(rb"(?i)content-length: (\d+)", head)[1])
        if len(self.data) == len(head) + 4 + length:
            whole = bytes(self.data[len(head) + 4 :])
            self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (length, whole))
            self.data.clear()


def serve(ports, directory) -> None:
    async def run():
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(f"{directory}/cert.pem", f"{directory}/key.pem")
        loop = asyncio.get_running_loop()
        plain = await loop.create_server(Answering, "127.0.0.1", 0, backlog=1024)
        secure = await loop.create_server(Answering, "127.0.0.1", 0, ssl=context, backlog=1024)
        ports.send([server.sockets[0].getsockname()[1] for server in (plain, secure)])
        await asyncio.gather(plain.serve_forever(), secure.serve_forever())

    asyncio.run(run())


def make_certificate(directory: Path) -> ssl.SSLContext:
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    options = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2".split()
    files = ["-keyout", str(directory / "key.pem"), "-out", str(directory / "cert.pem")]
    subprocess.run(["openssl", *options, *names, *files], check=True, capture_output=True)
    return ssl.create_default_context(cafile=str(directory / "cert.pem"))


class Relay(asyncio.Protocol):
    """Passes on what comes, to where it was started for; says yes to every tunnel."""

    def __init__(self, port, tunnels):
        self.port = port
        self.tunnels = tunnels
        self.other = None
        self.held = b""

    def connection_made(self, transport):
        self.transport = transport
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def data_received(self, data):
        if self.tunnels:
            self.tunnels = False
            self.transport.write(b"HTTP/1.1 200 OK\r\n\r\n")
        elif self.other is not None:
            self.other.transport.write(data)
        else:
            self.held += data
            asyncio.get_running_loop().create_task(self.reach())

    async def reach(self):
        other = Relay(0, tunnels=False)
        other.other = self
        await asyncio.get_running_loop().create_connection(lambda: other, "127.0.0.1", self.port)
        self.other = other
        start = self.held.find(b"http://")
        if start >= 0:
            self.held = self.held[:start] + self.held[self.held.index(b"/", start + 7) :]
        other.transport.write(self.held)

    def connection_lost(self, _error):
        if self.other is not None:
            self.other.transport.close()


def relay(ports, targets) -> None:
    async def run():
        loop = asyncio.get_running_loop()
        plain, secure = targets
        servers = [
            await loop.create_server(lambda: Relay(plain, tunnels=False), "127.0.0.1", 0),
            await loop.create_server(lambda: Relay(secure, tunnels=True), "127.0.0.1", 0),
        ]
        ports.send([server.sockets[0].getsockname()[1] for server in servers])
        await asyncio.gather(*(server.serve_forever() for server in servers))

    asyncio.run(run())


class Proxy:
    """`guardhouse proxy` as a process, and an agent's token."""

    def __init__(self, directory: Path, ports) -> None:
        home = directory / "home"
        (home / ".config" / "guardhouse").mkdir(parents=True)
        section = {"allowed_domains": [f"localhost:{port}" for port in ports], "deny_private_ips": False}
        config = {"guard": {"network": {"proxy": section}}}
        (home / ".config" / "guardhouse" / "config.json").write_text(json.dumps(config))
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GUARDHOUSE_", "XDG_"))}
        self._run = {"env": kept | {"HOME": str(home), "PYTHONUNBUFFERED": "1"}, "cwd": directory}
        made = subprocess.run(
            [sys.executable, "-m", "guardhouse", "token", "create", "--role", "agent", "--json"],
            capture_output=True,
            check=True,
            **self._run,
        )
        self.token = re.search(rb"gdh_agent_\w{12}_[\w-]{43}", made.stdout)[0].decode()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "guardhouse", "proxy", "--listen", "127.0.0.1:0"],
            stdout=subprocess.PIPE,
            text=True,
            **self._run,
        )
        self.port = int(re.search(r"127\.0\.0\.1:(\d+)", self.process.stdout.readline())[1])

    @property
    def headers(self) -> dict[str, str]:
        return {"Proxy-Authorization": f"Basic {base64.b64encode(f'agent:{self.token}'.encode()).decode()}"}

    def memory(self) -> int:
        """Kilobytes that the process holds."""
        return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{self.process.pid}/status").read_text())[1])


def get(connection, url, headers) -> None:
    connection.request("GET", url, headers=headers)
    body = connection.getresponse().read()
    connection.close()
    if body != BODY:
        raise AssertionError("another answer")


def ways(proxy, relays, ports, context, directory):
    """What is compared: for each client and kind of request, without the proxy, through it, and through a relay."""
    plain, secure = ports
    pages = itertools.count()

    def tail():
        return f"/v1/items?page={next(pages)}"

    urls = {"http": f"http://localhost:{plain}", "https": f"https://localhost:{secure}"}

    def http_by(host, port, headers, origin):
        return lambda: get(http.client.HTTPConnection(host, port), f"{origin}{tail()}", headers)

    def https_by(host, port, headers, *, tunnel):
        def way():
            connection = http.client.HTTPSConnection(host, port, context=context)
            if tunnel:
                connection.set_tunnel("localhost", secure, headers=headers)
            get(connection, tail(), {})

        return way

    def curl(origin, *options):
        command = ["curl", "-q", "-sS", "--fail", "--cacert", f"{directory}/cert.pem", *options]
        return lambda: subprocess.run([*command, f"{origin}{tail()}"], stdout=subprocess.DEVNULL, check=True)

    through = ["-x", f"http://agent:{proxy.token}@127.0.0.1:{proxy.port}"]
    return {
        "http.client http": (
            http_by("localhost", plain, {}, ""),
            http_by("127.0.0.1", proxy.port, proxy.headers, urls["http"]),
            http_by("127.0.0.1", relays[0], {}, urls["http"]),
        ),
        "http.client https": (
            https_by("localhost", secure, {}, tunnel=False),
            https_by("127.0.0.1", proxy.port, proxy.headers, tunnel=True),
            https_by("127.0.0.1", relays[1], {}, tunnel=True),
        ),
        "curl http": (curl(urls["http"], "--noproxy", "*"), curl(urls["http"], *through)),
        "curl https": (curl(urls["https"], "--noproxy", "*"), curl(urls["https"], *through)),
    }


def timed(way) -> float:
    start = time.perf_counter()
    way()
    return (time.perf_counter() - start) * 1e6


def measure(groups, requests):
    """Medians of each way: of all its requests, which take turns."""
    times = {kind: [[] for _ in group] for kind, group in groups.items()}
    start = time.perf_counter()
    while time.perf_counter() - start < WARM_UP:  # also until what is compiled once in the background is there
        for group in groups.values():
            for way in group:
                way()
    for _ in range(requests):
        for kind, group in groups.items():
            for taken, way in zip(times[kind], group, strict=True):
                taken.append(timed(way))
    return {kind: tuple(statistics.median(side) for side in sides) for kind, sides in times.items()}


async def exchange(number, proxy, ports, context) -> bool:
    """One connection of many: a large upload that comes back, through the proxy."""
    secure = bool(number % 2)
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port, limit=2**20)
    head = f"Proxy-Authorization: {proxy.headers['Proxy-Authorization']}\r\n"
    target = f"http://localhost:{ports[0]}/upload/{number}"
    if secure:
        place = f"localhost:{ports[1]}"
        writer.write(f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n{head}\r\n".encode())
        if b" 200 " not in await reader.readuntil(b"\r\n\r\n"):
            return False
        await writer.start_tls(context, server_hostname="localhost")
        target, head = f"/upload/{number}", ""
    host = f"localhost:{ports[int(secure)]}"
    writer.write(f"POST {target} HTTP/1.1\r\nHost: {host}\r\n{head}Content-Length: {len(LARGE)}\r\n\r\n".encode())
    for start in range(0, len(LARGE), 65536):
        writer.write(LARGE[start : start + 65536])
        await writer.drain()
    answer = await reader.readuntil(b"\r\n\r\n")
    body = await reader.readexactly(len(LARGE))
    writer.close()
    return answer.startswith(b"HTTP/1.1 200 ") and hashlib.sha256(body).hexdigest() == DIGEST


async def at_once(connections, proxy, ports, context):
    """How many of so many at once were right, in how many seconds, and the most memory meanwhile."""
    most = proxy.memory()
    start = time.perf_counter()
    under_way = asyncio.gather(*(exchange(one, proxy, ports, context) for one in range(connections)))
    while not under_way.done():
        await asyncio.wait([under_way], timeout=0.05)
        most = max(most, proxy.memory())
    return sum(under_way.result()), time.perf_counter() - start, most


def started(target, *arguments):
    """A process of ours, and what it says first."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=target, args=(there, *arguments), daemon=True)
    process.start()
    return process, here.recv()


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--requests", type=int, default=300)
    options.add_argument("--connections", type=int, default=200)
    options.add_argument("--crowds", type=int, default=30)
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary)
        context = make_certificate(directory)
        server, ports = started(serve, temporary)
        bare, relays = started(relay, ports)
        proxy = Proxy(directory, ports)
        try:
            measured = measure(ways(proxy, relays, ports, context, directory), chosen.requests)
            crowds = [
                (*asyncio.run(at_once(chosen.connections, proxy, ports, context)), proxy.memory())
                for _ in range(chosen.crowds)
            ]
        finally:
            proxy.process.terminate()
            proxy.process.wait()
            server.terminate()
            bare.terminate()
    figures = {kind: dict(zip(("direct", "proxy", "relay"), sides, strict=False)) for kind, sides in measured.items()}
    # The first ones fill what is then used again and again.
    growth = crowds[-1][3] - crowds[-len(crowds) // 3 - 1][3] if crowds else 0
    right = all(count == chosen.connections for count, *_ in crowds)
    if chosen.json:
        crowded = [dict(zip(("right", "seconds", "most_kb", "after_kb"), crowd, strict=True)) for crowd in crowds]
        print(json.dumps({"microseconds": figures, "bar": BAR, "at_once": crowded, "growth_kb": growth}, indent=2))
    else:
        tell(figures, crowds, growth, chosen.connections)
    return int(any(one["proxy"] / one["direct"] > BAR for one in figures.values()) or not right or growth > GROWTH)


def tell(figures, crowds, growth, connections) -> None:
    print(f"{'':18} {'direct':>9} {'proxy':>9} {'ratio':>6} {'bare relay':>14}   (bar {BAR})")
    for kind, one in figures.items():
        bare = f"{one['relay']:6.0f} µs {one['relay'] / one['direct']:4.2f}" if "relay" in one else ""
        ratio = one["proxy"] / one["direct"]
        print(f"{kind:18} {one['direct']:6.0f} µs {one['proxy']:6.0f} µs {ratio:6.2f} {bare:>14}")
    for count, seconds, most, after in crowds:
        memory = f"memory {most / 1024:.0f} MiB at most, {after / 1024:.0f} MiB after"
        print(f"{count} of {connections} at once right, {seconds:.1f} s, {memory}")
    print(f"memory grew by {growth / 1024:.1f} MiB in the last third (bar {GROWTH // 1024})")


if __name__ == "__main__":
    sys.exit(main())
