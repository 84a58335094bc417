"""Totals: adding is associative, and the results equal those computed from the statements."""

from __future__ import annotations

import json
from datetime import date, timedelta
from functools import reduce
from operator import add
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scorekeeper.games import games
from scorekeeper.models import Player, Revision, Seat, Table
from scorekeeper.scoring.accounts import SUBUNITS_PER_UNIT
from scorekeeper.scoring.standing import MANCHE, PARTIE, ROBRE
from scorekeeper.scoring.statement import score
from scorekeeper.stats.player import longest_run, ranking, share, under_way
from scorekeeper.stats.table import summarise
from scorekeeper.stats.totals import (
    EVERYBODY,
    EveningSpan,
    GameTotals,
    PlayerGameTotals,
    Totals,
    WinningRun,
    dump,
    load,
    tally,
)
from scorekeeper.tables.state import TableState, rename_players

from .. import cases, plain, strategies

FEW = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
EVENING = date(2026, 11, 20)
CIRCLE = range(1, 8)  # numbers of its players
VALUES = (
    None,
    {"currency": "EUR", "unit": "fiche", "amount": "0.25"},
    {"currency": "CHF", "unit": "fiche", "amount": "0.1"},
)


class Sat(NamedTuple):
    """A table: its sheet, its players and its evening."""

    sheet: dict[str, Any]
    players: list[int]
    day: str


@st.composite
def evenings(draw: st.DrawFn, most: int = 8) -> list[Sat]:
    """Draw tables in order of their evenings."""
    days = sorted(draw(st.lists(st.integers(0, 70), max_size=most)))
    return [_sat(draw, EVENING + timedelta(days=day)) for day in days]


def _sat(draw: st.DrawFn, day: date) -> Sat:
    sheet = draw(strategies.sheets(most=8))
    value = draw(st.sampled_from(VALUES))
    players = draw(st.permutations(CIRCLE))[: len(sheet["players"])]
    return Sat(sheet | ({"value": value} if value else {}), list(players), day.isoformat())


def told(sat: Sat) -> dict[str, Any]:
    """What the table's summary says, as it is kept."""
    sheet, value = sat.sheet, sat.sheet.get("value", {})
    seats = {name: str(number) for number, name in enumerate(sheet["players"], start=1)}
    table = Table(
        game=sheet["game"],
        house_rules=sheet["house_rules"],
        dealer=seats[sheet["dealer"]],
        value_currency=value.get("currency"),
        value_unit=value.get("unit"),
        value_amount=value.get("amount"),
        seats=[
            Seat(seat=seat, player_id=id_, player=Player(name=str(id_)))
            for seat, id_ in zip(seats.values(), sat.players, strict=True)
        ],
    )
    bodies = [rename_players(games()[sheet["game"]], deal, seats) for deal in sheet["deals"]]
    revisions = [Revision(number=at, kind="record", deal=at, body=body) for at, body in enumerate(bodies, start=1)]
    return dict(json.loads(json.dumps(summarise(TableState(table, revisions)))))


def tallied(sats: list[Sat], persons: dict[int, int] | None = None) -> list[Totals]:
    """The tally of each table, numbered in order."""
    who = dict.fromkeys(CIRCLE, 0) | {id_: id_ for id_ in CIRCLE} | (persons or {})
    return [tally(at, sat.day, games()[sat.sheet["game"]], told(sat), who) for at, sat in enumerate(sats, start=1)]


@given(evenings(), st.data())
@FEW
def test_tallies_add_up_wherever_the_tables_are_split(sats: list[Sat], data: st.DataObject) -> None:
    ones = tallied(sats)
    whole = reduce(add, ones, Totals())
    first, second = sorted(data.draw(st.tuples(st.integers(0, len(ones)), st.integers(0, len(ones)))))
    a, b, c = (reduce(add, part, Totals()) for part in (ones[:first], ones[first:second], ones[second:]))
    assert (a + b) + c == a + (b + c) == whole
    assert whole + Totals() == Totals() + whole == whole


@given(evenings())
@FEW
def test_adding_changes_none_of_what_is_added(sats: list[Sat]) -> None:
    ones = tallied(sats)
    before = json.dumps([dump(one) for one in ones])
    whole = Totals()
    for one in ones:
        whole.add(one)
    whole.add(whole.coarser(7))
    assert json.dumps([dump(one) for one in ones]) == before


@given(evenings())
@FEW
def test_a_tally_that_was_kept_is_the_same_when_it_is_read(sats: list[Sat]) -> None:
    whole = reduce(add, tallied(sats), Totals())
    assert load(json.loads(json.dumps(dump(whole)))) == whole


@given(evenings())
@FEW
def test_courses_by_month_add_up_to_those_by_evening(sats: list[Sat]) -> None:
    ones = tallied(sats)
    whole = reduce(add, ones, Totals())
    assert whole.coarser(7) == reduce(add, (one.coarser(7) for one in ones), Totals())
    for account, course in whole.courses.items():
        assert _sums(course) == _sums(whole.coarser(4).courses[account])


def _sums(course: dict[str, dict[str, int]]) -> dict[str, int]:
    players = {player for nets in course.values() for player in nets}
    return {player: sum(nets.get(player, 0) for nets in course.values()) for player in players}


