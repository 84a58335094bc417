"""Statistics of a player and of a circle, worked by hand from small totals."""

from __future__ import annotations

import pytest

from scorekeeper.games import games
from scorekeeper.stats.player import (
    BalancePoint,
    FigureTotals,
    HeadToHead,
    courses_of,
    games_of,
    longest_run,
    money_of,
    ranking,
    records_of,
    share,
    together,
    under_way,
)
from scorekeeper.stats.totals import GameTotals, PlayerGameTotals, Record, RecordOrigin, Totals, WinningRun

WHIST, FRANCION = games()["whist"], games()["francion"]


def test_the_game_with_most_tables_comes_first() -> None:
    def at(tables: int) -> GameTotals:
        return GameTotals(players={"1": PlayerGameTotals(tables=tables)})

    period = Totals(games={"whist": at(2), "joffre": at(5), "francion": at(2), "short-whist": GameTotals()})
    assert [one.game.slug for one in games_of("1", period, games())] == ["joffre", "francion", "whist"]
    assert games_of("2", period, games()) == []


def test_partners_and_opponents_come_by_tables_then_by_contests_won_then_by_fewest_lost() -> None:
    at = GameTotals(
        players={"1": PlayerGameTotals(tables=9)},
        partners={"1 2": [3, 1, 0], "1 10": [3, 2, 5], "1 3": [4, 0, 0], "4 5": [9, 9, 9]},
        # Contests won by the first of the two, then by the second.
        opponents={"1 2": [2, 1, 4], "1 3": [2, 1, 3], "0 1": [2, 3, 1], "1 20": [1, 0, 0], "1 9": [1, 0, 0]},
    )
    (seen,) = games_of("1", Totals(games={"whist": at}), games())
    assert seen.partners == [HeadToHead("3", 4, 0, 0), HeadToHead("10", 3, 2, 5), HeadToHead("2", 3, 1, 0)]
    assert seen.opponents == [
        *(HeadToHead("0", 2, 1, 3), HeadToHead("3", 2, 1, 3), HeadToHead("2", 2, 1, 4)),
        *(HeadToHead("9", 1, 0, 0), HeadToHead("20", 1, 0, 0)),
    ]
    assert (seen.game, seen.played) == (WHIST, at.players["1"])


def test_people_met_at_several_games_are_added_up() -> None:
    lists = [[HeadToHead("2", 3, 1, 0), HeadToHead("3", 1, 1, 1)], [HeadToHead("3", 4, 0, 2)], []]
    assert together(lists) == [HeadToHead("3", 5, 1, 3), HeadToHead("2", 3, 1, 0)]


def test_figures_are_told_with_their_parts_by_size_and_in_the_games_order() -> None:
    figures = {"contract_made.12": 1, "contract_made.7-no-trump": 2, "contract_made.7": 3, "contract_made.8": 1}
    at = GameTotals(
        players={"1": PlayerGameTotals(figures=figures | {"slam_made": 1, "contract_made": 4, "defended": 0})}
    )
    (seen,) = games_of("1", Totals(games={"joffre": at}), games())
    assert seen.figures == [
        FigureTotals("contract_made", 11, [("7", 3), ("7-no-trump", 2), ("8", 1), ("12", 1)]),
        FigureTotals("slam_made", 1, []),
    ]
    primaute = GameTotals(
        players={"1": PlayerGameTotals(figures={"most_tricks.primaute": 1, "most_tricks.outright": 2})}
    )
    (seen,) = games_of("1", Totals(games={"francion": primaute}), games())
    assert seen.figures == [FigureTotals("most_tricks", 3, [("outright", 2), ("primaute", 1)])]


def test_money_is_told_by_currency_of_those_who_played_for_it() -> None:
    courses = {
        "EUR": {"2026-01-01": {"1": 5, "2": -5}, "2026-01-08": {"1": -2, "3": 2}},
        "CHF": {"2026-01-01": {"1": 1, "2": -1}},
        "whist": {"2026-01-01": {"1": 7, "2": -7}},
    }
    told = Totals(courses=courses)
    assert list(money_of("1", told).items()) == [("CHF", 1), ("EUR", 3)]
    assert money_of("3", told) == {"EUR": 2}
    assert money_of("4", told) == {}


