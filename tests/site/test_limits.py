"""Limits hold for the form they are for: exactly so much is accepted, and no more."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

import pytest
from sqlalchemy import select

from scorekeeper import limits
from scorekeeper.limits import FIRST_DAY
from scorekeeper.models import Player, Presence, db

from ..support.visitor import Visitor

Submit = Callable[[Visitor, int], Visitor]  # submits a form with so many of what is limited


def text(page: str, field: str, action: str | None = None, **others: str) -> Submit:
    """Return what submits a form of a table's or the circle's page with a text of so many characters."""

    def submit(visitor: Visitor, size: int) -> Visitor:
        path = page.format(table=visitor.table, circle=visitor.circle)
        return visitor.visit(path).send({field: "x" * size, **others}, action)

    return submit


def come(visitor: Visitor, count: int) -> Visitor:
    """Come to an evening at which so many are but one."""
    visitor.visit(f"{visitor.circle}tonight").send({"name": "First"}, "/tonight")
    with visitor.client.application.app_context():
        first = db.session.scalars(select(Presence)).one()
        ids = {"circle_id": first.circle_id}
        here = db.session.scalar(select(db.func.count()).select_from(Presence)) or 0
        players = [Player(**ids, name=f"Guest {number}") for number in range(here + 1, count)]
        db.session.add_all(players)
        db.session.flush()
        for player in players:
            db.session.add(Presence(**ids, player_id=player.id, day=first.day, arrived_at=first.arrived_at))
        db.session.commit()
    return visitor.visit(f"{visitor.circle}tonight").send({"name": "Last"}, "/tonight")


def plan(visitor: Visitor, count: int) -> Visitor:
    """Plan so many evenings."""
    for number in range(count):
        visitor.plan_evening(date.today(), place=f"Café {number}")
    return visitor


def bring(visitor: Visitor, guests: int) -> Visitor:
    return plan(visitor, 1).send({"answer": "yes", "name": "Zoé", "guests": str(guests)}, "/answer")


def season(**fields: str) -> Submit:
    """Make a season with the size in place of {} in a field."""

    def submit(visitor: Visitor, size: int) -> Visitor:
        visitor.visit(f"{visitor.circle}seasons/new")
        wanted = {"name": "Winter", "first": "2026-01-01", "last": "2026-12-31"}
        return visitor.send(wanted | {field: each.format(size) for field, each in fields.items()})

    return submit


def last(visitor: Visitor, days: int) -> Visitor:
    """Make a season of so many days."""
    return season(last=str(date(2026, 1, 1) + timedelta(days=days - 1)))(visitor, days)


def places(visitor: Visitor, count: int) -> Visitor:
    return season(places="1 " * count)(visitor, count)


def handicap(kind: str) -> Submit:
    def submit(visitor: Visitor, size: int) -> Visitor:
        visitor = season()(visitor, size).follow("Handicaps")
        name = str(visitor.find("[name$=-size]")["name"])
        return visitor.send({name: str(size), name.replace("-size", "-kind"): kind})

    return submit


DETAILS = "{table}details"
FORMS: dict[str, Submit] = {
    "MAX_NAME_LENGTH": lambda visitor, size: visitor.open_table("whist", **{"seat-1": "x" * size}),
    "MAX_CIRCLE_TEXT_LENGTH": text("{circle}more", "title", "/title"),
    "MAX_TEXT_LENGTH": text(DETAILS, "title"),
    "MAX_PLACE_LENGTH": text(DETAILS, "place"),
    "MAX_NOTE_LENGTH": text(DETAILS, "note"),
    "MAX_PRESENT": come,
    "MAX_PLANNED_EVENINGS": plan,
    "MAX_GUESTS": bring,
    "MAX_SEASON_DAYS": last,
    "MAX_COUNTED_EVENINGS": season(best="{}"),
    "MAX_BONUS": season(bonus="{}"),
    "MAX_COUNTED_PLACES": places,
    "MAX_PLACE_POINTS": season(places="{}"),
    "MAX_HANDICAP_POINTS": handicap("points"),
    "MAX_HANDICAP_FACTOR": handicap("factor"),
}


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("more", [0, 1])
def test_exactly_a_limit_is_accepted_and_one_more_is_refused(visitor: Visitor, name: str, more: int) -> None:
    answer = FORMS[name](visitor.open_table("whist"), getattr(limits, name) + more)
    problems = answer.problems() or answer.page.select(".notice.refused li")
    assert (answer.status, len(problems)) == ((422, 1) if more else (200, 0)), answer.text


def test_no_day_is_before_the_first(visitor: Visitor) -> None:
    visitor.open_table("whist")
    page = f"{visitor.table}details"
    for day, status in ((FIRST_DAY - timedelta(days=1), 422), (FIRST_DAY, 200)):
        assert visitor.visit(page).send({"day": day.isoformat()}).status == status
