"""Fees and prizes of an event: who owes them to the cash box or is owed them, and paying them one by one."""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import count
from typing import Any

import pytest

from scorekeeper.db.outcome import Done, Stale
from scorekeeper.events.event_money import EventMoney, pay, read_money, waive_fee
from scorekeeper.files.exports import export_circle
from scorekeeper.files.spreadsheets import SpreadsheetContents
from scorekeeper.models import DrawnRound, Event, ResultConfirmation, RoundResult, RoundTable, db
from scorekeeper.money.ledger import BOX, EVERYTHING, Scope
from scorekeeper.money.payments import hash_plan, list_planned, record_plan
from scorekeeper.money.reading import build_seen, read_ledger
from scorekeeper.people.writing import set_cashier
from scorekeeper.tables.caches import verify

from ...conftest import Run
from ...files.importing import books
from ...support.club import CENT, EUROS, FICHE, NEXT_DAY, Club
from ...support.event_rows import AT, DAY, add_event

EURO = 100 * CENT
PRIZES = [{"rule": "highest", "amount": "9"}, {"rule": "lowest", "amount": "2.50"}, {"rule": "slams", "text": "A ham"}]
_KEYS = count(1)


def states_of(money: EventMoney) -> dict[str, str]:
    return {row.person.name: row.state for row in money.fees}


class Cash:
    """An event of five, whose fee is 5 euros; Ben pays none. Eve wins 9 euros, and Ben 2.50."""

    def __init__(self, club: Club, **fields: Any) -> None:
        self.club = club
        self.id = add_event(club.id, club.membership_id, **{"prizes": PRIZES, "finished_at": AT} | fields).id
        set_cashier(club.circle, club.player("Ada").id, club.membership)

    @property
    def event(self) -> Event:
        return db.session.get_one(Event, self.id, populate_existing=True)

    @property
    def money(self) -> EventMoney:
        return read_money(self.event)

    @property
    def scope(self) -> Scope:
        return Scope(event=self.id)

    def pay(self, name: str, euros: str, key: str = "") -> Any:
        person = self.club.player(name).id
        subunits = int(Decimal(euros) * 100) * CENT
        return pay(self.event, person, subunits, key or f"door {next(_KEYS)}", self.club.membership)

    def states(self) -> dict[str, str]:
        return states_of(self.money)

    def payable(self) -> dict[str, float]:
        return {person.name: amount / EURO for person, amount in self.money.payable}

    def balances(self, scope: Scope = EVERYTHING) -> dict[str, float]:
        """Return the circle's open balances in euros by name, the cash box's as that of "box"."""
        account = read_ledger(self.club.circle).read_accounts(scope).get("EUR")
        return {name or "box": amount / EURO for name, amount in account.open.items() if amount} if account else {}

    def correct(self, *scores: int) -> None:
        table = db.session.get_one(RoundTable, (self.id, 2, 1))
        table.scores = {"scores": list(scores)}
        db.session.commit()

    def finish(self) -> None:
        event = self.event
        event.finished_at = AT
        db.session.commit()


@pytest.fixture
def cash(club: Club) -> Cash:
    return Cash(club)


