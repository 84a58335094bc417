"""Limits of events: exactly so much is accepted, and no more."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from flask import Flask

from scorekeeper import limits
from scorekeeper.limits import FIRST_DAY

from ..support.visitor import Visitor
from .hall import EIGHT, Hall

Submit = Callable[[Visitor, int], Visitor]  # submits a form with so many of what is limited


def event(**fields: str) -> Submit:
    """Return what submits the form of a new event; `{}` stands for the number, `{x}` for that number of characters."""

    def submit(visitor: Visitor, size: int) -> Visitor:
        values = {name: value.replace("{x}", "x" * size).replace("{}", str(size)) for name, value in fields.items()}
        return visitor.visit(f"{visitor.circle}events/new").send({"title": "Drive", **values})

    return submit


def day(visitor: Visitor, ahead: int) -> Visitor:
    return event(day=(date.today() + timedelta(days=ahead)).isoformat())(visitor, 0)


def enter(visitor: Visitor, count: int) -> Visitor:
    return Hall(visitor.client.application, (), visitor).enter(*(f"Guest {number}" for number in range(count)))


FORMS: dict[str, Submit] = {
    "MAX_PRIZE_TEXT_LENGTH": event(**{"prizes-0-text": "{x}"}),
    "MAX_ENTRANTS": enter,
    "MAX_ROUNDS": event(rounds="{}"),
    "MAX_ROUND_LENGTH": event(length="{}"),
    "MAX_PRIZE_PLACE": event(**{"prizes-0-amount": "5", "prizes-0-place": "{}"}),
    "MAX_PRIZE_AMOUNT": event(**{"prizes-0-amount": "{}"}),
    "MAX_DAYS_AHEAD": day,
}


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("more", [0, 1])
def test_exactly_a_limit_is_accepted_and_one_more_is_refused(visitor: Visitor, name: str, more: int) -> None:
    answer = FORMS[name](visitor.open_table("whist"), getattr(limits, name) + more)
    assert (answer.status, len(answer.problems())) == ((422, 1) if more else (200, 0)), answer.text


@pytest.mark.parametrize(
    ("changed", "typed", "field", "most"),
    [
        (
            {"scoring": "difference", "round_unit": "minutes"},
            {"score-0": "{}", "score-1": "0", "sure": "yes"},
            "score-0",
            9999,
        ),
        ({"scoring": "tricks", "length": 2}, {"score-0": "13", "score-1": "13", "slams-1": "{}"}, "slams-1", 2),
        ({"scoring": "parties", "length": 3}, {"score-0": "0", "score-1": "{}"}, "score-1", 3),
    ],
)
def test_a_slip_takes_no_more_than_a_round_can_have(
    app: Flask, changed: dict[str, Any], typed: dict[str, str], field: str, most: int
) -> None:
    hall = Hall(app, **changed)
    hall.draw(1)
    for number, status in ((most + 1, 422), (most, 200)):
        phone = hall.phone(1).visit(hall.table(1))
        phone.send({name: value.replace("{}", str(number)) for name, value in typed.items()}, "/result")
        assert phone.status == status
        wrong = [problem.get_text(strip=True) for problem in phone.page.select(f"#wrong-{field}")]
        assert wrong == ([] if status == 200 else [f"This must be a whole number from 0 to {most:,}."])


def test_an_event_has_no_more_substitutions_than_may_be_imported(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scorekeeper.events.entrants.MAX_SUBSTITUTIONS", 1)
    for number, name in ((1, "Inès"), (2, "Julie")):
        page = hall.visit(f"entrants/{number}")
        page.send({"name": name}, form=page.find("#substitute").find_parent("form"))
    assert page.status == 422
    assert "An event has at most 1 substitutions." in hall.director.text


def test_an_event_has_no_more_entrants_times_rounds_than_may_be_imported(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("limits", "events.entrants"):
        monkeypatch.setattr(f"scorekeeper.{module}.MAX_ENTRANT_ROUNDS", 12)
    hall = Hall(app, EIGHT[:4], rounds=3)
    hall.enter("Emma")
    assert "With 3 rounds, at most 4 people can take part." in hall.director.text
    assert hall.visit("settings").send({"rounds": "4"}).status == 422
    assert "With 4 rounds, at most 3 people can take part." in hall.director.text
    assert hall.visit("settings").send({"rounds": "2"}).status == 200


def test_no_day_is_before_the_first(visitor: Visitor) -> None:
    page = f"{visitor.open_table('whist').circle}events/new"
    for day, status in ((FIRST_DAY - timedelta(days=1), 422), (FIRST_DAY, 200)):
        assert visitor.visit(page).send({"title": "Drive", "day": day.isoformat()}).status == status
