"""Laws that hold for every sheet of every game: sheets entered at random through the game's own pad."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from hypothesis import HealthCheck, assume, given, reject, settings
from hypothesis import strategies as st

from ..games import games
from ..models import Player, Seat, Table
from ..scoring import schema
from ..scoring.game import AnyGame, fold, stop
from ..scoring.problems import Refusal
from ..scoring.sheet import score
from ..scoring.standing import POINTS, AnyStanding, Row
from ..scoring.taps import build_pad, taps_for
from ..scoring.values import JsonObject
from ..standings.totals import Totals
from ..tables.chairs import read_fact, rename_anywhere, rename_players
from ..tables.revisions import AMEND, RECORD, WITHDRAW, Change, build_undo, first_rows
from ..tables.state import IllegalDealError, Replay, TableState
from ..tables.summary import summarise
from .playing import (
    SUBSTITUTES,
    make_terms,
    open_sheet,
    play,
    pytest_generate_tests,  # noqa: F401  # pytest calls it
    random_adjustment,
    random_deal,
    random_opening,
    random_rules,
    random_substitution,
    sheets,
    tap_deal,
)

# A factor for the number of sheets: `LAWS=10 pytest --pyargs scorekeeper.testing`.
TIMES = int(os.environ.get("LAWS", "1"))
AT = datetime(2026, 11, 20, 21)


def law(test: Callable[..., None]) -> Callable[..., None]:
    """Make a test one of several random examples."""
    several = settings(max_examples=10 * TIMES, deadline=None, suppress_health_check=list(HealthCheck))
    return several(given(data=st.data())(test))


def scored(sheet: dict[str, Any]) -> dict[str, Any]:
    statement = score(sheet, games())
    assert not isinstance(statement, Refusal), statement
    return statement


@law
def test_each_unit_sums_to_0_and_the_pot_is_empty_after_every_deal(slug: str, data: st.DataObject) -> None:
    game, standing = play(data.draw(sheets(slug, with_substitutes=True)))
    moved: Counter[tuple[str | None, str]] = Counter()
    for row in standing.rows:
        for giver, taker, amount, unit, _ in (entry for entry in row.entries if entry.is_payment):
            assert amount > 0
            moved[giver, unit] -= amount
            moved[taker, unit] += amount
        assert not any(moved[None, unit] for unit in game.units)
    assert {person for person, _ in moved} <= {*standing.balances, None}
    for player, counters in standing.balances.items():
        assert counters == {unit: moved[player, unit] for unit in game.units}


@law
def test_scores_are_the_sums_since_the_manche_began(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(sheets(slug))
    statement, (_, opening) = scored(sheet), open_sheet(sheet)
    ended = {manche["deal"] for manche in statement.get("manches", [])}
    running: Counter[str] = Counter(opening.scores)
    for row in statement["deals"]:
        running.update(row["scored"])
        assert row["scores"] == {party: running[party] for party in row["scores"]}
        if row["number"] in ended:
            running.clear()
    assert statement["scores"] == {party: running[party] for party in statement["scores"]}


@law
def test_closing_twice_changes_nothing_and_stopping_leaves_the_sheet_as_it_was(slug: str, data: st.DataObject) -> None:
    game, standing = play(data.draw(sheets(slug)))
    assert game.close(standing) is None if standing.rows else True
    before = json.dumps([standing.balances, standing.scores, [row.entries for row in standing.rows]])
    stopped = stop(game, standing)
    for unit in game.units:
        assert sum(counters[unit] for counters in stopped.balances.values()) == 0
    assert {entry.reason for row in stopped.rows for entry in row.entries} <= {*game.reasons, "adjustment"}
    assert json.dumps([standing.balances, standing.scores, [row.entries for row in standing.rows]]) == before


@law
def test_renaming_changes_every_name_in_a_record_and_nothing_else(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(sheets(slug, max_deals=8))
    seats = {name: str(seat) for seat, name in enumerate(sheet["players"], start=1)}
    back = {seat: name for name, seat in seats.items()}
    game, _ = open_sheet(sheet)
    for deal in sheet["deals"]:
        renamed = rename_players(game, deal, seats)
        plain = rename_players(game, renamed, back)  # the deal, without what has its default
        assert renamed == rename_anywhere(plain, seats)
        assert read_fact(game, plain, game.seats(tuple(seats))) == read_fact(game, deal, game.seats(tuple(seats)))


@law
def test_any_complete_choice_of_offered_taps_is_a_valid_deal_that_opens_with_the_same_facts(
    slug: str, data: st.DataObject
) -> None:
    game, standing = play(data.draw(sheets(slug, max_deals=8)))
    assume(not standing.is_finished)
    facts = tap_deal(game, standing, data.draw(st.randoms())).facts
    pad = build_pad(game, standing, taps_for(game, standing, facts), facts)
    assert pad.facts == facts
    assert not pad.unanswered
    assert not facts or fold(game, standing, [facts]) is None  # nothing: every box was filled in earlier deals


@law
def test_what_is_refused_does_not_change_the_standing(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(sheets(slug, max_deals=6, with_substitutes=True))
    (game, standing), (_, twin) = play(sheet), play(sheet)
    first, second = standing.players[:2]
    refused: tuple[Mapping[str, Any], ...] = (
        {"nonsense": 1},
        {"substitution": {"out": first, "in": first}},
        {"substitution": {"out": first, "in": second}},
        {"substitution": {"out": "Nora", "in": "Omar"}},
        {"substitution": {"out": first, "in": " "}},
        {"substitution": {"out": first, "in": "Nora", "side": "ns"}},
    )
    for deal in refused:
        assert fold(game, standing, [{"dealer": second, **deal}]) is not None
        assert standing == twin


@law
def test_a_misdeal_scores_nothing_and_an_adjustment_what_was_agreed(slug: str, data: st.DataObject) -> None:
    game, standing = play(data.draw(sheets(slug, max_deals=6)))
    assume(not standing.is_finished)
    before = standing.copy()
    assert fold(game, standing, [{"misdeal": True}]) is None
    assert (standing.scores, standing.balances, standing.dealer) == (before.scores, before.balances, before.dealer)
    assert not standing.rows[-1].entries
    kind = data.draw(st.sampled_from(("points", "counters")))
    agreed = random_adjustment(game, standing, data.draw(st.randoms()), kind)
    assume(fold(game, standing, [{"adjustment": agreed}]) is None)
    entry = standing.rows[-1].entries[0]
    assert (entry.reason, entry.taker, entry.amount) == ("adjustment", agreed["to"], agreed[entry.unit])
    assert entry.unit == POINTS or entry.giver == agreed["from"]


@law
def test_a_deal_that_is_amended_or_withdrawn_and_then_restored_counts_as_before(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(sheets(slug, max_deals=6))
    game, opening = open_sheet(sheet)
    rows = first_rows([Change(RECORD, body=deal) for deal in sheet["deals"]], 1, AT, "law")
    replay = Replay(game, opening, opening).extended(rows)
    assume(replay.deals)
    deal = data.draw(st.sampled_from(replay.deals)).id
    body = random_deal(game, opening, data.draw(st.randoms()))
    change = data.draw(st.sampled_from((Change(AMEND, deal, body=body), Change(WITHDRAW, deal))))
    revision = change.to_row(len(rows) + 1, 1, AT, "change")
    try:
        changed = replay.extended([revision])
    except IllegalDealError:  # a later deal is impossible after it
        reject()
    undone = changed.extended([build_undo(changed.deals, revision).to_row(len(rows) + 2, 1, AT, "undo")])
    assert undone.standing == replay.standing
    assert [deal.body for deal in undone.deals] == [deal.body for deal in replay.deals]


@law
def test_statistics_count_each_deal_once_and_name_only_what_is_declared(slug: str, data: st.DataObject) -> None:
    game = games()[slug]
    tables = [_table(data.draw(sheets(slug, max_deals=10))) for _ in range(2)]
    summaries = [summarise(table) for table in tables]
    totals = Totals()
    for number, (table, summary) in enumerate(zip(tables, summaries, strict=True), start=1):
        assert summary["deals"] == sum(table.game.is_played(row.fact) for row in table.standing.rows)
        names = {name.partition(".")[0] for counts in summary["figures"].values() for name in counts}
        assert names <= set(game.counted.figure_names)
        assert summary["feats"].keys() <= set(game.counted.feat_names)
        rows = [(table.standing.seated_as(row), row) for row in table.standing.rows]
        assert all(figure.times for standing, row in rows for figure in table.game.counted.figures(standing, row))
        people = {player: player for player in summary["seats"].values()}
        totals.add(number, "2026-11-20", game, summary, people, slug)
    assert json.dumps(summaries)
    assert totals.games[slug].deals == sum(summary["deals"] for summary in summaries)


def _table(sheet: dict[str, Any]) -> TableState:
    """Return the state of a table with a sheet's deals, which is in no database."""
    game, names = games()[sheet["game"]], sheet["players"]
    seats = {name: str(seat) for seat, name in enumerate(names, start=1)}
    people = [Player(id=number, name=name) for number, name in enumerate(names, start=1)]
    table = Table(
        id=1,
        token="t",  # noqa: S106  # no password
        game=game.slug,
        house_rules=sheet["house_rules"],
        dealer=seats[sheet["dealer"]],
        seats=[Seat(label=str(person.id), player_id=person.id, player=person) for person in people],
    )
    bodies = [rename_players(open_sheet(sheet)[0], deal, seats) for deal in sheet["deals"]]
    return TableState(table, first_rows([Change(RECORD, body=body) for body in bodies], 1, AT, "law"))


