"""Announcements: a bid is recorded before the deal is played, and its result afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from ..support.visitor import Visitor, filled_in

RESULT = {"tricks": "6", "five_of_hearts": "ns", "three_of_spades": "ew"}


def announce(visitor: Visitor, **taps: str) -> Visitor:
    visitor.visit(f"{visitor.table}deals/new")
    return visitor.send({name.replace("_", "-"): tap for name, tap in taps.items()} | {"do": "announce"})


def play(visitor: Visitor, **taps: str) -> Visitor:
    visitor.visit(f"{visitor.table}deals/new")
    return visitor.send(RESULT | {name.replace("_", "-"): tap for name, tap in taps.items()} | {"do": "record"})


def announce_by_script(visitor: Visitor, key: str, **taps: str) -> Any:
    """Send the bid as the page's script does."""
    visitor.visit(f"{visitor.table}deals/new")
    data = filled_in(visitor.form()) | taps | {"do": "announce", "key": key}
    return visitor.client.post(f"{visitor.table}deals/new", data=data, headers={"Accept": "application/json"})


def tapped(visitor: Visitor) -> dict[str, str]:
    cells = visitor.page.select(".cell input[checked]")
    return {str(cell["name"]): str(cell["value"]) for cell in cells if cell["name"] != "dealer"}


@pytest.fixture
def at_table(visitor: Visitor) -> Visitor:
    return visitor.open_table("joffre")


def test_an_announced_bid_is_shown_to_all_with_the_points_it_needs(at_table: Visitor) -> None:
    announce(at_table, bidder="3", bid="7", no_trump="yes")
    assert "Chloé: 7 no trump (needs 7 of the 10 points" in at_table.text
    assert "Record result" in at_table.text
    now = at_table.client.get(f"{at_table.table}update", headers={"If-None-Match": '"0"'})
    assert "Phone 1 recorded the bid" in now.get_data(as_text=True)


def test_the_pad_starts_with_the_announced_bid_and_only_lacks_the_result(at_table: Visitor) -> None:
    announce(at_table, bidder="3", bid="7")
    at_table.visit(f"{at_table.table}deals/new")
    assert tapped(at_table) == {"bidder": "3", "bid": "7"}
    at_table.send(RESULT | {"do": "record"})
    deal = at_table.export()["deals"][0]
    assert deal["contract"] == {"player": "Chloé", "points": 7}
    assert "needs 7" not in at_table.text


def test_a_bid_lapses_when_withdrawn_or_recorded_and_returns_on_undo(at_table: Visitor) -> None:
    announce(at_table, bidder="3", bid="7")
    at_table.send({}, "/announced/withdraw")
    assert "needs 7" not in at_table.text
    announce(at_table, bidder="3", bid="8").visit(f"{at_table.table}deals/new").send(RESULT | {"do": "record"})
    assert "needs 8" not in at_table.text
    at_table.send({}, "/undo")
    assert "needs 8" in at_table.text


def test_the_changes_of_a_table_list_a_bid_and_its_withdrawal(at_table: Visitor) -> None:
    announce(at_table, bidder="3", bid="7")
    at_table.visit(f"{at_table.table}changes")
    assert "Phone 1 recorded the bid" in at_table.text
    assert "Chloé: 7 (needs 7" in at_table.text
    at_table.visit(at_table.table).send({}, "/announced/withdraw").visit(f"{at_table.table}changes")
    assert "Phone 1 removed the bid" in at_table.text


@pytest.mark.parametrize(
    ("taps", "says"),
    [({}, "tap"), ({"bidder": "3"}, "tap"), ({"bidder": "3", "bid": "2"}, "5"), ({"bid": "99"}, "tap")],
)
def test_a_missing_or_impossible_bid_is_refused(at_table: Visitor, taps: dict[str, str], says: str) -> None:
    announce(at_table, **taps)
    assert at_table.status == 422
    assert says in " ".join(at_table.problems()).lower()


def test_the_last_contract_can_be_announced_again_in_one_tap(at_table: Visitor) -> None:
    play(at_table, bidder="3", bid="7", no_trump="yes").visit(f"{at_table.table}deals/new")
    assert tapped(at_table) == {}
    at_table.follow("Same bid as last time: Chloé, 7 no trump")
    assert tapped(at_table) == {"bidder": "3", "bid": "7", "no-trump": "yes"}


def test_a_script_gets_the_same_answer_when_it_sends_its_bid_again(at_table: Visitor) -> None:
    for _ in range(2):
        answer = announce_by_script(at_table, "kept", bidder="3", bid="7")
        assert answer.status_code == 200
        assert answer.json["recorded"]
        assert answer.json["seen"].startswith("1.")
    assert "Chloé: 7 (needs 7" in at_table.visit(answer.json["at"]).text
