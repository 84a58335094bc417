"""Totals equal those computed from the statements."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from fractions import Fraction
from itertools import permutations
from typing import Any, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from scorekeeper.games import games, make_game_key
from scorekeeper.models import Player, Seat, Table
from scorekeeper.scoring.currency import SUBUNITS_PER_UNIT
from scorekeeper.scoring.sheet import score
from scorekeeper.scoring.standing import MANCHE, PARTIE, ROBRE
from scorekeeper.standings.totals import PlayerGameTotals, Totals
from scorekeeper.tables.chairs import rename_players
from scorekeeper.tables.revisions import RECORD, Change, first_rows
from scorekeeper.tables.state import TableState
from scorekeeper.tables.summary import SummaryData, summarise
from scorekeeper.testing.playing import open_sheet, sheets

FEW = settings(max_examples=15)
EVENING = date(2026, 11, 20)
JETONS = 9  # of a fiche
# Numbers of a circle's players: more than sit at any table.
CIRCLE = range(1, 2 + max(max(game.player_counts) for game in games().values()))
VALUES = (
    None,
    {"currency": "EUR", "unit": "fiche", "amount": "0.25"},
    {"currency": "CHF", "unit": "fiche", "amount": "0.1"},
)


class PlayedTable(NamedTuple):
    """A table: its sheet, its players and its evening."""

    sheet: dict[str, Any]
    players: list[int]
    day: str


@st.composite
def tables(draw: st.DrawFn) -> list[PlayedTable]:
    """Draw tables in order of their evenings."""
    days = sorted(draw(st.lists(st.integers(0, 70), max_size=8)))
    return [_table(draw, EVENING + timedelta(days=day)) for day in days]


def _table(draw: st.DrawFn, day: date) -> PlayedTable:
    sheet = draw(sheets(max_deals=8))
    value = draw(st.sampled_from(VALUES))
    players = draw(st.permutations(CIRCLE))[: len(sheet["players"])]
    return PlayedTable(sheet | ({"value": value} if value else {}), list(players), day.isoformat())


def key_of(sheet: Mapping[str, Any]) -> str:
    """Return the game of a sheet, a described one with its name."""
    return make_game_key(games()[sheet["game"]], sheet.get("house_rules", {}))


def summary_of(played: PlayedTable) -> SummaryData:
    """Return the table's summary, read back from JSON."""
    sheet, value = played.sheet, played.sheet.get("value", {})
    seats = {name: str(number) for number, name in enumerate(sheet["players"], start=1)}
    table = Table(
        game=sheet["game"],
        house_rules=sheet["house_rules"],
        dealer=seats[sheet["dealer"]],
        value_currency=value.get("currency"),
        value_unit=value.get("unit"),
        value_amount=value.get("amount"),
        has_stakes=True,
        seats=[
            Seat(label=seat, player_id=id_, player=Player(name=str(id_)))
            for seat, id_ in zip(seats.values(), played.players, strict=True)
        ],
    )
    bodies = [rename_players(open_sheet(sheet)[0], deal, seats) for deal in sheet["deals"]]
    revisions = first_rows([Change(RECORD, body=body) for body in bodies], 0, datetime(2026, 11, 22), "")
    summary: SummaryData = json.loads(json.dumps(summarise(TableState(table, revisions))))
    return summary


def totals_of(played_tables: list[PlayedTable], merged: dict[int, int] | None = None) -> Totals:
    """Return the totals of tables, with ids in order. `merged` maps merged players to persons."""
    person_ids, totals = {id_: id_ for id_ in CIRCLE} | (merged or {}), Totals()
    for id_, played in enumerate(played_tables, start=1):
        game = games()[played.sheet["game"]]
        totals.add(id_, played.day, game, summary_of(played), person_ids, key_of(played.sheet))
    return totals


def winners(statement: Mapping[str, Any]) -> dict[str, list[list[str]]]:
    """Return the winners of each manche, robre and partie by kind: one, or all who share it."""
    if "manches" not in statement:
        won = statement.get("winners", [statement["winner"]] if statement["winner"] else [])
        return {"partie": [won] if won else []}
    kinds = {kind: statement[f"{kind}s"] for kind in ("manche", "robre") if f"{kind}s" in statement}
    return {kind: [[end["winner"]] for end in ended] for kind, ended in kinds.items()}


