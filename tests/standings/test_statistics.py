"""Statistics of a player and of a circle, worked by hand from small totals."""

from __future__ import annotations

from scorekeeper.games import games
from scorekeeper.standings.statistics import (
    NET,
    BalancePoint,
    FigureTotals,
    HeadToHead,
    add_head_to_heads,
    list_balance_history,
    list_games,
    rank_at_game,
)
from scorekeeper.standings.totals import Counts, GameTotals, MetCounts, PersonCounts, PlayerGameTotals, Totals

WHIST, FRANCION = games()["whist"], games()["francion"]


def test_the_game_with_most_tables_comes_first() -> None:
    def played(tables: int) -> GameTotals:
        return GameTotals(players={1: PlayerGameTotals(tables=tables)})

    first, second, third, fourth, *_ = games()
    totals = Totals(games={third: played(2), second: played(5), first: played(2), fourth: GameTotals()})
    assert [at_game.game.slug for at_game in list_games(1, totals)] == [second, first, third]
    assert list_games(2, totals) == []


def test_partners_and_opponents_are_sorted_by_tables_then_contests_won_then_fewest_lost() -> None:
    game_totals = GameTotals(
        players={1: PlayerGameTotals(tables=9)},
        partners={
            1: {2: MetCounts(3, 1, 0), 10: MetCounts(3, 2, 5), 3: MetCounts(4, 0, 0)},
            4: {5: MetCounts(9, 9, 9)},
        },
        opponents={
            1: {
                2: MetCounts(2, 1, 4),
                3: MetCounts(2, 1, 3),
                0: MetCounts(2, 1, 3),
                20: MetCounts(1, 0, 0),
                9: MetCounts(1, 0, 0),
            }
        },
    )
    (at_game,) = list_games(1, Totals(games={"whist": game_totals}))
    assert at_game.partners == [HeadToHead(3, 4, 0, 0), HeadToHead(10, 3, 2, 5), HeadToHead(2, 3, 1, 0)]
    assert at_game.opponents == [
        *(HeadToHead(0, 2, 1, 3), HeadToHead(3, 2, 1, 3), HeadToHead(2, 2, 1, 4)),
        *(HeadToHead(9, 1, 0, 0), HeadToHead(20, 1, 0, 0)),
    ]
    assert (at_game.game, at_game.totals) == (WHIST, game_totals.players[1])


def test_people_met_at_several_games_are_added_up() -> None:
    lists = [[HeadToHead(2, 3, 1, 0), HeadToHead(3, 1, 1, 1)], [HeadToHead(3, 4, 0, 2)], []]
    assert add_head_to_heads(lists) == [HeadToHead(3, 5, 1, 3), HeadToHead(2, 3, 1, 0)]


def test_figures_are_in_the_games_order_with_their_parts_by_size() -> None:
    figures = {"contract_made.12": 1, "contract_made.7-no-trump": 2, "contract_made.7": 3, "contract_made.8": 1}
    game_totals = GameTotals(
        players={1: PlayerGameTotals(figures=Counts(figures | {"slam_made": 1, "contract_made": 4, "defended": 0}))}
    )
    (at_game,) = list_games(1, Totals(games={"joffre": game_totals}))
    assert at_game.figures == [
        FigureTotals("contract_made", 11, [("7", 3), ("7-no-trump", 2), ("8", 1), ("12", 1)]),
        FigureTotals("slam_made", 1, []),
    ]
    primaute = GameTotals(
        players={1: PlayerGameTotals(figures=Counts({"most_tricks.primaute": 1, "most_tricks.outright": 2}))}
    )
    (at_game,) = list_games(1, Totals(games={"francion": primaute}))
    assert at_game.figures == [FigureTotals("most_tricks", 3, [("outright", 2), ("primaute", 1)])]


def counted(nets: dict[str, dict[str, dict[int, int]]]) -> dict[str, dict[str, PersonCounts]]:
    return {account: {day: PersonCounts(of_day) for day, of_day in days.items()} for account, days in nets.items()}


def test_a_balance_history_has_a_point_for_each_evening_a_player_played() -> None:
    nets = {
        "EUR": {"2026-01-08": {1: -2, 2: 2}, "2026-01-01": {1: 5, 2: -5}, "2026-01-15": {2: 1, 3: -1}},
        "whist": {"2026-01-01": {1: 7}, "2026-01-02": {1: 0}},
        "joffre": {"2026-01-01": {1: 0}},
        "CHF": {"2026-01-03": {1: 1}, "2026-01-02": {1: 1}},
        "francion": {"2026-01-01": {1: 1}, "2026-01-02": {1: 1}, "2026-01-03": {1: 1}},
    }
    history = list_balance_history(1, Totals(net_results=counted(nets)))
    # Most evenings first; of equals money before counters, then by name.
    assert list(history) == ["francion", "CHF", "EUR", "whist"]
    assert history["EUR"] == [BalancePoint("2026-01-01", 5, 5), BalancePoint("2026-01-08", -2, 3)]
    assert history["whist"] == [BalancePoint("2026-01-01", 7, 7), BalancePoint("2026-01-02", 0, 7)]


def test_at_francion_a_fiche_counts_nine_jetons_in_a_ranking() -> None:
    game_totals = GameTotals(
        players={
            1: PlayerGameTotals(net=Counts({"fiches": 1})),
            2: PlayerGameTotals(net=Counts({"jetons": 8})),
            3: PlayerGameTotals(),
        }
    )
    assert [(row.player, row.net) for row in rank_at_game(FRANCION, game_totals, {}, NET)] == [
        (1, 9),
        (2, 8),
        (3, 0),
    ]
