"""The table as drawn: the nearest seat, names of the sides, counters, boxes, and the display."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from scorekeeper.games import games
from scorekeeper.testing.playing import NAMES

from ..support.visitor import Visitor, find

SEATINGS = (("whist", 4), ("francion", 5), ("any-game", 3))


def sit(visitor: Visitor, seat: str) -> Visitor:
    """Tap a seat; "" releases it."""
    return visitor.visit(visitor.table).send({"seat": seat}, "/me")


def seated(visitor: Visitor) -> dict[int, str]:
    """Return the players by position: 0 is nearest, counted to the right."""
    names = {}
    for place in visitor.page.select(".place"):
        at = next(str(name) for name in place["class"] if str(name).startswith("at-"))
        who = find(place, ".who, .names span")
        names[int(at[3:])] = next(name for name in NAMES if name in who.get_text())
    return names


# --- the owner's seat --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("slug", "players"), SEATINGS)
def test_the_phones_owner_is_nearest_and_the_others_follow_in_order(visitor: Visitor, slug: str, players: int) -> None:
    visitor.open_table(slug, players)
    clockwise = games()[slug].direction == "clockwise"
    for at, name in enumerate(NAMES[:players]):
        sit(sit(visitor, ""), str(at + 1))
        assert visitor.status == 200
        places = seated(visitor)
        assert places[0] == name
        nearest = visitor.find(".nearest")
        assert name in nearest.get_text()
        # The next player sits on the left if play is clockwise, else on the right.
        assert places[players - 1 if clockwise else 1] == NAMES[(at + 1) % players]
        assert sorted(places) == list(range(players))


def test_an_owner_is_stored_for_one_circle_and_one_phone(visitor: Visitor, another: Visitor) -> None:
    sit(visitor.open_table("joffre"), "2")
    another.open_table("joffre")
    assert len(another.page.select("button.sit")) == 4
    own = another.table
    another.join(visitor.link("watch")).visit(visitor.visit("/").follow("Joffre").table)
    assert len(another.page.select("button.sit")) == 4
    sit(another, "3")  # the right to watch is enough
    assert seated(another)[0] == "Chloé"
    assert len(another.visit(own).page.select("button.sit")) == 4


@pytest.mark.parametrize(("slug", "players"), SEATINGS)
def test_a_watching_phone_of_somebody_who_sits_elsewhere_is_offered_no_seat(
    visitor: Visitor, another: Visitor, slug: str, players: int
) -> None:
    table = visitor.open_table("joffre").table
    sit(another.join(visitor.link("watch")).visit(table), "1")
    visitor.open_table(slug, players, **{"seat-1": "Zoé"})
    assert not another.visit(visitor.table).page.select("button.sit")


# --- We and They -------------------------------------------------------------------------------------------

PLAYED = {"kings": "4", "queens": "4", "jacks": "4"}
WE_AND_THEY = {"We", "They", "Nous", "Eux"}


def sides(visitor: Visitor) -> list[str]:
    return [" ".join(side.get_text(" ").split()) for side in visitor.page.select(".board .side")]


@pytest.mark.parametrize(
    ("language", "seat", "expected"),
    [
        ("en", "1", ["We North–South", "They East–West"]),
        ("en", "4", ["They North–South", "We East–West"]),
        ("fr", "2", ["Eux Nord-Sud", "Nous Est-Ouest"]),
    ],
)
def test_in_quarante_de_rois_the_sides_are_we_and_they_on_the_phone_of_a_player(
    app: Flask, language: str, seat: str, expected: list[str]
) -> None:
    visitor = Visitor(app, language)
    visitor.open_table("quarante-de-rois").record(**PLAYED)
    assert not WE_AND_THEY & set(visitor.text.split())
    sit(visitor, seat)
    assert sides(visitor) == expected
    brought = visitor.find(".rows .brought small")
    assert brought.get_text() == expected[0].split()[0]
    question = visitor.visit(f"{visitor.table}deals/new").find(".ask")
    assert "Nord" not in question.get_text()
    assert "North" not in question.get_text()


# --- the display -------------------------------------------------------------------------------------------


def display(visitor: Visitor) -> Visitor:
    return visitor.visit(visitor.table).more().follow("Score display")


def test_the_display_turns_each_half_to_its_side(visitor: Visitor) -> None:
    display(visitor.open_table("whist").record(tricks="ns-3"))
    halves: dict[str, Any] = {str(half["aria-label"]): half for half in visitor.page.select(".columns section")}
    assert list(halves) == ["North–South", "East–West"]
    assert "own" not in halves["East–West"]["class"]
    assert "own" in halves["North–South"]["class"]
    assert halves["North–South"].select_one(".score").get_text(strip=True) == "3"
    dealer = visitor.find(".name:has(.dealer-mark)")
    assert " ".join(dealer.get_text().split()) == "Bruno deals"
    display(sit(visitor, "2"))
    assert visitor.find(".own")["aria-label"] == "East–West"


def test_the_display_updates_with_scripts_and_without(visitor: Visitor) -> None:
    display(visitor.open_table("francion", 3))
    refresh = visitor.find("head noscript meta")
    assert refresh["http-equiv"] == "refresh"
    place = visitor.find("[data-follow]")
    table = visitor.table
    visitor.record(tricks_2="9", tricks_3="0", tricks_1="0", welche="hidden")
    answer = visitor.client.get(str(place["data-follow"]), headers=visitor.headers | {"If-None-Match": '"0"'})
    assert answer.headers["ETag"].startswith('"1.')
    assert "data-contents" in answer.get_data(as_text=True)
    assert "columns wide-3" in answer.get_data(as_text=True)
    same = visitor.client.get(
        str(place["data-follow"]), headers=visitor.headers | {"If-None-Match": answer.headers["ETag"]}
    )
    assert same.status_code == 304
    assert visitor.visit(table).more().follow("Score display").follow("‹").path == table