def test_a_course_runs_from_evening_to_evening_that_somebody_played() -> None:
    courses = {
        "EUR": {"2026-01-08": {"1": -2, "2": 2}, "2026-01-01": {"1": 5, "2": -5}, "2026-01-15": {"2": 1, "3": -1}},
        "whist": {"2026-01-01": {"1": 7}, "2026-01-02": {"1": 0}},
        "joffre": {"2026-01-01": {"1": 0}},
        "CHF": {"2026-01-03": {"1": 1}, "2026-01-02": {"1": 1}},
        "francion": {"2026-01-01": {"1": 1}, "2026-01-02": {"1": 1}, "2026-01-03": {"1": 1}},
    }
    told = courses_of("1", Totals(courses=courses))
    # Most evenings first; of equals money before counters, then by name.
    assert list(told) == ["francion", "CHF", "EUR", "whist"]
    assert told["EUR"] == [BalancePoint("2026-01-01", 5, 5), BalancePoint("2026-01-08", -2, 3)]
    assert told["whist"] == [BalancePoint("2026-01-01", 7, 7), BalancePoint("2026-01-02", 0, 7)]


def test_a_ranking_counts_contests_or_counters_and_tells_who_played_less_first() -> None:
    at = GameTotals(
        players={
            "1": PlayerGameTotals(won={"robre": 2}, played={"robre": 6}, net={"fiches": 4}),
            "2": PlayerGameTotals(won={"robre": 2}, played={"robre": 5}, net={"fiches": -4}),
            "10": PlayerGameTotals(won={"manche": 9}, net={"fiches": 1}),
            "3": PlayerGameTotals(won={"robre": 3}, played={"robre": 9}, net={}),
            "4": PlayerGameTotals(net={"fiches": -1}),
        }
    )
    ranks = [(one.rank, one.player, one.net) for one in ranking(WHIST, at)]
    assert ranks == [(1, "3", 0), (2, "2", -4), (2, "1", 4), (4, "4", -1), (4, "10", 1)]
    by_net = [(one.rank, one.player) for one in ranking(WHIST, at, by_net=True)]
    assert by_net == [(1, "1"), (2, "10"), (3, "3"), (4, "4"), (5, "2")]
    assert ranking(WHIST, at)[0].played is at.players["3"]


def test_at_francion_a_fiche_counts_nine_jetons_in_a_ranking() -> None:
    at = GameTotals(
        players={
            "1": PlayerGameTotals(net={"fiches": 1}),
            "2": PlayerGameTotals(net={"jetons": 8}),
            "3": PlayerGameTotals(),
        }
    )
    assert [(one.player, one.net) for one in ranking(FRANCION, at, by_net=True)] == [("1", 9), ("2", 8), ("3", 0)]


def test_two_contests_in_a_row_are_a_run_and_one_is_none() -> None:
    at = GameTotals(
        players={
            "1": PlayerGameTotals(run=WinningRun(best=1, end=1)),
            "2": PlayerGameTotals(run=WinningRun(best=2, end=2)),
        }
    )
    assert longest_run(at) == (2, ["2"])
    assert under_way(at) == [(2, ["2"])]
    none = GameTotals(players={"1": PlayerGameTotals(run=WinningRun(best=1, end=1))})
    assert longest_run(none) is None
    assert under_way(none) == []


def test_runs_under_way_come_longest_first() -> None:
    ends = {"2": 3, "1": 2, "10": 3, "4": 5}
    at = GameTotals(
        players={player: PlayerGameTotals(run=WinningRun(end=end, best=9 - end)) for player, end in ends.items()}
    )
    assert under_way(at) == [(5, ["4"]), (3, ["2", "10"]), (2, ["1"])]
    assert longest_run(at) == (7, ["1"])


def test_records_come_in_the_games_order() -> None:
    record = Record(3, 1, [RecordOrigin(1, "2026-01-01", 1, ["1"])])
    at = GameTotals(records={"most_in_a_deal": record, "robre_margin": record, "nonsense": record})
    assert records_of(WHIST, at) == [("robre_margin", record), ("most_in_a_deal", record)]


@pytest.mark.parametrize(("won", "played", "percent"), [(1, 2, 50), (1, 200, 1), (1, 201, 0), (199, 200, 100)])
def test_half_of_a_hundredth_is_rounded_up(won: int, played: int, percent: int) -> None:
    assert share(won, played) == percent
