"""The state of a table: deals and rows, earlier standings, announcements, and the sheet with players' names."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from scorekeeper.games import games
from scorekeeper.models import Player, Seat
from scorekeeper.scoring.game import AnyGame
from scorekeeper.scoring.sheet import dump
from scorekeeper.scoring.standing import name_rows
from scorekeeper.scoring.values import JsonObject, Value
from scorekeeper.tables.chairs import list_people_by_chair, rename_players
from scorekeeper.tables.revisions import AMEND, ANNOUNCE, CLOSE, INSERT, REOPEN, WITHDRAW, Change, find_last_announced
from scorekeeper.tables.state import IllegalDealError, read_opening_value

from .states import AT, NAMES, record, table_row, table_state

SEVEN, EIGHT, OTHERS = {"tricks": {"ns": 7}}, {"tricks": {"ns": 8}}, {"tricks": {"ew": 9}}


THREE = (record(SEVEN), record(EIGHT), record(OTHERS))


def test_the_state_follows_from_the_deals() -> None:
    table = table_state(*THREE)
    assert table.standing.scores == {"ns": 3, "ew": 3}
    assert [(scored.deal.id, scored.row and scored.row.number) for scored in table.scored_deals] == [
        (1, 1),
        (2, 2),
        (3, 3),
    ]
    assert (table.version, table.is_closed, table.names) == (3, False, dict(zip("1234", NAMES, strict=True)))
    assert table_state(Change(CLOSE)).is_closed


def test_a_withdrawn_deal_has_no_row_and_no_number() -> None:
    table = table_state(*THREE, Change(WITHDRAW, 2))
    assert [(scored.deal.id, scored.row and scored.row.number) for scored in table.scored_deals] == [
        (1, 1),
        (2, None),
        (3, 2),
    ]
    assert [*name_rows(deal.body for deal in table.deals if deal.body)] == [row.name for row in table.standing.rows]
    second = table.find_deal_of_row(2)
    assert second is not None
    assert second.deal.id == 3
    assert table.find_deal_of_row(3) is None
    withdrawn = table.find_deal(2)
    assert withdrawn is not None
    assert withdrawn.deal.is_withdrawn
    assert table.find_deal(4) is None


def test_the_standing_before_each_deal_can_be_replayed() -> None:
    table = table_state(*THREE, Change(WITHDRAW, 1), Change(INSERT, before_id=3, body=OTHERS))
    assert [deal.id for deal in table.deals] == [1, 2, 5, 3]
    assert [table.standing_before(deal).scores for deal in (1, 2, 5, 3)] == [
        {"ns": 0, "ew": 0},
        {"ns": 0, "ew": 0},
        {"ns": 2, "ew": 0},
        {"ns": 2, "ew": 3},
    ]
    assert table.standing_before(5) is not table.standing_before(5)


def test_a_table_can_be_read_at_an_earlier_version() -> None:
    table = table_state(*THREE)
    assert [table.at_version(version).standing.scores for version in (0, 1, 2)] == [
        {"ns": 0, "ew": 0},
        {"ns": 1, "ew": 0},
        {"ns": 3, "ew": 0},
    ]
    assert table.as_seen(table.revisions[1].seen).version == 2
    for seen in (table.seen, "7.unknown"):
        assert table.as_seen(seen) is table


def test_a_revision_can_be_tried_without_changing_the_table() -> None:
    table = table_state(*THREE)
    longer = table.with_revision(record(SEVEN).to_row(4, 1, AT, "4"))
    assert (longer.version, table.version) == (4, 3)
    with pytest.raises(IllegalDealError) as refused:
        table.with_revision(Change(AMEND, 2, body={"tricks": {"ns": 14}}).to_row(4, 1, AT, "4"))
    assert (refused.value.deal_id, refused.value.refusal.number) == (2, 2)


# --- announcements -----------------------------------------------------------------------------------------

BID = {"contract": {"player": "2", "points": 7}}
JOFFRE = {**BID, "tricks": {"ns": 2}, "five_of_hearts": "ew", "three_of_spades": "ew"}


def test_an_announcement_is_valid_only_while_the_table_is_open() -> None:
    changes = (record(JOFFRE), Change(ANNOUNCE, body=BID))
    assert table_state(*changes, game="joffre").announced == BID
    assert table_state(*changes, Change(CLOSE), game="joffre").announced is None
    slam = JOFFRE | {"contract": {"player": "2", "points": 12}}
    assert table_state(record(slam), Change(ANNOUNCE, body=BID), game="joffre").announced is None


def test_the_last_announcement_is_read_from_the_last_deal_that_has_one() -> None:
    def find_last(*changes: Change) -> JsonObject | None:
        return find_last_announced(table_state(*changes, game="joffre").deals, ("contract",))

    assert find_last(record(JOFFRE)) == find_last(record(JOFFRE), record({"misdeal": True})) == BID
    assert find_last(record({"misdeal": True})) is None
    assert find_last(record(JOFFRE), Change(WITHDRAW, 1)) is None


# --- the sheet ---------------------------------------------------------------------------------------------


def test_a_sheet_has_the_players_names() -> None:
    table = table_state(
        *(record(SEVEN), record({"dealer": "3", "misdeal": True}), record(EIGHT)),
        *(record({"adjustment": {"from": "4", "to": "2", "fiches": 2}}), Change(WITHDRAW, 3)),
        dealer="2",
        title="Friday",
        played_on=date(2026, 11, 20),
        house_rules={"robre_points": 4},
    )
    assert dump(table.sheet()) == {
        "format": "scorekeeper-sheet/1",
        "game": "whist",
        "title": "Friday",
        "played_on": "2026-11-20",
        "players": list(NAMES),
        "dealer": "Bruno",
        "house_rules": {"robre_points": 4},
        "deals": [
            SEVEN,
            {"dealer": "Chloé", "misdeal": True},
            {"adjustment": {"from": "David", "to": "Bruno", "fiches": 2}},
        ],
    }
    other = {"1": "N", "2": "E", "3": "S", "4": "W"}
    assert (table.sheet(other).players, table.sheet(other).dealer) == (("N", "E", "S", "W"), "E")


def test_points_of_a_side_stay_with_the_side_even_if_a_player_has_its_name() -> None:
    points, fiches = {"to": "ns", "points": 2}, {"from": "Anne", "to": "ns", "fiches": 2}
    names = {"ns": "1", "Bruno": "2", "Chloé": "3", "Anne": "4"}
    whist = games()["whist"]
    assert rename_players(whist, {"adjustment": points}, names) == {"adjustment": points}
    assert rename_players(whist, {"adjustment": fiches}, names) == {"adjustment": {"from": "4", "to": "1", "fiches": 2}}
    francion = games()["francion"]
    points_body = {"adjustment": {"to": "Anne", "points": 1}}
    assert rename_players(francion, points_body, {"Anne": "1", "Bruno": "2", "Chloé": "3"}) == {
        "adjustment": {"to": "1", "points": 1}
    }


def test_the_value_of_a_counter_is_read_from_the_table() -> None:
    money: dict[str, Any] = {"value_currency": "EUR", "value_unit": "fiche", "value_amount": "0.25"}
    value = Value("EUR", "fiche", Decimal("0.25"))
    assert read_opening_value(table_row(**money)) == table_state(**money).standing.value == value
    for missing in money:
        assert read_opening_value(table_row(**money | {missing: None})) is None


# --- closed tables, substitutes, games that are missing or fail -------------------------------------------------


def test_a_robre_that_is_broken_off_is_paid_while_the_table_is_closed() -> None:
    rules = {"house_rules": {"unfinished_robre": "points"}}
    won = {"adjustment": {"to": "ns", "points": 10}}
    table = table_state(record(won), **rules)
    assert table.standing.options.unfinished_robre == "points"
    closed = table_state(record(won), Change(CLOSE), record(SEVEN), **rules)
    assert closed.replay.stopped is not None
    assert closed.standing.balances != table.standing.balances
    assert closed.standing.balances == closed.replay.stopped.balances
    again = table_state(record(won), Change(CLOSE), Change(REOPEN), **rules)
    assert (again.replay.stopped, again.standing.balances) == (None, table.standing.balances)


def test_who_took_a_chair_is_seated_from_then_on_and_named_in_facts_of_then() -> None:
    eva = Seat(label="5", player_id=5, player=Player(id=5, name="Eva"), is_substitute=True)
    seats = [*table_row().seats, eva]
    dealt = {"dealer": "1", "misdeal": True}
    paid = {"adjustment": {"from": "1", "to": "2", "fiches": 1}}
    changes = (record(SEVEN), record(paid), record({"substitution": {"out": "1", "in": "5"}}), record(dealt))
    table = table_state(*changes, Change(WITHDRAW, 2), seats=seats)
    assert table.chairs == ("1", "2", "3", "4")
    assert (table.standing.players, table.everybody) == (("5", "2", "3", "4"), ("1", "2", "3", "4", "5"))
    assert list_people_by_chair(table.chairs, table.standing) == [["1", "5"], ["2"], ["3"], ["4"]]
    shown = [table.with_labels(deal, {"dealer": "1", "misdeal": True}) for deal in (1, 3, 4, None, 9)]
    assert [facts["dealer"] for facts in shown] == ["1", "1", "5", "5", "5"]
    facts = [table.with_labels(deal.id, deal.last_body or {}) for deal in table.deals]
    assert facts == [SEVEN, paid, {"substitution": {"out": "1", "in": "5"}}, dealt | {"dealer": "5"}]
    assert table.with_labels(4, {"held": {"1": 3}}) == {"held": {"1": 3}}


def test_who_takes_a_chair_may_deal_at_once_even_as_the_first_substitute() -> None:
    eva = Seat(label="5", player_id=5, player=Player(id=5, name="Eva"), is_substitute=True)
    change = {"dealer": "1", "substitution": {"out": "1", "in": "5"}}
    assert table_state(record(SEVEN), record(change), seats=[*table_row().seats, eva]).standing.dealer == "5"


def test_nothing_is_owed_at_a_table_without_stakes() -> None:
    out = {"adjustment": {"from": "1", "to": "2", "fiches": 2}}
    assert set(table_state(record(out)).result.subunits.values()) == {-2, 0, 2}
    assert set(table_state(record(out), has_stakes=False).result.subunits.values()) == {0}


def test_a_deal_in_which_everybody_passed_is_one_and_no_other_item_is(paid_deals: AnyGame) -> None:
    table = table_state(game=paid_deals.slug)
    assert table.is_passed({"passed": True, "dealer": "2"})
    others: list[JsonObject] = [{"misdeal": True}, {"adjustment": {}}, {"substitution": {"out": "1", "in": "5"}}]
    for other in others:
        assert not table.is_passed(other)
    assert not table_state(record(SEVEN)).is_passed(SEVEN)
