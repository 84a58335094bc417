"""A season of a circle: sixty evenings entered as at the table, and at the end every sum reckoned once more by hand.

The lot has a fixed seed. Nothing here looks into what the app keeps for itself: the facts come out as score sheets,
and what they come to is added up in tests/plain.py.
"""

from __future__ import annotations

import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from flask import Flask
from sqlalchemy import text

from scorekeeper import create_app, history
from scorekeeper.book import Entry, Opening, Recorded, Refused, open_table, people, tables, tallies, write
from scorekeeper.book.circles import make_circle
from scorekeeper.book.payments import Paid, Paying, pay, withdraw
from scorekeeper.book.settling import Account, Scope, last_number, left_of, open_accounts
from scorekeeper.book.tables import read_table
from scorekeeper.book.verifying import verify
from scorekeeper.currency import coin
from scorekeeper.games import games
from scorekeeper.history import Change
from scorekeeper.scoring.accounts import GRAINS, is_currency
from scorekeeper.scoring.game import Game
from scorekeeper.scoring.settlement import Payment as Planned
from scorekeeper.scoring.sheet import dump
from scorekeeper.store import Browser, Circle, Payment, Player, Settlement, Table, db
from scorekeeper.table import Open
from scorekeeper.tally import Tally

from . import chance, plain

FIRST, EVENINGS = date(2025, 11, 7), 60
CIRCLE = ("Anne", "Bruno", "Chloé", "David", "Élise", "Fanny", "Gaspard", "Hélène", "Ignace")
LATECOMERS = {"Hélène": 9, "Ignace": 25}  # the evening on which each came for the first time
ALIAS, PERSON, MERGED_AT = "Gas", "Gaspard", 30  # under two names, until it was noticed
RENAMED_AT, OLD, NEW = 41, "David", "David le Grand"
VALUES = (
    None,
    None,
    {"currency": "EUR", "unit": "fiche", "amount": "0.25"},
    {"currency": "CHF", "unit": "fiche", "amount": "0.1"},
)


