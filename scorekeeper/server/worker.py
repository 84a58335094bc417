"""A gunicorn worker that slow and idle clients cannot hold up.

Connections are served by greenlets, as in gunicorn's gevent worker, so thousands of them may wait for their clients.
The app itself runs in a few threads, which a request enters when the whole of it has arrived and leaves when its
answer is complete. So no client occupies a thread or a database connection, no request that was cut short is carried
out, and long work shares the processor with short requests as the system's threads do. Nothing is monkey-patched: the
app, SQLAlchemy and the drivers use ordinary threads and locks. A response that stays open is handed to `streams.py`.

An entry is followed by a request of every phone that follows its table. Such a request is conditional: it says what the
phone shows already. Only some of the threads run these, so that the next entry need not wait for all of them.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from functools import partial
from http import HTTPStatus
from io import BytesIO
from socket import SHUT_RDWR, SOCK_STREAM, fromfd
from tempfile import SpooledTemporaryFile
from typing import Any

import gevent
from gevent.event import Event
from gevent.lock import BoundedSemaphore
from gevent.server import StreamServer
from gevent.socket import socket as Socket  # noqa: N812  # a class, which the standard library writes small
from gevent.socket import wait_read
from gevent.threadpool import ThreadPool
from gunicorn import util
from gunicorn.http.errors import NoMoreData
from gunicorn.workers.base_async import ALREADY_HANDLED
from gunicorn.workers.ggevent import GeventWorker

from ..live.hub import HOLD, Stream
from .gunicorn import STOP_SIGNALS
from .outgoing import Outgoing
from .streams import Streams, begin

MAX_HEADER_SECONDS = 20  # from the start of waiting to the end of the headers
MAX_BODY_SECONDS = 30  # for a body, plus the time it takes at MIN_BODY_RATE
MIN_BODY_RATE = 20_000  # bytes a second
MAX_BODY = 32_000_000  # bytes; the app itself has lower limits, and pages that explain them
MAX_BODIES = 256_000_000  # bytes of all bodies in a worker at one time
BODY_IN_MEMORY = 256_000  # bytes; a larger body goes to a temporary file
MAX_ACCEPTED = 16  # connections accepted in one go
PIECE = 65_536  # bytes read at a time
SWITCH_SECONDS = 0.001  # thread switch interval; short so that short requests are not delayed by long ones
_INSTANT = 0.000_01  # seconds; not 0, so that gevent polls the other connections
THREADS_PER_UPDATE = 4  # of so many threads, one runs conditional requests
LINGER = 2  # seconds in which a stopping worker still accepts requests on idle connections


class Worker(GeventWorker):
    """gunicorn's settings mean: `threads` that run the app, `worker_connections`, `keepalive` seconds when idle."""

    sockets: list[Any]  # listening
    wsgi: Callable[..., Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._connections: set[Socket] = set()
        # Connections waiting for their client, longest first, and whether a request has begun.
        self._waiting: dict[Socket, bool] = {}
        self._bytes_of_bodies = 0

    # --- the worker's life

    def init_process(self) -> None:
        """Prepare the worker in its process, and run it."""
        self._stop = Event()  # created in the worker's process, since it belongs to that event loop
        sys.setswitchinterval(SWITCH_SECONDS)
        super().init_process()

    def init_signals(self) -> None:
        """Handle the first process's signals. Those of a terminal reach every process; the first one passes them on."""
        super().init_signals()
        for passed_on in (signal.SIGINT, signal.SIGHUP):
            signal.signal(passed_on, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)  # blocked since the process was started

    def patch(self) -> None:
        """Make the listening sockets gevent's; the rest of the standard library stays as it is."""
        self.sockets = [Socket(socket.FAMILY, SOCK_STREAM, fileno=socket.sock.detach()) for socket in self.sockets]

    def load_wsgi(self) -> None:
        """Load the app, and run its requests in a thread pool."""
        super().load_wsgi()
        self._streams = Streams(gevent.get_hub().loop, self.worker_connections)
        app, threads = self.wsgi, ThreadPool(self.cfg.threads)
        updates = BoundedSemaphore(max(1, self.cfg.threads // THREADS_PER_UPDATE))

        def run_in_thread(environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
            outgoing: Outgoing = environ["gunicorn.socket"]
            if environ["REQUEST_METHOD"] != "HEAD":
                environ[HOLD] = partial(self._hold, outgoing)
            with updates if _is_conditional(environ) else nullcontext():
                response = threads.apply(_run_app, (app, environ, start_response))
            if isinstance(response, BaseException):
                raise response
            head = start_response.__self__  # type: ignore[attr-defined]  # gunicorn's Response
            if outgoing.stream is None or head.status_code != HTTPStatus.OK:
                outgoing.close_stream()
                return [response]
            begin(head, response)
            return ALREADY_HANDLED

        self.wsgi = run_in_thread

    def run(self) -> None:
        """Accept connections until the worker is stopped, then finish."""
        servers = [StreamServer(listener, handle=partial(self.handle, listener)) for listener in self.sockets]
        for server in servers:
            # A single worker accepts several at a time; with more workers, one each distributes them evenly.
            server.max_accept = MAX_ACCEPTED if self.cfg.workers == 1 else 1
            server.start()
        while self.alive:
            self.notify()
            self._stop.wait(1)
        for server in servers:
            server.close()
        self._streams.close_all()
        self._finish()

    def handle_exit(self, sig: int, frame: object) -> None:
        """Stop on a signal."""
        super().handle_exit(sig, frame)
        gevent.get_hub().loop.run_callback_threadsafe(self._stop.set)

    def _finish(self) -> None:
        """Finish the requests in progress, and for `LINGER` seconds those that arrive on idle connections."""
        began = time.monotonic()
        gevent.sleep(0.05)  # lets the connections accepted last begin
        while self._connections:
            waited = time.monotonic() - began
            if waited > self.cfg.graceful_timeout:
                self.log.warning("Worker graceful timeout (pid:%s)", self.pid)
                return
            if waited > LINGER:
                for client in [client for client, has_begun in self._waiting.items() if not has_begun]:
                    _drop(client)
            self.notify()
            gevent.sleep(0.05)

    # --- connections

    def handle(self, listener: Socket, client: Socket, addr: Any) -> None:
        """Serve a connection to its end; runs in a greenlet of its own."""
        number = len(self._connections) + len(self._streams)
        if number >= self.worker_connections and not self._drop_longest_waiting():
            _refuse(client, 503, "Service Unavailable")
            util.close(client)
            return
        self._connections.add(client)
        self._waiting[client] = False
        try:
            super().handle(listener, client, addr)
        finally:
            self._connections.discard(client)
            self._waiting.pop(client, None)

    def _drop_longest_waiting(self) -> bool:
        """Close the connection that has waited longest for its client; False if all are being served."""
        client = next(iter(self._waiting), None)
        if client is None:
            return False
        del self._waiting[client]
        _drop(client)
        return True

    def waiting_for(self, client: Socket, wait: Callable[[], None]) -> None:
        """Wait for a client. If there are too many connections, this one may be closed meanwhile."""
        self._waiting[client] = True
        try:
            wait()
        finally:
            self._waiting.pop(client, None)

    def timeout_ctx(self) -> gevent.Timeout:
        """Limit the time for the headers of a request. After that, the connection is closed without a response."""
        return gevent.Timeout(MAX_HEADER_SECONDS, False)

    # --- requests

    def handle_request(self, listener_name: Any, req: Any, sock: Socket, addr: Any) -> Any:
        """Read the complete request, handle it, and wait for the next one.

        Raises:
            StopIteration, NoMoreData: the connection is to be closed, as in gunicorn.
        """
        length = self._read_body(req, sock)
        self._waiting.pop(sock, None)
        outgoing = Outgoing(sock, self)
        try:
            keeps_open = super().handle_request(listener_name, req, outgoing, addr)
        except BaseException:
            outgoing.close_stream()
            raise
        finally:
            self._bytes_of_bodies -= length
            if isinstance(req.body, SpooledTemporaryFile):
                req.body.close()
                req.body = BytesIO()  # gunicorn reads the rest of the body
        if outgoing.stream is not None:
            self._streams.hold(sock.detach(), outgoing.stream)
            raise StopIteration  # there is no further request on this connection
        self._waiting[sock] = False
        self._wait_for_next(req, sock)
        return keeps_open

    def _wait_for_next(self, req: Any, sock: Socket) -> None:
        if req.unreader.buf.getbuffer().nbytes:  # the next request has already been read
            gevent.sleep(_INSTANT)
            return
        # Yield to the event loop even if data is available, so that other clients are served first.
        wait_read(sock.fileno(), timeout=self.cfg.keepalive, timeout_exc=StopIteration())
        self._waiting.pop(sock, None)
        self._waiting[sock] = False  # restart its waiting time

    def _hold(self, outgoing: Outgoing, stream: Stream) -> None:
        """Hold the response of a request open, once it is sent. Called by the app, in its thread.

        Raises:
            NoRoomError: there are too many, or the worker stops.
        """
        self._streams.check_room()
        outgoing.stream = stream

    def _read_body(self, req: Any, sock: Socket) -> int:
        """Read the body, replace the request's stream by it, and return its length.

        Raises:
            NoMoreData: it is too large or too slow, or the client has closed the connection in the middle of it.
        """
        expected = _content_length(req)
        if expected == 0:
            return 0
        if expected is not None and expected > MAX_BODY:
            raise _refused(sock, 413, "Content Too Large")
        self._waiting[sock] = True
        if getattr(req, "_expected_100_continue", False):
            req._expected_100_continue = False  # else gunicorn sends it again
            sock.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = SpooledTemporaryFile(max_size=BODY_IN_MEMORY)  # noqa: SIM115  # closed with the request
        length = 0
        try:
            for piece in self._pieces(req, sock):
                body.write(piece)
                length += len(piece)
                self._bytes_of_bodies += len(piece)
            if expected is not None and length < expected:
                raise NoMoreData
        except BaseException:
            self._bytes_of_bodies -= length
            body.close()
            raise
        body.seek(0)
        req.body = body
        return length

    def _pieces(self, req: Any, sock: Socket) -> Iterator[bytes]:
        """Yield the body as it arrives."""
        began, length = time.monotonic(), 0
        while True:
            remaining = began + MAX_BODY_SECONDS + length / MIN_BODY_RATE - time.monotonic()
            piece = _read(req, max(remaining, 0.001))
            if piece is None:
                raise _refused(sock, 408, "Request Timeout")
            length += len(piece)
            if length > MAX_BODY:
                raise _refused(sock, 413, "Content Too Large")
            if self._bytes_of_bodies + len(piece) > MAX_BODIES:
                raise _refused(sock, 503, "Service Unavailable")
            yield piece
            if len(piece) < PIECE:
                return
            gevent.sleep(_INSTANT)  # lets other connections proceed


def _is_conditional(environ: dict[str, Any]) -> bool:
    """Return whether the client has an answer already, and asks only whether there is a newer one."""
    return environ["REQUEST_METHOD"] == "GET" and "HTTP_IF_NONE_MATCH" in environ


def _run_app(app: Any, environ: dict[str, Any], start_response: Callable[..., Any]) -> bytes | BaseException:
    """Run the app in this thread, and return the complete body of its response, or the exception it raised."""
    try:
        body = app(environ, start_response)
        try:
            return b"".join(body)
        finally:
            if hasattr(body, "close"):
                body.close()
    except BaseException as error:
        return error


def _read(req: Any, seconds: float) -> bytes | None:
    """Read the next piece of a body; None if it does not arrive in time."""
    with gevent.Timeout(seconds, False):
        piece: bytes = req.body.read(PIECE)
        return piece
    return None


def _refused(sock: Socket, status: int, reason: str) -> NoMoreData:
    """Send an error response to an unfinished request; return the exception that closes the connection."""
    _refuse(sock, status, reason)
    util.close_graceful(sock)
    return NoMoreData()


def _refuse(sock: Socket, status: int, reason: str) -> None:
    with suppress(OSError):  # the client has disconnected
        util.write_error(sock, status, reason, "")


def _content_length(req: Any) -> int | None:
    """Return the length of a request's body, which gunicorn has validated; None for a chunked body."""
    length = 0
    for name, value in req.headers:
        if name == "TRANSFER-ENCODING":
            return None
        if name == "CONTENT-LENGTH":
            length = int(value)
    return length


def _drop(client: Socket) -> None:
    """Close a connection that another greenlet waits for. That one reads its end, as if the client had closed it.

    gevent's own `shutdown` would raise an error there, which gunicorn logs.
    """
    with suppress(OSError), fromfd(client.fileno(), client.family, client.type) as plain:  # the client has disconnected
        plain.shutdown(SHUT_RDWR)
