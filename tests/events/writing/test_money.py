"""Fees and prizes of an event: who owes what, settled once, the difference after corrections, paid one by one."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from itertools import count
from typing import Any

import pytest

from scorekeeper.db.outcome import Done
from scorekeeper.events.money import EventMoney, MoneyPayment, pay, read_money, set_free, settle
from scorekeeper.events.setup import change, read_details
from scorekeeper.files.verify import verify
from scorekeeper.models import Event, Part, Player, RoundTable, Settlement, db
from scorekeeper.money.balances import read_open_accounts
from scorekeeper.money.scopes import Scope
from scorekeeper.scoring.settlement import Transfer

from ...club import CENT, Club
from ...event_rows import AT, DAY, add_event

GUESTS = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn")
EURO = 100 * CENT
PRIZES = [{"rule": "highest", "amount": "9"}, {"rule": "lowest", "amount": "2.50"}, {"rule": "slams", "text": "A ham"}]
_KEYS = count(1)


class Cash:
    """An event of five, whose cashier is Ada, who plays; Ben pays no fee. Eve wins 9 euros, and Ben 2.50."""

    def __init__(self, club: Club, **fields: Any) -> None:
        self.club = club
        players = [Player(circle_id=club.id, name=name) for name in GUESTS]
        db.session.add_all(players)
        db.session.flush()
        ids = [player.id for player in players]
        self.id = add_event(club.id, club.browser_id, ids, **{"prizes": PRIZES, "finished_at": AT} | fields).id

    @property
    def event(self) -> Event:
        return db.session.get_one(Event, self.id, populate_existing=True)

    @property
    def money(self) -> EventMoney:
        return read_money(self.event)

    def settle(self) -> Any:
        return settle(self.event, self.money.etag, self.club.browser)

    def pay(self, name: str, euros: str, key: str = "") -> Any:
        person = self.club.player(name).id
        request = MoneyPayment(person, int(Decimal(euros) * 100) * CENT, key or f"door {next(_KEYS)}")
        return pay(self.event, request, self.club.browser)

    def states(self) -> dict[str, str]:
        return {row.name: row.state for row in self.money.fees}

    def balances(self, scope: Scope | None = None) -> dict[str, float]:
        """Return the circle's open balances in euros by name."""
        account = read_open_accounts(self.club.circle, scope or Scope()).get("EUR")
        return {name: amount / EURO for name, amount in account.subunits.items() if amount} if account else {}

    def correct(self, *scores: int) -> None:
        """Correct the result of the second round."""
        table = db.session.get_one(RoundTable, (self.id, 2, 1))
        table.scores = {"scores": list(scores)}
        db.session.commit()

    def sums(self) -> set[int]:
        """Return what the parts of each settlement add up to."""
        settlements = db.session.scalars(db.select(Settlement)).all()
        parts = [db.session.scalars(db.select(Part).filter_by(settlement_id=each.id)).all() for each in settlements]
        return {sum(int(part.amount) for part in of_settlement) for of_settlement in parts}


@pytest.fixture
def cash(club: Club) -> Cash:
    return Cash(club)


