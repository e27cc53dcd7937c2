"""A server on loopback that speaks Telegram's Bot API: what a bot sees of it, and what people see of the bot."""

from __future__ import annotations

import json
import socket
import threading
import time
from html.parser import HTMLParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

TOKEN = "123456789:AAHk-the_token_of_this_test_0123456789"
DEADLINE = 15
LONGEST_POLL = 2.0


class BadHtml(Exception):
    """Telegram would not take it."""


class _Text(HTMLParser):
    """Reads the HTML that Telegram knows, strictly."""

    TAGS = frozenset("b strong i em u s code pre a".split())

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open = []
        self.text = ""
        self.marked = []

    def handle_starttag(self, tag, attrs):
        if tag not in self.TAGS:
            raise BadHtml(tag)
        self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            raise BadHtml(tag)

    def handle_data(self, data):
        self.text += data
        self.marked.append((self.open[-1] if self.open else "", data))

    def handle_comment(self, data):
        raise BadHtml(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


def read_html(html):
    """The text that people see, and its pieces with the tag around each; BadHtml if Telegram would refuse it."""
    reader = _Text()
    reader.feed(html)
    reader.close()
    if reader.open:
        raise BadHtml(reader.open)
    return reader.text, reader.marked


class Message:
    """A message in a chat."""

    def __init__(self, chat, number, html, keyboard):
        self.chat = chat
        self.number = number
        self.html = html
        self.keyboard = keyboard
        self.edits = 0

    @property
    def text(self):
        return read_html(self.html)[0]

    @property
    def buttons(self):
        return {button["text"]: button["callback_data"] for row in self.keyboard for button in row}


class BotApi:
    """The server, with the chats behind it. Everything that waits has a deadline."""

    def __init__(self):
        self.changed = threading.Condition()
        self.messages = []
        self.calls = []
        self.notices = {}
        self.paths = []
        self._updates = []
        self._numbers = 0
        self._scripts = []
        self._server = None
        self._port = 0
        self._sockets = set()

    # The network

    def __enter__(self):
        self.up()
        return self

    def __exit__(self, *_):
        self.down()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._port}"

    def up(self):
        api = self

        class Handler(_Handler):
            bot_api = api

        self._server = _Server(("127.0.0.1", self._port), Handler)
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def down(self):
        """Nobody listens any more, and every connection breaks."""
        server, self._server = self._server, None
        if server is None:
            return
        server.shutdown()
        server.server_close()
        with self.changed:
            for connection in list(self._sockets):
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue  # its other end was faster
            self.changed.notify_all()

    def fail(self, method, *answers):
        """The next calls of a method get these answers: a status, a status with parameters, or `drop`."""
        with self.changed:
            self._scripts += [(method, answer) for answer in answers]

    # What people see and do

    def wait(self, condition, what="nothing came of it"):
        """The first value of `condition()` that is true."""
        end = time.monotonic() + DEADLINE
        with self.changed:
            while True:
                value = condition()
                if value:
                    return value
                left = end - time.monotonic()
                assert left > 0, what
                self.changed.wait(min(left, 0.05))

    def cards(self, chat=None):
        return [one for one in self.messages if one.keyboard is not None and chat in (None, one.chat)]

    def card(self, chat=None):
        """The card that comes into a chat."""
        return self.wait(lambda: self.cards(chat), "no card came")[-1]

    def press(self, card, data, *, user=None, chat=None, kind="private", number=None, **more):
        """Press a button; gives the id under which its notice will be."""
        user = card.chat if user is None else user
        query = {
            "id": f"q{time.monotonic_ns()}",
            "from": {"id": user, "is_bot": False, "first_name": "Ada"},
            "chat_instance": "1",
            "data": data,
            "message": {
                "message_id": card.number if number is None else number,
                "date": int(time.time()),
                "chat": {"id": card.chat if chat is None else chat, "type": kind},
                "text": "card",
            },
            **more,
        }
        self._add({"callback_query": {key: value for key, value in query.items() if value is not None}})
        return query["id"]

    def notice(self, query):
        """What the person is told who pressed."""
        return self.wait(lambda: self.notices.get(query), "nobody answered the button")

    def write(self, text, *, user, chat=None, kind="private", **more):
        with self.changed:
            self._numbers += 1
            number = self._numbers
        self._add(
            {
                "message": {
                    "message_id": number,
                    "date": int(time.time()),
                    "from": {"id": user, "is_bot": False, "first_name": "Ada"},
                    "chat": {"id": user if chat is None else chat, "type": kind},
                    "text": text,
                    **more,
                }
            }
        )

    def said(self, text, *, user, **more):
        """Write something, and give what the bot says to it."""
        before = len(self.messages)
        self.write(text, user=user, **more)
        return self.wait(
            lambda: next((one.html for one in self.messages[before:] if one.keyboard is None), None), "no reply"
        )

    def heard(self):
        """Wait until the bot has confirmed everything there was."""
        self.wait(lambda: not self._updates, "updates are left")

    def _add(self, update):
        with self.changed:
            self._numbers += 1
            self._updates.append({"update_id": self._numbers + 1000, **update})
            self.changed.notify_all()

    # What the bot calls

    def answer(self, method, given):
        """Status and body of the answer to a call; None to break the connection."""
        with self.changed:
            self.calls.append((method, given))
            self.changed.notify_all()
            for at, (name, script) in enumerate(self._scripts):
                if name in (method, "*"):
                    del self._scripts[at]
                    return self._scripted(script)
        call = getattr(self, f"_{method}", None)
        return (404, {"ok": False, "error_code": 404, "description": "Not Found"}) if call is None else call(given)

    @staticmethod
    def _scripted(script):
        if script == "drop":
            return None
        status, parameters = script if isinstance(script, tuple) else (script, None)
        body = {"ok": False, "error_code": status, "description": f"Scripted {TOKEN}"}
        return status, {**body, "parameters": parameters} if parameters else body

    @staticmethod
    def _ok(result):
        return 200, {"ok": True, "result": result}

    @staticmethod
    def _bad(description):
        return 400, {"ok": False, "error_code": 400, "description": f"Bad Request: {description}"}

    def _getMe(self, given):  # noqa: N802 - Telegram's name
        return self._ok({"id": 123456789, "is_bot": True, "first_name": "Gate", "username": "gate_bot"})

    def _getUpdates(self, given):  # noqa: N802
        assert json.loads(given["allowed_updates"]) == ["message", "callback_query"]
        offset = int(given.get("offset", 0))
        end = time.monotonic() + min(float(given.get("timeout", 0)), LONGEST_POLL)
        with self.changed:
            self._updates = [one for one in self._updates if one["update_id"] >= offset]
            self.changed.notify_all()
            server = self._server
            while not self._updates and time.monotonic() < end and self._server is server:
                self.changed.wait(0.05)
            return self._ok(list(self._updates))

    def _problem(self, given):
        try:
            text, _ = read_html(given["text"]) if given.get("parse_mode") == "HTML" else (given["text"], [])
        except BadHtml:
            return "can't parse entities"
        if len(text.encode("utf-16-le")) // 2 > 4096:
            return "message is too long"
        keyboard = json.loads(given.get("reply_markup", "{}")).get("inline_keyboard", [])
        if any(not 1 <= len(button["callback_data"].encode()) <= 64 for row in keyboard for button in row):
            return "BUTTON_DATA_INVALID"
        return None

    def _sendMessage(self, given):  # noqa: N802
        problem = self._problem(given)
        if problem:
            return self._bad(problem)
        keyboard = json.loads(given["reply_markup"])["inline_keyboard"] if "reply_markup" in given else None
        with self.changed:
            self._numbers += 1
            message = Message(int(given["chat_id"]), self._numbers, given["text"], keyboard)
            self.messages.append(message)
            self.changed.notify_all()
        return self._ok(self._described(message))

    def _editMessageText(self, given):  # noqa: N802
        problem = self._problem(given)
        if problem:
            return self._bad(problem)
        keyboard = json.loads(given.get("reply_markup", "{}")).get("inline_keyboard", [])
        return self._edit(given, given["text"], keyboard)

    def _editMessageReplyMarkup(self, given):  # noqa: N802
        return self._edit(given, None, json.loads(given.get("reply_markup", "{}")).get("inline_keyboard", []))

    def _edit(self, given, html, keyboard):
        with self.changed:
            chat, number = int(given["chat_id"]), int(given["message_id"])
            found = [one for one in self.messages if (one.chat, one.number) == (chat, number)]
            if not found:
                return self._bad("message to edit not found")
            [message] = found
            if (html or message.html, keyboard) == (message.html, message.keyboard):
                return self._bad("message is not modified: specified new message content is exactly the same")
            message.html, message.keyboard = html or message.html, keyboard
            message.edits += 1
            self.changed.notify_all()
        return self._ok(self._described(message))

    def _answerCallbackQuery(self, given):  # noqa: N802
        if len(given.get("text", "")) > 200:
            return self._bad("MESSAGE_TOO_LONG")
        with self.changed:
            self.notices[given["callback_query_id"]] = given.get("text", "")
            self.changed.notify_all()
        return self._ok(True)

    def _described(self, message):
        return {
            "message_id": message.number,
            "date": int(time.time()),
            "chat": {"id": message.chat, "type": "private"},
            "text": "card",
        }


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def handle_error(self, request, client_address):
        """A bot that was killed is no error of the server."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    bot_api = None

    def setup(self):
        super().setup()
        self.bot_api._sockets.add(self.connection)

    def finish(self):
        self.bot_api._sockets.discard(self.connection)
        super().finish()

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        given = {key: values[-1] for key, values in parse_qs(body, keep_blank_values=True).items()}
        _, token, method = self.path.split("/")
        if token != f"bot{TOKEN}":
            answer = (401, {"ok": False, "error_code": 401, "description": "Unauthorized"})
        else:
            answer = self.bot_api.answer(method, given)
        if answer is None:
            self.close_connection = True
            return
        status, result = answer
        content = json.dumps(result).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        """Nobody reads it."""
