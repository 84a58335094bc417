"""Sample evenings: a table to try things out at, in a circle of its own that is erased after a day."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Any, NamedTuple

from sqlalchemy import select

from .. import history
from ..history import Change
from ..scoring import record
from ..scoring.remarks import Refusal
from ..scoring.sheet import Sheet
from ..store import Browser, Circle, Table, db
from ..table import Open, named
from .circles import Entered, erase_circle, make_circle
from .commits import now
from .opening import Opening, open_table
from .tables import Entry, Recorded, write

LASTS = timedelta(days=1)


class Sampled(NamedTuple):
    """A sample's table, its host, and its circle's links, whose secrets are told only now."""

    table: Table
    entered: Entered
    links: dict[str, str]


def make_sample(sheet: Sheet, title: str) -> Sampled:
    """A new circle of this title with a table where the sheet's deals were recorded. Samples that are old go."""
    erase_old()
    entered, links = make_circle()
    circle = entered.browser.circle
    circle.is_sample = True
    circle.title = title
    circle.recovery_at = now()  # nobody need be reminded of a way back into it
    db.session.commit()
    opening = Opening(sheet.game, sheet.players, sheet.dealer, record.dump(sheet.options))
    table = open_table(circle, opening)
    if isinstance(table, Refusal):
        raise ValueError(f"the sample of {sheet.game.slug} cannot be opened: {table}")
    _play(Open(table, []), sheet.deals, entered.browser)
    return Sampled(table, entered, links)


def _play(table: Open, deals: list[Any], browser: Browser) -> None:
    seats = {name: seat for seat, name in table.names.items()}
    for deal in deals:
        change = Change(history.RECORD, body=named(table.game, deal, seats))
        recorded = write(table, Entry(change, table.seen, secrets.token_urlsafe(12)), browser)
        if not isinstance(recorded, Recorded):
            raise ValueError(f"the sample of {table.game.slug} does not stand: {recorded}")  # a sheet of ours is wrong
        table = recorded.table


def erase_old() -> int:
    """Erase the samples that have lasted their time; answers how many."""
    old = select(Circle).where(Circle.is_sample, Circle.made_at < now() - LASTS)
    circles = db.session.scalars(old).all()
    for circle in circles:
        erase_circle(circle)
    return len(circles)