def test_everybody_owes_the_fee_to_the_cashier_who_owes_the_prizes(cash: Cash) -> None:
    money = cash.money
    assert [(row.name, row.subunits) for row in money.winners] == [("Eve", 9 * EURO), ("Ben", 5 * EURO // 2)]
    assert money.plan == [
        Transfer("Cleo", "Ada", 5 * EURO),
        Transfer("Dan", "Ada", 5 * EURO),
        Transfer("Ada", "Eve", 4 * EURO),
        Transfer("Ada", "Ben", 5 * EURO // 2),
    ]
    assert cash.balances() == {}
    assert cash.settle() == Done(None)
    assert cash.balances() == {"Ada": 3.5, "Ben": 2.5, "Cleo": -5, "Dan": -5, "Eve": 4}
    assert cash.money.plan == money.plan
    assert not cash.money.is_open
    (settlement,) = cash.club.settlements()
    assert (settlement.event_id, settlement.day, settlement.account) == (cash.id, DAY, "EUR")
    assert cash.sums() == {0}


def test_after_a_correction_only_the_difference_is_settled(cash: Cash) -> None:
    cash.settle()
    before = cash.balances()
    cash.correct(13, 0)  # now Ada and Ben have won the second round
    assert cash.balances() == before
    assert cash.money.is_open
    assert cash.settle() == Done(None)
    first, second = cash.club.settlements()
    new = {name for name, _, _, earlier in cash.club.parts(second) if earlier is None}
    assert new == {"Ada", "Ben", "Eve"}  # Cleo and Dan owe what they owed
    assert (first.is_cleared, first.successor_id) == (True, second.id)
    assert cash.sums() == {0}
    assert cash.balances() == {name: amount for name, amount in expected(cash).items() if amount}
    cash.correct(0, 13)
    cash.settle()
    assert cash.balances() == before
    assert cash.sums() == {0}


def expected(cash: Cash) -> dict[str, float]:
    """Return what follows from fees and prizes, without settlements."""
    euros = {"Ada": 15.0, "Ben": 0.0, "Cleo": -5.0, "Dan": -5.0, "Eve": -5.0}
    for row in cash.money.winners:
        euros[row.name] += row.subunits / EURO
        euros["Ada"] -= row.subunits / EURO
    return euros


# --- at the door -------------------------------------------------------------------------------------------


def test_fees_are_paid_at_the_door_one_by_one(club: Club) -> None:
    cash = Cash(club, finished_at=None)
    assert cash.states() == {"Ada": "cashier", "Ben": "free", "Cleo": "unpaid", "Dan": "unpaid", "Eve": "unpaid"}
    for name in ("Cleo", "Dan"):
        assert cash.pay(name, "5") == Done(None)
    assert cash.states() == {"Ada": "cashier", "Ben": "free", "Cleo": "paid", "Dan": "paid", "Eve": "unpaid"}
    assert len(club.settlements()) == 1
    assert [(p.giver.name, p.taker.name, p.amount) for p in club.payments()] == [
        (name, "Ada", str(5 * EURO)) for name in ("Cleo", "Dan")
    ]
    assert cash.balances() == {}
    event = cash.event
    event.finished_at = AT
    db.session.commit()
    cash.settle()
    assert cash.balances() == {"Ada": -6.5, "Ben": 2.5, "Eve": 4}
    assert cash.states()["Eve"] == "offset"
    assert cash.sums() == {0}
    assert verify().faults == []


def test_a_fee_is_waived_and_given_back(cash: Cash) -> None:
    cash.pay("Dan", "5")
    assert set_free(cash.event, 4, True, cash.club.browser) is None
    assert cash.states()["Dan"] == "free"
    assert cash.pay("Dan", "-5") == Done(None)
    assert cash.balances() == {}
    assert [(p.giver.name, p.taker.name) for p in cash.club.payments()] == [("Dan", "Ada"), ("Ada", "Dan")]
    assert set_free(cash.event, 4, False, cash.club.browser) is None
    assert cash.states()["Dan"] == "unpaid"
    assert set_free(cash.event, 99, True, cash.club.browser) is None
    cash.settle()
    assert cash.balances() == {name: amount for name, amount in expected(cash).items() if amount}


def test_a_higher_fee_asks_for_the_difference(club: Club) -> None:
    cash = Cash(club, finished_at=None)
    cash.pay("Dan", "5")
    event = cash.event
    event.fee = "6.50"
    db.session.commit()
    assert {row.name: row.due / EURO for row in cash.money.fees if row.state == "unpaid"} == {
        "Cleo": 6.5,
        "Dan": 1.5,
        "Eve": 6.5,
    }
    assert cash.pay("Dan", "1.5") == Done(None)
    assert cash.balances() == {}


@pytest.mark.parametrize("is_at_the_door", [True, False])
@pytest.mark.parametrize(("fee", "coins"), [("3.33", "3.35"), ("3.31", "3.30")])
def test_a_fee_that_is_not_in_coins_is_paid_as_it_is_planned(
    club: Club, is_at_the_door: bool, fee: str, coins: str
) -> None:
    at_all = {"finished_at": None} if is_at_the_door else {}
    cash = Cash(club, fee=fee, currency="CHF", prizes=[], **at_all)
    for row in cash.money.fees:
        set_free(cash.event, row.number, row.name not in ("Ada", "Dan"), club.browser)
    if not is_at_the_door:
        cash.settle()
        assert cash.money.plan == [Transfer("Dan", "Ada", int(Decimal(coins) * 100) * CENT)]
    assert cash.states()["Dan"] == "unpaid"
    assert cash.pay("Dan", coins) == Done(None)
    assert len(club.payments()) == 1
    assert cash.states()["Dan"] == "paid"
    assert cash.money.plan == []


# --- with the circle's other money -------------------------------------------------------------------------


def test_the_settlement_moves_with_the_event(cash: Cash) -> None:
    cash.settle()
    event = cash.event
    seen = read_details(event)
    later = date(2026, 11, 28).isoformat()
    changed = change(event, seen.__class__(**{**vars(seen), "day": later}), seen.seen, cash.club.browser)
    assert changed == Done(None)
    assert [settlement.day.isoformat() for settlement in cash.club.settlements() if settlement.day] == [later]
    assert verify().faults == []


# --- at the same moment ------------------------------------------------------------------------------------
