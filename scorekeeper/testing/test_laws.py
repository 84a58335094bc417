"""Laws that hold for every sheet of every game: sheets entered at random through the game's own pad."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import zip_longest
from typing import Any, NamedTuple

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ..games import games
from ..models import Player, Seat, Table
from ..scoring import schema
from ..scoring import sheet as portable
from ..scoring.common import Misdeal, SeatChange, rename
from ..scoring.game import AnyGame, fold, stop
from ..scoring.pad_state import build_pad, taps_for
from ..scoring.problems import Refusal
from ..scoring.sheet import Sheet, score
from ..scoring.standing import POINTS, AnyStanding, Entry, Row
from ..scoring.values import JsonObject
from ..stats.summary import summarise
from ..stats.totals import Totals
from ..tables.replay import IllegalDealError, Replay
from ..tables.revisions import AMEND, RECORD, WITHDRAW, Change, build_undo, first_rows
from ..tables.seating import rename_players
from ..tables.state import TableState
from . import strategies
from .parameters import pytest_generate_tests  # noqa: F401  # pytest looks for it in this module
from .playing import Chooser, opened, random_deal, random_rules, random_substitution
from .strategies import NAMES, SUBSTITUTES

# A factor for the number of sheets: `LAWS=10 pytest --pyargs scorekeeper.testing`. The laws overlap: each scores its
# sheets, and most compare statements.
TIMES = int(os.environ.get("LAWS", "1"))
law = settings(max_examples=10 * TIMES, deadline=None, suppress_health_check=list(HealthCheck))
few = settings(law, max_examples=5 * TIMES)
AT = datetime(2026, 11, 20, 21)


def scored(sheet: dict[str, Any]) -> dict[str, Any]:
    """Return the statement of a valid sheet."""
    statement = score(sheet, games())
    assert not isinstance(statement, Refusal), statement
    return statement


# --- counters and scores -------------------------------------------------------------------------------------


@law
@given(data=st.data())
def test_each_unit_sums_to_0_after_every_deal(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug))
    standing = strategies.opened(sheet)
    game = strategies.game_of(sheet)
    for deal in sheet["deals"]:
        assert fold(game, standing, [deal]) is None
        for unit in game.units:
            assert sum(counters[unit] for counters in standing.balances.values()) == 0


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


@law
@given(data=st.data())
def test_the_replay_of_a_prefix_is_a_prefix(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug))
    whole = scored(sheet)
    length = data.draw(st.integers(0, len(sheet["deals"])))
    part = scored(sheet | {"deals": sheet["deals"][:length]})
    assert part["deals"] == whole["deals"][:length]
    assert part["journal"] == [entry for entry in whole["journal"] if entry["deal"] <= length]


@law
@given(data=st.data())
def test_scores_are_the_sums_since_the_manche_began(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug))
    statement, opening = scored(sheet), strategies.opened(sheet)
    ended = {manche["deal"] for manche in statement.get("manches", [])}
    running: Counter[str] = Counter(opening.scores)
    for row in statement["deals"]:
        running.update(row["scored"])
        assert row["scores"] == {party: running[party] for party in row["scores"]}
        if row["number"] in ended:
            running.clear()
    assert statement["scores"] == {party: running[party] for party in statement["scores"]}


@law
@given(data=st.data())
def test_the_settlement_clears_every_balance_with_fewer_payments_than_players(slug: str, data: st.DataObject) -> None:
    statement = scored(data.draw(strategies.sheets(slug)))
    game = games()[slug]
    owed = {
        player: sum(game.worth_of(unit) * amount for unit, amount in counters.items())
        for player, counters in statement["balances"].items()
    }
    for payment in statement["settlement"]:
        owed[payment["from"]] += payment[game.units[0]]
        owed[payment["to"]] -= payment[game.units[0]]
    assert not any(owed.values())
    assert len(statement["settlement"]) < len(owed)


@law
@given(data=st.data())
def test_facts_are_unchanged_after_reading_and_writing(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug))
    read = portable.load(json.loads(json.dumps(sheet)), games())
    assert isinstance(read, Sheet)
    again = portable.dump(read)
    assert again["deals"] == sheet["deals"]
    assert scored(again) == scored(sheet)


@law
@given(data=st.data())
def test_renamed_players_have_the_same_standing(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug))
    game = strategies.game_of(sheet)
    seats = {name: str(seat) for seat, name in enumerate(sheet["players"], start=1)}
    back = {seat: name for name, seat in seats.items()}
    facts = [_fact(game, deal, tuple(seats)) for deal in sheet["deals"]]
    renamed = [rename(fact, seats) for fact in facts]
    assert [rename(fact, back) for fact in renamed] == facts


@law
@given(data=st.data())
def test_renaming_changes_every_name_in_a_record_and_nothing_else(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug, max_deals=8))
    game = strategies.game_of(sheet)
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


@law
@given(data=st.data())
def test_any_complete_choice_of_offered_taps_is_a_valid_deal(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug, max_deals=8))
    game, standing = strategies.game_of(sheet), strategies.opened(sheet)
    assert fold(game, standing, sheet["deals"]) is None
    if not standing.is_finished:
        facts = data.draw(strategies.tapped(game, standing))
        assert fold(game, standing, [facts]) is None


@law
@given(data=st.data())
def test_a_recorded_deal_opens_on_the_pad_with_the_same_facts(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug, max_deals=5))
    game, standing = strategies.game_of(sheet), strategies.opened(sheet)
    assert fold(game, standing, sheet["deals"]) is None
    if not standing.is_finished:
        facts = data.draw(strategies.tapped(game, standing))
        pad = build_pad(game, standing, taps_for(game, standing, facts), facts)
        assert pad.facts == facts
        assert not pad.unanswered


@law
@given(data=st.data())
def test_closing_twice_changes_nothing(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug))
    game, standing = strategies.game_of(sheet), strategies.opened(sheet)
    assert fold(game, standing, sheet["deals"]) is None
    assert game.close(standing) is None if standing.rows else True


@law
@given(data=st.data())
def test_what_is_paid_when_the_players_stop_sums_to_0_and_leaves_the_sheet_as_it_was(
    slug: str, data: st.DataObject
) -> None:
    sheet = data.draw(strategies.sheets(slug))
    game, standing = strategies.game_of(sheet), strategies.opened(sheet)
    assert fold(game, standing, sheet["deals"]) is None
    before = json.dumps([standing.balances, standing.scores, [row.entries for row in standing.rows]])
    stopped = stop(game, standing)
    for unit in game.units:
        assert sum(counters[unit] for counters in stopped.balances.values()) == 0
    assert {entry.reason for row in stopped.rows for entry in row.entries} <= {*game.reasons, "adjustment"}
    assert json.dumps([standing.balances, standing.scores, [row.entries for row in standing.rows]]) == before


@law
@given(data=st.data())
def test_a_refused_deal_does_not_change_the_standing(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug, max_deals=6))
    game, standing, twin = strategies.game_of(sheet), strategies.opened(sheet), strategies.opened(sheet)
    assert fold(game, standing, sheet["deals"]) is None
    assert fold(game, twin, sheet["deals"]) is None
    assert fold(game, standing, [{"dealer": sheet["players"][-1], "nonsense": 1}]) is not None
    assert standing == twin


# --- misdeals and adjustments --------------------------------------------------------------------------------


@few
@given(data=st.data())
def test_a_misdeal_scores_nothing_and_the_same_player_deals_again(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug, max_deals=6))
    game, standing = strategies.game_of(sheet), strategies.opened(sheet)
    assert fold(game, standing, sheet["deals"]) is None
    if not standing.is_finished:
        before = standing.copy()
        assert fold(game, standing, [{"misdeal": True}]) is None
        assert (standing.scores, standing.balances, standing.dealer) == (before.scores, before.balances, before.dealer)
        assert not standing.rows[-1].entries


@few
@given(data=st.data())
def test_an_adjustment_adds_what_was_agreed(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug, max_deals=6))
    game, standing = strategies.game_of(sheet), strategies.opened(sheet)
    assert fold(game, standing, sheet["deals"]) is None
    agreed = data.draw(strategies.adjustments(game, standing, data.draw(st.sampled_from(("points", "counters")))))
    if standing.is_finished or fold(game, standing, [{"adjustment": agreed}]) is not None:
        return
    entry = standing.rows[-1].entries[0]
    assert (entry.reason, entry.taker, entry.amount) == ("adjustment", agreed["to"], agreed[entry.unit])
    assert entry.unit == POINTS or entry.giver == agreed["from"]


# --- corrections ---------------------------------------------------------------------------------------------


@few
@given(data=st.data())
def test_a_deal_that_is_amended_or_withdrawn_and_then_restored_counts_as_before(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug, max_deals=6))
    game, opening = strategies.game_of(sheet), strategies.opened(sheet)
    rows = first_rows([Change(RECORD, body=deal) for deal in sheet["deals"]], 1, AT, "law")
    replay = Replay(game, opening, opening).extended(rows)
    if not replay.deals:
        return
    deal = data.draw(st.sampled_from(replay.deals)).id
    body = data.draw(strategies.deals(game, opening))
    change = data.draw(st.sampled_from((Change(AMEND, deal, body=body), Change(WITHDRAW, deal))))
    revision = change.to_row(len(rows) + 1, 1, AT, "change")
    try:
        changed = replay.extended([revision])
    except IllegalDealError:  # refused: a later deal is impossible after it
        return
    undone = changed.extended([build_undo(changed.deals, revision).to_row(len(rows) + 2, 1, AT, "undo")])
    assert undone.standing == replay.standing
    assert [deal.body for deal in undone.deals] == [deal.body for deal in replay.deals]


# --- statistics ----------------------------------------------------------------------------------------------


@few
@given(data=st.data())
def test_statistics_count_each_deal_once_and_name_only_what_is_declared(slug: str, data: st.DataObject) -> None:
    game = games()[slug]
    tables = [_table(data.draw(strategies.sheets(slug, max_deals=10))) for _ in range(2)]
    summaries = [summarise(table) for table in tables]
    for table, summary in zip(tables, summaries, strict=True):
        assert summary["deals"] == sum(table.game.is_played(row.fact) for row in table.standing.rows)
        names = {name.partition(".")[0] for counts in summary["figures"].values() for name in counts}
        assert names <= set(game.figure_names)
        assert summary["feats"].keys() <= set(game.feat_names)
        rows = [(table.standing.seated_as(row), row) for row in table.standing.rows]
        assert all(figure.times for standing, row in rows for figure in table.game.figures(standing, row))
    totals = Totals()
    for number, summary in enumerate(summaries, start=1):
        people = {player: player for player in summary["seats"].values()}
        totals.add(number, "2026-11-20", game, summary, people)
    assert json.dumps(summaries)
    assert totals.games[slug].deals == sum(summary["deals"] for summary in summaries)


def _table(sheet: dict[str, Any]) -> TableState:
    """Return the state of a table with a sheet's deals, which is in no database."""
    game, names = games()[sheet["game"]], sheet["players"]
    seats = {name: str(seat) for seat, name in enumerate(names, start=1)}
    table = Table(
        id=1,
        token="t",  # noqa: S106  # no password
        game=game.slug,
        house_rules=sheet["house_rules"],
        dealer=seats[sheet["dealer"]],
        seats=[
            Seat(seat=seat, player_id=int(seat), player=Player(id=int(seat), name=name)) for name, seat in seats.items()
        ],
    )
    bodies = [rename_players(strategies.game_of(sheet), deal, seats) for deal in sheet["deals"]]
    return TableState(table, first_rows([Change(RECORD, body=body) for body in bodies], 1, AT, "law"))


