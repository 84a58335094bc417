"""The app's live updates: publish what its transactions have announced, in this process and to others."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Any

from flask import Flask, current_app, has_app_context, request
from sqlalchemy import Engine, event

from ...db.engine import CONNECTION_TIMEOUTS
from ...db.schemas import file_of
from ...live import postgresql, sqlite
from ...live.hub import HOLD, Hub
from ...live.messages import Message, take_announced
from ...live.nchan import NchanPublisher
from ...live.reading import Reader
from ...live.updates import LiveUpdates
from ...models import db
from ...services import live as reading

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


# --- other processes on the same database ------------------------------------------------------------------


def _connect_processes(app: Flask) -> None:
    """Have messages go to and come from the other processes."""
    updates = of(app)
    with app.app_context():
        engine = db.engine
    reader = Reader(updates.hub, partial(_numbers_of, app), partial(_browsers_with_access, app))
    file = file_of(engine.url)
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


def _numbers_of(app: Flask, tables: Collection[str]) -> list[Message]:
    with app.app_context():  # has a session of its own, which it removes
        return reading.numbers_of(tables)


def _browsers_with_access(app: Flask, browser_ids: Collection[int]) -> set[int]:
    with app.app_context():
        return reading.browsers_with_access(browser_ids)


@event.listens_for(db.session, "after_commit")
def _publish(session: Any) -> None:
    messages = take_announced(session)
    if messages and has_app_context():
        current().publish(messages)
