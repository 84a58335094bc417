"""The servers of a world: each an app with a database of its own, several processes, backups, and circles that move."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from sqlalchemy import select
from werkzeug.test import TestResponse

from scorekeeper.cli import database
from scorekeeper.db import copying
from scorekeeper.models import Circle, Event, Table
from scorekeeper.services.events import phones
from scorekeeper.services.events.phones import EventLink
from scorekeeper.services.tables.replayed import read_revisions
from scorekeeper.tables.state import TableState
from scorekeeper.web.support import event_access

from ..apps import open_app
from ..databases import Databases
from ..races.world import Store, World
from ..visitor import NAMES, Visitor
from .nature import Clock, Tokens, Worker, driven

HOST, MEMBERS, WATCHER = "Anne", ("Bruno", "Chloé", "David"), "Yann"
GUESTS = {"the phone of table 1": 1, "the phone of table 2": 2}  # at the event, and nothing else
ENTRANTS = (*NAMES, "Yann", "Zoé", "Jan")
EVENT = {"game": "whist", "scoring": "tricks", "rounds": "3", "length": "1", "title": "Drive"}
WORKERS = 2


@dataclass
class Stored:
    """A write that was acknowledged. It must be stored once; it may be lost by the restore of an older backup."""

    write: Any
    may_be_lost: bool = False


class Backup(NamedTuple):
    file: Path
    ledger: dict[str, Stored]
    shut_out: set[str]


class Server:
    """A server. `ledger` is what it has acknowledged, by key; `shut_out` are the phones whose access has ended."""

    def __init__(self, name: str, world: World, empty: Path) -> None:
        self.name, self.world, self.empty = name, world, empty
        self.folder = empty.parent
        self.circle = ""
        self.shut_out: set[str] = set()
        self.ledger: dict[str, Stored] = {}
        self.backup: Backup | None = None
        self.restart()

    def __str__(self) -> str:
        return self.name

    @property
    def home(self) -> str:
        return f"/circles/{self.circle}/"

    def restart(self) -> None:
        """Begin with new processes, which take turns."""
        self.workers = [Worker() for _ in range(WORKERS)]
        self.turns = cycle(self.workers)

    def visitor(self, phone: str) -> Visitor:
        """Return this phone's browser."""
        visitor = Visitor(self.world.app)
        if phone in self.world.cookies:
            visitor.client.set_cookie("scorekeeper", self.world.cookies[phone])
        return visitor

    def keep(self, phone: str, visitor: Visitor) -> None:
        """Keep the cookie of a phone that has joined."""
        cookie = visitor.client.get_cookie("scorekeeper")
        assert cookie is not None
        self.world.cookies[phone] = cookie.value

    def get(self, phone: str, path: str, seen: str = "") -> TestResponse:
        """Answer a request that reads; `seen` is the number that the phone has."""
        headers = {"If-None-Match": f'"{seen}"'} if seen else {}
        with next(self.turns).working():
            answer = self.world.client(phone).get(path, headers=headers)
            with answer:
                answer.get_data()
        return answer

    # --- what is stored

    def tables(self) -> list[str]:
        """Return the tokens of the circle's tables, the first one first."""
        with self.world.session() as session:
            query = select(Table.token).join(Circle, Circle.id == Table.circle_id).where(Circle.name == self.circle)
            return list(session.scalars(query.order_by(Table.id)))

    @contextmanager
    def table(self, token: str) -> Iterator[TableState]:
        """Replay a table as it is stored."""
        with self.world.session() as session:
            row = session.scalars(select(Table).where(Table.token == token)).one()
            yield TableState(row, read_revisions(row))

    def event(self) -> str:
        """Return the path of the circle's event."""
        with self.world.session() as session:
            query = select(Event.token).join(Circle, Circle.id == Event.circle_id).where(Circle.name == self.circle)
            return f"/events/{session.scalars(query).one()}"

    def card(self, table: int) -> str:
        """Return the path of the link on the card of a table of the event."""
        token = self.event().rpartition("/")[2]
        with self.world.app.test_request_context(), self.world.session() as session:
            event = session.scalars(select(Event).where(Event.token == token)).one()
            link = EventLink.to(event, phones.AT_TABLE, table).signed(event_access.signing_key())
        return f"/events/join/{link}"

    # --- backups and moves

    def back_up(self) -> None:
        file = self.folder / f"{self.name}-backup.sqlite3"
        file.unlink(missing_ok=True)
        with self._command():
            database.back_up(file)
        self.backup = Backup(file, dict(self.ledger), set(self.shut_out))

    def restore(self) -> None:
        """Restore the backup by the command, while the app runs."""
        assert self.backup is not None
        with self._command():
            restored = database.restore(self.backup.file, lambda _lost: True)
        assert isinstance(restored, database.Restored), restored
        restored.previous.unlink()
        self.shut_out = set(self.backup.shut_out)

    @contextmanager
    def _command(self) -> Iterator[None]:
        """Let a command find this server's database. It copies an empty one: migrating one takes a second."""
        environment = {"DATABASE_URL": self.world.url, "SCOREKEEPER_INSTANCE": str(self.folder)}
        copy = partial(shutil.copy, self.empty)
        with (
            mock.patch.dict(os.environ, environment),
            mock.patch.object(database, "_create_database", lambda file, _version: copy(file)),
        ):
            yield

    def export(self) -> bytes:
        answer = self.get(HOST, f"{self.home}circle.json")
        assert answer.status_code == 200, answer.status
        return answer.get_data()

    def import_file(self, content: bytes, phone: str) -> str:
        """Import a circle, with this phone as its host, and return its name."""
        visitor = self.visitor(phone).visit("/import-circle")
        visitor.send({"circle": (io.BytesIO(content), "circle.json")})
        assert visitor.status == 200, visitor.problems()
        assert "imported=yes" in visitor.response.request.query_string.decode(), visitor.problems()
        self.keep(phone, visitor)
        return visitor.path.split("/")[2]


