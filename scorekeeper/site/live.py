"""Live updates: a transaction notes what it changes, and after its commit the phones that follow it are notified.

A phone's page holds a stream, which says only that something has changed; the page then asks what. Beyond `MAX_STREAMS`
a page asks every few seconds. Other processes are heard by PostgreSQL's notifications, or by SQLite's counter of
commits.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from itertools import chain
from pathlib import Path
from threading import Event as Signal
from threading import Lock, Thread
from time import monotonic
from typing import NamedTuple

from flask import Flask, Response, abort, current_app
from sqlalchemy import Engine, select, text, update

from ..db.schemas import find_file
from ..db.transactions import UNSYNCHRONIZED, call_after_commit
from ..limits import MAX_STREAMS
from ..models import Table, db, new_token
from .features import features

TABLE = "table"  # all of a table

FULL_SECONDS = 60  # after which a page may ask again for a stream, if there are too many
ALIVE_SECONDS = 25  # without news, after which a stream sends a sign of life, and finds out whether its phone is gone
ACCESS_SECONDS = 60  # after which access is read again
POLL_SECONDS = 0.2  # between two looks whether another process has written to a SQLite file, or the app is closed
RETRY_SECONDS = 1  # after an error: the database may be away for a while
STOP_SECONDS = 5  # that the end of an app waits for what is being read

_CHANNEL = "scorekeeper"
_NOTIFY = text("SELECT pg_notify(:channel, :payload)")  # PostgreSQL delivers it when the transaction commits
_EXTENSION = "live"
_CHANGED, _ALIVE = b"data: changed\n\n", b"data: alive\n\n"

_log = logging.getLogger(__name__)

Key = tuple[str, str]  # of what is followed: the kind of message, and the token of a table or what else is followed


class Message(NamedTuple):
    """The new state of something that phones follow."""

    event: str  # what it is: TABLE, or a kind of a feature's own
    topic: str  # the token of the table or what else is followed
    state: str  # differs from its other states, and has no spaces


class Stream:
    def __init__(self, keys: Iterable[Key]) -> None:
        self.keys = {*keys}
        self.changed = Signal()
        self.is_closed = False


class Hub:
    """The streams of this process, and the last known states of what they follow. For any thread."""

    def __init__(self) -> None:
        self.is_stopping = False  # whether the server ends: no stream is opened any more
        self._lock = Lock()
        self._streams: set[Stream] = set()
        self._states: dict[Key, str] = {}

    def publish(self, message: Message) -> None:
        """Wake the streams that follow what has changed."""
        key = (message.event, message.topic)
        with self._lock:
            if self._states.get(key, message.state) == message.state:  # also if nobody follows it
                return
            self._states[key] = message.state
            for stream in self._streams:
                if key in stream.keys:
                    stream.changed.set()

    def open(self, states: Mapping[Key, str]) -> Stream | None:
        """Open a stream that follows these, as they were just read; None if this process holds as many as it may."""
        stream = Stream(states)
        with self._lock:
            if len(self._streams) >= MAX_STREAMS or self.is_stopping:
                return None
            self._streams.add(stream)
            self._states = {**states, **self._states}
        return stream

    def leave(self, stream: Stream) -> None:
        with self._lock:
            self._streams.discard(stream)
            followed = {key for other in self._streams for key in other.keys}
            self._states = {key: state for key, state in self._states.items() if key in followed}

    def list_tokens(self) -> set[str]:
        """List the tokens of what is followed."""
        with self._lock:
            return {token for _, token in self._states}

    def close(self) -> None:
        """End all streams. It waits for nobody: the handler of a signal may call it, once."""
        for stream in list(self._streams):
            stream.is_closed = True
            stream.changed.set()


class Live:
    """The live updates of an app: its hub, and the thread that hears of other processes."""

    def __init__(self, app: Flask) -> None:
        self.hub = Hub()
        self.at_end: list[Callable[[], None]] = []  # called besides when the app is closed
        self._app = app
        self._lock = Lock()
        self._stopping = Signal()
        self._thread: Thread | None = None
        self._is_failing = False

    def start(self) -> None:
        """Start the thread, once, with the first stream. It does not keep the process from ending."""
        with self._lock:
            if self._thread is None:
                thread = Thread(target=self._run, name="Changes by other processes", daemon=True)
                thread.start()
                self._thread = thread  # one that `close` may wait for

    def close(self) -> None:
        """End all streams and threads, and wait for them: their connections are closed, or back in the pool."""
        self.hub.close()
        self._stopping.set()
        for end in self.at_end:
            end()
        if self._thread is not None:
            self._thread.join(STOP_SECONDS)

    def _run(self) -> None:
        """Hear of other processes until the app is closed; log the first error, and that it works again."""
        with self._app.app_context():
            engine = db.engine
        file = find_file(engine.url)
        while not self._stopping.is_set():
            try:
                if file is None:
                    self._listen(engine)
                else:
                    self._watch_file(file.absolute())
            except Exception as error:
                if not self._is_failing:
                    first_line = str(error).partition("\n")[0]
                    _log.warning("%s: %s; it tries again", type(error).__name__, first_line)
                self._is_failing = True
                self._stopping.wait(RETRY_SECONDS)

    def _watch_file(self, file: Path) -> None:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=rw", uri=True, isolation_level=None)) as connection:
            seen = None
            while not self._stopping.wait(POLL_SECONDS if seen else 0):
                (version,) = connection.execute("PRAGMA data_version").fetchone()
                if version != seen:
                    seen = version
                    self._read()

    def _listen(self, engine: Engine) -> None:
        arguments, parameters = engine.dialect.create_connect_args(engine.url)
        with closing(engine.dialect.connect(*arguments, **parameters, autocommit=True)) as connection:
            connection.execute(f"LISTEN {_CHANNEL}")
            self._read()  # what was missed
            while not self._stopping.is_set():
                for notification in connection.notifies(timeout=POLL_SECONDS):
                    self.hub.publish(Message(*notification.payload.split(" ")))

    def _read(self) -> None:
        with self._app.app_context():  # has a session of its own, which it removes
            tokens = self.hub.list_tokens()
            for message in chain.from_iterable(feature.read_messages(tokens) for feature in features()):
                self.hub.publish(message)
        if self._is_failing:
            _log.warning("Changes by other processes are heard again")
        self._is_failing = False


def init_app(app: Flask) -> None:
    app.extensions[_EXTENSION] = Live(app)


def live_of(app: Flask) -> Live:
    found: Live = app.extensions[_EXTENSION]
    return found


# --- publishing ----------------------------------------------------------------------------------------------


def publish_after_commit(message: Message) -> None:
    """Have a message published once the transaction is committed, on PostgreSQL to the other processes as well."""
    if db.engine.dialect.name == "postgresql":
        db.session.execute(_NOTIFY, {"channel": _CHANNEL, "payload": " ".join(message)})
    call_after_commit(lambda: live_of(current_app).hub.publish(message))


def touch_table(table: Table) -> None:
    table.edition = new_token()
    publish_after_commit(Message(TABLE, table.token, table.edition))


def touch_tables(circle_id: int, table_ids: Iterable[int]) -> None:
    """Note a change of tables in the caller's transaction, which holds the circle's lock.

    Tables that the session has loaded keep their old edition until it commits.
    """
    conditions = (Table.circle_id == circle_id, Table.id.in_(table_ids))
    edition = new_token()
    changed = update(Table).where(*conditions).values(edition=edition)
    db.session.execute(changed, execution_options=UNSYNCHRONIZED)
    for token in db.session.scalars(select(Table.token).where(*conditions)):
        publish_after_commit(Message(TABLE, token, edition))


def stream(read: Callable[[], Mapping[Key, str] | None]) -> Response:
    """Stream that something has changed, as server-sent events.

    `read` reads the states of what is followed, in an app context; it returns None if the reader may not follow it.
    Answers 503 if there are too many streams.
    """
    app = current_app._get_current_object()  # type: ignore[attr-defined]  # as Flask documents
    live_of(app).start()
    hub = live_of(app).hub
    opened = hub.open(read() or abort(404))
    if opened is None:
        return Response(status=503, headers={"Retry-After": str(FULL_SECONDS)})
    # X-Accel-Buffering: nginx passes each event on at once.
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    response = Response(_yield_events(app, opened, read), mimetype="text/event-stream", headers=headers)
    response.call_on_close(lambda: hub.leave(opened))
    return response


def _yield_events(app: Flask, opened: Stream, read: Callable[[], object]) -> Iterator[bytes]:
    """Yield events until the app is closed, or the reader loses access.

    The first comes at once: something may have changed since the page was made.
    """
    yield _CHANGED
    checked = monotonic()
    while True:
        has_changed = opened.changed.wait(ALIVE_SECONDS)
        if opened.is_closed:
            return
        if has_changed:
            opened.changed.clear()
        if monotonic() - checked >= ACCESS_SECONDS:
            checked = monotonic()
            with app.app_context():
                if read() is None:
                    return
        yield _CHANGED if has_changed else _ALIVE