# --- seats ---------------------------------------------------------------------------------------------------


@law
@given(data=st.data())
def test_the_seats_score_as_without_substitutions(slug: str, data: st.DataObject) -> None:
    assert data.draw(_differences(slug)) is None


@st.composite
def _differences(draw: st.DrawFn, slug: str) -> Difference | None:
    """Draw an evening, and return what its substitutions change."""
    game, chooser = games()[slug], strategies.Drawn(draw)
    return _compare(game, chooser, NAMES[: chooser.one_of(game.player_counts)], SUBSTITUTES)


class Difference(NamedTuple):
    """The effects of a deal with substitutes and without; people are named by their seats."""

    number: int
    found: str
    expected: str


def _compare(
    game: AnyGame, chooser: Chooser, players: Sequence[str], substitutes: Sequence[str], max_deals: int = 15
) -> Difference | None:
    """Play with and without substitutions, and return the first difference between the seats' scores."""
    rules = random_rules(game, chooser, len(players))
    opening = {"players": players, "dealer": chooser.one_of(players), "house_rules": rules}
    seated, plain = opened(game, opening), opened(game, opening)
    game = game.under(seated.options, len(players))
    for number in range(1, max_deals + 1):
        if plain.is_finished:
            break
        if chooser.between(0, 3) == 0:
            fold(game, seated, [{"substitution": random_substitution(seated, chooser, substitutes)}])
        deal = random_deal(game, plain, chooser)
        names = dict(zip(plain.players, seated.players, strict=True))
        difference = _compare_deal(game, seated, plain, rename_players(game, deal, names), deal)
        if difference is not None:
            return Difference(number, *difference)
    return None


