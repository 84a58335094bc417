"""The app's live updates: publish what its transactions have announced, in this process and to others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any, NamedTuple

from flask import Flask, Response, current_app, g, has_app_context, request
from sqlalchemy import Engine, event

from ...db.engine import CONNECTION_TIMEOUTS
from ...db.schemas import find_file
from ...live import postgresql, sqlite
from ...live.hub import HOLD, Access, Hub, NoRoomError
from ...live.messages import Message, take_announced
from ...live.nchan import NchanPublisher
from ...live.pushing import Pusher, Render
from ...live.reading import Reader
from ...live.updates import LiveUpdates
from ...models import db
from ...services import live as reading

FULL_SECONDS = 60  # after which a page may ask again for a stream, if there are too many
_EXTENSION = "live_updates"


def init_app(app: Flask) -> None:
    """Add live updates to the app, and the template function `can_stream`."""
    proxies = _proxies(app)
    updates = app.extensions[_EXTENSION] = LiveUpdates(proxies)
    if proxies:
        updates.bridges = tuple(proxies)
    else:
        _connect_processes(app)
    app.jinja_env.globals["can_stream"] = can_stream


def push_updates(app: Flask, render: Render) -> None:
    """Have the streams that this process holds send updates, as `render` renders them."""
    updates = of(app)
    pusher = Pusher(updates.hub, render)
    updates.hub.push = pusher.push
    updates.bridges += (pusher,)

    @app.before_request
    def begin() -> None:
        if request.method == "POST":
            g.is_counted = True
            pusher.begin_write()

    @app.teardown_request
    def end(_error: BaseException | None) -> None:
        if g.pop("is_counted", False):
            pusher.end_write()


def of(app: Flask) -> LiveUpdates:
    """Return an app's live updates."""
    updates: LiveUpdates = app.extensions[_EXTENSION]
    return updates


def current() -> LiveUpdates:
    """Return the live updates of the current app."""
    return of(current_app)


def current_hub() -> Hub:
    """Return the current app's hub of streams."""
    return current().hub


def can_stream() -> bool:
    """Whether the server of this request can hold streams, or a proxy holds them. Otherwise pages need not try."""
    return HOLD in request.environ or held_by_proxy()


def held_by_proxy() -> bool:
    """Whether a proxy holds the streams in the app's place."""
    return any(publisher.holds_streams for publisher in current().publishers)


def _proxies(app: Flask) -> list[NchanPublisher]:
    endpoints = app.config["NCHAN_ENDPOINTS"]
    return [NchanPublisher(endpoints)] if endpoints else []


# --- streams -----------------------------------------------------------------------------------------------


class Recipient(NamedTuple):
    """For whom an update is rendered: the hash of a device's secret, and the tag of a locale."""

    secret_hash: str
    language: str


class Following(NamedTuple):
    """The access of those who may follow something, and where it is.

    Attributes:
        circle, follower: as `Access` has them.
        numbers: of each kind of message that is followed.
        redirect: where nginx holds such a stream, if it does.
        recipient: for whom updates are rendered, if the page takes them from the stream.
    """

    circle: str
    follower: str
    numbers: Mapping[str, int]
    redirect: str
    recipient: Recipient | None = None


def stream(token: str, read: Callable[[], Following]) -> Response:
    """Stream the messages about a table or an event, as server-sent events; `read` aborts without access.

    A proxy that holds streams in the app's place only asks whether the browser may follow. Otherwise the server goes on
    sending to a stream that it is given to hold. One that cannot hold any gets a response without content (204), with
    which a browser does not try again, and the page polls; one that holds too many, 503.
    """
    if held_by_proxy():
        headers = {"X-Accel-Redirect": read().redirect, "Cache-Control": "no-store"}
        return Response(mimetype="text/event-stream", headers=headers)
    hold = request.environ.get(HOLD)
    if hold is None:
        read()
        return Response(status=204)
    opened = current_hub().open(token)  # before reading: nothing is lost in between
    try:
        following = read()
        events = opened.begin(following.circle, following.follower, following.numbers)
        opened.recipient = following.recipient
        hold(opened)
    except NoRoomError:
        opened.close()
        return Response(status=503, headers={"Retry-After": str(FULL_SECONDS)})
    except BaseException:
        opened.close()
        raise
    # X-Accel-Buffering: nginx passes each event on at once.
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return Response(events, mimetype="text/event-stream", headers=headers)


# --- other processes on the same database ------------------------------------------------------------------


def _connect_processes(app: Flask) -> None:
    """Have messages go to and come from the other processes."""
    updates = of(app)
    with app.app_context():
        engine = db.engine
    reader = Reader(updates.hub, partial(_read_numbers, app), partial(_followers_with_access, app))
    file = find_file(engine.url)
    if file is not None:
        watcher = sqlite.ChangeWatcher(file, updates.hub, reader)
        updates.hub.on_first_stream = watcher.start
        updates.bridges = (watcher,)
    elif engine.dialect.name == "postgresql":
        connect = partial(_connect, engine)
        notifier = postgresql.Notifier(connect)
        listener = postgresql.NotificationListener(connect, updates.hub, reader, notifier.name)
        updates.hub.on_first_stream = listener.start
        updates.publishers += (notifier,)
        updates.bridges = (listener, notifier)


def _connect(engine: Engine) -> Any:
    """Open a connection outside of the pool, as the app's own: to the first of several servers that takes writes."""
    arguments, parameters = engine.dialect.create_connect_args(engine.url)
    ours = {"application_name": "scorekeeper live", **CONNECTION_TIMEOUTS}
    return engine.dialect.connect(*arguments, **{**ours, **parameters, "autocommit": True})


def _read_numbers(app: Flask, tokens: Collection[str]) -> list[Message]:
    with app.app_context():  # has a session of its own, which it removes
        return reading.read_numbers(tokens)


def _followers_with_access(app: Flask, followers: Collection[Access]) -> set[Access]:
    with app.app_context():
        return reading.followers_with_access(followers)


@event.listens_for(db.session, "after_commit")
def _publish(session: Any) -> None:
    messages = take_announced(session)
    if messages and has_app_context():
        current().publish(messages)
