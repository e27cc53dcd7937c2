"""Real programs behind the proxy: curl, git, pip and npm, with stand-ins for the servers that they talk to."""

from __future__ import annotations

import hashlib
import http.server
import io
import json
import os
import shutil
import ssl
import subprocess
import sys
import tarfile
import threading
import zipfile
from functools import partial

import pytest


class Files(http.server.SimpleHTTPRequestHandler):
    """Serves a directory, over connections that are kept."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_args):
        pass


@pytest.fixture
def world(place, certificates, tmp_path):
    """A directory that is served over TLS and in the clear as a.example, and a proxy that leads there."""
    place.files = tmp_path / "files"
    place.files.mkdir()
    place.authority = str(certificates / "a.example.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / "a.example.pem", certificates / "a.example.key")
    running = []

    def served(tls):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=place.files))
        server.daemon_threads = True
        if tls:
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        server.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        running.append(server)
        return server

    secure, plain = served(tls=True), served(tls=False)
    place.secure, place.plain = f"https://a.example:{secure.port}", f"http://a.example:{plain.port}"
    place.open(secure, plain)
    place.opened = place.door(principal="box")
    place.address = f"http://127.0.0.1:{place.opened.port}"
    place.work = tmp_path / "work"
    place.work.mkdir()
    yield place
    for server in running:
        server.shutdown()
        server.server_close()


def run(world, *command, **more):
    """A program with nothing of the tester's environment but what it needs to start, and the proxy."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(world.work),
        "HTTPS_PROXY": world.address,
        "HTTP_PROXY": world.address,
        "https_proxy": world.address,
        "http_proxy": world.address,
        **more,
    }
    done = subprocess.run(
        command, env=environment, cwd=world.work, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def hosts(world):
    return {detail.split(",")[0] for _, detail in world.outcomes()}


def test_curl_fetches_over_tls_and_in_the_clear(world):
    data = os.urandom(2_000_000)
    (world.files / "data").write_bytes(data)
    for url in (f"{world.secure}/data", f"{world.plain}/data"):
        run(world, "curl", "-sS", "--fail", "--cacert", world.authority, "-o", "came", url)
        assert (world.work / "came").read_bytes() == data
    assert {one.split()[0] for one in hosts(world)} == {"CONNECT", "GET"}


def test_curl_is_told_why_not(world):
    done = subprocess.run(
        ["curl", "-sS", "-x", world.address, "http://b.example/"], capture_output=True, text=True, check=False
    )
    assert "non_allowlisted_domain" in done.stdout


def test_git_clones_over_https(world):
    origin = world.work / "origin"
    git = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "init.defaultBranch=main"]
    run(world, *git, "init", "-q", str(origin))
    (origin / "file.txt").write_text("hello\n")
    run(world, *git, "-C", str(origin), "add", ".")
    run(world, *git, "-C", str(origin), "commit", "-qm", "one")
    run(world, *git, "clone", "-q", "--bare", str(origin), str(world.files / "one.git"))
    run(world, *git, "-C", str(world.files / "one.git"), "update-server-info")
    run(world, "git", "-c", f"http.sslCAInfo={world.authority}", "clone", "-q", f"{world.secure}/one.git", "cloned")
    assert (world.work / "cloned" / "file.txt").read_text() == "hello\n"
    assert all(one.startswith("CONNECT a.example:") for one in hosts(world))


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
    options = ["--isolated", "--no-input", "--no-cache-dir", "--disable-pip-version-check", "--no-deps"]
    options += ["--index-url", f"{world.secure}/simple/", "--cert", world.authority, "--proxy", world.address]
    run(world, sys.executable, "-m", "pip", "install", "-q", *options, "--target", "installed", "tiny")
    assert (world.work / "installed" / "tiny.py").read_text() == "WORD = 'hello'\n"
    assert all(one.startswith("CONNECT a.example:") for one in hosts(world))


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed here")
def test_npm_installs_from_a_registry(world):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as made:
        for name, text in (("package.json", '{"name":"tiny","version":"1.0.0"}'), ("index.js", "module.exports = 1\n")):
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(text)
            made.addfile(entry, io.BytesIO(text.encode()))
    (world.files / "tiny-1.0.0.tgz").write_bytes(packed.getvalue())
    version = {
        "name": "tiny",
        "version": "1.0.0",
        "dist": {
            "tarball": f"{world.secure}/tiny-1.0.0.tgz",
            "shasum": hashlib.sha1(packed.getvalue()).hexdigest(),
        },
    }
    document = {"name": "tiny", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}
    (world.files / "tiny").write_text(json.dumps(document))
    (world.work / "package.json").write_text("{}")
    options = ["--registry", f"{world.secure}/", "--cafile", world.authority, "--https-proxy", world.address]
    options += ["--no-audit", "--no-fund", "--no-update-notifier", "--ignore-scripts"]
    run(world, "npm", "install", "tiny@1.0.0", *options, npm_config_userconfig="/dev/null")
    assert (world.work / "node_modules" / "tiny" / "index.js").read_text() == "module.exports = 1\n"
    assert all(one.startswith("CONNECT a.example:") for one in hosts(world))
