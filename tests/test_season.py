"""A season of sixty evenings, and at the end every statistic compared with an independent computation.

The lot has a fixed seed. Nothing here looks into what the app keeps for itself: the facts come out as score sheets,
and what they come to is added up in tests/plain.py.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import event

from scorekeeper.currency import coin
from scorekeeper.games import games
from scorekeeper.models import Payment, Table, db
from scorekeeper.scoring.accounts import SUBUNITS_PER_UNIT, is_currency
from scorekeeper.scoring.sheet import dump
from scorekeeper.services import people
from scorekeeper.services.caches import period_totals
from scorekeeper.services.integrity import verify
from scorekeeper.services.settlements.balances import Account, Scope, open_accounts
from scorekeeper.stats.totals import Totals
from scorekeeper.tables import revisions

from . import plain
from .apps import open_app
from .databases import Databases
from .season import CIRCLE, EVENINGS, NEW, OLD, Season


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory, kept_in: Databases) -> Iterator[tuple[Flask, Season]]:
    """A season, played once for all tests of this module."""
    url = kept_in.make(tmp_path_factory.mktemp("season"))
    with open_app(url) as app:
        with app.app_context(), pytest.MonkeyPatch.context() as monkeypatch:
            if db.engine.dialect.name == "sqlite":
                event.listen(db.engine, "checkout", do_not_wait_for_the_disk)
            season = Season(monkeypatch)
            season.play()
        with app.app_context():
            yield app, season
    kept_in.drop(url)


def do_not_wait_for_the_disk(connection: Any, *_rest: Any) -> None:
    """Turn off syncing to disk, which is slow and not needed in tests."""
    connection.execute("PRAGMA synchronous=OFF")


@pytest.fixture(scope="module")
def reckoned(season: tuple[Flask, Season]) -> plain.Reckoning:
    """All tables in order, from their sheets."""
    _, played = season
    told = plain.Reckoning()
    found = db.session.scalars(db.select(Table).order_by(Table.day, Table.id)).all()
    for table in found:
        told.take(dump(played.read(table.token).sheet()), table.day.isoformat())
    return told


@pytest.fixture(scope="module")
def names(season: tuple[Flask, Season]) -> dict[str, str]:
    """The name of each person by id."""
    return {
        str(id_): person.name
        for id_, person in people.persons_by_player_id(season[1].circle).items()
        if person.id == id_
    }


@pytest.fixture(scope="module")
def tally(season: tuple[Flask, Season]) -> Totals:
    return period_totals.read(season[1].circle).totals


def test_the_season_was_as_varied_as_it_was_to_be(season: tuple[Flask, Season], names: dict[str, str]) -> None:
    _, played = season
    assert all(played.done[slug] > 10 for slug in games())
    for kind in (revisions.AMEND, revisions.WITHDRAW, revisions.UNDO, revisions.RESTORE, revisions.CLOSE):
        assert played.done[kind], kind
    assert played.done[revisions.RECORD] > 500
    for kind in ("paid in whole", "paid in part", "payment withdrawn"):
        assert played.done[kind] > 3, kind
    assert sorted(names.values()) == sorted((set(CIRCLE) - {OLD}) | {NEW})


def test_what_everybody_played_and_won_is_what_the_sheets_say(
    tally: Totals, reckoned: plain.Reckoning, names: dict[str, str]
) -> None:
    seen = {(slug, names[who]): one for slug, at in tally.games.items() for who, one in at.players.items()}
    assert seen.keys() == reckoned.tables.keys()
    for (slug, name), one in seen.items():
        assert (one.tables, one.deals) == (reckoned.tables[slug, name], reckoned.deals[slug, name])
        for kind in games()[slug].ends:
            assert one.played.get(kind, 0) == reckoned.ended[slug, name, kind]
            assert one.won.get(kind, 0) == reckoned.won[slug, name, kind]
        contests = reckoned.contests[slug, name]
        assert (one.run.best, one.run.end) == (plain.longest(contests), plain.last(contests))
    assert {names[who]: nights.number for who, nights in tally.evenings.items() if who} == {
        name: len(days) for name, days in reckoned.evenings.items()
    }


def test_every_net_in_counters_and_money_is_what_the_sheets_say(
    tally: Totals, reckoned: plain.Reckoning, names: dict[str, str]
) -> None:
    nets = {
        (slug, names[who], unit): amount
        for slug, at in tally.games.items()
        for who, one in at.players.items()
        for unit, amount in one.net.items()
    }
    assert nets == reckoned.net
    assert {currency for currency, _ in reckoned.money} == {"EUR", "CHF"}
    assert _brought(tally, names) == {key: grains for key, grains in _balances(reckoned).items() if grains}


def _brought(tally: Totals, names: dict[str, str]) -> dict[tuple[str, str], int]:
    sums: Counter[tuple[str, str]] = Counter()
    for account, course in tally.courses.items():
        for nets in course.values():
            for who, grains in nets.items():
                sums[account, names[who]] += grains
    return {key: grains for key, grains in sums.items() if grains}


def _balances(reckoned: plain.Reckoning) -> dict[tuple[str, str], Fraction]:
    """Return expected balances by account and name, in subunits."""
    return {key: Fraction(amount) for key, amount in reckoned.counters.items()} | {
        key: amount * SUBUNITS_PER_UNIT for key, amount in reckoned.money.items()
    }


def test_partners_and_opponents_are_those_of_the_sheets(
    tally: Totals, reckoned: plain.Reckoning, names: dict[str, str]
) -> None:
    for told, wanted in (("with_whom", reckoned.with_whom), ("against_whom", reckoned.against)):
        met = {
            (slug, names[who], names[other]): three
            for slug, at in tally.games.items()
            for who in at.players
            for other, three in getattr(at, told)(who).items()
        }
        assert met == wanted


def test_years_add_up_to_the_whole(season: tuple[Flask, Season], tally: Totals) -> None:
    circle = season[1].circle
    years = period_totals.read(circle).years
    assert years == ["2026", "2025"]
    by_year = [period_totals.read(circle, year).totals for year in reversed(years)]
    assert (by_year[0] + by_year[1]).coarser(7) == tally.coarser(7)


def test_what_is_open_is_all_balances_less_all_payments(
    season: tuple[Flask, Season], reckoned: plain.Reckoning, names: dict[str, str]
) -> None:
    people_now = {id_: person.name for id_, person in people.persons_by_player_id(season[1].circle).items()}
    open_: defaultdict[tuple[str, str], Fraction] = defaultdict(Fraction, _balances(reckoned))
    for payment in db.session.scalars(db.select(Payment)):
        account, grains = payment.settlement.account, int(payment.amount) * (-1 if payment.withdraws else 1)
        open_[account, people_now[payment.giver_id]] += grains
        open_[account, people_now[payment.taker_id]] -= grains
    accounts = open_accounts(season[1].circle, Scope())
    told = {(key, name): grains for key, account in accounts.items() for name, grains in account.subunits.items()}
    assert {key: grains for key, grains in told.items() if grains} == {key: g for key, g in open_.items() if g}
    assert set(names.values()) >= {name for _, name in told}


def test_plans_clear_everything_that_can_be_paid(season: tuple[Flask, Season]) -> None:
    accounts = open_accounts(season[1].circle, Scope())
    assert {"EUR", "CHF"} <= accounts.keys()
    for key, account in accounts.items():
        _is_cleared(key, account)


def _is_cleared(key: str, account: Account) -> None:
    left = Counter(account.subunits)
    plan = account.plan()
    assert not plan or len(plan) < sum(map(bool, account.coins.values()))
    for payment in plan:
        left[payment.giver] += payment.amount
        left[payment.taker] -= payment.amount
    assert all(abs(grains) < coin(key) for grains in left.values()) if is_currency(key) else not any(left.values())


def test_nothing_that_is_kept_has_a_fault(season: tuple[Flask, Season]) -> None:
    assert season
    done = verify()
    assert done.faults == []
    assert done.tables > EVENINGS
