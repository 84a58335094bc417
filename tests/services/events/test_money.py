"""Fees and prizes of an event: who owes what, settled once, the difference after corrections, paid one by one."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from decimal import Decimal
from itertools import count
from threading import Barrier
from typing import Any

import pytest
from flask import Flask

from scorekeeper.models import Browser, Event, Part, Player, RoundTable, Settlement, db
from scorekeeper.scoring.problems import Problem, Refusal
from scorekeeper.scoring.settlement import Transfer
from scorekeeper.services.circles.settings import change_setting
from scorekeeper.services.events.money import EventMoney, read_money
from scorekeeper.services.events.settling import MoneyPayment, pay, set_free, settle
from scorekeeper.services.events.setup import change, delete_event, read_details
from scorekeeper.services.money.balances import read_open_accounts
from scorekeeper.services.money.payments import withdraw
from scorekeeper.services.money.scopes import Scope
from scorekeeper.services.outcome import Done, Stale
from scorekeeper.services.verify import verify

from ..club import CENT, Club
from ..event_rows import AT, DAY, add_event

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
        return db.session.get_one(Event, (self.id, self.club.id), populate_existing=True)

    @property
    def money(self) -> EventMoney:
        return read_money(self.event)

    def settle(self) -> Any:
        return settle(self.event, self.money.mark, self.club.browser)

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
        table = db.session.get_one(RoundTable, (self.id, 2, 1, self.club.id))
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


SETTLED = {"Ada": 20 - 5 - 11.5, "Ben": 2.5, "Cleo": -5, "Dan": -5, "Eve": 4}


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


def test_settling_twice_settles_once(cash: Cash) -> None:
    mark = cash.money.mark
    for _ in range(2):
        assert settle(cash.event, mark, cash.club.browser) == Done(None)
        assert cash.settle() == Done(None)
    assert len(cash.club.settlements()) == 1


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


def test_what_was_corrected_since_the_page_was_shown_is_not_settled(cash: Cash) -> None:
    mark = cash.money.mark
    cash.correct(13, 0)
    assert settle(cash.event, mark, cash.club.browser) == Stale(None)
    assert cash.club.settlements() == []
    cash.correct(0, 13)
    assert settle(cash.event, mark, cash.club.browser) == Done(None)


def test_a_settlement_that_was_sent_before_a_correction_does_not_settle_it(cash: Cash) -> None:
    mark = cash.money.mark
    assert settle(cash.event, mark, cash.club.browser) == Done(None)
    cash.correct(13, 0)
    assert settle(cash.event, mark, cash.club.browser) == Stale(None)
    assert len(cash.club.settlements()) == 1


def test_prizes_wait_for_the_end(club: Club) -> None:
    cash = Cash(club, finished_at=None)
    assert cash.money.winners == []
    assert cash.settle() == Problem("event", "event-not-finished")
    assert club.settlements() == []


def test_without_a_cashier_nothing_is_settled_or_paid(club: Club) -> None:
    cash = Cash(club, cashier_id=None)
    assert cash.settle() == Problem("cashier", "no-cashier")
    assert cash.pay("Dan", "5") == Problem("cashier", "no-cashier")
    assert cash.money.plan == []


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


def test_two_directors_who_tap_one_fee_record_one_payment(club: Club) -> None:
    cash = Cash(club, finished_at=None)
    assert cash.pay("Dan", "5", "one phone") == Done(None)
    assert cash.pay("Dan", "5", "another") == Done(None)
    assert cash.pay("Dan", "5", "one phone") == Done(None)
    assert len(club.payments()) == 1


def test_a_key_records_one_payment_and_no_other(club: Club) -> None:
    cash = Cash(club, finished_at=None)
    assert cash.pay("Dan", "5", "key") == Done(None)
    assert cash.pay("Cleo", "5", "key") == Stale(None)
    assert len(club.payments()) == 1


@pytest.mark.parametrize("euros", ["4.99", "-5", "500", "0"])
def test_another_amount_than_is_due_is_not_recorded(club: Club, euros: str) -> None:
    cash = Cash(club, finished_at=None)
    assert cash.pay("Dan", euros) == Stale(None)
    assert club.payments() == []
    assert club.settlements() == []


def test_nobody_pays_who_is_not_of_the_circle_or_is_the_cashier(club: Club) -> None:
    cash, other = Cash(club, finished_at=None), Cash(Club())
    for person in (club.player("Ada").id, other.club.player("Dan").id, 10**9):
        request = MoneyPayment(person, 5 * EURO, "key")
        assert pay(cash.event, request, club.browser) == Problem("person", "who-pays")
    assert club.payments() == []


def test_a_withdrawn_fee_is_unpaid_again(club: Club) -> None:
    cash = Cash(club, finished_at=None)
    cash.pay("Dan", "5")
    withdraw(club.circle, 1, club.browser)
    assert cash.states()["Dan"] == "unpaid"
    assert cash.balances() == {"Ada": 5, "Dan": -5}
    assert cash.pay("Dan", "5") == Done(None)
    assert cash.states()["Dan"] == "paid"
    assert cash.balances() == {}


def test_a_fee_that_waits_for_confirmation_is_not_asked_for_again(club: Club) -> None:
    cash = Cash(club, finished_at=None)
    change_setting(club.circle, "confirms_payments", True, club.browser)
    assert cash.pay("Dan", "5") == Done(None)
    assert cash.states()["Dan"] == "waiting"
    assert cash.pay("Dan", "5") == Done(None)
    assert len(club.payments()) == 1


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


def test_another_cashier_is_owed_what_the_first_has_taken(club: Club) -> None:
    cash = Cash(club)
    cash.pay("Dan", "5")
    cash.pay("Cleo", "5")
    event = cash.event
    event.cashier_id = club.player("Finn").id
    db.session.commit()
    cash.settle()
    assert cash.balances() == {"Ada": -15, "Ben": 2.5, "Eve": 4, "Finn": 8.5}
    assert cash.sums() == {0}


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
    changed = change(event, seen.__class__(**{**vars(seen), "day": later}), seen.mark, cash.club.browser)
    assert changed == Done(None)
    assert [settlement.day.isoformat() for settlement in cash.club.settlements() if settlement.day] == [later]
    assert verify().faults == []


def test_the_currency_of_settled_money_and_its_event_stay(cash: Cash) -> None:
    cash.settle()
    event = cash.event
    seen = read_details(event)
    changed = change(event, seen.__class__(**{**vars(seen), "currency": "CHF"}), seen.mark, cash.club.browser)
    assert isinstance(changed, Refusal)
    assert [problem.key for problem in changed.problems] == ["event-money-settled"]
    for table in ("event_confirmation", "event_result", "event_table", "event_round"):
        db.session.execute(db.text(f"DELETE FROM {table}"))  # noqa: S608  # the test's own names
    db.session.commit()
    assert delete_event(cash.event, cash.club.browser) == Problem("event", "event-money-settled")


# --- at the same moment ------------------------------------------------------------------------------------


def at_once(app: Flask, cash: Cash, work: Callable[[Event, Browser], Any]) -> list[Any]:
    """Let six requests do something at the same moment; return their answers."""
    circle_id, browser_id, event_id = cash.club.id, cash.club.browser_id, cash.id
    db.session.remove()
    together = Barrier(6)

    def request(_number: int) -> Any:
        with app.app_context():
            event = db.session.get_one(Event, (event_id, circle_id))
            by = db.session.get_one(Browser, (browser_id, circle_id))
            together.wait(30)
            return work(event, by)

    with ThreadPoolExecutor(6) as pool:
        return list(pool.map(request, range(6)))


def test_directors_who_settle_at_the_same_moment_settle_once(app: Flask, cash: Cash) -> None:
    mark = cash.money.mark
    assert at_once(app, cash, lambda event, by: settle(event, mark, by)) == [Done(None)] * 6
    assert len(cash.club.settlements()) == 1
    assert cash.balances() == {"Ada": 3.5, "Ben": 2.5, "Cleo": -5, "Dan": -5, "Eve": 4}


def test_directors_who_tap_a_fee_at_the_same_moment_record_one_payment(app: Flask, club: Club) -> None:
    cash = Cash(club, finished_at=None)
    dan = club.player("Dan").id
    answers = at_once(app, cash, lambda event, by: pay(event, MoneyPayment(dan, 5 * EURO, f"{next(_KEYS)}"), by))
    assert answers == [Done(None)] * 6
    assert len(club.payments()) == 1
    assert cash.sums() == {0}


def test_fees_of_several_people_at_the_same_moment_are_all_recorded(app: Flask, club: Club) -> None:
    cash = Cash(club, finished_at=None)
    ids = [club.player(name).id for name in ("Cleo", "Dan", "Eve")] * 2
    payments = (MoneyPayment(person, 5 * EURO, f"{next(_KEYS)}") for person in ids)
    waiting = iter(list(payments))
    answers = at_once(app, cash, lambda event, by: pay(event, next(waiting), by))
    assert answers == [Done(None)] * 6
    assert sorted(payment.giver.name for payment in club.payments()) == ["Cleo", "Dan", "Eve"]
    assert [payment.number for payment in club.payments()] == [1, 2, 3]
    assert len(club.settlements()) == 1
    assert cash.balances() == {}
    assert verify().faults == []