def test_the_cashier_pays_a_fee_like_anybody_and_has_neither_won_nor_lost_the_boxs_money(cash: Cash) -> None:
    assert cash.money.winners == [("Eve", 9 * EURO), ("Ben", 5 * EURO // 2)]
    assert cash.balances() == {"Ada": -5, "Ben": 2.5, "Cleo": -5, "Dan": -5, "Eve": 4, "box": 8.5}
    assert cash.payable() == {"Ada": 5, "Ben": -2.5, "Cleo": 5, "Dan": 5, "Eve": -4}
    for name, euros in cash.payable().items():
        assert cash.pay(name, str(euros)) == Done(None)
    assert cash.balances() == {}
    assert cash.payable() == {}
    assert verify().faults == []


def test_fees_are_owed_once_a_round_is_drawn_and_prizes_once_the_event_is_finished(club: Club) -> None:
    cash = Cash(club, finished_at=None)
    assert cash.balances()["Eve"] == -5
    cash.finish()
    assert cash.balances()["Eve"] == 4


def test_after_a_correction_only_the_difference_is_to_be_paid(cash: Cash) -> None:
    for name, euros in cash.payable().items():
        cash.pay(name, str(euros))
    cash.correct(13, 0)  # now Ada and Ben have won the second round
    changed = cash.payable()
    assert changed
    assert sum(changed.values()) == 0
    cash.correct(0, 13)
    assert cash.payable() == {}


@pytest.mark.parametrize("scope", [EVERYTHING, Scope(day=DAY)])
def test_after_everybody_has_paid_for_all_a_correction_asks_for_the_difference(club: Club, scope: Scope) -> None:
    prizes = [{"rule": "highest", "amount": "10"}, {"rule": "lowest", "amount": "5.55"}]
    cash = Cash(club, fee="3.50", prizes=prizes)
    shown = hash_plan(list_planned(read_ledger(club.circle), scope))
    assert isinstance(record_plan(club.circle, scope, shown, build_seen(club.circle), "all", club.membership), Done)
    assert cash.payable() == {}
    cash.correct(13, 0)
    balances = cash.balances()
    assert len(balances) > 2
    assert cash.payable() == {name: -euros for name, euros in balances.items() if name != "box"}
    for name, euros in cash.payable().items():
        assert cash.pay(name, str(euros)) == Done(None)
    assert [cash.payable(), cash.balances()] == [{}, {}]


def test_fees_are_paid_at_the_door_one_by_one(club: Club) -> None:
    cash = Cash(club, finished_at=None)
    others = dict.fromkeys(("Ada", "Cleo", "Dan", "Eve"), "unpaid")
    assert cash.states() == others | {"Ben": "free"}
    for name in ("Cleo", "Dan"):
        assert cash.pay(name, "5", key=f"door {name}") == Done(None)
        assert cash.pay(name, "5", key=f"door {name}") == Done(None)  # the same form twice
    assert cash.pay("Cleo", "4", key="door Cleo") == Stale(None)
    assert cash.states() == others | {"Ben": "free", "Cleo": "paid", "Dan": "paid"}
    assert [(p.giver.name if p.giver else BOX, p.event_id, p.amount) for p in club.payments()] == [
        (name, cash.id, 5 * EURO) for name in ("Cleo", "Dan")
    ]
    cash.finish()
    assert cash.states()["Eve"] == "offset"


def test_a_fee_is_waived_and_given_back(cash: Cash) -> None:
    cash.pay("Dan", "5")
    waive_fee(cash.event, 4, True, cash.club.membership)
    assert cash.states()["Dan"] == "free"
    assert cash.pay("Dan", "-5") == Done(None)
    assert "Dan" not in cash.balances()
    waive_fee(cash.event, 4, False, cash.club.membership)
    assert cash.states()["Dan"] == "unpaid"


def test_a_higher_fee_asks_for_the_difference(club: Club) -> None:
    cash = Cash(club, finished_at=None)
    cash.pay("Dan", "5")
    event = cash.event
    event.fee = "6.50"
    db.session.commit()
    assert cash.payable()["Dan"] == 1.5
    assert cash.pay("Dan", "5") == Stale(None)
    assert cash.pay("Dan", "1.5") == Done(None)
    assert cash.states()["Dan"] == "paid"


def test_what_was_paid_for_everything_is_not_asked_for_again(cash: Cash) -> None:
    cash.club.pay("Dan", None, 5 * EURO, account="EUR")
    assert cash.states()["Dan"] == "offset"
    assert "Dan" not in cash.payable()


def test_what_was_paid_in_advance_is_for_one_of_two_events_to_come(club: Club) -> None:
    first = Cash(club, finished_at=None)
    second = add_event(club.id, club.membership_id, day=NEXT_DAY, entry_key="second", finished_at=None)
    for model in (ResultConfirmation, RoundResult, RoundTable, DrawnRound):
        db.session.execute(db.delete(model))
    db.session.commit()
    club.pay("Dan", None, 5 * EURO, account="EUR")
    assert [first.states()["Dan"], states_of(read_money(second))["Dan"]] == ["offset", "unpaid"]
    club.pay("Dan", None, 5 * EURO, account="EUR")
    assert states_of(read_money(second))["Dan"] == "offset"


def test_tables_and_fees_of_an_evening_are_settled_together_each_with_whom_it_is_open(cash: Cash) -> None:
    cash.club.table(("Anne", "Bruno", 4), day=DAY, value=EUROS)
    plan = list_planned(read_ledger(cash.club.circle), Scope(day=DAY))
    assert ("EUR", "Anne", "Bruno", 4 * FICHE) in plan
    assert {giver for _, giver, taker, _ in plan if taker == BOX} == {"Ada", "Cleo", "Dan"}
    assert {taker for _, giver, taker, _ in plan if giver == BOX} == {"Ben", "Eve"}


# --- books


def test_both_programs_accept_the_fees_and_prizes_of_an_event(club: Club, bean_check: Run, hledger: Run) -> None:
    Cash(club, title='Drive "of" ; May | * x').pay("Dan", "5")
    texts = {program: books(club.circle, program) for program in ("beancount", "hledger")}
    bean_check(texts["beancount"])
    hledger(texts["hledger"], "check", "--strict", "ordereddates")
    for text in texts.values():
        assert text.count("Fee of Drive") == 1
        assert text.count("Prize of Drive") == 1
        assert re.search(r"Players:Eve:EUR +4.00 (~ 0 )?EUR|Players:Eve:EUR +0 EUR = 4.00 EUR", text)
        assert re.search(r"Players:Dan:EUR +0.00 (~ 0 )?EUR|Players:Dan:EUR +0 EUR = 0.00 EUR", text)


def test_the_spreadsheet_of_balances_has_the_fees_and_prizes_of_an_event(club: Club) -> None:
    Cash(club).pay("Dan", "5")
    export = export_circle(club.circle)
    contents = SpreadsheetContents("en", lambda _table: lambda _scored: ("", ""), export)
    rows = [row for _, row in contents.rows(["balances"])]
    assert {row[4] for row in rows} == {"Fee of Anne’s drive", "Prize of Anne’s drive"}
    won = {person.name: sum(Decimal(str(row[8])) for row in rows if row[5] == person.name) for person in export.players}
    assert won == {"Ada": -5, "Ben": Decimal("2.5"), "Cleo": -5, "Dan": -5, "Eve": 4, "Finn": 0}
