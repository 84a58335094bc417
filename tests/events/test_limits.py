"""Limits of events: exactly so much is accepted, and no more."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from flask import Flask

from scorekeeper import limits

from ..site.test_limits import Submit, assert_limited, assert_no_earlier_day
from ..visitor import Visitor
from .hall import EIGHT, Hall


def event(**fields: str) -> Submit:
    """Return what submits the form of a new event; `{}` stands for the number, `{x}` for that number of characters."""

    def submit(visitor: Visitor, size: int) -> Visitor:
        values = {name: value.replace("{x}", "x" * size).replace("{}", str(size)) for name, value in fields.items()}
        return visitor.visit(f"/circles/{visitor.circle}/events/new").send({"title": "Drive", **values})

    return submit


def day(visitor: Visitor, ahead: int) -> Visitor:
    return event(day=(date.today() + timedelta(days=ahead)).isoformat())(visitor, 0)


def enter(visitor: Visitor, count: int) -> Visitor:
    return Hall(visitor.client.application, (), visitor).enter(*(f"Guest {number}" for number in range(count)))


FORMS: dict[str, Submit] = {
    "MAX_PRIZE_TEXT": event(**{"prizes-0-text": "{x}"}),
    "MAX_PLAYERS": enter,
    "MAX_ROUNDS": event(rounds="{}"),
    "MAX_LENGTH": event(length="{}"),
    "MAX_PRIZE_PLACE": event(**{"prizes-0-amount": "5", "prizes-0-place": "{}"}),
    "MAX_PRIZE_AMOUNT": event(**{"prizes-0-amount": "{}"}),
    "MAX_DAYS_AHEAD": day,
}


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("more", [0, 1])
def test_exactly_a_limit_is_accepted_and_one_more_is_refused(visitor: Visitor, name: str, more: int) -> None:
    assert_limited(visitor, FORMS[name], getattr(limits, name), more)


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
        monkeypatch.setattr(f"scorekeeper.{module}.MAX_PLACES", 12)
    hall = Hall(app, EIGHT[:4], rounds=3)
    hall.enter("Emma")
    assert "With 3 rounds, at most 4 people can take part." in hall.director.text
    assert hall.visit("settings").send({"rounds": "4"}).status == 422
    assert "With 4 rounds, at most 3 people can take part." in hall.director.text
    assert hall.visit("settings").send({"rounds": "2"}).status == 200


def test_no_day_is_before_the_first(visitor: Visitor) -> None:
    visitor.open_table("whist")
    assert_no_earlier_day(visitor, f"/circles/{visitor.circle}/events/new")
