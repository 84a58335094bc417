"""What large operations cost those who play in other circles: `python -m tests.benchmarks.busy`, on SQLite.

For each operation it prints for how long it held the only lock for writing, in seconds of processor and by the clock,
and the slowest entry of a deal in another circle meanwhile. The limit of the latter is a second.
"""

from __future__ import annotations

import io
import json
import sys
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread, current_thread, main_thread
from typing import Any

from flask import Flask
from sqlalchemy import select

from scorekeeper.cli import database
from scorekeeper.db import backups
from scorekeeper.db.sqlite import QueuedConnection
from scorekeeper.models import Browser, Circle, Player, Table, db
from scorekeeper.models import Event as Drive
from scorekeeper.services.access.devices import find_browser
from scorekeeper.services.circles import lifecycle
from scorekeeper.services.events import entrants, rounds, setup
from scorekeeper.services.events.setup import EventDetails
from scorekeeper.services.files.circle_export import export
from scorekeeper.services.files.circle_import import Imported, import_circle
from scorekeeper.services.outcome import Done
from scorekeeper.services.people import erasure
from scorekeeper.services.tables import evenings

from .. import many
from ..apps import open_app
from ..databases import Files
from ..visitor import NAMES, Visitor

TABLES, DEALS, ENTRANTS = 2_400, 20, 1_000  # a circle's file of 6 MB; 250 tables at an event
FIRST_DAY = date(2010, 1, 2)
LONG, SETTLEMENTS = 3_000, 5_000  # deals of one table; settlements each of which took over the one before
PAUSE = 0.05  # seconds between two entries
SWITCH_SECONDS = 0.001  # as in server/worker.py

AT = "2026-11-20T19:00:00Z"

held: list[tuple[float, float]] = []  # seconds of processor and by the clock, of each writing transaction


class MeasuredConnection(QueuedConnection):
    """Notes how long each transaction of the main thread has held the lock."""

    _began: tuple[float, float] | None = None

    def begin(self, *, wait: bool = True) -> None:
        super().begin(wait=wait)
        if current_thread() is main_thread():
            self._began = self._began or (time.thread_time(), time.perf_counter())

    def _release(self) -> None:
        if self._began is not None:
            held.append((time.thread_time() - self._began[0], time.perf_counter() - self._began[1]))
            self._began = None
        super()._release()


def main() -> None:
    """Measure all operations, on a smaller circle with --quick."""
    size = 100 if "--quick" in sys.argv else 1
    sys.setswitchinterval(SWITCH_SECONDS)
    with TemporaryDirectory() as name:
        folder = Path(name)
        url = Files(folder).make(folder)
        options = {"connect_args": {"factory": MeasuredConnection}}
        settings: dict[str, Any] = {"TESTING": False, "RATELIMIT_ENABLED": False, "WTF_CSRF_ENABLED": False}
        with open_app(url, careful=True, SQLALCHEMY_ENGINE_OPTIONS=options, **settings) as app, app.app_context():
            _measure_all(app, folder, size)


