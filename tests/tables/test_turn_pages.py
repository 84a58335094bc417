"""People who take turns at a table: who comes in for whom, and the button that seats them."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from scorekeeper.models import Revision, db
from scorekeeper.tables.caches import verify

from ..support.visitor import Visitor, filled_in

SIX = ("Anne", "Bruno", "Chloé", "David", "Emma", "Fanny")


def play(visitor: Visitor, game: str, turns: str, *names: str) -> Visitor:
    """Seat those who are due, out of these people, at a table where they take turns; nothing was played before."""
    visitor.open_table("whist").more().send({}, "/close")
    visitor.come(*names).visit(f"{visitor.circle}tonight?game={game}")
    return visitor.send({"turns": turns}, "/seat")


@pytest.fixture
def whist(visitor: Visitor) -> Visitor:
    """Anne, Bruno, Chloé and David play, Emma waits; they take turns after each deal."""
    return play(visitor, "whist", "deal", *SIX[:5])


def line(visitor: Visitor) -> str:
    """Return what the page says about who comes in."""
    found = visitor.page.select_one(".turns p")
    return " ".join(found.get_text().split()) if found is not None else ""


def swap(visitor: Visitor, **changed: Any) -> Visitor:
    """Tap the button, with some fields changed."""
    return visitor.send(changed, "/turns")


def seated(visitor: Visitor) -> list[str]:
    """Return who sits at the table, in the order of the seats."""
    sheet = visitor.export()
    players = list(sheet["players"])
    for deal in sheet["deals"]:
        if "substitution" in deal:
            players[players.index(deal["substitution"]["out"])] = deal["substitution"]["in"]
    return players


def revisions(app: Flask) -> int:
    with app.app_context():
        return db.session.query(Revision).filter_by(kind="record").count()


# --- who comes in --------------------------------------------------------------------------------------------


def test_after_each_deal_one_line_says_who_comes_in_and_one_tap_seats_them(app: Flask, whist: Visitor) -> None:
    assert line(whist) == ""
    whist.record(tricks="ns-2")
    assert line(whist) == "Emma comes in for David."
    swap(whist)
    assert line(whist) == ""
    assert seated(whist) == ["Anne", "Bruno", "Chloé", "Emma"]
    said = []
    for _ in range(5):
        whist.record(tricks="ns-1")
        said.append(line(whist))
        swap(whist)
    assert [text.split()[0] for text in said] == ["David", "Chloé", "Bruno", "Anne", "Emma"]
    with app.app_context():
        assert verify().faults == []


def test_after_each_manche_nobody_moves_within_it(visitor: Visitor) -> None:
    play(visitor, "whist", "manche", *SIX[:5])
    visitor.record(tricks="ns-5")
    assert line(visitor) == ""
    visitor.record(tricks="ns-5")
    assert line(visitor) == "Emma comes in for David."
    swap(visitor).record(tricks="ns-2")
    assert line(visitor) == ""


def test_who_leaves_is_no_longer_proposed_and_who_arrives_is(whist: Visitor) -> None:
    table = whist.record(tricks="ns-2").table
    whist.leave("Emma")
    assert line(whist.visit(table)) == ""
    whist.come("Fanny")
    assert line(whist.visit(table)) == "Fanny comes in for David."
    whist.leave("Bruno")
    assert line(whist.visit(table)) == "Fanny comes in for Bruno."


# --- attacks -------------------------------------------------------------------------------------------------


def button(visitor: Visitor) -> dict[str, Any]:
    """Return what the button sends."""
    return dict(filled_in(visitor.form("/turns")))


def tap(visitor: Visitor, data: dict[str, Any], table: str) -> Visitor:
    token = (
        {"csrf_token": visitor.find("[name=csrf_token]")["value"]} if visitor.page.select("[name=csrf_token]") else {}
    )
    answer = visitor.client.post(f"{table}turns", data=data | token, headers=visitor.headers, follow_redirects=True)
    return visitor.receive(answer)


def test_sent_twice_it_is_recorded_once(app: Flask, whist: Visitor) -> None:
    table = whist.record(tricks="ns-2").table
    data = button(whist)
    assert tap(whist, data, table).status == 200
    assert tap(whist, data, table).status == 200
    assert revisions(app) == 2
    whist.record(tricks="ns-1")
    assert tap(whist, data, table).status == 200  # a phone that was without a signal
    assert revisions(app) == 3


def test_who_may_only_watch_records_nothing(app: Flask, whist: Visitor) -> None:
    table = whist.record(tricks="ns-2").table
    data = button(whist)
    watcher = Visitor(app).join(whist.link("watch")).visit(table)
    assert line(watcher) == "Emma comes in for David."
    assert tap(watcher, data, table).status == 403
    assert revisions(app) == 1