def _compare_deal(
    game: AnyGame, seated: AnyStanding, plain: AnyStanding, deal: JsonObject, plain_deal: JsonObject
) -> tuple[str, str] | None:
    results = fold(game, seated, [deal]), fold(game, plain, [plain_deal])
    if any(results):
        found, expected = map(_refused, results)
    else:
        found, expected = (_scored(game, standing, standing.rows[-1]) for standing in (seated, plain))
    pairs = zip_longest(found, expected, fillvalue="does no more")
    return next(((one, other) for one, other in pairs if one != other), None)


def _refused(result: Refusal | None) -> list[str]:
    return [f"is refused at {result.first.field!r}" if result is not None else "is accepted"]


def _scored(game: AnyGame, standing: AnyStanding, row: Row) -> list[str]:
    """Return what a deal did, with "seat 1" and so on in place of names."""
    seats = {player: f"seat {number}" for number, player in enumerate(row.players, 1)}
    done = [f"has {_entry(entry, seats)}" for entry in row.entries]
    for closing in row.closings:
        done.append(f"ends a {closing.kind} for {', '.join(seats.get(party, party) for party in closing.winners)}")
    done.append(f"lets {seats.get(standing.dealer, standing.dealer)} deal next")
    if not game.scores_are_payments:
        done += [f"leaves {seats.get(party, party)} at {score}" for party, score in standing.scores.items()]
    return done


