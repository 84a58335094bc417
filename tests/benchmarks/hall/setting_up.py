"""An event in a hall: a phone at each table, displays on the wall, and the director's phone."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Flask

from scorekeeper.models import Browser, Event, db
from scorekeeper.services.access.devices import find_browser, new_secret
from scorekeeper.services.circles.lifecycle import create_circle
from scorekeeper.services.events import entrants, phones, setup
from scorekeeper.services.events.setup import EventDetails
from scorekeeper.services.outcome import Done
from scorekeeper.web.support.sessions import DEVICE

SEATS = 4
GAME, TRICKS = "whist", 13


@dataclass(frozen=True)
class HallLinks:
    """Where the phones of an event go, and the cookies that let them in; those of the tables are by their number."""

    token: str
    director: str
    tables: dict[int, str]
    wall: str

    @property
    def path(self) -> str:
        """The path of the event's pages."""
        return f"/events/{self.token}"


def set_up(app: Flask, tables: int, rounds: int) -> HallLinks:
    """Create an event with a phone at each table, in a circle of its own."""
    with app.app_context():
        new, _ = create_circle()
        by = find_browser(new.secret, new.browser.circle.name)
        assert by is not None
        event = _create(by, tables, rounds)
        secrets = {number: _join(event, phones.AT_TABLE, number) for number in range(1, tables + 1)}
        return HallLinks(
            event.token,
            cookie(app, new.secret),
            {number: cookie(app, secret) for number, secret in secrets.items()},
            cookie(app, _join(event, phones.TO_WATCH)),
        )


def _create(by: Browser, tables: int, rounds: int) -> Event:
    details = EventDetails(
        title="Drive in the hall", day="2026-11-20", game=GAME, format="individual", scoring="tricks", rounds=rounds
    )
    created = setup.create(by.circle, details, "created", by)
    assert isinstance(created, Done), created
    event = db.session.scalars(db.select(Event).filter_by(token=created.value)).one()
    entered = entrants.add_names(event, [f"Player {number}" for number in range(1, SEATS * tables + 1)], by)
    assert isinstance(entered, Done), entered
    return event


def _join(event: Event, kind: str, table: int | None = None) -> str:
    secret = new_secret()
    assert phones.join(phones.EventLink.to(event, kind, table), secret) is not None
    return secret


def cookie(app: Flask, secret: str) -> str:
    """Return the session cookie of a device."""
    serializer = app.session_interface.get_signing_serializer(app)  # type: ignore[attr-defined]  # ours has it
    return f"{app.config['SESSION_COOKIE_NAME']}={serializer.dumps({DEVICE: secret})}"
