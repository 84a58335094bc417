"""The currencies of a circle, which come first where one is chosen."""

from __future__ import annotations

from typing import Any

from sqlalchemy import CompoundSelect, select, union

from ..models import Event, Payment, Summary, db
from ..scoring.currency import is_currency


def list_used_currencies(circle_id: int) -> list[str]:
    """List the currencies of a circle's tables, events and payments, in order of code."""
    used: CompoundSelect[Any] = union(
        select(Summary.account).where(Summary.circle_id == circle_id),
        select(Payment.account).where(Payment.circle_id == circle_id),
        select(Event.currency).where(Event.circle_id == circle_id),
    )
    return sorted(code for code in db.session.scalars(used) if code is not None and is_currency(code))