def _entry(entry: Entry, seats: dict[str, str]) -> str:
    giver, taker = (seats.get(party or "", party) or "the pot" for party in (entry.giver, entry.taker))
    return f"{entry.amount} {entry.unit} ({entry.reason}) from {giver} to {taker}"


@few
@given(data=st.data())
def test_the_balances_of_all_who_sat_on_a_seat_add_up_to_its_balance(slug: str, data: st.DataObject) -> None:
    plain = data.draw(strategies.sheets(slug))
    game = strategies.game_of(plain)
    seats = {name: [name] for name in plain["players"]}
    deals: list[dict[str, Any]] = []
    for number, deal in enumerate(plain["deals"]):
        if data.draw(st.integers(0, 3)) == 0:
            seat = data.draw(st.sampled_from(plain["players"]))
            newcomer = f"Newcomer {number}"
            deals.append({"substitution": {"out": seats[seat][-1], "in": newcomer}})
            seats[seat].append(newcomer)
        deals.append(rename_players(game, deal, {seat: people[-1] for seat, people in seats.items()}))
    balances = scored(plain | {"deals": deals})["balances"]
    expected = scored(plain)["balances"]
    for seat, people in seats.items():
        assert _sum(balances[person] for person in people) == _sum([expected[seat]])


def _sum(counters: Any) -> dict[str, int]:
    total: Counter[str] = Counter()
    for each in counters:
        total.update(each)
    return {unit: amount for unit, amount in total.items() if amount}


# --- people --------------------------------------------------------------------------------------------------


@law
@given(data=st.data())
def test_each_unit_sums_to_0_over_all_who_have_sat(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug, with_substitutes=True))
    game, standing = strategies.game_of(sheet), strategies.opened(sheet)
    for deal in sheet["deals"]:
        assert fold(game, standing, [deal]) is None
        assert all(sum(counters[unit] for counters in standing.balances.values()) == 0 for unit in game.units)


@law
@given(data=st.data())
def test_the_journal_moves_what_the_balances_show(slug: str, data: st.DataObject) -> None:
    statement = scored(data.draw(strategies.sheets(slug, with_substitutes=True)))
    moved: Counter[tuple[str | None, str]] = Counter()
    for entry in statement["journal"]:
        moved[entry["from"], entry["unit"]] -= entry["amount"]
        moved[entry["to"], entry["unit"]] += entry["amount"]
    for person, counters in statement["balances"].items():
        assert counters == {unit: moved[person, unit] for unit in counters}
    assert {person for person, _ in moved} <= {*statement["balances"], None}


