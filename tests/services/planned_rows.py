"""An evening to come with an answer and a calendar, written without the services."""

from __future__ import annotations

from datetime import date, datetime

from scorekeeper.models import CalendarFeed, EveningAnswer, PlannedEvening, db, new_token

AT = datetime(2026, 11, 21, 19, 30)
DAY = date(2026, 12, 4)


def add_planned(circle_id: int, browser_id: int, player_id: int) -> PlannedEvening:
    """Add a row of each kind."""
    evening = PlannedEvening(
        circle_id=circle_id,
        day=DAY,
        begins="19:30",
        place="at Anne’s",
        repeats="week",
        skipped=["2026-12-11"],
        changed_at=AT,
        entry_key=new_token(),
    )
    db.session.add(evening)
    db.session.flush()
    ids = {"circle_id": circle_id, "evening_id": evening.id, "player_id": player_id}
    db.session.add(EveningAnswer(**ids, day=DAY, answer="yes", guests=1, at=AT))
    sealed = {"secret_hash": new_token(), "sealed_secret": "sealed", "created_at": AT}
    db.session.add(CalendarFeed(circle_id=circle_id, browser_id=browser_id, is_personal=True, **sealed))
    db.session.commit()
    return evening
