"""A server that is reached by URL: each message of ours is posted, and what comes back is put to the gateway.

An answer belongs to the exchange that its request was posted in; on any other it is left out. A stream that breaks is
resumed after the last event that was dealt with, and an event that comes again is passed over. Whatever goes wrong with
an exchange is told to whoever waits for its answer; nothing passes because of it. Header values and the server's words
about what went wrong are never shown.
"""

from __future__ import annotations

import threading
import time
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final, Protocol

from guardhouse.adapters.mcp.heads import LONGEST_HEAD, heads
from guardhouse.adapters.mcp.pipes import LONGEST_LINE
from guardhouse.adapters.mcp.streamable.envelopes import SESSION, VERSION, Sent, is_plain_value, read_sent, version_in
from guardhouse.adapters.mcp.streamable.events import EventReader, one_line
from guardhouse.egress.errors import FetchFailed, Refused
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.adapters.mcp.gateway import Gateway
    from guardhouse.adapters.mcp.messages import Id
    from guardhouse.egress.exchanges import Exchange, Exchanges

TO_TELL: Final = 30.0
"""Seconds to connect, to send a message, and to hear that one without an answer was taken."""
TO_FINISH: Final = 60.0
"""Seconds in which a message that has begun to come must be complete."""
TO_ANSWER: Final = 3600.0
"""Seconds that a call may take with nothing heard."""
TO_LISTEN: Final = 24 * 3600.0
_TO_PART: Final = 2.0
"""Seconds for a stream to end once it has brought its answer, and for a session to be ended."""
_AROUND: Final = 1024 * 1024
"""Bytes around a message: heads, the framing of streams and chunks, comments."""
_MOST_AT_ONCE: Final = 256
_MOST_TRIES: Final = 3
_MOST_EVENTS: Final = 4096
"""Of one stream, whose ids are remembered."""
_WAIT: Final = 1.0
_LONGEST_WAIT: Final = 30.0
_ACCEPTED: Final = (("Accept", "application/json, text/event-stream"),)
_LISTENING: Final = (("Accept", "text/event-stream"),)
_TYPED: Final = (("Content-Type", "application/json"),)
_STREAM: Final = "text/event-stream"
_JSON: Final = "application/json"


class Turn(Protocol):
    """The turn of a thread to hear the client, which it keeps while an answer is likely to come before the client says
    more: then nobody else has to be woken up."""

    def wait(self, connection: Any) -> None:
        """Wait until there is something to read; if the client says something before that, let go of the turn."""
        ...

    def leave(self) -> None:
        """Let somebody else hear the client."""
        ...


