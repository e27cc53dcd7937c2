"""What is allowed still works inside: curl, git, pip and npm, through the door, to stand-ins for their servers."""

import hashlib
import http.server
import io
import json
import shutil
import ssl
import subprocess
import sys
import tarfile
import threading
import zipfile
from functools import partial

import pytest

from guardhouse.sandbox.launching import interpreter

HOST = "127.0.0.2"
"""Of this machine's, like the servers that a proxy leads to; it is not the loopback that the sandbox has of its own."""


class Files(http.server.SimpleHTTPRequestHandler):
    """Serves a directory, over connections that are kept."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_args):
        pass


class World:
    def __init__(self, sandbox):
        self.sandbox = sandbox
        self.files = sandbox.root / "files"
        self.files.mkdir()
        self.authority = sandbox.workspace / "authority.crt"
        key = sandbox.root / "key"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=stand-in",
             "-addext", f"subjectAltName=IP:{HOST}", "-keyout", key, "-out", self.authority],
            check=True, capture_output=True,
        )  # fmt: skip
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.authority, key)
        self._running = []
        self.secure, self.plain = self._serve(context), self._serve(None)
        domains = json.dumps([url.partition("://")[2] for url in (self.secure, self.plain)])
        sandbox.configure(f"guard: {{network: {{proxy: {{allowed_domains: {domains}, deny_private_ips: false}}}}}}\n")

    def _serve(self, context):
        server = http.server.ThreadingHTTPServer((HOST, 0), partial(Files, directory=self.files))
        server.daemon_threads = True
        if context is not None:
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self._running.append(server)
        return f"{'http' if context is None else 'https'}://{HOST}:{server.server_address[1]}"

    def runs(self, *command):
        done = self.sandbox.run(*command)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def close(self):
        for server in self._running:
            server.shutdown()
            server.server_close()


@pytest.fixture(scope="module")
def world(shared):
    made = World(shared)
    yield made
    made.close()


def test_curl_fetches_over_tls_and_in_the_clear(world):
    (world.files / "page").write_text("hello\n")
    for url in (world.secure, world.plain):
        assert world.runs("curl", "-sS", "--fail", "--cacert", "authority.crt", f"{url}/page") == "hello\n"


def test_curl_is_told_why_not(world):
    done = world.sandbox.run("curl", "-sS", "http://elsewhere.test/")
    assert "non_allowlisted_domain" in done.stdout


def test_git_clones_and_commits(world):
    git = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "init.defaultBranch=main"]
    origin, bare = world.sandbox.root / "origin", world.files / "one.git"
    for command in (
        ["init", "-q", origin],
        ["-C", origin, "commit", "-q", "--allow-empty", "-m", "one"],
        ["clone", "-q", "--bare", origin, bare],
        ["-C", bare, "update-server-info"],
    ):
        subprocess.run([*git, *command], check=True)
    world.runs("git", "-c", "http.sslCAInfo=authority.crt", "clone", "-q", f"{world.secure}/one.git", "cloned")
    world.runs(*git, "-C", "cloned", "commit", "-q", "--allow-empty", "-m", "two")
    assert world.runs("git", "-C", "cloned", "log", "--format=%s") == "two\none\n"


def test_pip_installs_from_an_index(world):
    wheel = world.files / "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as made:
        made.writestr("tiny.py", "WORD = 'hello'\n")
        made.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        made.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        made.writestr("tiny-1.0.dist-info/RECORD", "")
    page = world.files / "simple" / "tiny"
    page.mkdir(parents=True)
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    (page / "index.html").write_text(f'<a href="/{wheel.name}#sha256={digest}">{wheel.name}</a>')
    subprocess.run([sys.executable, "-m", "venv", world.sandbox.workspace / "env"], check=True)
    options = ["--isolated", "--no-input", "--no-cache-dir", "--disable-pip-version-check", "--no-deps", "-q"]
    options += ["--index-url", f"{world.secure}/simple/", "--cert", "authority.crt"]
    proxy = ["--proxy", "http://127.0.0.1:9399"]  # `--isolated` leaves the environment out
    world.runs("env/bin/python", "-m", "pip", "install", *options, *proxy, "tiny")
    assert world.runs("env/bin/python", "-c", "import tiny; print(tiny.WORD)") == "hello\n"


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed here")
def test_npm_installs_from_a_registry(world):
    """In the clear: behind a proxy npm takes no certificate of an address. By name it does, in the proxy's tests."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as made:
        for name, text in (
            ("package.json", '{"name":"small","version":"1.0.0"}'),
            ("index.js", "module.exports = 1\n"),
        ):
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(text)
            made.addfile(entry, io.BytesIO(text.encode()))
    (world.files / "small-1.0.0.tgz").write_bytes(packed.getvalue())
    dist = {
        "tarball": f"{world.plain}/small-1.0.0.tgz",
        "shasum": hashlib.sha1(packed.getvalue()).hexdigest(),
    }
    version = {"name": "small", "version": "1.0.0", "dist": dist}
    document = {"name": "small", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}
    (world.files / "small").write_text(json.dumps(document))
    (world.sandbox.workspace / "package.json").write_text("{}")
    options = ["--registry", f"{world.plain}/", "--no-audit", "--no-fund"]
    world.runs("npm", "install", "small@1.0.0", *options, "--no-update-notifier")
    assert world.runs("node", "-p", "require('small')") == "1\n"


def test_a_server_inside_is_reached_inside(world):
    code = """
import http.server, subprocess, threading
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://localhost:{server.server_address[1]}/authority.crt"
print(subprocess.run(["curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", address], capture_output=True).stdout)
"""
    assert world.runs(interpreter(), "-I", "-c", code) == "b'200'\n"


def test_the_record_says_who_reached_what(world):
    (world.files / "page").write_text("hello\n")
    done = world.sandbox.run(
        "curl", "-sS", "--cacert", "authority.crt", f"{world.secure}/page", options=["--session", "s-7"]
    )
    assert done.stdout == "hello\n"
    lines = "".join(one.read_text() for one in (world.sandbox.state / "audit").glob("*.jsonl")).splitlines()
    told = [json.loads(line)["event"] for line in lines]
    reached = [one for one in told if one.get("session_id") == "s-7" and one.get("source") == "proxy"]
    assert {one["kind"] for one in reached} == {"decision", "execution"}
    assert all(one["principal"] == "sandbox" for one in reached)
