"""Sample evenings: a table for trying the app, in a circle of its own that is erased after a day."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import select

from ..circles.lifecycle import create_sample_circle, erase_circle
from ..db.outcome import Done
from ..models import Circle, db, new_token, now
from ..scoring import schema
from ..scoring.sheet import Sheet
from ..tables import revisions
from ..tables.chairs import rename_players
from ..tables.opening import Opening, open_table
from ..tables.revisions import Change

LIFETIME = timedelta(days=1)  # of a sample circle


def create_sample(sheet: Sheet, title: str, device_secret: str, zone: str) -> str:
    """Create a sample circle with this title and a table with the sheet's deals; return its token."""
    erase_expired()
    membership = create_sample_circle(device_secret, title, zone)
    opening = Opening(sheet.game, sheet.players, sheet.dealer, schema.dump(sheet.options))
    seats = {name: str(number) for number, name in enumerate(sheet.players, start=1)}
    deals = [Change(revisions.RECORD, body=rename_players(sheet.game, deal, seats)) for deal in sheet.deals]
    opened = open_table(opening, new_token(), membership, deals)
    if not isinstance(opened, Done):
        raise ValueError(f"the sample of {sheet.game.slug} cannot be opened: {opened}")
    return opened.value


def erase_expired() -> int:
    expired = db.session.scalars(select(Circle.id).where(Circle.is_sample, Circle.created_at < now() - LIFETIME)).all()
    for circle_id in expired:
        erase_circle(circle_id)
    return len(expired)
