"""Seasons whose ledgers give what the app owes each person: as they stand, at cost and at market value.

The seeds are fixed. All 50 ledgers are one file for hledger, since a process of it takes longer than a season.
"""

from __future__ import annotations

import csv
from collections import Counter
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest
from beancount import loader
from beancount.core import convert, inventory, prices
from beancount.core.data import Transaction
from flask import Flask

from scorekeeper.currency import places
from scorekeeper.exchange.accounting import commodity
from scorekeeper.exchange.spreadsheets import SpreadsheetContents, amount_in
from scorekeeper.games import games
from scorekeeper.models import Circle
from scorekeeper.scoring.accounts import is_currency, to_money
from scorekeeper.scoring.statement import settlement_unit
from scorekeeper.services import exports
from scorekeeper.services.settlements.balances import open_accounts
from scorekeeper.services.settlements.scopes import Scope
from scorekeeper.web.circles.deals_in_words import describe

from .conftest import Run
from .importing import Author, circle_with, import_files, new_circle, pay_everything, uploads
from .test_ledgers import FRANCION, ledger, write_file

# Nothing here depends on the database.
pytestmark = pytest.mark.sqlite

SEASONS = range(50)
NAMES = ("Anne", "Bruno", "Chloé", "David", "Élise", "Fanny")
STAKES = ("0.25", "1", "0.05", "0.1", "0.333333", "0.000001", "12.5", "0.7")
CURRENCIES = ("EUR", "EUR", "CHF", "JPY", None)


def sheet(rng: Random) -> dict[str, Any]:
    """Return a table of one of three evenings, at which counters are paid."""
    game = rng.choice([game for game in games().values() if game.units])
    names = rng.sample(NAMES, rng.choice(game.player_counts))
    deals = []
    for _ in range(rng.randint(1, 3)):
        giver, taker = rng.sample(names, 2)
        paid = {rng.choice(game.units): rng.randint(1, 30)}
        deals.append({"adjustment": {"from": giver, "to": taker, "reason": "agreed"} | paid})
    written = {"format": "scorekeeper-sheet/1", "game": game.slug, "players": names, "deals": deals}
    currency, unit = rng.choice(CURRENCIES), rng.choice(game.units).removesuffix("s")
    value = {"value": {"currency": currency, "unit": unit, "amount": rng.choice(STAKES)}} if currency else {}
    return written | value | {"played_on": f"2026-11-{rng.randint(20, 22)}"}


def play(seed: int) -> Author:
    """Play two evenings with payments after each, some of them all that is due, and a table that stays open."""
    rng, author = Random(seed), new_circle()  # noqa: S311  # nothing secret
    for _ in range(2):
        import_files(author, uploads(*(sheet(rng) for _ in range(rng.randint(1, 4)))))
        pay_everything(author, rng.choice((None, 0, 1, 2)))
    return author


def owed(circle: Circle) -> dict[tuple[str, str], int]:
    """Return what the app says is open by name and account, in subunits, without those who are even."""
    accounts = open_accounts(circle, Scope())
    balances: Counter[tuple[str, str]] = Counter()
    for account in accounts.values():
        for name, subunits in account.subunits.items():
            balances[name, account.key] += subunits
    return {key: subunits for key, subunits in balances.items() if subunits}


def commodity_of(account: str) -> str:
    """Return the commodity in which a ledger has an account of the app."""
    return account if is_currency(account) else commodity(games()[account], settlement_unit(games()[account]))


def in_players_csv(circle: Circle) -> dict[tuple[str, str], Decimal]:
    """Return what is open by name and commodity according to players.csv, without those who are even."""
    players = exports.players_of(circle)
    rows = SpreadsheetContents("en", describe, (), (), players).rows("players")
    balances: Counter[tuple[str, str]] = Counter()
    for player, row in zip(players, rows, strict=True):
        if player.account is not None:
            balances[player.name, commodity_of(player.account)] += Decimal(str(row[-1]))  # type: ignore[assignment]
    return {key: Decimal(amount) for key, amount in balances.items() if amount}


def read_by_beancount(text: str) -> list[dict[tuple[str, str], Decimal]]:
    """Return the balances by person and commodity: as they stand, at cost, and at market value."""
    entries, errors, _ = loader.load_string(text)
    assert not errors, errors[:3]
    ways: list[dict[tuple[str, str], inventory.Inventory]] = [{}, {}, {}]
    market = prices.build_price_map(entries)
    for posting in (posting for entry in entries if isinstance(entry, Transaction) for posting in entry.postings):
        if posting.account.startswith("Assets:Players:"):
            _, _, person, part = posting.account.split(":")
            value = posting.units if part == "Counters" else convert.convert_position(posting, part, market)
            for way, amount in zip(ways, (posting.units, convert.get_weight(posting), value), strict=True):
                way.setdefault((person, part), inventory.Inventory()).add_amount(amount)
    return [
        {(person, held.units.currency): held.units.number for (person, _), all_ in way.items() for held in all_}
        for way in ways
    ]


def read_by_hledger(program: Run, path: Path, *how: str) -> dict[tuple[str, str], Decimal]:
    """Return the balances by account and commodity as hledger shows them, which is in coins."""
    output = program(path, "balance", "Players", "--flat", "--no-total", "--layout=bare", "-O", "csv", *how)
    rows = list(csv.reader(output.splitlines()))[1:]
    return {(account, name): Decimal(amount) for account, name, amount in rows if Decimal(amount)}


def test_both_programs_give_what_the_app_owes_at_cost_and_at_value(app: Flask, tmp_path: Path, hledger: Run) -> None:
    together, shown = "", {}
    with app.app_context():
        for seed in SEASONS:
            circle = play(seed).circle
            due = owed(circle)
            exact = {(name, commodity_of(key)): Decimal(amount_in(key, amount)) for (name, key), amount in due.items()}
            exact = {key: amount for key, amount in exact.items() if amount}
            assert in_players_csv(circle) == exact
            for balances in read_by_beancount(ledger(circle, "beancount")):
                assert balances == exact, seed
            own = f"Assets:{seed}:"
            together += ledger(circle, "hledger").replace("Assets:", own)
            for (name, key), amount in due.items():
                coins = to_money(amount, places(key)) if is_currency(key) else Decimal(amount)
                account = f"{own}Players:{name}:{key if is_currency(key) else 'Counters'}"
                shown |= {(account, commodity_of(key)): coins} if coins else {}
    assert {"EUR", "CHF", "JPY", "FRANCION.JETON"} <= {name for _, name in shown}
    path = write_file(tmp_path, together, "seasons.hledger")
    for how in ((), ("-B",), ("-X", "EUR"), ("-X", "CHF")):
        assert read_by_hledger(hledger, path, *how) == shown, how


def test_the_balances_of_a_hundred_tables_are_rounded_once(app: Flask) -> None:
    """Rounded table by table, they would be 5.555600."""
    value = {"currency": "EUR", "unit": "fiche", "amount": "0.25"}
    won = {"adjustment": {"from": "Anne", "to": "Bruno", "jetons": 2, "reason": "agreed"}}
    sheets = [FRANCION | {"value": value, "deals": [won], "title": f"Table {number}"} for number in range(100)]
    with app.app_context():
        text = ledger(circle_with(*sheets).circle, "beancount")
    for balances in read_by_beancount(text):
        assert balances == {("Anne", "EUR"): Decimal("-5.555556"), ("Bruno", "EUR"): Decimal("5.555556")}
