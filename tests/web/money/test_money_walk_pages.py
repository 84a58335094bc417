"""A random walk of a circle's money, after each step of which every page and export says the same."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal

import pytest
from bs4 import BeautifulSoup
from flask import Flask
from flask.testing import FlaskClient

from scorekeeper.models import db
from scorekeeper.scoring.accounts import to_subunits
from scorekeeper.services.money.scopes import Scope

from ...services.club import GAME, Club
from ...services.money_walk import Amounts, MoneyWalk, WalkedTable, added, without_zeros

STEPS = 10
HEADERS = {"Accept-Language": "en-GB"}
PAYS = re.compile(r"^(\w+) pays (\w+) (.+)$")
WON = re.compile(r"\b(Won|Lost) (€[\d.,]+)")
POSTING = re.compile(r"^ +Assets:Players:(\w+):(\w+)  (-?[\d.]+) (\S+)$", re.MULTILINE)
ACCOUNT_OF_A_GAME = {"Whist": GAME, "Quarante de rois": "quarante-de-rois"}

Paid = tuple[str, str, str]  # giver, taker, amount in words


class Pages:
    """The pages of a circle, as one of its browsers sees them."""

    def __init__(self, app: Flask, club: Club) -> None:
        self.client: FlaskClient = app.test_client()
        self.home = f"/circles/{club.circle.name}"
        with self.client.session_transaction() as session:
            session["device"], session["circle"] = club.secret, club.circle.name

    def text(self, path: str) -> str:
        response = self.client.get(path, headers=HEADERS)
        assert response.status_code == 200, path
        return response.text

    def page(self, path: str) -> BeautifulSoup:
        return BeautifulSoup(self.text(path), "lxml")

    def settle_page(self, scope: Scope) -> BeautifulSoup:
        if scope.table is not None:
            return self.page(f"/tables/{scope.table.token}/settlement")
        evening = f"/evenings/{scope.day}" if scope.day is not None else ""
        return self.page(f"{self.home}{evening}/settlement")

    def recap(self, scope: Scope) -> str:
        path = f"/tables/{scope.table.token}/recap" if scope.table is not None else f"{self.home}/evenings/{scope.day}"
        area = self.page(path).select_one("textarea")
        assert area is not None
        return area.get_text()


@pytest.fixture
def club(app: Flask) -> Iterator[Club]:
    with app.app_context():
        if db.engine.dialect.name == "sqlite":
            with db.engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA synchronous=OFF")
        yield Club()


def test_every_page_and_export_agrees_after_every_step(app: Flask, club: Club) -> None:
    walk, pages = MoneyWalk(club, seed=1), Pages(app, club)
    for _ in range(STEPS):
        walk.step()
        for scope, tables in walk.scopes():
            page_agrees(walk, pages, scope, tables)
        won, paid = walk.won(), walk.paid()
        assert players_csv(pages) == (won, paid, added(won, paid))
        assert payments_csv(pages) == paid
        assert ledger(pages) == added(won, paid)
    assert walk.payments
    assert walk.done["planned"] > 20


def page_agrees(walk: MoneyWalk, pages: Pages, scope: Scope, tables: list[WalkedTable]) -> None:
    page = pages.settle_page(scope)
    planned = plan_of(page)
    walk.done["planned"] += len(planned)
    won, open_ = balances_of(page)
    if scope.is_everything:
        assert open_ == Counter(added(walk.won(), walk.paid()).get("EUR", {}))
        return
    assert won == Counter(walk.won(tables).get("EUR", {}))
    assert pays_in(pages.recap(scope)) == planned
    if scope.table is not None:
        sheet = pages.page(f"/tables/{scope.table.token}/print").select_one(".score-sheet .sums")
        assert sheet is not None
        assert pays_in("\n".join(item.get_text() for item in sheet.select("li, p"))) == planned


# --- reading pages and exports


def plan_of(page: BeautifulSoup) -> list[Paid]:
    """Return the planned payments of a settle page."""
    due = [[item.select_one(css) for css in (".giver", ".taker", "b")] for item in page.select(".due .payment")]
    return sorted((plain(a), plain(b), plain(c)) for a, b, c in due)


def plain(tag: object) -> str:
    return " ".join(tag.get_text().split()) if hasattr(tag, "get_text") else ""


def pays_in(text: str) -> list[Paid]:
    """Return the lines of a text that say who pays whom."""
    found = (PAYS.match(" ".join(line.split())) for line in text.splitlines())
    return sorted((match[1], match[2], match[3]) for match in found if match is not None)


def balances_of(page: BeautifulSoup) -> tuple[Counter[str], Counter[str]]:
    """Return what was won and what is open in euros, by the page's tables of balances."""
    won: Counter[str] = Counter()
    open_: Counter[str] = Counter()
    for row in page.select(".balances li"):
        name, is_open, shares = (plain(row.select_one(css)) for css in ("span", "b", ".why"))
        if "€" in is_open + shares:
            open_[name] += euros(is_open)
            won[name] += sum(euros(amount) if word == "Won" else -euros(amount) for word, amount in WON.findall(shares))
    return Counter({n: a for n, a in won.items() if a}), Counter({n: a for n, a in open_.items() if a})