class RemoteServer:
    """The server's end of one conversation. `send` may be called from any thread.

    `to_client` writes to the client. `failed` is called, once or more, if the gateway itself fails: then nothing may
    pass any more.
    """

    def __init__(
        self,
        gateway: Gateway,
        exchanges: Exchanges,
        headers: tuple[tuple[str, str], ...],
        *,
        to_client: Callable[[bytes], object],
        notice: Callable[[str], None],
        failed: Callable[[Exception], None],
    ) -> None:
        self._gateway = gateway
        self._exchanges = exchanges
        self._headers = headers
        self._to_client = to_client
        self._notice = notice
        self._failed = failed
        self._hands = _Hands()
        self._session = ""
        self._version = ""
        self._is_listening = False
        self._lock = threading.Lock()
        self._under_way = 0
        self._all_done = threading.Event()
        self._all_done.set()
        self._closing = threading.Event()

    def send(self, lines: bytes, turn: Turn | None = None) -> None:
        """Send messages, one a line. Returns once they were sent; of those that have no answer, once they were taken;
        of `initialize`, once it was answered, because everything else depends on that. With a `turn`, the answer to
        the last one is heard before this returns."""
        *sent, last = [line for line in lines.split(b"\n") if line.strip()] or [b""]
        for line in sent:
            self._send(line, read_sent(line))
        if last:
            self._send(last, read_sent(last), turn)

    def wait(self, seconds: float) -> bool:
        """Wait until every request has its answer; whether that is so."""
        return self._all_done.wait(seconds)

    def close(self) -> None:
        """End the session, and every exchange."""
        self._closing.set()
        if self._session:
            self._end_session()
        self._exchanges.close()

    # Sending

    def _send(self, line: bytes, sent: Sent, turn: Turn | None = None) -> None:
        if not sent.asks or sent.id is None:
            self._tell(line, sent)
            return
        if sent.method == "initialize":
            self._session = self._version = ""
        if not self._begin():
            self._lose(sent.id, "too many requests are under way")
            return
        try:
            exchange = self._post(line, sent)
        except GuardhouseError as error:
            self._end()
            self._lose(sent.id, error.what)
            return
        except BaseException:
            self._end()
            raise
        number = sent.id
        if sent.method == "initialize":
            self._hear(exchange, sent, number)
        elif turn is not None:
            exchange.before_reading(turn.wait)
            self._hear(exchange, sent, number, turn)
        else:
            self._hands.take(lambda: self._hear(exchange, sent, number))

    def _post(self, line: bytes, sent: Sent) -> Exchange:
        headers = (*_ACCEPTED, *_TYPED, *self._own_headers(sent))
        return self._exchanges.begin("POST", headers, line, seconds=TO_TELL, wire_bytes=_AROUND)

    def _own_headers(self, sent: Sent | None = None) -> tuple[tuple[str, str], ...]:
        session = ((SESSION, self._session),) if self._session else ()
        if sent is not None and sent.headers:
            return (*session, *sent.headers, *self._headers)
        version = ((VERSION, self._version),) if self._version else ()
        return (*session, *version, *self._headers)

    def _tell(self, line: bytes, sent: Sent) -> None:
        """Send what has no answer. Nobody waits who could be told that it was not taken."""
        what = sent.method or "an answer"
        try:
            exchange = self._post(line, sent)
            try:
                exchange.read_head()
                self._check_session(exchange, sent)
                self._check_status(exchange)
                for _ in exchange.pieces():
                    pass  # what answers nothing is left out
            finally:
                exchange.close()
        except GuardhouseError as error:
            self._notice(f"{what} did not reach the server: {error.what}")
            return
        if sent.method == "notifications/initialized" and not self._is_listening:
            self._is_listening = True
            self._hands.take(self._listen)

    # Hearing

    def _hear(self, exchange: Exchange, sent: Sent, number: Id, turn: Turn | None = None) -> None:
        """Read what a request brings, until it has its answer. Whoever waits is told if there will be none."""
        try:
            try:
                exchange.until(TO_ANSWER, LONGEST_LINE + _AROUND)
                exchange.read_head()
                is_answered = self._hear_all(exchange, sent, number, turn)
                why = "the server ended the exchange without one"
            except GuardhouseError as error:
                is_answered, why = False, error.what
            finally:
                exchange.close()
            if not is_answered:
                self._lose(number, why)
        except Exception as error:  # noqa: BLE001 - whatever it is, nothing may pass without the gate
            self._failed(error)
        finally:
            self._end()

    def _hear_all(self, exchange: Exchange, sent: Sent, number: Id, turn: Turn | None) -> bool:
        self._check_session(exchange, sent)
        kind = _kind(exchange)
        if kind == _STREAM and exchange.status == 200:
            return self._follow(exchange, sent, number, turn)
        if kind == _JSON and (exchange.status == 200 or exchange.status >= 400):
            exchange.until(TO_FINISH, LONGEST_LINE + _AROUND)
            body = b"".join(exchange.pieces())
            if self._deliver(body, number, sent):
                return True
        self._check_status(exchange)
        raise FetchFailed("the server's answer is in no form that is known")

    def _check_session(self, exchange: Exchange, sent: Sent) -> None:
        """The session is the one that `initialize` began. GuardhouseError otherwise."""
        given = exchange.headers.get(SESSION, "")
        if sent.method == "initialize":
            if given and not is_plain_value(given):
                raise FetchFailed("the server's session has a name that can't be sent")
            self._session = given if exchange.status == 200 else ""
        elif given and given != self._session:
            raise FetchFailed("the server says that this is another session")

    def _check_stream(self, exchange: Exchange) -> None:
        if exchange.status == 405:
            raise Refused(_NO_STREAMS, "the server has no such streams")
        self._check_status(exchange)
        if exchange.status != 200 or _kind(exchange) != _STREAM:
            raise FetchFailed("the server does not go on with the stream")

    def _check_status(self, exchange: Exchange) -> None:
        status = exchange.status
        if status == 404 and self._session:
            self._session = ""
            raise FetchFailed("the session with the server is over; a new one begins with `initialize`")
        if status in {401, 403}:
            raise FetchFailed(f"the server does not let us in (status {status})")
        if 300 <= status < 400:
            raise FetchFailed("the server leads elsewhere, and redirects are not followed")
        if status >= 400:
            raise FetchFailed(f"the server refused it (status {status})")

    def _deliver(self, message: bytes, number: Id | None, sent: Sent) -> bool:
        """Put a message of the server to the gateway, and pass on what may pass; whether it answered the request that
        this exchange is for."""
        line = one_line(message)
        answered = {head.id for head in heads(line) if not head.asks}
        if answered - {number}:
            self._notice("an answer that came in an exchange of another request was left out")
            return False
        if len(line) > LONGEST_LINE:
            outgoing = self._gateway.cut_from_server(line[:LONGEST_HEAD], f"It is longer than {LONGEST_LINE} bytes.")
        else:
            outgoing = self._gateway.from_server(line)
        if answered and sent.method == "initialize":
            self._version = version_in(line)
        self._to_client(outgoing.to_client)
        if outgoing.to_server:
            self.send(outgoing.to_server)
        return bool(answered)

    def _follow(self, exchange: Exchange, sent: Sent, number: Id, turn: Turn | None) -> bool:
        """Read a stream until it has brought the answer to a request, resuming it where it breaks."""
        stream = _Stream()
        opened: Exchange | None = exchange
        tries = 0
        while True:
            try:
                opened = opened or self._resumed(stream)
                self._read_stream(opened, stream, sent, number, TO_ANSWER)
                why = "the server ended the stream before it"
            except FetchFailed as error:
                why = error.what
            if stream.is_answered:
                return True
            opened = None
            if turn is not None:
                turn.leave()
            tries = 1 if stream.has_moved else tries + 1
            stream.has_moved = False
            if not stream.last or tries > _MOST_TRIES or self._closing.wait(stream.wait):
                raise FetchFailed(why)

    def _resumed(self, stream: _Stream) -> Exchange:
        """The stream where it broke off. GuardhouseError if the server does not go on with it; Refused if it never
        will."""
        last = (("Last-Event-ID", stream.last),) if stream.last else ()
        exchange = self._exchanges.begin(
            "GET", (*_LISTENING, *last, *self._own_headers()), b"", seconds=TO_TELL, wire_bytes=_AROUND
        )
        try:
            exchange.read_head()
            self._check_session(exchange, _GET)
            self._check_stream(exchange)
        except BaseException:
            exchange.close()
            raise
        return exchange

    def _read_stream(self, exchange: Exchange, stream: _Stream, sent: Sent, number: Id | None, patience: float) -> None:
        """Deal with the events of a stream until it ends. Each must be complete soon after it has begun."""
        reader = EventReader()
        begun = time.monotonic()
        try:
            exchange.until(patience, LONGEST_LINE + _AROUND)
            is_within = False
            for piece in exchange.pieces():
                has_ended = False
                for event in reader.feed(piece):
                    has_ended = True
                    if stream.is_new(event.id, event.retry) and event.data and event.name in {"", "message"}:
                        own = None if stream.is_answered else number
                        stream.is_answered |= self._deliver(event.data, own, sent)
                    stream.passed(event.id)
                if has_ended or is_within is not reader.is_within:
                    is_within = reader.is_within
                    allowed = TO_FINISH if is_within else _TO_PART if stream.is_answered else patience
                    exchange.until(allowed, LONGEST_LINE + _AROUND)
        except GuardhouseError:
            if not stream.is_answered:
                raise
        finally:
            stream.has_moved |= time.monotonic() - begun > _LONGEST_WAIT
            exchange.close()

    def _listen(self) -> None:
        """Read what the server says by itself, for as long as the conversation lasts; if it has anywhere to say it."""
        stream = _Stream()
        tries = 0
        try:
            while not self._closing.is_set():
                try:
                    exchange = self._resumed(stream)
                    self._read_stream(exchange, stream, _GET, None, TO_LISTEN)
                except GuardhouseError as error:
                    broken = error.what
                    if isinstance(error, Refused) and error.code == _NO_STREAMS:
                        return
                else:
                    broken = "the stream ended"
                tries = 1 if stream.has_moved else tries + 1
                stream.has_moved = False
                if tries > _MOST_TRIES:
                    self._notice(f"what the server says by itself is not heard any more: {broken}")
                    return
                self._closing.wait(stream.wait)
        except Exception as error:  # noqa: BLE001 - as above
            self._failed(error)
        finally:
            self._is_listening = False

    def _lose(self, number: Id, why: str) -> None:
        self._to_client(self._gateway.lost(number, why).to_client)

    # Beginning and ending

    def _begin(self) -> bool:
        with self._lock:
            if self._under_way >= _MOST_AT_ONCE:
                return False
            self._under_way += 1
            self._all_done.clear()
            return True

    def _end(self) -> None:
        with self._lock:
            self._under_way -= 1
            if not self._under_way:
                self._all_done.set()

    def _end_session(self) -> None:
        try:
            exchange = self._exchanges.begin("DELETE", self._own_headers(), b"", seconds=_TO_PART, wire_bytes=_AROUND)
            try:
                exchange.read_head()
            finally:
                exchange.close()
        except GuardhouseError as error:
            self._notice(f"the session with the server could not be ended: {error.what}")


