"""Whole evenings, each drawn from a seed: what phones enter, correct and pay, added up by a ledger of its own."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from flask import Flask

from scorekeeper.games import games
from scorekeeper.scoring.sheet import score
from scorekeeper.site.time_zones import find_today
from scorekeeper.tables.caches import verify

from .support.visitor import Visitor, filled_in

STEPS, LOOKS = 40, 5  # steps of an evening, and how often everything is added up
SLUGS = ("whist", "quarante-de-rois")
VALUES: tuple[dict[str, str], ...] = (
    {},
    {"currency": "EUR", "unit": "fiche", "amount": "0.25"},
    {"currency": "CHF", "unit": "fiche", "amount": "0.01"},  # a fifth of the smallest coin
)
ALIAS, PERSON = "Dave", "David"  # two names of one person, until they are merged
NAMES = ("Anne", "Bruno", "Chloé", PERSON)
DONE = 303
POSTING = re.compile(r"^ +Assets:Players:(\w+):(\w+)  (-?[\d.]+) (\S+)$", re.MULTILINE)

Amounts = dict[tuple[str, str], Decimal]  # by unit, or game without a value, and name


@dataclass
class Table:
    """A table as the ledger knows it: what stands there, by the number of the change that recorded it."""

    path: str
    slug: str
    names: tuple[str, ...]
    value: dict[str, str]
    day: date
    deals: dict[int, dict[str, Any]] = field(default_factory=dict)
    changes: int = 0

    def won(self) -> Iterator[tuple[str, str, Decimal]]:
        """Yield unit, name and amount of what each player has won, computed from what was sent."""
        sheet = {"format": "scorekeeper-sheet/1", "game": self.slug, "players": list(self.names)}
        statement = score(sheet | {"dealer": self.names[0], "deals": list(self.deals.values())}, games())
        assert isinstance(statement, dict), statement
        for name, units in statement["balances"].items():
            amount = Decimal(units["fiches"]) * Decimal(self.value.get("amount", "1"))
            yield self.value.get("currency", self.slug), name, amount


@dataclass
class Payment:
    unit: str
    giver: str
    taker: str
    amount: Decimal
    is_removed: bool = False


BOX = "the cash box"


class Evening:
    """Two phones at several tables. `done` counts what they did, by kind."""

    def __init__(self, app: Flask, seed: int) -> None:
        self.rng = Random(seed)  # noqa: S311  # nothing secret
        self.tables: list[Table] = []
        self.payments: list[Payment] = []
        self.is_merged = False
        self.done: Counter[str] = Counter()
        host, other = Visitor(app), Visitor(app)
        self.phones = [host]
        self.open_table()
        self.home = host.circle
        other.join(host.link("host"))
        self.phones.append(other)

    def step(self) -> None:
        steps: list[tuple[Callable[[], None], int]] = [
            (self.open_table, 2 if len(self.tables) < 5 else 0),
            (self.deal, 5),
            (self.exchange, 4),
            (self.amend, 2),
            (self.remove, 2),
            (self.pay, 6),
            (self.pay_another, 2),
            (self.remove_payment, 1),
            (self.move_to_yesterday, 1),
            (self.merge, 1),
        ]
        chosen = self.rng.choices([step for step, _ in steps], [weight for _, weight in steps])[0]
        chosen()
        self.done[chosen.__name__] += 1

    def send(self, page: str, changed: dict[str, str], action: str | None = None, css: str = "") -> int:
        """Send a form from one of the phones, sometimes twice, as after a lost answer; return the first status."""
        phone = self.rng.choice(self.phones).visit(page)
        form = phone.find(css) if css else phone.form(action)
        data, path = filled_in(form) | changed, str(form.get("action", phone.path))
        statuses = [
            phone.client.post(path, data=data, headers=phone.headers).status_code
            for _ in range(self.rng.choice((1, 1, 2)))
        ]
        assert max(statuses) < 500
        return statuses[0]

    # --- what people do

    def open_table(self) -> None:
        slug, value = self.rng.choice(SLUGS), self.rng.choice(VALUES)
        names = NAMES if self.is_merged or self.rng.random() < 0.5 else (*NAMES[:3], ALIAS)
        seats = {f"seat-{seat}": name for seat, name in enumerate(names, start=1)}
        table = self.phones[0].open_table(slug, **seats, dealer="1", **value).table
        self.tables.append(Table(table, slug, names, value, find_today(None)))

    def deal(self) -> None:
        """Record a deal of Whist."""
        table, number = self.rng.choice(self.tables), self.rng.randint(1, 7)
        if table.slug != "whist":
            return
        side = self.rng.choice(("ns", "ew"))
        assert self.send(f"{table.path}deals/new", {"tricks": f"{side}-{number}", "do": "record"}) == DONE
        self._note(table, _tricks(side, number))

    def exchange(self) -> None:
        """Let one player give counters to another."""
        table = self.rng.choice(self.tables)
        giver, taker = self.rng.sample((1, 2, 3, 4), 2)
        fiches = self.rng.randint(1, 12)
        fields = {"giver": str(giver), "to": str(taker), "amount": str(fiches), "kind": "counters"}
        css = "form:has(button[value=counters])"
        assert self.send(f"{table.path}deals/adjustment", fields, css=css) == DONE
        parties = {"from": table.names[giver - 1], "to": table.names[taker - 1]}
        self._note(table, {"adjustment": parties | {"fiches": fiches}})

    def _note(self, table: Table, facts: dict[str, Any]) -> None:
        table.changes += 1
        table.deals[table.changes] = facts

    def amend(self) -> None:
        found = [(table, number) for table in self.tables for number, deal in table.deals.items() if "tricks" in deal]
        if found:
            (table, number), tricks = self.rng.choice(found), self.rng.randint(1, 7)
            if table.deals[number] != _tricks("ew", tricks):  # what changes nothing is refused
                changed = {"tricks": f"ew-{tricks}", "do": "record"}
                assert self.send(f"{table.path}deals/{number}/amend", changed) == DONE
                table.deals[number] = _tricks("ew", tricks)
                table.changes += 1

    def remove(self) -> None:
        found = [(table, number) for table in self.tables for number in table.deals]
        if found:
            table, number = self.rng.choice(found)
            assert self.send(f"{table.path}deals/{number}", {}, "/withdraw") == DONE
            del table.deals[number]
            table.changes += 1

    def pay(self) -> None:
        """Make a payment that a page proposes, of a table, an evening or everything; sometimes only a part of it."""
        table = self.rng.choice(self.tables)
        pages = (f"{self.home}settlement", f"{self.home}evenings/{table.day}/settlement", f"{table.path}settlement")
        page = self.rng.choice(pages)
        due = self.phones[0].visit(page).page.select(".due:has(form.pay)")
        if not due:
            return
        number = self.rng.randrange(len(due))
        fields = filled_in(self.phones[0].page.select(".due form.pay")[number])
        giver, taker = (str(due[number].select_one(f".{who}").get_text(strip=True)) for who in ("giver", "taker"))  # type: ignore[union-attr]
        amount = Decimal(fields["amount"])
        if self.rng.random() < 0.4 and amount > 1:
            amount = Decimal(1)
        css = f"form.pay:has([name=giver][value='{fields['giver']}']):has([name=taker][value='{fields['taker']}'])"
        css += f":has([name=account][value='{fields['account']}'])"
        assert self.send(page, {"amount": str(amount)}, css=css) == DONE
        self.payments.append(Payment(fields["account"], giver, taker, amount))

    def pay_another(self) -> None:
        """Make a payment that no page proposes: more than is open, in advance, or into or out of the cash box."""
        page = f"{self.home}settlement"
        options = self.phones[0].visit(page).page.select(".other [name=giver] option[value!='']")
        giver, taker = self.rng.sample([(str(each["value"]), each.get_text(strip=True)) for each in options], 2)
        amount = Decimal(self.rng.randint(1, 2000)) / 100
        fields = {"giver": giver[0], "taker": taker[0], "amount": str(amount), "account": "EUR", "method": "cash"}
        assert self.send(page, fields, css=".other form") == DONE
        self.payments.append(Payment("EUR", giver[1], taker[1], amount))

    def remove_payment(self) -> None:
        standing = [payment for payment in self.payments if not payment.is_removed]
        if standing:
            payment = self.rng.choice(standing)
            number = next(row["Number"] for row in self.rows("payments") if _is(row, payment))
            listed = self.phones[0].visit(f"{self.home}payments").page.select(".made li a")
            assert self.send(str(listed[-int(number)]["href"]), {}, "/withdraw") == DONE
            payment.is_removed = True

    def move_to_yesterday(self) -> None:
        table = self.rng.choice(self.tables)
        table.day = find_today(None) - timedelta(days=1)
        assert self.send(f"{table.path}details", {"day": table.day.isoformat()}) == DONE

    def merge(self) -> None:
        links = self.phones[0].visit(f"{self.home}people").page.select(".roll a.who")
        tokens = {str(link.strong.get_text()): str(link["href"]).rpartition("/")[2] for link in links if link.strong}
        if not self.is_merged and {ALIAS, PERSON} <= tokens.keys():
            page = f"{self.home}people/{tokens[ALIAS]}"
            assert self.send(page, {"into": tokens[PERSON]}, "/merge") == DONE
            self.is_merged = True
            for payment in self.payments:
                payment.giver, payment.taker = self.person(payment.giver), self.person(payment.taker)
            for table in self.tables:
                table.names = tuple(map(self.person, table.names))
                for deal in table.deals.values():
                    if "adjustment" in deal:
                        deal["adjustment"] |= {
                            party: self.person(deal["adjustment"][party]) for party in ("from", "to")
                        }

    # --- what the ledger says

    def person(self, name: str) -> str:
        return PERSON if self.is_merged and name == ALIAS else name

    def won(self) -> Amounts:
        entries = ((unit, name, amount) for table in self.tables for unit, name, amount in table.won())
        return self._sum(entries)

    def paid(self) -> Amounts:
        standing = [each for each in self.payments if not each.is_removed]
        given = [(each.unit, each.giver, each.amount) for each in standing]
        sums = self._sum([*given, *((each.unit, each.taker, -each.amount) for each in standing)])
        return {key: amount for key, amount in sums.items() if key[1] != BOX}

    def held(self) -> Decimal:
        """Return what should be in the cash box."""
        standing = [each for each in self.payments if not each.is_removed]
        return sum((each.amount * ((each.taker == BOX) - (each.giver == BOX)) for each in standing), start=Decimal(0))

    def _sum(self, entries: Any) -> Amounts:
        sums: Amounts = {}
        for unit, name, amount in entries:
            key = (unit, self.person(name))
            sums[key] = sums.get(key, Decimal(0)) + amount
        return without_zeros(sums)

    # --- what pages and exports say

    def held_by_page(self) -> Decimal:
        box = self.phones[0].visit(f"{self.home}cash-box").page.select_one(".account .sum strong")
        text = box.get_text(strip=True) if box is not None else "0"
        return Decimal(text.replace("€", "").replace("−", "-").replace(",", ""))

    def by_statements(self) -> Amounts:
        """Return the last balances of each person's statement in money."""
        links = self.phones[0].visit(f"{self.home}people").page.select(".roll a.who")
        found: Amounts = {}
        for link in links:
            text = self.phones[0].visit(f"{link['href']}/statement.csv").response.text
            rows = list(csv.DictReader(io.StringIO(text.lstrip("\ufeff"))))
            name = str(link.get_text(strip=True)) if link.strong is None else link.strong.get_text(strip=True)
            in_euros = [Decimal(row["Balance"]) for row in rows if row["Unit"] == "EUR"]
            found["EUR", name] = in_euros[-1] if in_euros else Decimal(0)
        return without_zeros(found)

    def rows(self, kind: str) -> list[dict[str, str]]:
        text = self.rng.choice(self.phones).visit(f"{self.home}{kind}.csv").response.text
        return list(csv.DictReader(io.StringIO(text.lstrip("\ufeff"))))

    def by_heading(self, heading: str) -> Amounts:
        rows = [row for row in self.rows("players") if row["Unit"]]
        return self._sum((unit_of(row["Unit"]), row["Player"], Decimal(row[heading])) for row in rows)

    def exported_books(self) -> Amounts:
        """Return what each account of the books for accounting programs holds after its last transaction."""
        text = self.phones[0].visit(f"{self.home}ledger.hledger").response.text
        found = POSTING.findall(text)
        return self._sum((commodity_of(commodity), name, Decimal(amount)) for name, _, amount, commodity in found)