class CountedStatements:
    """What players have, counted in the statements of the sheets alone. Games are keys, players numbers.

    Attributes:
        counts: by game, player and what is counted; `ended` and `won` before a kind of contest.
        balances: by account and player, in money or in the unit in which the game is settled.
        contests: by game and player: for each contest in order, "x" if it was won, otherwise a space.
        pairs: by game, whether they were partners, and two players: tables, contests won, contests lost.
    """

    def __init__(self, played_tables: list[PlayedTable]) -> None:
        self.counts: Counter[tuple[str, int, str]] = Counter()
        self.balances: defaultdict[tuple[str, int], Fraction] = defaultdict(Fraction)
        self.contests: defaultdict[tuple[str, int], str] = defaultdict(str)
        self.pairs: defaultdict[tuple[str, bool, int, int], list[int]] = defaultdict(lambda: [0, 0, 0])
        for played in played_tables:
            self._add(*played)

    def _add(self, sheet: dict[str, Any], players: list[int], _day: str) -> None:
        statement, key = score(sheet, games()), key_of(sheet)
        assert isinstance(statement, dict), statement
        numbers = {name: [number] for name, number in zip(sheet["players"], players, strict=True)}
        sides = {"ns": players[::2], "ew": players[1::2]} if "ns" in statement["scores"] else {}
        ended = {
            kind: [[player for winner in each for player in (sides | numbers)[winner]] for each in ends]
            for kind, ends in winners(statement).items()
        }
        contests = ended.get(ROBRE, ended.get(MANCHE, ended.get(PARTIE, [])))
        deals = sum("misdeal" not in deal and "adjustment" not in deal for deal in sheet["deals"])
        for name, (player,) in numbers.items():
            found = {"tables": 1, "deals": deals, **statement["balances"][name]}
            found |= {f"ended {kind}": len(won) for kind, won in ended.items()}
            found |= {f"won {kind}": sum(player in each for each in won) for kind, won in ended.items()}
            self.counts.update({(key, player, what): count for what, count in found.items()})
            self.contests[key, player] += "".join("x" if player in won else " " for won in contests)
            self._add_balance(key, player, statement["balances"][name], sheet.get("value"))
        for player, other in permutations(players, 2):
            are_partners = any({player, other} <= set(side) for side in sides.values())
            won, won_by_other = (sum(each in names for names in contests) for each in (player, other))
            pair = self.pairs[key, are_partners, player, other]
            pair[:] = [pair[0] + 1, pair[1] + won, pair[2] + (len(contests) - won if are_partners else won_by_other)]

    def _add_balance(self, key: str, player: int, balance: Mapping[str, int], value: Mapping[str, str] | None) -> None:
        jetons = JETONS if "jetons" in balance else 1
        counters = balance.get("jetons", 0) + jetons * balance["fiches"]
        if value is None:
            self.balances[key, player] += counters
        else:
            worth = Fraction(value["amount"]) / (jetons if value["unit"] == "fiche" else 1)
            self.balances[value["currency"], player] += worth * counters


@given(tables())
@FEW
def test_totals_equal_those_computed_from_the_statements(played_tables: list[PlayedTable]) -> None:
    whole, expected = totals_of(played_tables), CountedStatements(played_tables)
    days = {player: {played.day for played in played_tables if player in played.players} for player in CIRCLE}
    assert {player: whole.count_evenings(player) for player in CIRCLE} == {id_: len(days[id_]) for id_ in CIRCLE}
    assert whole.count_evenings() == len({played.day for played in played_tables})
    found = {(key, player) for key, totals in whole.games.items() for player in totals.players}
    assert found == {(key, player) for key, player, _ in expected.counts}
    for key, player in found:
        at = whole.games[key]
        assert_equal_totals(
            at.players[player],
            {what: count for (game, id_, what), count in expected.counts.items() if (game, id_) == (key, player)},
        )
        contests = expected.contests[key, player]
        streaks = max(map(len, contests.split()), default=0), len(contests) - len(contests.rstrip("x"))
        assert (at.players[player].best_streak, at.players[player].streak) == streaks
        for are_partners, pairs in ((True, at.partners), (False, at.opponents)):
            assert pairs.get(player, {}) == {
                other: tuple(counts)
                for (game, partners, first, other), counts in expected.pairs.items()
                if (game, partners, first) == (key, are_partners, player)
            }
    for account, nets_by_date in whole.net_results.items():
        factor = SUBUNITS_PER_UNIT if account.isupper() else 1
        sums = Counter[int]()
        for nets in nets_by_date.values():
            sums.update(nets)
        assert sums == {player: expected.balances[account, player] * factor for player in sums}


def assert_equal_totals(totals: PlayerGameTotals, expected: Mapping[str, int]) -> None:
    assert (totals.tables, totals.deals) == (expected["tables"], expected["deals"])
    for kind in (MANCHE, ROBRE, PARTIE):
        assert totals.played.get(kind, 0) == expected.get(f"ended {kind}", 0)
        assert totals.won.get(kind, 0) == expected.get(f"won {kind}", 0)
    assert all(amount == expected.get(unit, 0) for unit, amount in totals.net.items())


@given(tables())
@FEW
def test_figures_and_records_are_those_of_the_tables(played_tables: list[PlayedTable]) -> None:
    whole = totals_of(played_tables)
    for key, game_totals in whole.games.items():
        summaries = [summary_of(played) for played in played_tables if key_of(played.sheet) == key]
        for player, totals in game_totals.players.items():
            seats = [
                (summary, seat) for summary in summaries for seat, id_ in summary["seats"].items() if id_ == player
            ]
            for name, count in totals.figures.items():
                assert count == sum(summary["figures"][seat].get(name, 0) for summary, seat in seats)
        for name, record in game_totals.records.items():
            amounts = [summary["feats"][name][0] for summary in summaries if name in summary["feats"]]
            assert (record.amount, record.times) == (max(amounts), amounts.count(max(amounts)))
            assert len(record.origins) == min(record.times, 3)


@given(tables())
@FEW
def test_merged_players_have_the_totals_of_one_player(played_tables: list[PlayedTable]) -> None:
    apart = [played for played in played_tables if not {1, 2} <= set(played.players)]
    merged = totals_of(apart, {2: 1})
    replaced = [played._replace(players=[1 if id_ == 2 else id_ for id_ in played.players]) for played in apart]
    assert merged == totals_of(replaced)