def euros(text: str) -> int:
    """Return an amount with its sign, or what somebody "gets" or "pays"."""
    number = text.replace("gets ", "").replace("pays ", "−").replace("−", "-").replace("€", "").replace("+", "")
    return to_subunits(Decimal(number))


def rows_of(pages: Pages, kind: str) -> list[dict[str, str]]:
    """Return the rows of a CSV file by heading."""
    return list(csv.DictReader(io.StringIO(pages.text(f"{pages.home}/{kind}.csv").lstrip("\ufeff"))))


def amount_of(unit: str, amount: str) -> tuple[str, int]:
    """Return the account and the subunits of an amount: EUR, EUR (Whist), or fiches (Whist)."""
    if unit[:3].isupper():
        return unit[:3], to_subunits(Decimal(amount))
    return ACCOUNT_OF_A_GAME[unit[unit.index("(") + 1 : -1]], int(amount)


def players_csv(pages: Pages) -> tuple[Amounts, Amounts, Amounts]:
    """Return what was won, paid and is open."""
    sums: dict[str, Amounts] = {"Won or lost": {}, "Paid or received": {}, "Still open": {}}
    for row in rows_of(pages, "players"):
        for heading, amounts in sums.items():
            if row["Unit"]:
                account, subunits = amount_of(row["Unit"], row[heading])
                amounts.setdefault(account, Counter())[row["Player"]] += subunits
    won, paid, open_ = map(without_zeros, sums.values())
    return won, paid, open_


def payments_csv(pages: Pages) -> Amounts:
    """Return what was paid and not removed."""
    sums: Amounts = {}
    for row in rows_of(pages, "payments"):
        if row["State"] == "Paid":
            account, subunits = amount_of(row["Unit"], row["Amount"])
            amounts = sums.setdefault(account, Counter())
            amounts[row["From"]] += subunits
            amounts[row["To"]] -= subunits
    return without_zeros(sums)


def ledger(pages: Pages) -> Amounts:
    """Return the balance of each account of the ledger after its last transaction."""
    sums: Amounts = {}
    for name, part, amount, commodity in POSTING.findall(pages.text(f"{pages.home}/ledger.hledger")):
        if part == "Counters":
            account, subunits = game_of(commodity), int(amount)
        else:
            account, subunits = part, to_subunits(Decimal(amount))
        sums.setdefault(account, Counter())[name] += subunits
    return without_zeros(sums)


def game_of(commodity: str) -> str:
    """Return the game whose counter a commodity is."""
    return GAME if commodity.strip('"').startswith("WHIST") else "quarante-de-rois"