class Hall:
    """Two servers as every evening begins: a circle on the first one, nothing on the second."""

    def __init__(self, first: Server, second: Server) -> None:
        self.first, self.second = first, second
        self._prepare()
        self.cookies, self.circle = dict(first.world.cookies), first.circle
        for server in (first, second):
            server.world.store.save()

    def _prepare(self) -> None:
        server = self.first
        with driven(Clock(), Tokens("the hall")):
            host = Visitor(server.world.app).open_table("whist")
            server.circle = host.circle
            server.keep(HOST, host)
            for phone, right in (*((name, "score") for name in MEMBERS), (WATCHER, "watch")):
                server.keep(phone, Visitor(server.world.app).join(host.link(right)))
            host.visit(f"{server.home}events/new?format=individual").send(EVENT)
            host.send({"names": "\n".join(ENTRANTS)}, "/names")
            for what in ("/rounds", "/start"):
                host.visit(f"{server.event()}/director").send({}, what)
            for phone, table in GUESTS.items():
                server.keep(phone, Visitor(server.world.app).visit(server.card(table)).send({}, "/join"))

    def renew(self) -> tuple[Server, Server]:
        """Return the servers as they were at the beginning."""
        servers = []
        for old in (self.first, self.second):
            old.world.store.reset()
            server = Server(old.name, old.world, old.empty)
            server.world.cookies = dict(self.cookies) if old is self.first else {}
            server.circle = self.circle if old is self.first else ""
            servers.append(server)
        return servers[0], servers[1]


@contextmanager
def opened_hall(databases: Databases, folder: Path) -> Iterator[Hall]:
    """Open two servers whose apps behave as in production: exceptions are logged and answered by an error page."""
    folder.mkdir(exist_ok=True)
    empty = folder / "empty.sqlite3"
    database._create_database(empty, copying.newest_version())
    with ExitStack() as cleanup:
        servers = []
        for name in ("first", "second"):
            (folder / name).mkdir()
            url = databases.make(folder / name)
            cleanup.callback(databases.drop, url)
            app = cleanup.enter_context(open_app(url, TESTING=False, RATELIMIT_ENABLED=False))
            world = World(app, Store(app))
            cleanup.callback(world.store.close)
            servers.append(Server(name, world, empty))
        yield Hall(*servers)
