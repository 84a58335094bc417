"""Occasions for notices: what has happened. Announced within a transaction, taken up after its commit."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import bindparam, event, exists, select

from ..models import NoticeSubscription, db

# What each is about is declared in services/notices/kinds.py.
TURN, TABLE, PAYMENT, EVENING = "turn", "table", "payment", "evening"

_ANNOUNCED = "announced_occasions"  # key of a session's `info`
_HAS_SUBSCRIPTIONS = select(exists().where(NoticeSubscription.circle_id == bindparam("circle")))


class Occasion(NamedTuple):
    """Something of a circle that some of its people may want to hear of.

    Attributes:
        kind: of notice, as above.
        subject: what it is about, by a token or a number; as the kind has it.
        browser_id: of the phone that did it, which gets no notice.
    """

    kind: str
    circle_id: int
    subject: tuple[str | int, ...]
    browser_id: int | None = None


def notify(occasion: Occasion) -> None:
    """Have notices sent once the current transaction is committed, if any phone of the circle wants some."""
    if db.session.scalar(_HAS_SUBSCRIPTIONS, {"circle": occasion.circle_id}):
        db.session().info.setdefault(_ANNOUNCED, []).append(occasion)


def take_announced(session: Any) -> list[Occasion]:
    """Remove and return the occasions announced in a session."""
    announced: list[Occasion] = session.info.pop(_ANNOUNCED, [])
    return announced


event.listen(db.session, "after_rollback", take_announced)
