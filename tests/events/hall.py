"""An event with its director and phones: run by the services, or with pages that are read and sent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from typing import Any

from flask import Flask

from scorekeeper.circles.phones import list_memberships_of_device
from scorekeeper.db.outcome import Done
from scorekeeper.events import entrants, pad_tables, phones, results, rounds, setup
from scorekeeper.events.drawing import Result
from scorekeeper.events.phones import EventLink, Outcome
from scorekeeper.events.reading import EventState, read_state
from scorekeeper.events.results import ResultRequest
from scorekeeper.events.setup import EventDetails
from scorekeeper.models import Event, Membership, db, new_secret
from scorekeeper.tables import revisions
from scorekeeper.tables.reading import read_table
from scorekeeper.tables.revisions import Change

from ..support.club import Club
from ..support.visitor import Visitor

TRICKS = 13
EIGHT = ("Anne", "Bruno", "Chloé", "David", "Emma", "Félix", "Gabrielle", "Hugo")
DETAILS = EventDetails(
    title="Spring drive", day=date(2026, 11, 20), game="whist", format="individual", scoring="tricks", rounds=7
)


class Drive:
    """An event for eight. Use it within the app's context."""

    def __init__(self, by: Membership, names: tuple[str, ...] = EIGHT, **changed: Any) -> None:
        self.membership_id = by.id
        created = setup.create(by.circle, replace(DETAILS, **changed), "created", by)
        assert isinstance(created, Done), created
        self.token = created.value
        if names:
            assert isinstance(entrants.add_names(self.event, names, self.by), Done)

    @property
    def by(self) -> Membership:
        return db.session.get_one(Membership, self.membership_id)

    @property
    def event(self) -> Event:
        return db.session.scalars(db.select(Event).filter_by(token=self.token)).one()

    @property
    def state(self) -> EventState:
        db.session.rollback()
        return read_state(self.event)

    def draw(self, number: int, key: str = "") -> Outcome:
        return rounds.draw(self.event, number, key or f"draw-{number}", self.by)

    def record(self, place: tuple[int, int], scores: tuple[int, ...] | None, **changed: Any) -> Outcome:
        """Record a result as the director, or as `by`; sent twice, it is recorded once unless `key` differs."""
        key, by = f"result-{place}", changed.pop("by", self.by)
        result = Result(scores, (0,) * len(scores)) if scores else None
        request = ResultRequest(*place, self.state.tables[place].seen, key, result, is_slip=True)
        return results.record(self.event, replace(request, **changed), by)

    def record_all(self, scores: tuple[int, int] = (8, 5)) -> None:
        for row in self.state.missing:
            assert isinstance(self.record((row.round, row.number), scores), Done)

    def play(self, number: int) -> None:
        """Play so many rounds: at table n, the first pair scores n more than six."""
        for played in range(1, number + 1):
            assert self.draw(played) == Done(None)
            for row in self.state.missing:
                first = 6 + row.number
                assert isinstance(self.record((played, row.number), (first, TRICKS - first)), Done)

    def play_on_pad(self, club: Club, facts: list[dict[str, Any]]) -> Result | None:
        """Record these deals on the pad of table 1 in the first round, and return the result that they make."""
        self.draw(1)
        opened = pad_tables.open_pad(self.event, 1, 1, "Table 1", self.by)
        assert isinstance(opened, Done)
        for deal in facts:
            found = read_table(club.secret, opened.value)
            assert found is not None
            club.write(found[0], Change(revisions.RECORD, body=deal))
        row = self.state.tables[1, 1]
        assert row.table_id is not None
        return pad_tables.read_pad_result(self.event, row.table_id)

    def finish(self) -> None:
        assert rounds.finish(self.event, self.by) == Done(None)

    def guest(self, table: int | None = None) -> Membership:
        """Let a phone join by a link: as the phone of a table, or to watch."""
        kind = phones.TO_WATCH if table is None else phones.AT_TABLE
        joined = phones.join(EventLink(self.event, kind, table), new_secret())
        assert joined is not None
        return joined


class Hall:
    """A drive with pages, in the circle of a new table. Pages are requested outside of the app's context."""

    def __init__(
        self, app: Flask, names: tuple[str, ...] = EIGHT, director: Visitor | None = None, **changed: Any
    ) -> None:
        self.app = app
        self.director = (director or Visitor(app)).open_table("whist", **{"seat-1": "Zénobie"})
        with self.director.client.session_transaction() as session:
            secret = session["device"]
        with app.app_context():
            self._drive = Drive(list_memberships_of_device(secret)[0], names, **changed)
        self.token = self._drive.token

    @contextmanager
    def drive(self) -> Iterator[Drive]:
        """Run the event's services, within the app's context."""
        with self.app.app_context():
            yield self._drive

    @property
    def path(self) -> str:
        return f"/events/{self.token}"

    def table(self, number: int) -> str:
        return f"{self.path}/tables/{number}"

    def change(self, **columns: Any) -> None:
        with self.drive() as drive:
            event = drive.event
            for name, value in columns.items():
                setattr(event, name, value)
            db.session.commit()

    def draw(self, number: int, *, start: bool = True) -> None:
        with self.drive() as drive:
            assert drive.draw(number) == Done(None)
            if start:
                assert rounds.set_clock(drive.event, number, "start", drive.by) == Done(None)

    def enter_slip(self, number: int, table: int, first: int) -> None:
        """Enter a slip of the director's: what the first pair took of a deal's tricks."""
        with self.drive() as drive:
            assert isinstance(drive.record((number, table), (first, TRICKS - first)), Done)

    def enter_slips(self) -> None:
        with self.drive() as drive:
            drive.record_all()

    def renew_links(self) -> None:
        with self.drive() as drive:
            phones.renew_links(drive.event, drive.by, drive.event.generation)

    def state(self) -> EventState:
        with self.drive() as drive:
            return drive.state

    def link(self, kind: str, table: int | None = None) -> str:
        with self.drive() as drive:
            signed = EventLink(drive.event, kind, table).signed(self.app.config["SECRET_KEY"])
        return f"/events/join/{signed}"

    def phone(self, table: int | None = None) -> Visitor:
        """Return a phone that has joined: of a table, or one that watches."""
        kind = phones.TO_WATCH if table is None else phones.AT_TABLE
        return Visitor(self.app).visit(self.link(kind, table)).send({}, "/join")

    # --- the director's pages

    def visit(self, page: str = "director") -> Visitor:
        return self.director.visit(f"{self.path}/{page}".removesuffix("/"))

    def enter(self, *names: str) -> Visitor:
        return self.visit("entrants").send({"names": "\n".join(names)}, "/entrants")

    def press(self, what: str) -> Visitor:
        """Press one of the buttons of the director's page, by the end of its form's address."""
        return self.visit().send({}, what)


def rows_of(visitor: Visitor) -> list[list[str]]:
    """Return the cells of the standings on a page."""
    return [
        [" ".join(cell.get_text(" ", strip=True).split()) for cell in row.select("th, td")]
        for row in visitor.page.select(".tallied tbody tr")
    ]
