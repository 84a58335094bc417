"""A random season of a circle, entered through the services: tables, corrections, payments, new players."""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime, time, timedelta
from random import Random

import pytest

from scorekeeper.currency import coin
from scorekeeper.games import games
from scorekeeper.models import Browser, Circle, Payment, Player, Settlement, db
from scorekeeper.scoring.game import AnyGame
from scorekeeper.scoring.settlement import Transfer
from scorekeeper.services.access import new_secret
from scorekeeper.services.circles.lifecycle import create_circle
from scorekeeper.services.money.balances import make_unpaid_account, read_names, read_open_accounts
from scorekeeper.services.money.payment_history import read_last_number
from scorekeeper.services.money.payments import PaymentRequest, pay, withdraw
from scorekeeper.services.money.scopes import Scope
from scorekeeper.services.outcome import Done
from scorekeeper.services.people import people
from scorekeeper.services.tables import opening
from scorekeeper.services.tables import writing as tables
from scorekeeper.services.tables.opening import Opening, open_table
from scorekeeper.services.tables.reading import read_table
from scorekeeper.services.tables.writing import Refused, write
from scorekeeper.tables import revisions
from scorekeeper.tables.revisions import Change
from scorekeeper.tables.state import TableState

from . import chance
from .game_data import needed_rules

FIRST, EVENINGS = date(2025, 11, 7), 60
CIRCLE = ("Anne", "Bruno", "Chloé", "David", "Élise", "Fanny", "Gaspard", "Hélène", "Ignace")
LATECOMERS = {"Hélène": 9, "Ignace": 25}  # by name, the first evening
MOST_SEATED = len(CIRCLE) - len(LATECOMERS)
ALIAS, PERSON, MERGED_AT = "Gas", "Gaspard", 30  # two names of one person, until the players are merged
RENAMED_AT, OLD, NEW = 41, "David", "David le Grand"
VALUES = (
    None,
    None,
    {"currency": "EUR", "unit": "fiche", "amount": "0.25"},
    {"currency": "CHF", "unit": "fiche", "amount": "0.1"},
)


