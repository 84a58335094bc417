"""A prepared circle, whose database can be reset to the prepared state."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import psycopg
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import Column, DateTime, make_url, text
from sqlalchemy import Table as DatabaseTable

from scorekeeper.models import Base, db
from scorekeeper.services.events import people

from ..apps import open_app
from ..databases import Databases
from ..visitor import NAMES, Visitor
from .event_world import prepare_events

HOST, CO_HOST, THIRD = "host", "co-host", "third phone"
PHONES = (HOST, CO_HOST, THIRD)
GUESTS = ("first guest", "second guest")  # have joined an event at its second table, and not the circle
NEWCOMERS = ("first newcomer", "second newcomer")  # have opened the link to score, but not joined
COOKIE = "scorekeeper"
SEQUENCES = """
SELECT format('%I.%I', schemaname, sequencename)::regclass AS name, coalesce(last_value, 1) AS value,
    last_value IS NOT NULL AS is_called FROM pg_sequences WHERE schemaname = 'public'
"""
CACHES = ("period_totals", "summary")
# Random in each circle, table, link or device; `verify` reads none of them.
SECRETS = {
    "circle.name",
    "card_table.token",
    "card_table.edition",
    "card_table.marks_edition",
    "link.secret_hash",
    "device.secret_hash",
}
SECRETS |= {"browser_link.sealed_secret", "event.token", "event.seed", "event.generation", "event_phone.generation"}
SECRETS |= {"season.token", "planned_evening.token", "calendar_feed.secret_hash", "calendar_feed.sealed_secret"}
SECRETS |= {f"notice_subscription.{name}" for name in ("endpoint", "p256dh", "auth")}
SECRETS |= {"event.edition", "event.plan_edition", "settlement.token"}


@dataclass(eq=False)
class World:
    """An app with its own database, a circle in it, and the cookies of three phones with the right to host."""

    app: Flask
    store: Store
    circle: str = ""
    link: str = ""  # the path of the link to score
    tables: dict[str, str] = field(default_factory=dict)  # open, closed, settled, bid, turns, redrawn, planned, season
    events: dict[str, str] = field(default_factory=dict)  # path by purpose: see `event_world`
    event_link: str = ""  # the path of the link to check in to an event
    players: dict[str, str] = field(default_factory=dict)
    visitors: dict[str, Visitor] = field(default_factory=dict)
    cookies: dict[str, str] = field(default_factory=dict)

    @property
    def home(self) -> str:
        return f"/circles/{self.circle}/"

    @property
    def url(self) -> str:
        """The database URL for SQLAlchemy."""
        return self.store.url.render_as_string(hide_password=False)

    def reset(self) -> None:
        """Restore the prepared database."""
        self.store.reset()
        people._shared_people.clear()  # the next change gives an event the same number again

    def client(self, phone: str) -> FlaskClient:
        """Return a client with this phone's cookie from the prepared state."""
        client = self.app.test_client()
        client.set_cookie(COOKIE, self.cookies[phone])
        return client

    @contextmanager
    def session(self) -> Iterator[Any]:
        with self.app.app_context():
            yield db.session
            db.session.remove()

    def row_counts(self) -> dict[str, int]:
        """Return the number of rows of each database table, without caches."""
        return dict(self.store.read(*(f"SELECT '{name}', count(*) FROM {name}" for name in self._counted)))  # noqa: S608  # our own names

    @property
    def _counted(self) -> list[str]:
        return [name for name in self.store.names if name not in CACHES]

    def content(self) -> tuple[str, ...]:
        """Return all rows, without random secrets and with the days of times: what repeating a request repeats."""
        return self._read(self._rows)

    def facts(self) -> frozenset[str]:
        """Return `content` without ids, and without caches."""
        return frozenset(self._read(self._rows_without_ids))

    def _read(self, queries: list[str]) -> tuple[str, ...]:
        return tuple(sorted(row for (row,) in self.store.read(*queries)))

    @cached_property
    def _rows(self) -> list[str]:
        return self._queries(Base.metadata.sorted_tables, lambda column: str(column) not in SECRETS)

    @cached_property
    def _rows_without_ids(self) -> list[str]:
        tables = [table for table in Base.metadata.sorted_tables if table.name in self._counted]
        return self._queries(tables, lambda column: not (str(column) in SECRETS or _is_id(column)))

    def _queries(self, tables: list[DatabaseTable], is_read: Callable[[Column[Any]], bool]) -> list[str]:
        array = "json_array" if self.store.is_sqlite else "json_build_array"
        columns_read = {each.name: [f"'{each.name}'", *map(_text_of, filter(is_read, each.columns))] for each in tables}
        return [
            f"SELECT CAST({array}({', '.join(columns)}) AS VARCHAR) FROM {name}"  # noqa: S608  # our own names
            for name, columns in columns_read.items()
        ]


