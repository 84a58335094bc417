"""The end of a rubber or of a table is shown on its page, until play goes on."""

from __future__ import annotations

import pytest
from bs4 import Tag

from ..support.visitor import Visitor

RUBBER = ("ns-5", "ew-3", "ns-5", "ew-7", "ew-3", "ns-5", "ns-5")


@pytest.fixture
def whist(visitor: Visitor) -> Visitor:
    visitor.open_table("whist", 4, **dict(zip(("seat-1", "seat-2", "seat-3", "seat-4"), NAMES, strict=True)))
    for tricks in RUBBER:
        visitor.record(tricks=tricks)
    return visitor


NAMES = ("Anne", "Bruno", "Clara", "David")


def lines(ending: Tag) -> list[str]:
    return [" ".join(line.get_text().split()) for line in ending.select("h2, p:not(.ways), li")]


def test_the_end_of_a_rubber_says_who_has_won_and_what_is_paid(whist: Visitor) -> None:
    assert lines(whist.find(".ending")) == [
        "Anne & Clara won",
        "North–South win the rubber by 3",
        "Bruno pays Anne 3 fiches",
        "David pays Clara 3 fiches",
    ]
    assert [" ".join(row.get_text(" ").split()) for row in whist.page.select(".ending tr")] == [
        "Anne & Clara 10 0 10",
        "Bruno & David 3 10 0",
    ]
    assert [link.get_text() for link in whist.page.select(".ending a")] == ["Share result", "Settle up"]
    for link in whist.page.select(".ending a"):
        assert whist.client.get(str(link["href"])).status_code == 200


def test_other_phones_see_the_end_of_a_rubber_and_nobody_after_the_next_deal(whist: Visitor) -> None:
    update = f"{whist.table}update?seen={len(RUBBER) - 1}"
    assert "Anne &amp; Clara won" in whist.client.get(update).get_data(as_text=True)
    whist.record(tricks="ns-1")
    assert not whist.page.select(".ending")


def test_a_closed_table_says_who_has_won_and_offers_to_play_again(whist: Visitor) -> None:
    whist.visit(whist.table).more().send({}, "/close")
    assert not whist.page.select(".dealer-mark")  # nobody deals any more
    assert lines(whist.find(".ending")) == [
        "Anne & Clara won",
        "Anne & Clara – Bruno & David",
        "Rubbers: 1–0",
        "Games: 2–1",
        "Anne +3 fiches, Clara +3 fiches",
    ]
    assert "This table is closed." not in whist.text  # but "The table is closed", beside the button that reopens it
    assert not whist.page.select(".board")  # it would show 0–0, as before the next rubber
    assert whist.find(".bar .main").get_text() == "Play again"
    whist.more().send({}, "/reopen")
    assert lines(whist.find(".ending"))[1] == "North–South win the rubber by 3"


def test_a_closed_table_with_level_rubbers_says_by_what_it_was_won(whist: Visitor) -> None:
    for _ in range(4):
        whist.record(tricks="ew-5")
    whist.visit(whist.table).more().send({}, "/close")
    closed = lines(whist.find(".ending"))
    assert (closed[0], *closed[2:]) == (
        "Bruno & David won",
        "Rubbers: 1–1",
        "Games: 2–3",
        "Bruno +2 fiches, David +2 fiches",
    )


def test_a_closed_table_names_the_winner_of_a_game_who_has_left_since(visitor: Visitor) -> None:
    visitor.open_table("francion", 3)
    visitor.visit(f"{visitor.table}deals/adjustment").send({"kind": "points", "to": "1", "amount": "6"})
    visitor.visit(f"{visitor.table}deals/substitution").send({"out": "1", "name": "Fanny"})
    visitor.visit(f"{visitor.table}more").send({}, "close")
    assert "Anne" in visitor.visit(visitor.table).find(".ending").get_text()