@given(evenings())
@FEW
def test_a_tally_comes_to_what_one_reckons_from_the_statements(sats: list[Sat]) -> None:
    whole, reckoned = reduce(add, tallied(sats), Totals()), plain.Reckoning()
    for sat in sats:
        names = dict(zip(sat.sheet["players"], map(str, sat.players), strict=True))
        reckoned.take(sat.sheet, sat.day, names.__getitem__)
    assert {player: nights.number for player, nights in whole.evenings.items() if player != EVERYBODY} == {
        player: len(days) for player, days in reckoned.evenings.items()
    }
    assert whole.evenings.get(EVERYBODY, EveningSpan()).number == len({sat.day for sat in sats})
    seen = {(slug, player): played for slug, at in whole.games.items() for player, played in at.players.items()}
    assert seen.keys() == reckoned.tables.keys()
    for (slug, player), played in seen.items():
        is_as_reckoned(slug, player, played, reckoned)
        at = whole.games[slug]
        assert at.with_whom(player) == _met(reckoned.with_whom, slug, player)
        assert at.against_whom(player) == _met(reckoned.against, slug, player)
    for account, course in whole.courses.items():
        each = SUBUNITS_PER_UNIT if account.isupper() else 1
        wanted = reckoned.money if account.isupper() else reckoned.counters
        assert _sums(course) == {player: wanted[account, player] * each for player in _sums(course)}


def is_as_reckoned(slug: str, player: str, played: PlayerGameTotals, reckoned: plain.Reckoning) -> None:
    contests = reckoned.contests[slug, player]
    assert played.tables == reckoned.tables[slug, player]
    assert played.deals == reckoned.deals[slug, player]
    for kind in (MANCHE, ROBRE, PARTIE):
        assert played.played.get(kind, 0) == reckoned.ended[slug, player, kind]
        assert played.won.get(kind, 0) == reckoned.won[slug, player, kind]
    assert all(amount == reckoned.net[slug, player, unit] for unit, amount in played.net.items())
    assert (played.run.best, played.run.end, played.run.length) == (
        plain.longest(contests),
        plain.last(contests),
        len(contests),
    )


def _met(told: Any, slug: str, player: str) -> dict[str, list[int]]:
    return {other: met for (game, one, other), met in told.items() if (game, one) == (slug, player)}


@given(evenings())
@FEW
def test_figures_and_records_are_those_of_the_tables(sats: list[Sat]) -> None:
    whole = reduce(add, tallied(sats), Totals())
    for slug, at in whole.games.items():
        tables = [told(sat) for sat in sats if sat.sheet["game"] == slug]
        for player, played in at.players.items():
            seats = [(table, seat) for table in tables for seat, id_ in table["seats"].items() if str(id_) == player]
            for name, count in played.figures.items():
                assert count == sum(table["figures"][seat].get(name, 0) for table, seat in seats)
        for name, record in at.records.items():
            amounts = [table["feats"][name][0] for table in tables if name in table["feats"]]
            assert (record.amount, record.times) == (max(amounts), amounts.count(max(amounts)))
            assert len(record.places) == min(record.times, 3)


@given(evenings())
@FEW
def test_two_players_who_are_one_are_told_as_one(sats: list[Sat]) -> None:
    apart = [sat for sat in sats if not {1, 2} <= set(sat.players)]
    merged = reduce(add, tallied(apart, {2: 1}), Totals())
    called = [sat._replace(players=[1 if id_ == 2 else id_ for id_ in sat.players]) for sat in apart]
    assert merged == reduce(add, tallied(called), Totals())


@pytest.mark.parametrize("slug", sorted(games()))
def test_a_game_names_every_kind_of_closing_it_tells_of(slug: str) -> None:
    game = games()[slug]
    statements = [
        statement
        for statement in (score(sheet, games()) for sheet in cases.sheets(slug))
        if isinstance(statement, dict)
    ]
    ended = {kind for statement in statements for kind, winners in plain.winners(statement).items() if winners}
    assert ended == set(game.ends)
    assert game.ends == tuple(kind for kind in (MANCHE, ROBRE, PARTIE) if kind in ended)


@given(st.lists(st.booleans()), st.lists(st.booleans()))
def test_runs_join_where_one_list_of_contests_follows_another(before: list[bool], after: list[bool]) -> None:
    def run(won: list[bool]) -> WinningRun:
        return reduce(
            WinningRun.then,
            (WinningRun(1, 1, 1, 1) if is_won else WinningRun(0, 0, 0, 1) for is_won in won),
            WinningRun(),
        )

    whole = before + after
    assert run(before).then(run(after)) == WinningRun(
        plain.last(whole[::-1]), plain.last(whole), plain.longest(whole), len(whole)
    )


def test_equals_share_a_rank_and_the_next_is_told_by_how_many_are_before() -> None:
    at = GameTotals(
        players={str(id_): PlayerGameTotals(won={"robre": won}) for id_, won in enumerate((3, 5, 3, 1, 5), start=1)}
    )
    ranks = [(ranked.rank, ranked.player) for ranked in ranking(games()["whist"], at)]
    assert ranks == [(1, "2"), (1, "5"), (3, "1"), (3, "3"), (5, "4")]


def test_runs_name_everybody_who_has_them() -> None:
    runs = {
        "1": WinningRun(0, 2, 4, 9),
        "2": WinningRun(0, 0, 4, 9),
        "10": WinningRun(0, 2, 3, 9),
        "3": WinningRun(1, 1, 1, 1),
    }
    at = GameTotals(players={player: PlayerGameTotals(run=run) for player, run in runs.items()})
    assert longest_run(at) == (4, ["1", "2"])
    assert under_way(at) == [(2, ["1", "10"])]


@pytest.mark.parametrize(("won", "played", "percent"), [(0, 3, 0), (1, 3, 33), (2, 3, 67), (1, 8, 13), (3, 3, 100)])
def test_a_share_is_a_whole_number_of_a_hundred(won: int, played: int, percent: int) -> None:
    assert share(won, played) == percent