class Season:
    """A season played with a fixed seed. `done` counts what was done, by kind."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.rng = Random(1765)  # noqa: S311  # nothing secret
        self.done: Counter[str] = Counter()
        self.evening = 0
        self.device_secret = new_secret()
        browser, _ = create_circle(self.device_secret)
        self.circle_name = browser.circle.name
        for module in (opening, tables):
            monkeypatch.setattr(module, "now", lambda: datetime.combine(self.day, time(12)))

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
            played = [self._table() for _ in range(self.rng.randint(1, 4))]
            self._settle(played)
            db.session.remove()

    # --- people

    def _people(self) -> None:
        if self.evening == MERGED_AT:
            assert people.merge(self._player(ALIAS), self._player(PERSON)) is None
        if self.evening == RENAMED_AT:
            assert people.rename(self._player(OLD), NEW) is None

    def _player(self, name: str) -> Player:
        return db.session.scalars(db.select(Player).filter_by(name=name)).one()

    def _seated(self, number: int) -> list[str]:
        present = [name for name in CIRCLE if LATECOMERS.get(name, 0) <= self.evening]
        names = self.rng.sample(present, number)
        if self.evening >= RENAMED_AT:
            names = [NEW if name == OLD else name for name in names]
        return [ALIAS if name == PERSON and self.rng.random() < 0.4 else name for name in names]

    # --- deals

    def _table(self) -> str:
        game = self.rng.choice(list(games().values()))
        names = self._seated(self.rng.choice([count for count in game.player_counts if count <= MOST_SEATED]))
        rules = needed_rules(game.slug).get("house_rules", {})
        rules |= {"stake": self.rng.randint(1, 4)} if hasattr(game.usual_options, "stake") else {}
        opened = open_table(
            self.circle, Opening(game, tuple(names), self.rng.choice(names), rules, self.rng.choice(VALUES))
        )
        assert isinstance(opened, Done), opened
        self.done[game.slug] += 1
        self._deals(self.read(opened.value), self.rng.randint(3, 7))
        return opened.value

    def read(self, token: str) -> TableState:
        found = read_table(self.device_secret, token)
        assert found is not None
        return found[0]

    def _deals(self, table: TableState, number: int) -> None:
        for _ in range(number):
            if table.standing.is_finished:
                break
            table = self._write(table, Change(revisions.RECORD, body=self._body(table.game, table)))
            if table.deals and self.rng.random() < 0.12:
                table = self._correct(table)
        if self.rng.random() < 0.8:
            self._write(table, Change(revisions.CLOSE))

    def _body(self, game: AnyGame, table: TableState) -> dict[str, object]:
        kind = self.rng.random()
        if kind < 0.04:
            return {"misdeal": True}
        if kind < 0.08:
            giver, taker = self.rng.sample(list(table.names), 2)
            unit = self.rng.choice(game.units)
            return {"adjustment": {"from": giver, "to": taker, unit: self.rng.randint(1, 9), "reason": "agreed"}}
        return chance.deal(game, table.standing, self.rng)

    def _correct(self, table: TableState) -> TableState:
        """Correct a random deal, or undo the last change."""
        deal = self.rng.choice(table.deals)
        if deal.is_withdrawn:
            return self._write(table, Change(revisions.RESTORE, deal.id, body=deal.last_body))
        kind = self.rng.choice((revisions.AMEND, revisions.WITHDRAW, revisions.UNDO))
        if kind == revisions.UNDO and table.last_undoable is not None:
            return self._write(table, revisions.build_undo(table.deals, table.last_undoable))
        if kind == revisions.AMEND:
            body = chance.deal(table.game, table.standing_before(deal.id), self.rng)
            return self._write(table, Change(revisions.AMEND, deal.id, body=body))
        return self._write(table, Change(revisions.WITHDRAW, deal.id))

    def _write(self, table: TableState, change: Change) -> TableState:
        """Write a change, and return the table's new state; its old state if the change is refused."""
        answer = write(table, [change], table.mark, f"{self.rng.random()}", self.browser)
        assert isinstance(answer, Done | Refused), answer
        self.done[change.kind if isinstance(answer, Done) else "refused"] += 1
        return answer.value.table if isinstance(answer, Done) else table

    # --- payments

    def _settle(self, played: list[str]) -> None:
        kind = self.rng.random()
        if kind < 0.3:
            self._pay_scope(Scope(day=self.read(played[0]).stored.day))
        elif kind < 0.5:
            self._pay_scope(Scope(table=self.read(self.rng.choice(played)).stored))
        elif kind < 0.62:
            self._pay_scope(Scope())
        paid = read_last_number(self.circle)
        if paid and self.rng.random() < 0.15:
            self.done["payment withdrawn"] += withdraw(self.circle, self.rng.randint(1, paid), self.browser) is not None

    def _pay_scope(self, scope: Scope) -> None:
        """Pay some of a scope's balances in each of its accounts."""
        for key, account in read_open_accounts(self.circle, scope).items():
            plan, settlement = account.plan(), None
            while plan and self.rng.random() < 0.9:
                settlement = self._pay(key, plan[0], scope, settlement)
                plan = make_unpaid_account(settlement, read_names(self.circle)).plan()

    def _pay(self, account: str, due: Transfer, scope: Scope, settlement: Settlement | None) -> Settlement:
        """Make a payment in whole or in part."""
        coins = due.amount // coin(account)
        part = self.rng.randint(1, coins) if self.rng.random() < 0.3 else coins
        request = PaymentRequest(
            account=account,
            giver=self._player(due.giver).id,
            taker=self._player(due.taker).id,
            amount=part * coin(account),
            scope=scope,
            settlement=settlement,
            last_number=read_last_number(self.circle),
            key=f"{self.rng.random()}",
        )
        paid = pay(self.circle, request, self.browser)
        assert isinstance(paid, Done), paid
        self.done["paid in part" if part < coins else "paid in whole"] += 1
        return db.session.scalars(db.select(Payment).filter_by(number=paid.value)).one().settlement