@law
@given(data=st.data())
def test_balances_name_all_who_have_sat_and_scores_those_who_sit(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug, with_substitutes=True))
    seated, people = list(sheet["players"]), list(sheet["players"])
    for deal in sheet["deals"]:
        if change := deal.get("substitution"):
            seated[seated.index(change["out"])] = change["in"]
            people += [change["in"]] if change["in"] not in people else []
    statement = scored(sheet)
    assert list(statement["balances"]) == people
    assert len(statement["deals"]) == len(sheet["deals"])
    assert statement["dealer"] in {*seated, None}
    if not strategies.game_of(sheet).in_sides:
        assert list(statement["scores"]) == seated
    for payment in statement["settlement"]:
        assert {payment["from"], payment["to"]} <= set(people)


@law
@given(data=st.data())
def test_a_substitution_that_is_taken_back_at_once_changes_nothing(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug, with_substitutes=True))
    place = data.draw(st.integers(0, len(sheet["deals"])))
    before, after = sheet["deals"][:place], sheet["deals"][place:]
    standing = strategies.opened(sheet)
    assert fold(strategies.game_of(sheet), standing, before) is None
    if standing.is_finished:
        return
    person = data.draw(st.sampled_from(standing.players))
    absent = [name for name in (*standing.balances, "Nora") if name not in standing.players]
    newcomer = data.draw(st.sampled_from(absent))
    pair = [{"substitution": {"out": out, "in": in_}} for out, in_ in ((person, newcomer), (newcomer, person))]
    changed = scored(sheet | {"deals": [*before, *pair, *after]})
    expected = _moved_on(scored(sheet), place + 1)
    del changed["deals"][place : place + 2]
    if newcomer == "Nora":
        assert not any(changed["balances"].pop("Nora").values())
    assert changed == expected


def _moved_on(part: Any, first: int) -> Any:
    """Return a statement with the numbers of its deals from `first` on increased by 2."""
    if isinstance(part, list):
        return [_moved_on(item, first) for item in part]
    if not isinstance(part, dict):
        return part
    is_later = {key: key in ("deal", "number") and value >= first for key, value in part.items()}
    return {key: value + 2 if is_later[key] else _moved_on(value, first) for key, value in part.items()}


# --- facts ---------------------------------------------------------------------------------------------------


@few
@given(data=st.data())
def test_sheets_with_substitutions_are_unchanged_after_reading_and_writing(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug, with_substitutes=True))
    read = portable.load(json.loads(json.dumps(sheet)), games())
    assert isinstance(read, Sheet)
    assert portable.dump(read)["deals"] == sheet["deals"]


@few
@given(data=st.data())
def test_a_refused_substitution_does_not_change_the_standing(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug, max_deals=6, with_substitutes=True))
    game, standing, twin = strategies.game_of(sheet), strategies.opened(sheet), strategies.opened(sheet)
    assert fold(game, standing, sheet["deals"]) is None
    assert fold(game, twin, sheet["deals"]) is None
    first, second = standing.players[:2]
    refused: tuple[Mapping[str, Any], ...] = (
        {"out": first, "in": first},
        {"out": first, "in": second},
        {"out": "Nora", "in": "Omar"},
        {"out": first, "in": " "},
        {"out": first, "in": "Nora", "side": "ns"},
    )
    for change in refused:
        assert fold(game, standing, [{"substitution": change, "dealer": second}]) is not None
        assert standing == twin


@few
@given(data=st.data())
def test_looking_back_at_a_deal_gives_those_who_sat_in_it(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug, max_deals=12, with_substitutes=True))
    game, standing = strategies.game_of(sheet), strategies.opened(sheet)
    found = []
    for deal in sheet["deals"]:
        assert fold(game, standing, [deal]) is None
        row = standing.rows[-1]
        found.append(([*game.figures(standing, row)], [*game.feats(standing, row)]))
    for row, (figures, feats) in zip(standing.rows, found, strict=True):
        past = standing.seated_as(row)
        assert past.players == row.players
        if not game.is_passed(row.fact):
            assert [*game.figures(past, row)] == figures
            assert [*game.feats(past, row)] == feats
            assert {figure.player for figure in figures} <= set(row.players)


@few
@given(names=st.permutations(("Anne", "Nora", "Omar")))
def test_renaming_the_people_of_a_substitution_is_reversible(slug: str, names: list[str]) -> None:
    raw = {"substitution": {"out": names[0], "in": names[1]}}
    fact = schema.load(SeatChange, raw, games()[slug].seats(tuple(names)), [])
    there, back = dict(zip(names, "123", strict=True)), dict(zip("123", names, strict=True))
    assert schema.dump(rename(fact, there)) == {"substitution": {"out": "1", "in": "2"}}
    assert schema.dump(rename(rename(fact, there), back)) == raw
