"""A service of the operator's that takes signed messages, and believes none that is not signed."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = "the-secret-of-this-webhook-0123456789"
DEADLINE = 15


def verified(headers, body, secret=SECRET, within=300):
    """As docs/telegram.md says it."""
    parts = dict(part.split("=", 1) for part in headers["Guardhouse-Signature"].split(","))
    expected = hmac.new(secret.encode(), f"{parts['t']}.".encode() + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, parts["v1"]) and abs(time.time() - int(parts["t"])) <= within


class Receiver:
    """Keeps what it was sent; `answers` are statuses for the next messages, or headers to go with one."""

    def __init__(self, *answers):
        self.changed = threading.Condition()
        self.answers = list(answers)
        self.received = []
        self.unsigned = []

    def __enter__(self):
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with receiver.changed:
                    status, headers, content = receiver.answers.pop(0) if receiver.answers else (204, {}, b"")
                    good = verified(self.headers, body)
                    (receiver.received if good else receiver.unsigned).append((self.path, json.loads(body)))
                    receiver.changed.notify_all()
                self.send_response(status)
                for name, value in {"Content-Length": str(len(content)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                """Nobody reads it."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}/hook?key=abc"

    def wait(self, count):
        end = time.monotonic() + DEADLINE
        with self.changed:
            while len(self.received) < count:
                left = end - time.monotonic()
                assert left > 0, f"only {len(self.received)} messages came"
                self.changed.wait(left)
            return [message for _, message in self.received]