def _measure_all(app: Flask, folder: Path, size: int) -> None:
    host, _ = lifecycle.create_circle()
    circle_id, secret = host.browser.circle_id, host.secret
    db.session.add_all([Player(circle_id=circle_id, name=name) for name in NAMES])
    db.session.commit()
    many.play(db.session.get_one(Circle, circle_id), TABLES // size, FIRST_DAY, max_deals=DEALS)
    for table in db.session.scalars(select(Table)):
        table.title = f"At {NAMES[0]}’s"
    db.session.commit()
    file = io.BytesIO()
    export(_circle(circle_id), file)
    print(f"a file of {len(file.getvalue()) / 1e6:.1f} MB\n")
    print("| operation | held, processor | held, clock | transactions | entries | slowest entry |")
    print("| --- | --- | --- | --- | --- | --- |")
    event = _event(circle_id, secret, ENTRANTS // size // 4 * 4)
    operations: dict[str, Callable[[], object]] = {
        "nothing": lambda: time.sleep(2),
        "import": lambda: _import(file.getvalue(), secret),
        "import of a long table": lambda: _import(_long_table(LONG // size), secret),
        "import of settlements": lambda: _import(_many_settlements(SETTLEMENTS // size), secret),
        "draw": lambda: rounds.draw(_event_of(event), 1, "key", _host(circle_id, secret)),
        "erasure of a name": lambda: erasure.erase(_player(circle_id, NAMES[0])),
        "backup": lambda: backups.back_up(folder / "backup", database._create_database),
        "time zone": lambda: evenings.set_time_zone(_circle(circle_id), "Asia/Tokyo", _host(circle_id, secret)),
        "erasure of a circle": lambda: lifecycle.erase_circle(circle_id),
    }
    for name, operation in operations.items():
        _measure(app, name, operation)


def _measure(app: Flask, name: str, operation: Callable[[], object]) -> None:
    stop, waited = Event(), list[float]()
    player = Thread(target=_play, args=(app, stop, waited))
    player.start()
    while not waited:
        time.sleep(PAUSE)
    db.session.remove()
    held.clear()
    operation()
    db.session.remove()
    of_operation = list(held)
    stop.set()
    player.join()
    by_processor, by_clock = (max((each[index] for each in of_operation), default=0) for index in (0, 1))
    figures = f"{by_processor:.2f} s | {by_clock:.2f} s | {len(of_operation)} | {len(waited)} | {max(waited):.2f} s"
    print(f"| {name} | {figures} |", flush=True)


def _play(app: Flask, stop: Event, waited: list[float]) -> None:
    """Enter deals in another circle, and note how long each has waited for its answer."""
    visitor = Visitor(app).open_table("whist")
    number, seen = 0, "0"
    while not stop.is_set():
        form = {"tricks": f"ns-{1 + number % 7}", "do": "record", "key": f"entry-{number}", "seen": seen}
        began = time.perf_counter()
        answer = visitor.client.post(f"{visitor.table}deals/new", data=form, headers={"Accept": "application/json"})
        waited.append(time.perf_counter() - began)
        assert answer.status_code == 200, answer.status
        number, seen = number + 1, answer.get_json()["seen"]
        stop.wait(PAUSE)


def _import(content: bytes, secret: str) -> None:
    imported = import_circle(io.BytesIO(content), secret, "page")
    assert isinstance(imported, Imported), imported


def _long_table(deals: int) -> bytes:
    body = {"tricks": {"ns": 7, "ew": 6}}
    revisions = [
        {"number": number, "kind": "record", "by": 1, "at": AT, "key": f"deal {number}", "deal": number, "body": body}
        for number in range(1, deals + 1)
    ]
    return _document([_table(revisions)], [])


def _many_settlements(count: int) -> bytes:
    """Return a circle in which each settlement took over what was unpaid of the one before."""
    adjustment = {"adjustment": {"from": "1", "to": "2", "fiches": 5}}
    revision = {"number": 1, "kind": "record", "by": 1, "at": AT, "key": "deal", "deal": 1, "body": adjustment}
    settlements = [
        {"number": number, "account": "francion", "created_at": AT}
        | ({"successor": number + 1} if number < count else {})
        | {"parts": [{"player": who, "amount": amount} | _source(number) for who, amount in ((1, "-45"), (2, "45"))]}
        for number in range(1, count + 1)
    ]
    return _document([_table([revision], "francion")], settlements)


def _source(number: int) -> dict[str, int]:
    return {"table": 1} if number == 1 else {"settlement": number - 1}


def _table(revisions: list[Any], game: str = "whist") -> dict[str, Any]:
    of_table = {"number": 1, "game": game, "rules_version": 1, "players": [1, 2, 3, 4], "dealer": "1"}
    return of_table | {"house_rules": {}, "day": AT[:10], "opened_at": AT, "revisions": revisions}


def _document(tables: list[Any], settlements: list[Any]) -> bytes:
    document: dict[str, Any] = {"format": "scorekeeper-circle/1", "circle": {"created_at": AT}}
    document["players"] = [{"number": number, "name": name} for number, name in enumerate(NAMES[:4], start=1)]
    document |= {"browsers": [{"number": 1, "created_at": AT}], "tables": tables, "settlements": settlements}
    return json.dumps(document | {"payments": [], "flags": []}).encode()


def _event(circle_id: int, secret: str, number: int) -> str:
    by = _host(circle_id, secret)
    details = EventDetails(
        title="Drive", day="2026-11-20", game="whist", format="individual", scoring="tricks", rounds=6
    )
    created = setup.create(by.circle, details, "created", by)
    assert isinstance(created, Done), created
    entrants.add_names(_event_of(created.value), [f"Player {each}" for each in range(1, number + 1)], by)
    return created.value


def _event_of(token: str) -> Drive:
    return db.session.scalars(select(Drive).where(Drive.token == token)).one()


def _circle(circle_id: int) -> Circle:
    return db.session.get_one(Circle, circle_id)


def _host(circle_id: int, secret: str) -> Browser:
    by = find_browser(secret, _circle(circle_id).name)
    assert by is not None
    return by


def _player(circle_id: int, name: str) -> Player:
    return db.session.scalars(select(Player).where(Player.circle_id == circle_id, Player.name == name)).one()


if __name__ == "__main__":
    main()