@law
def test_looking_back_at_a_deal_gives_its_house_rules_and_those_who_sat_in_it(slug: str, data: st.DataObject) -> None:
    sheet, rng = data.draw(sheets(slug, max_deals=12, with_substitutes=True)), data.draw(st.randoms())
    game, standing = open_sheet(sheet)
    found = []
    for deal in sheet["deals"]:
        terms = make_terms(game, random_rules(game, rng, len(standing.players)))
        if fold(game, standing, [terms if rng.randint(0, 4) == 0 else deal]) is not None:
            continue
        row = standing.rows[-1]
        found.append(([*game.counted.figures(standing, row)], [*game.counted.feats(standing, row)]))
    for row, (figures, feats) in zip(standing.rows, found, strict=True):
        past = standing.seated_as(row)
        assert (past.players, past.options) == (row.players, row.options)
        if not game.is_passed(row.fact):
            assert ([*game.counted.figures(past, row)], [*game.counted.feats(past, row)]) == (figures, feats)
            assert {figure.party for figure in figures} <= {*row.players, *past.parties}


@law
def test_the_seats_score_as_without_substitutions(slug: str, data: st.DataObject) -> None:
    rng = data.draw(st.randoms())
    opening = random_opening(games()[slug], rng, rng.choice(games()[slug].player_counts))
    (game, seated), (_, plain) = open_sheet(opening), open_sheet(opening)
    for _ in range(15):
        if plain.is_finished:
            return
        if rng.randint(0, 3) == 0:
            fold(game, seated, [{"substitution": random_substitution(seated, rng, SUBSTITUTES)}])
        deal = random_deal(game, plain, rng)
        names = dict(zip(plain.players, seated.players, strict=True))
        refused = fold(game, seated, [rename_players(game, deal, names)]), fold(game, plain, [deal])
        if any(refused):
            found, expected = (refusal and refusal.first.field for refusal in refused)
            assert found == expected
        else:
            assert _by_seat(game, seated, seated.rows[-1]) == _by_seat(game, plain, plain.rows[-1])