def _is_id(column: Column[Any]) -> bool:
    return column.primary_key or bool(column.foreign_keys)


def _text_of(column: Column[Any]) -> str:
    name = f'CAST("{column.name}" AS VARCHAR)'
    return f"substr({name}, 1, 10)" if isinstance(column.type, DateTime) else name


class Store:
    """The prepared rows: a copy of SQLite's file, or tables in a separate schema on PostgreSQL."""

    def __init__(self, app: Flask) -> None:
        self.app = app
        self.url = make_url(app.config["SQLALCHEMY_DATABASE_URI"])
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.names = [table.name for table in Base.metadata.sorted_tables]

    def save(self) -> None:
        with self.app.app_context():
            if self.is_sqlite:
                db.session.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
                db.session.remove()
                db.engine.dispose()
                shutil.copyfile(self._file, self._saved)
                return
            with db.engine.begin() as connection:
                connection.execute(text("CREATE SCHEMA prepared"))
                for name in self.names:
                    connection.execute(text(f"CREATE TABLE prepared.{name} AS TABLE public.{name}"))
                connection.execute(text(f"CREATE TABLE prepared.sequences AS {SEQUENCES}"))

    def read(self, *queries: str) -> list[Any]:
        """Return the rows of all these queries, which are sent as one."""
        with self.app.app_context(), db.engine.connect() as connection:
            return list(connection.exec_driver_sql(" UNION ALL ".join(queries)))

    @cached_property
    def observer(self) -> psycopg.Connection[Any]:
        """A connection to PostgreSQL that sees who waits for a lock; `close` ends it."""
        address = self.url.set(drivername="postgresql").render_as_string(hide_password=False)
        return psycopg.connect(address, autocommit=True)

    def close(self) -> None:
        if "observer" in self.__dict__:
            self.observer.close()

    def reset(self) -> None:
        with self.app.app_context():
            if self.is_sqlite:
                db.engine.dispose()
                for ending in ("-wal", "-shm"):
                    Path(f"{self._file}{ending}").unlink(missing_ok=True)
                shutil.copyfile(self._saved, self._file)
                return
            copies = [f"INSERT INTO public.{name} SELECT * FROM prepared.{name}" for name in self.names]  # noqa: S608
            statements = [
                "SET LOCAL lock_timeout = '10s'",  # fails if a request has left its transaction open
                "SET LOCAL session_replication_role = replica",  # the saved rows need no check of foreign keys
                *(f"DELETE FROM public.{name}" for name in reversed(self.names)),  # noqa: S608  # our own names
                *copies,
                "SELECT setval(name, value, is_called) FROM prepared.sequences",  # the same new rows have the same ids
            ]
            with db.engine.begin() as connection:
                connection.exec_driver_sql(";".join(statements))

    @property
    def _file(self) -> Path:
        return Path(self.url.database or "")

    @property
    def _saved(self) -> Path:
        return self._file.with_suffix(".prepared")


@contextmanager
def prepared_world(databases: Databases, folder: Path) -> Iterator[World]:
    """Create a world whose app behaves as in production: exceptions are logged and answered by an error page."""
    url = databases.make(folder)
    try:
        with open_app(url, TESTING=False, RATELIMIT_ENABLED=False) as app:
            world = World(app, Store(app))
            _play(world)
            world.store.save()
            try:
                yield world
            finally:
                world.store.close()
    finally:
        databases.drop(url)


