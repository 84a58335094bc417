"""Play a season of sixty evenings, and compare every statistic with an independent computation.

The seed is fixed. The expected values do not use the app's database: the facts are exported as score sheets, and
tests/plain.py adds them up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import event

from scorekeeper.games import games
from scorekeeper.models import Table, db
from scorekeeper.scoring.accounts import SUBUNITS_PER_UNIT
from scorekeeper.scoring.sheet import dump
from scorekeeper.services.circles import players
from scorekeeper.services.totals import periods
from scorekeeper.services.verify import verify
from scorekeeper.stats.game_keys import slug_of
from scorekeeper.stats.totals import Totals

from . import plain
from .apps import open_app
from .databases import Databases
from .season import EVENINGS, Season


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory, databases: Databases) -> Iterator[tuple[Flask, Season]]:
    """A season, played once for all tests of this module."""
    url = databases.make(tmp_path_factory.mktemp("season"))
    with open_app(url) as app:
        with app.app_context(), pytest.MonkeyPatch.context() as monkeypatch:
            if db.engine.dialect.name == "sqlite":
                event.listen(db.engine, "checkout", do_not_wait_for_the_disk)
            season = Season(monkeypatch)
            season.play()
        with app.app_context():
            yield app, season
    databases.drop(url)


def do_not_wait_for_the_disk(connection: Any, *_rest: Any) -> None:
    """Turn off syncing to disk, which is slow and not needed in tests."""
    connection.execute("PRAGMA synchronous=OFF")


@pytest.fixture(scope="module")
def expected(season: tuple[Flask, Season]) -> plain.PlainStatistics:
    """Return the statistics of all tables in order, computed from their sheets."""
    _, played = season
    statistics = plain.PlainStatistics()
    for table in db.session.scalars(db.select(Table).order_by(Table.day, Table.id)).all():
        statistics.add_sheet(dump(played.read(table.token).sheet()), table.day.isoformat())
    return statistics


@pytest.fixture(scope="module")
def names(season: tuple[Flask, Season]) -> dict[str, str]:
    """Return the name of each person by id."""
    return {str(id_): person.name for id_, person in players.read_persons(season[1].circle).items() if person.id == id_}


@pytest.fixture(scope="module")
def totals(season: tuple[Flask, Season]) -> Totals:
    return periods.read(season[1].circle).totals


def test_tables_and_contests_agree_with_the_sheets(
    totals: Totals, expected: plain.PlainStatistics, names: dict[str, str]
) -> None:
    by_name = {
        (slug, names[player]): player_totals
        for slug, game_totals in totals.games.items()
        for player, player_totals in game_totals.players.items()
    }
    assert by_name.keys() == expected.tables.keys()
    for (slug, name), player_totals in by_name.items():
        assert (player_totals.tables, player_totals.deals) == (expected.tables[slug, name], expected.deals[slug, name])
        for kind in games()[slug_of(slug)].ends:
            assert player_totals.played.get(kind, 0) == expected.ended[slug, name, kind]
            assert player_totals.won.get(kind, 0) == expected.won[slug, name, kind]
        contests = expected.contests[slug, name]
        assert (player_totals.streaks.best, player_totals.streaks.end) == (
            plain.longest(contests),
            plain.last(contests),
        )
    assert {names[player]: evenings.number for player, evenings in totals.evenings.items() if player} == {
        name: len(days) for name, days in expected.evenings.items()
    }


def test_net_results_agree_with_the_sheets(
    totals: Totals, expected: plain.PlainStatistics, names: dict[str, str]
) -> None:
    nets = {
        (slug, names[player], unit): amount
        for slug, game_totals in totals.games.items()
        for player, player_totals in game_totals.players.items()
        for unit, amount in player_totals.net.items()
    }
    assert nets == expected.net
    assert {currency for currency, _ in expected.money} == {"EUR", "CHF"}
    assert _net_results(totals, names) == {key: net for key, net in _balances(expected).items() if net}


def _net_results(totals: Totals, names: dict[str, str]) -> dict[tuple[str, str], int]:
    """Return net results by account and name, in subunits."""
    sums: Counter[tuple[str, str]] = Counter()
    for account, nets_by_date in totals.net_results.items():
        for nets in nets_by_date.values():
            for player, subunits in nets.items():
                sums[account, names[player]] += subunits
    return {key: subunits for key, subunits in sums.items() if subunits}


def _balances(expected: plain.PlainStatistics) -> dict[tuple[str, str], Fraction]:
    """Return expected balances by account and name, in subunits."""
    return {key: Fraction(amount) for key, amount in expected.counters.items()} | {
        key: amount * SUBUNITS_PER_UNIT for key, amount in expected.money.items()
    }


def test_partners_and_opponents_agree_with_the_sheets(
    totals: Totals, expected: plain.PlainStatistics, names: dict[str, str]
) -> None:
    for method, expected_pairs in (("partners_of", expected.partners), ("opponents_of", expected.opponents)):
        pairs = {
            (slug, names[player], names[other]): counts
            for slug, game_totals in totals.games.items()
            for player in game_totals.players
            for other, counts in getattr(game_totals, method)(player).items()
        }
        assert pairs == expected_pairs


def test_verify_finds_no_fault_in_the_season(season: tuple[Flask, Season]) -> None:
    assert season
    done = verify()
    assert done.faults == []
    assert done.tables > EVENINGS