def _by_seat(game: AnyGame, standing: AnyStanding, row: Row) -> JsonObject:
    """Return what a deal did, with "seat 1" and so on in place of names."""
    seats = {player: f"seat {number}" for number, player in enumerate(row.players, 1)}
    done: JsonObject = {
        "entries": [
            (entry.amount, entry.unit, entry.reason, *(seats.get(party or "", party) for party in entry[:2]))
            for entry in row.entries
        ],
        "ended": [(ended.kind, *(seats.get(party, party) for party in ended.winners)) for ended in row.closings],
        "dealer": seats.get(standing.dealer),
    }
    scores = {seats.get(party, party): score for party, score in standing.scores.items()}
    return done if game.stakes.scores_are_payments else done | {"scores": scores}


@law
def test_house_rules_that_are_those_of_before_change_nothing(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(sheets(slug))
    place = data.draw(st.integers(0, len(sheet["deals"])))
    before, after = sheet["deals"][:place], sheet["deals"][place:]
    game, standing = play(sheet | {"deals": before})
    assume(not standing.is_finished)
    same = make_terms(game, schema.dump(standing.options))
    assert _outcome(scored(sheet | {"deals": [*before, same, *after]})) == _outcome(scored(sheet))


@law
def test_house_rules_from_the_start_are_those_with_which_the_sheet_opens(slug: str, data: st.DataObject) -> None:
    sheet, rng = data.draw(sheets(slug)), data.draw(st.randoms())
    game, rules = games()[slug], sheet["house_rules"]
    others = random_opening(game, rng, len(sheet["players"]))["house_rules"]
    if game.house_rules.named_by:
        others |= {game.house_rules.named_by: rules[game.house_rules.named_by]}
    changed = score(sheet | {"house_rules": others, "deals": [make_terms(game, rules), *sheet["deals"]]}, games())
    if isinstance(changed, Refusal):
        assert changed.first.key == "another-game"
    else:
        assert _outcome(changed) == _outcome(scored(sheet))


def _outcome(statement: JsonObject) -> JsonObject:
    """Return what a statement says, without the numbers of rows and without those that score nothing."""
    outcome = {key: statement[key] for key in ("status", "dealer", "scores", "balances", "settlement")}
    deals = [row["scored"] for row in statement["deals"] if any(row["scored"].values())]
    return outcome | {"deals": deals, "journal": [{**entry, "deal": 0} for entry in statement["journal"]]}