def _play(world: World) -> None:
    host = world.visitors[HOST] = Visitor(world.app)
    world.tables["settled"] = _table(host, *NAMES[:4])
    for _ in range(4):
        host.record(tricks="ns-5")  # a robre, so that there is something to pay
    with host.client.session_transaction() as session:
        world.circle = session["circle"]
    for phone in (CO_HOST, THIRD):
        world.visitors[phone] = _join(world, host)
    _pay(host, f"{world.tables['settled']}settlement")
    host.visit(f"{world.home}settlement").send({}, "/confirmations")
    _pay(host, f"{world.tables['settled']}settlement", amount="1")  # waits for a confirmation
    host.visit(f"{world.home}settlement").send({}, "/confirmations")
    world.tables["closed"] = _table(host, "Nina", "Rémi", "Zoé", "Yann")
    _record_to_confirm(world, host)
    host.visit(world.tables["closed"]).more().send({}, "/close")
    world.tables["bid"] = _table(host, *NAMES[:4], slug="joffre")
    host.visit(f"{world.tables['bid']}deals/new").send({"bidder": "3", "bid": "7", "do": "announce"})
    world.tables["open"] = _table(host, *NAMES[:4])
    for _ in range(4):
        host.record(tricks="ew-5")
    host.record(tricks="ns-1")
    host.record(tricks="ns-2")
    host.visit(f"{host.table}deals/5").send({}, "/withdraw")
    host.visit(f"{world.tables['open']}deals/1/flag").send({"comment": "Was it 5?"})
    _prepare_people(world, host)
    host.visit(f"{world.home}tonight").send({f"here-{world.players[name]}": "yes" for name in (*NAMES[:4], "Yann")})
    host.open_table("whist", 4, **{"rule-new_robre": "draw"})
    world.tables["redrawn"] = host.table
    for tricks in ("ns-7", "ns-3") * 2:
        host.visit(world.tables["redrawn"]).record(tricks=tricks)
    world.tables["turns"] = _table(host, *NAMES[:4])
    host.visit(f"{host.table}details").send({"turns": "deal"})
    host.record(tricks="ns-2")
    host.visit(f"{world.home}planned/new")
    host.send({"day": date.today().isoformat(), "begins": "19:30", "place": "at Zoé’s", "repeats": "week"})
    world.tables["planned"] = host.path  # no table, but an evening to come
    host.visit(f"{world.home}seasons/new").send({"name": "Winter", "last": str(date.today() + timedelta(weeks=9))})
    world.tables["season"] = host.path  # no table either
    prepare_events(world, host, GUESTS)
    world.link = host.link("score")
    for phone in NEWCOMERS:
        world.visitors[phone] = Visitor(world.app).visit(world.link)
    world.cookies = {phone: _cookie(visitor) for phone, visitor in world.visitors.items()}


def _record_to_confirm(world: World, host: Visitor) -> None:
    """Record a deal with the third phone, which two players of one side may confirm with the others."""
    table = world.tables["closed"]
    host.visit(f"{table}details").send({"confirms_deals": "yes"})
    world.visitors[THIRD].visit(table).record(tricks="ew-3")
    for phone, seat in ((HOST, "2"), (CO_HOST, "4")):
        world.visitors[phone].visit(table).send({"seat": seat}, "/me")


def _prepare_people(world: World, host: Visitor) -> None:
    """Merge Nina into Anne, and retire Rémi."""
    host.visit(f"{world.home}people")
    links = host.page.select(".roll a.who")
    world.players = {str(link.strong.get_text()): str(link["href"]).rpartition("/")[2] for link in links if link.strong}
    people = f"{world.home}people/"
    host.visit(f"{people}{world.players['Nina']}").send({"into": world.players["Anne"]}, "/merge")
    host.visit(f"{people}{world.players['Rémi']}").send({}, "/retire")


def _table(host: Visitor, *names: str, slug: str = "whist") -> str:
    """Open a table with these players and return its path."""
    seats = {f"seat-{n}": name for n, name in enumerate(names, start=1)}
    return host.visit(f"/tables/new/{slug}").send(seats).table


def _join(world: World, host: Visitor) -> Visitor:
    return Visitor(world.app).join(host.link("host"))


def _pay(host: Visitor, page: str, **fields: str) -> None:
    """Make the first payment that the page proposes."""
    form = host.visit(page).find(".due form.pay")
    host.send(fields, form=form)
    assert host.status == 200


def _cookie(visitor: Visitor) -> str:
    cookie = visitor.client.get_cookie(COOKIE)
    assert cookie is not None
    return cookie.value
