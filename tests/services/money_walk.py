"""A random walk of a circle's money, with a ledger of its own: deals, corrections, payments, withdrawals, a merge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from random import Random

from scorekeeper.currency import coin
from scorekeeper.models import Table
from scorekeeper.services.circles.settings import change_setting
from scorekeeper.services.money.balances import read_open_accounts
from scorekeeper.services.money.payments import withdraw
from scorekeeper.services.money.scopes import Scope
from scorekeeper.services.people.people import set_banker
from scorekeeper.tables import revisions
from scorekeeper.tables.revisions import Change

from .club import DAY, EUROS, FICHE, FRANCS, GAME, NAMES, NEXT_DAY, OTHER_GAME, Club

Amounts = dict[str, Counter[str]]  # account → name → subunits
ALIAS, PERSON = "Dave", "David"  # two names of one person, until the players are merged
PER_FICHE = {"EUR": FICHE, "CHF": 90_000, GAME: 1, OTHER_GAME: 1}


@dataclass
class WalkedTable:
    """A table as the ledger knows it: what was recorded and not withdrawn, by deal."""

    table: Table
    account: str
    deals: dict[int, tuple[str, str, int]] = field(default_factory=dict)


@dataclass
class WalkedPayment:
    """A payment as the ledger knows it."""

    account: str
    giver: str
    taker: str
    amount: int
    is_withdrawn: bool = False


class MoneyWalk:
    """A walk of random steps. `done` counts what was done, by kind."""

    def __init__(self, club: Club, seed: int) -> None:
        self.club, self.rng = club, Random(seed)  # noqa: S311  # nothing secret
        self.tables: list[WalkedTable] = []
        self.payments: list[WalkedPayment] = []
        self.is_merged = False
        self.done: Counter[str] = Counter()
        for _ in range(3):
            self._open_table()

    def step(self) -> None:
        """Do something at random."""
        steps: list[tuple[Callable[[], None], int]] = [
            (self._open_table, 2 if len(self.tables) < 6 else 0),
            (self._deal, 5),
            (self._correct, 2),
            (self._pay, 6),
            (self._withdraw, 1),
            (self._choose_banker, 1),
            (self._change_games, 1),
            (self._merge, 1),
        ]
        chosen = self.rng.choices([step for step, _ in steps], [weight for _, weight in steps])[0]
        chosen()
        self.done[chosen.__name__] += 1

    # --- what the ledger says

    def person(self, name: str) -> str:
        return PERSON if self.is_merged and name == ALIAS else name

    def won(self, tables: list[WalkedTable] | None = None) -> Amounts:
        """Return what was won at these tables, by default at all."""
        sums: Amounts = {}
        for table in self.tables if tables is None else tables:
            amounts = sums.setdefault(table.account, Counter())
            for giver, taker, fiches in table.deals.values():
                amounts[self.person(giver)] -= fiches * PER_FICHE[table.account]
                amounts[self.person(taker)] += fiches * PER_FICHE[table.account]
        return without_zeros(sums)

    def paid(self) -> Amounts:
        """Return what was paid and not withdrawn."""
        sums: Amounts = {}
        for payment in self.payments:
            if not payment.is_withdrawn:
                amounts = sums.setdefault(payment.account, Counter())
                amounts[self.person(payment.giver)] += payment.amount
                amounts[self.person(payment.taker)] -= payment.amount
        return without_zeros(sums)

    def scopes(self) -> list[tuple[Scope, list[WalkedTable]]]:
        """Return everything, the evenings and the tables, each with its tables."""
        days: list[date] = sorted({walked.table.day for walked in self.tables})
        return [
            (Scope(), self.tables),
            *((Scope(day=day), [walked for walked in self.tables if walked.table.day == day]) for day in days),
            *((Scope(table=walked.table), [walked]) for walked in self.tables),
        ]

    # --- steps

    def _open_table(self) -> None:
        game, value = self.rng.choice((GAME, OTHER_GAME)), self.rng.choice((None, EUROS, EUROS, FRANCS))
        names = NAMES if self.is_merged or self.rng.random() < 0.5 else (*NAMES[:3], ALIAS)
        table = self.club.table(game=game, value=value, names=names, day=self.rng.choice((DAY, NEXT_DAY)))
        self.tables.append(WalkedTable(table, game if value is None else value["currency"]))
        self._deal()

    def _deal(self) -> None:
        if self.tables:
            walked = self.rng.choice(self.tables)
            state = self.club.read(walked.table)
            giver, taker = self.rng.sample(list(state.names.values()), 2)
            fiches = self.rng.randint(1, 12)
            self.club.record(walked.table, (giver, taker, fiches))
            walked.deals[self.club.read(walked.table).deals[-1].id] = (giver, taker, fiches)

    def _correct(self) -> None:
        """Withdraw a deal."""
        played = [walked for walked in self.tables if walked.deals]
        if played:
            walked = self.rng.choice(played)
            deal = self.rng.choice(list(walked.deals))
            self.club.write(self.club.read(walked.table), Change(revisions.WITHDRAW, deal))
            del walked.deals[deal]

    def _pay(self) -> None:
        """Make planned payments for a scope, in whole or in part."""
        if not self.tables:
            return
        scope, _ = self.rng.choice(self.scopes())
        for _ in range(self.rng.randint(1, 3)):
            accounts = [account for account in read_open_accounts(self.club.circle, scope).values() if account.plan()]
            if not accounts:
                return
            account = self.rng.choice(accounts)
            due = self.rng.choice(account.plan())
            coins = due.amount // coin(account.key)
            amount = coin(account.key) * (coins if self.rng.random() < 0.6 else self.rng.randint(1, coins))
            paid_scope = Scope(scope.table, scope.day, account.game)
            self.club.pay(due.giver, due.taker, amount, paid_scope, account=account.key)
            self.payments.append(WalkedPayment(account.key, due.giver, due.taker, amount))

    def _withdraw(self) -> None:
        standing = [number for number, payment in enumerate(self.payments) if not payment.is_withdrawn]
        if standing:
            number = self.rng.choice(standing)
            found = [payment for payment in self.club.payments() if payment.withdraws is None][number]
            assert withdraw(self.club.circle, found.number, self.club.browser) is not None
            self.payments[number].is_withdrawn = True

    def _choose_banker(self) -> None:
        set_banker(self.club.circle, self.rng.choice((0, self.club.player("Anne").id)) if self.tables else 0)

    def _change_games(self) -> None:
        change_setting(self.club.circle, "settles_games_together", not self.club.circle.settles_games_together)

    def _merge(self) -> None:
        names = {name for walked in self.tables for name in self.club.read(walked.table).names.values()}
        if not self.is_merged and {ALIAS, PERSON} <= names:
            self.club.merge(ALIAS, PERSON)
            self.is_merged = True


def without_zeros(sums: Amounts) -> Amounts:
    """Leave out amounts of 0, and accounts without others."""
    kept = {account: Counter({n: a for n, a in amounts.items() if a}) for account, amounts in sums.items()}
    return {account: amounts for account, amounts in kept.items() if amounts}


def added(*sums: Amounts) -> Amounts:
    """Add amounts up."""
    total: Amounts = {}
    for amounts_by_account in sums:
        for account, amounts in amounts_by_account.items():
            for name, amount in amounts.items():
                total.setdefault(account, Counter())[name] += amount
    return without_zeros(total)