_GET: Final = Sent(None, "")
_NO_STREAMS: Final = "net.response_unreadable"


class _Stream:
    """What is remembered of a stream from one connection to the next."""

    def __init__(self) -> None:
        self.last = ""
        """The last event that was dealt with."""
        self.wait = _WAIT
        self.is_answered = False
        self.has_moved = False
        """Whether something new has come since it was resumed, or it has lasted."""
        self._seen: dict[str, None] = {}

    def is_new(self, number: str, retry: float | None) -> bool:
        """Whether an event did not come before."""
        if retry is not None:
            self.wait = min(retry, _LONGEST_WAIT)
        return not number or number not in self._seen

    def passed(self, number: str) -> None:
        """An event was dealt with."""
        if not number:
            return
        if number not in self._seen:
            self.has_moved = True
            if len(self._seen) >= _MOST_EVENTS:
                del self._seen[next(iter(self._seen))]
            self._seen[number] = None
        self.last = number


class _Hands:
    """Threads that do what takes long, each as long as there is something to do; as many as are needed at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle = 0
        self._tasks: SimpleQueue[Callable[[], None]] = SimpleQueue()

    def take(self, task: Callable[[], None]) -> None:
        with self._lock:
            has_idle = self._idle > 0
            if has_idle:
                self._idle -= 1
        if has_idle:
            self._tasks.put(task)
        else:
            threading.Thread(target=self._work, args=(task,), name="guardhouse-mcp", daemon=True).start()

    def _work(self, task: Callable[[], None]) -> None:
        while True:
            task()
            with self._lock:
                self._idle += 1
            task = self._tasks.get()


def _kind(exchange: Exchange) -> str:
    return exchange.headers.get("content-type", "").partition(";")[0].strip().lower()
