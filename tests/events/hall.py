"""An event with its director and phones, who read pages and fill in their forms."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flask import Flask

from scorekeeper.circles.phones import list_memberships_of_device
from scorekeeper.db.outcome import Done
from scorekeeper.events import entrants, phones, results, rounds, setup
from scorekeeper.events.drawing import Result
from scorekeeper.events.phones import EventLink
from scorekeeper.events.reading import EventState, read
from scorekeeper.events.results import ResultRequest
from scorekeeper.events.setup import EventDetails
from scorekeeper.models import Event, Membership, db

from ..visitor import Visitor

TRICKS = 13
EIGHT = ("Anne", "Bruno", "Chloé", "David", "Emma", "Félix", "Gabrielle", "Hugo")
DETAILS = EventDetails(
    title="Spring drive", day="2026-11-20", game="whist", format="individual", scoring="tricks", rounds=7
)


class Hall:
    """An event for eight in a new circle. Use it within the app's context; pages are requested outside of any."""

    def __init__(self, app: Flask, names: tuple[str, ...] = EIGHT, **changed: Any) -> None:
        self.app = app
        self.director = Visitor(app).open_table("whist", **{"seat-1": "Zénobie"})
        with app.app_context():
            by = self._by()
            created = setup.create(by.circle, replace(DETAILS, **changed), "created", by)
            assert isinstance(created, Done)
            self.token = created.value
            if names:
                assert isinstance(entrants.add_names(self._event(), names, by), Done)

    @property
    def path(self) -> str:
        return f"/events/{self.token}"

    def table(self, number: int) -> str:
        return f"{self.path}/tables/{number}"

    def _by(self) -> Membership:
        with self.director.client.session_transaction() as session:
            secret = session["device"]
        return list_memberships_of_device(secret)[0]

    def _event(self) -> Event:
        return db.session.scalars(db.select(Event).filter_by(token=self.token)).one()

    def change(self, **columns: Any) -> None:
        with self.app.app_context():
            event = self._event()
            for name, value in columns.items():
                setattr(event, name, value)
            db.session.commit()

    def draw(self, number: int, *, start: bool = True) -> None:
        with self.app.app_context():
            assert rounds.draw(self._event(), number, f"draw-{number}", self._by()) == Done(number)
            if start:
                assert rounds.set_clock(self._event(), number, "start", self._by()) == Done(number)

    def enter_slip(self, number: int, table: int, first: int) -> None:
        """Enter a slip of the director's: what the first pair took of a deal's tricks."""
        with self.app.app_context():
            result = Result((first, TRICKS - first))
            seen = read(self._event()).tables[number, table].seen
            sent = ResultRequest(number, table, seen, f"slip-{seen}", result, is_slip=True)
            assert isinstance(results.record(self._event(), sent, self._by()), Done)

    def undo(self, number: int) -> None:
        with self.app.app_context():
            assert rounds.undo(self._event(), number, self._by()) == Done(number)

    def finish(self) -> None:
        with self.app.app_context():
            assert rounds.finish(self._event(), self._by()) is None

    def renew_links(self) -> None:
        with self.app.app_context():
            phones.renew_links(self._event(), self._by(), self._event().generation)

    def state(self) -> EventState:
        with self.app.app_context():
            return read(self._event())

    def link(self, kind: str, table: int | None = None) -> str:
        with self.app.app_context():
            signed = EventLink(self._event(), kind, table).signed(self.app.config["SECRET_KEY"])
        return f"/events/join/{signed}"

    def phone(self, table: int | None = None, language: str = "en") -> Visitor:
        """Return a phone that has joined: of a table, or one that watches."""
        kind = phones.TO_CHECK_IN if table is None else phones.AT_TABLE
        phone = Visitor(self.app, language).visit(self.link(kind, table))
        return phone.send({}, "/join")
