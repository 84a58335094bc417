"""Properties of every sheet of every game."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scorekeeper.games import games
from scorekeeper.scoring import schema
from scorekeeper.scoring import sheet as portable
from scorekeeper.scoring.adjustments import Misdeal
from scorekeeper.scoring.game import AnyGame, fold
from scorekeeper.scoring.pad_state import build_pad, taps_for
from scorekeeper.scoring.problems import Refusal
from scorekeeper.scoring.rename import rename
from scorekeeper.scoring.sheet import Sheet
from scorekeeper.scoring.statement import score

from .. import strategies

every_game = pytest.mark.parametrize("slug", sorted(games()))
law = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


def scored(sheet: dict[str, Any]) -> dict[str, Any]:
    statement = score(sheet, games())
    assert not isinstance(statement, Refusal), statement
    return statement


@every_game
@law
@given(data=st.data())
def test_each_unit_sums_to_0_after_every_deal(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug))
    standing = strategies.opened(sheet)
    for deal in sheet["deals"]:
        assert fold(games()[slug], standing, [deal]) is None
        for unit in games()[slug].units:
            assert sum(counters[unit] for counters in standing.balances.values()) == 0


@every_game
@law
@given(data=st.data())
def test_the_journal_adds_up_to_the_balances_and_the_pot_ends_empty(slug: str, data: st.DataObject) -> None:
    statement = scored(data.draw(strategies.sheets(slug)))
    moved: Counter[tuple[str | None, str]] = Counter()
    pots: Counter[int] = Counter()
    for entry in statement["journal"]:
        assert entry["amount"] > 0
        moved[entry["from"], entry["unit"]] -= entry["amount"]
        moved[entry["to"], entry["unit"]] += entry["amount"]
        pots[entry["deal"]] += (entry["to"] is None) * entry["amount"] - (entry["from"] is None) * entry["amount"]
    assert not any(pots.values())
    for player, counters in statement["balances"].items():
        assert counters == {unit: moved[player, unit] for unit in counters}


@every_game
@law
@given(data=st.data())
def test_the_replay_of_a_prefix_is_a_prefix(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug))
    whole = scored(sheet)
    length = data.draw(st.integers(0, len(sheet["deals"])))
    part = scored(sheet | {"deals": sheet["deals"][:length]})
    assert part["deals"] == whole["deals"][:length]
    assert part["journal"] == [entry for entry in whole["journal"] if entry["deal"] <= length]


@every_game
@law
@given(data=st.data())
def test_scores_are_the_sums_since_the_manche_began(slug: str, data: st.DataObject) -> None:
    statement = scored(data.draw(strategies.sheets(slug)))
    ended = {manche["deal"] for manche in statement.get("manches", [])}
    running: Counter[str] = Counter()
    for row in statement["deals"]:
        running.update(row["scored"])
        assert row["scores"] == {party: running[party] for party in row["scores"]}
        if row["number"] in ended:
            running.clear()
    assert statement["scores"] == {party: running[party] for party in statement["scores"]}


@every_game
@law
@given(data=st.data())
def test_the_settlement_clears_every_balance_with_fewer_payments_than_players(slug: str, data: st.DataObject) -> None:
    statement = scored(data.draw(strategies.sheets(slug)))
    owed = {player: _total(counters) for player, counters in statement["balances"].items()}
    for payment in statement["settlement"]:
        amount = payment.get("jetons", payment.get("fiches"))
        owed[payment["from"]] += amount
        owed[payment["to"]] -= amount
    assert not any(owed.values())
    assert len(statement["settlement"]) < len(owed)


def _total(balance: dict[str, int]) -> int:
    return balance["jetons"] + 9 * balance["fiches"] if "jetons" in balance else balance["fiches"]


@every_game
@law
@given(data=st.data())
def test_facts_are_unchanged_after_reading_and_writing(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug))
    read = portable.load(json.loads(json.dumps(sheet)), games())
    assert isinstance(read, Sheet)
    again = portable.dump(read)
    assert again["deals"] == sheet["deals"]
    assert scored(again) == scored(sheet)


@every_game
@law
@given(data=st.data())
def test_renamed_players_have_the_same_standing(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug))
    game = games()[slug]
    seats = {name: str(seat) for seat, name in enumerate(sheet["players"], start=1)}
    back = {seat: name for name, seat in seats.items()}
    facts = [_fact(game, deal, tuple(seats)) for deal in sheet["deals"]]
    renamed = [rename(fact, seats) for fact in facts]
    assert [rename(fact, back) for fact in renamed] == facts


@every_game
@law
@given(data=st.data())
def test_renaming_changes_every_name_in_a_record_and_nothing_else(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug, max_deals=8))
    game = games()[slug]
    seats = {name: str(seat) for seat, name in enumerate(sheet["players"], start=1)}
    for deal in sheet["deals"]:
        fact = _fact(game, deal, tuple(seats))
        assert schema.dump(rename(fact, seats)) == _in_other_words(schema.dump(fact), seats)


def _in_other_words(raw: Any, words: dict[str, str]) -> Any:
    """Replace strings in plain JSON, in values and in keys."""
    if isinstance(raw, dict):
        return {words.get(key, key): _in_other_words(value, words) for key, value in raw.items()}
    if isinstance(raw, list):
        return [_in_other_words(item, words) for item in raw]
    return words.get(raw, raw) if isinstance(raw, str) else raw


def _fact(game: AnyGame, deal: dict[str, Any], players: tuple[str, ...]) -> Any:
    facts = {key: value for key, value in deal.items() if key != "dealer"}
    if "misdeal" in facts or "adjustment" in facts:
        return schema.load(Misdeal if "misdeal" in facts else game.agreement, facts, game.seats(players), [])
    return schema.load(game.deal, facts, game.seats(players), [])


@every_game
@law
@given(data=st.data())
def test_any_complete_choice_of_offered_taps_is_a_valid_deal(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug, max_deals=8))
    game, standing = games()[slug], strategies.opened(sheet)
    assert fold(game, standing, sheet["deals"]) is None
    if not standing.is_finished:
        facts = data.draw(strategies.tapped(game, standing))
        assert fold(game, standing, [facts]) is None


@every_game
@law
@given(data=st.data())
def test_a_recorded_deal_opens_on_the_pad_with_the_same_facts(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug, max_deals=5))
    game, standing = games()[slug], strategies.opened(sheet)
    assert fold(game, standing, sheet["deals"]) is None
    if not standing.is_finished:
        facts = data.draw(strategies.tapped(game, standing))
        pad = build_pad(game, standing, taps_for(game, standing, facts), facts)
        assert pad.facts == facts
        assert not pad.unanswered


@every_game
@law
@given(data=st.data())
def test_closing_twice_changes_nothing(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug))
    game, standing = games()[slug], strategies.opened(sheet)
    assert fold(game, standing, sheet["deals"]) is None
    assert game.close(standing) is None if standing.rows else True


@every_game
@law
@given(data=st.data())
def test_a_refused_deal_does_not_change_the_standing(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug, max_deals=6))
    game, standing, twin = games()[slug], strategies.opened(sheet), strategies.opened(sheet)
    assert fold(game, standing, sheet["deals"]) is None
    assert fold(game, twin, sheet["deals"]) is None
    assert fold(game, standing, [{"dealer": sheet["players"][-1], "nonsense": 1}]) is not None
    assert standing == twin