class Season:
    """The circle as its host enters it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.lot = Random(1765)  # noqa: S311  # nothing secret
        self.done: Counter[str] = Counter()
        self.evening = 0
        entered, _ = make_circle()
        self.circle_name, self.held = entered.browser.circle.name, {entered.browser.circle.name: entered.held}
        monkeypatch.setattr(tables, "now", lambda: datetime.combine(self.day, time(12)))

    @property
    def day(self) -> date:
        return FIRST + timedelta(days=7 * self.evening)

    @property
    def circle(self) -> Circle:
        return db.session.scalars(db.select(Circle).filter_by(name=self.circle_name)).one()

    @property
    def browser(self) -> Browser:
        return db.session.scalars(db.select(Browser)).one()

    def play(self) -> None:
        for self.evening in range(EVENINGS):
            self._people()
            played = [self._table() for _ in range(self.lot.randint(1, 4))]
            self._settle(played)
            db.session.remove()

    # --- who comes

    def _people(self) -> None:
        if self.evening == MERGED_AT:
            assert people.merge(self._player(ALIAS), self._player(PERSON)) is None
        if self.evening == RENAMED_AT:
            assert people.rename(self._player(OLD), NEW) is None

    def _player(self, name: str) -> Player:
        return db.session.scalars(db.select(Player).filter_by(name=name)).one()

    def _sitting(self, number: int) -> list[str]:
        come = [name for name in CIRCLE if LATECOMERS.get(name, 0) <= self.evening]
        names = self.lot.sample(come, number)
        if self.evening >= RENAMED_AT:
            names = [NEW if name == OLD else name for name in names]
        return [ALIAS if name == PERSON and self.lot.random() < 0.4 else name for name in names]

    # --- what is played

    def _table(self) -> str:
        game = self.lot.choice(list(games().values()))
        names = self._sitting(self.lot.choice(game.seatings))
        rules = {"stake": self.lot.randint(1, 4)} if hasattr(game.options(), "stake") else {}
        opened = open_table(
            self.circle,
            Opening(game, tuple(names), self.lot.choice(names), rules, self.lot.choice(VALUES)),
        )
        assert isinstance(opened, Table), opened
        self.done[game.slug] += 1
        self._deals(self._read(opened.token), self.lot.randint(3, 7))
        return opened.token

    def _read(self, token: str) -> Open:
        found = read_table(self.held, token)
        assert found is not None
        return found[0]

    def _deals(self, table: Open, number: int) -> None:
        for _ in range(number):
            if table.standing.is_finished:
                break
            table = self._write(table, Change(history.RECORD, body=self._body(table.game, table)))
            if table.deals and self.lot.random() < 0.12:
                table = self._correct(table)
        if self.lot.random() < 0.8:
            self._write(table, Change(history.CLOSE))

    def _body(self, game: Game, table: Open) -> dict[str, object]:
        kind = self.lot.random()
        if kind < 0.04:
            return {"misdeal": True}
        if kind < 0.08:
            giver, taker = self.lot.sample(list(table.names), 2)
            unit = self.lot.choice(game.units)
            return {"adjustment": {"from": giver, "to": taker, unit: self.lot.randint(1, 9), "reason": "agreed"}}
        return chance.deal(game, table.standing, self.lot)

    def _correct(self, table: Open) -> Open:
        """Change a deal that was told before: any of them, or the last that was changed."""
        deal = self.lot.choice(table.deals)
        if deal.is_withdrawn:
            return self._write(table, Change(history.RESTORE, deal.id, body=deal.last_body))
        kind = self.lot.choice((history.AMEND, history.WITHDRAW, history.UNDO))
        if kind == history.UNDO and table.last_undoable is not None:
            return self._write(table, history.undoing(table.deals, table.last_undoable))
        if kind == history.AMEND:
            body = chance.deal(table.game, table.before(deal.id), self.lot)
            return self._write(table, Change(history.AMEND, deal.id, body=body))
        return self._write(table, Change(history.WITHDRAW, deal.id))

    def _write(self, table: Open, change: Change) -> Open:
        """The table after a change; as it was, where a later deal does not stand with it."""
        answer = write(table, Entry(change, table.seen, f"{self.lot.random()}"), self.browser)
        assert isinstance(answer, Recorded | Refused), answer
        self.done[change.kind if isinstance(answer, Recorded) else "refused"] += 1
        return answer.table if isinstance(answer, Recorded) else table

    # --- what is paid

    def _settle(self, played: list[str]) -> None:
        kind = self.lot.random()
        if kind < 0.3:
            self._pay_of(Scope(day=self._read(played[0]).table.day))
        elif kind < 0.5:
            self._pay_of(Scope(table=self._read(self.lot.choice(played)).table))
        elif kind < 0.62:
            self._pay_of(Scope())
        paid = last_number(self.circle)
        if paid and self.lot.random() < 0.15:
            self.done["payment withdrawn"] += withdraw(self.circle, self.lot.randint(1, paid), self.browser) is not None

    def _pay_of(self, scope: Scope) -> None:
        """Pay some of what a scope comes to, in each of its accounts."""
        for key, account in open_accounts(self.circle, scope).items():
            plan, settlement = account.plan(), None
            while plan and self.lot.random() < 0.9:
                settlement = self._pay(key, plan[0], scope, settlement)
                plan = left_of(self.circle, settlement).plan()

    def _pay(self, account: str, due: Planned, scope: Scope, settlement: Settlement | None) -> Settlement:
        """In whole or in part."""
        coins = due.amount // coin(account)
        part = self.lot.randint(1, coins) if self.lot.random() < 0.3 else coins
        told = Paying(
            account=account,
            giver=self._player(due.giver).id,
            taker=self._player(due.taker).id,
            amount=part * coin(account),
            scope=scope,
            settlement=settlement,
            seen=last_number(self.circle),
            key=f"{self.lot.random()}",
        )
        paid = pay(self.circle, told, self.browser)
        assert isinstance(paid, Paid), paid
        self.done["paid in part" if part < coins else "paid in whole"] += 1
        return paid.payment.settlement


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory, empty_database: Path) -> Iterator[tuple[Flask, Season]]:
    """Played once for all the tests of this module."""
    path = shutil.copy(empty_database, tmp_path_factory.mktemp("season") / "season.sqlite3")
    app = create_app({"TESTING": True, "SECRET_KEY": "test", "SQLALCHEMY_DATABASE_URI": f"sqlite:///{path}"})
    with app.app_context(), pytest.MonkeyPatch.context() as monkeypatch:
        db.session.execute(text("PRAGMA synchronous=OFF"))  # sixty evenings need not outlive a cut of the current
        season = Season(monkeypatch)
        season.play()
    with app.app_context():
        yield app, season
        db.engine.dispose()


@pytest.fixture(scope="module")
def reckoned(season: tuple[Flask, Season]) -> plain.Reckoning:
    """All tables in order, from their sheets."""
    _, played = season
    told = plain.Reckoning()
    found = db.session.scalars(db.select(Table).order_by(Table.day, Table.id)).all()
    for table in found:
        told.take(dump(played._read(table.token).sheet()), table.day.isoformat())
    return told


@pytest.fixture(scope="module")
def names(season: tuple[Flask, Season]) -> dict[str, str]:
    """Who each person is, by number."""
    return {str(id_): person.name for id_, person in people.persons(season[1].circle).items() if person.id == id_}


@pytest.fixture(scope="module")
def tally(season: tuple[Flask, Season]) -> Tally:
    return tallies.read(season[1].circle).tally


def test_the_season_was_as_varied_as_it_was_to_be(season: tuple[Flask, Season], names: dict[str, str]) -> None:
    _, played = season
    assert all(played.done[slug] > 10 for slug in games())
    for kind in (history.AMEND, history.WITHDRAW, history.UNDO, history.RESTORE, history.CLOSE):
        assert played.done[kind], kind
    assert played.done[history.RECORD] > 500
    for kind in ("paid in whole", "paid in part", "payment withdrawn"):
        assert played.done[kind] > 3, kind
    assert sorted(names.values()) == sorted((set(CIRCLE) - {OLD}) | {NEW})


def test_what_everybody_played_and_won_is_what_the_sheets_say(
    tally: Tally, reckoned: plain.Reckoning, names: dict[str, str]
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
    tally: Tally, reckoned: plain.Reckoning, names: dict[str, str]
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


def _brought(tally: Tally, names: dict[str, str]) -> dict[tuple[str, str], int]:
    sums: Counter[tuple[str, str]] = Counter()
    for account, course in tally.courses.items():
        for nets in course.values():
            for who, grains in nets.items():
                sums[account, names[who]] += grains
    return {key: grains for key, grains in sums.items() if grains}


def _balances(reckoned: plain.Reckoning) -> dict[tuple[str, str], Fraction]:
    """By account and name, in grains."""
    return {key: Fraction(amount) for key, amount in reckoned.counters.items()} | {
        key: amount * GRAINS for key, amount in reckoned.money.items()
    }


def test_partners_and_opponents_are_those_of_the_sheets(
    tally: Tally, reckoned: plain.Reckoning, names: dict[str, str]
) -> None:
    for told, wanted in (("with_whom", reckoned.with_whom), ("against_whom", reckoned.against)):
        met = {
            (slug, names[who], names[other]): three
            for slug, at in tally.games.items()
            for who in at.players
            for other, three in getattr(at, told)(who).items()
        }
        assert met == wanted


def test_years_add_up_to_the_whole(season: tuple[Flask, Season], tally: Tally) -> None:
    circle = season[1].circle
    years = tallies.read(circle).years
    assert years == ["2026", "2025"]
    by_year = [tallies.read(circle, year).tally for year in reversed(years)]
    assert (by_year[0] + by_year[1]).coarser(7) == tally.coarser(7)


def test_what_is_open_is_all_balances_less_all_payments(
    season: tuple[Flask, Season], reckoned: plain.Reckoning, names: dict[str, str]
) -> None:
    people_now = {id_: person.name for id_, person in people.persons(season[1].circle).items()}
    open_: defaultdict[tuple[str, str], Fraction] = defaultdict(Fraction, _balances(reckoned))
    for payment in db.session.scalars(db.select(Payment)):
        account, grains = payment.settlement.account, int(payment.amount) * (-1 if payment.withdraws else 1)
        open_[account, people_now[payment.giver_id]] += grains
        open_[account, people_now[payment.taker_id]] -= grains
    accounts = open_accounts(season[1].circle, Scope())
    told = {(key, name): grains for key, account in accounts.items() for name, grains in account.grains.items()}
    assert {key: grains for key, grains in told.items() if grains} == {key: g for key, g in open_.items() if g}
    assert set(names.values()) >= {name for _, name in told}


def test_plans_clear_everything_that_can_be_paid(season: tuple[Flask, Season]) -> None:
    accounts = open_accounts(season[1].circle, Scope())
    assert {"EUR", "CHF"} <= accounts.keys()
    for key, account in accounts.items():
        _is_cleared(key, account)


def _is_cleared(key: str, account: Account) -> None:
    left = Counter(account.grains)
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