def _tricks(side: str, number: int) -> dict[str, Any]:
    other = {"ns": "ew", "ew": "ns"}[side]
    return {"tricks": {side: 6 + number, other: 7 - number}}


def _is(row: dict[str, str], payment: Payment) -> bool:
    facts = unit_of(row["Unit"]), row["From"], row["To"], Decimal(row["Amount"])
    return row["State"] == "Paid" and facts == (payment.unit, payment.giver, payment.taker, payment.amount)


def unit_of(text: str) -> str:
    """Return EUR for EUR or EUR (Whist), and the game's slug for fiches (Whist)."""
    return text[:3] if text[:3].isupper() else text.partition("(")[2].rstrip(")").lower().replace(" ", "-")


def commodity_of(commodity: str) -> str:
    named = commodity.strip('"')
    return named if "." not in named else "whist" if named.startswith("WHIST") else "quarante-de-rois"


def added(*sums: Amounts) -> Amounts:
    total: Amounts = {}
    for amounts in sums:
        for key, amount in amounts.items():
            total[key] = total.get(key, Decimal(0)) + amount
    return without_zeros(total)


def without_zeros(amounts: Amounts) -> Amounts:
    return {key: amount for key, amount in amounts.items() if amount}


@pytest.mark.parametrize("seed", range(1, 4))
def test_the_money_of_an_evening_is_what_was_entered_and_paid(app: Flask, seed: int) -> None:
    evening = Evening(app, seed)
    for step in range(1, STEPS + 1):
        evening.step()
        if step % (STEPS // LOOKS):
            continue
        won, paid = evening.won(), evening.paid()
        assert evening.by_heading("Won or lost") == won
        assert evening.by_heading("Paid or received") == paid
        assert evening.by_heading("Still open") == added(won, paid)
        assert evening.exported_books() == added(won, paid)
        assert evening.by_statements() == {key: amount for key, amount in added(won, paid).items() if key[0] == "EUR"}
        assert evening.held_by_page() == evening.held()
        for table in evening.tables:
            sheet = evening.phones[0].visit(table.path).export()
            assert [{key: deal[key] for key in deal if key in ("tricks", "adjustment")} for deal in sheet["deals"]] == (
                list(table.deals.values())
            )
    with app.app_context():
        assert verify().faults == []
    assert evening.payments, evening.done
