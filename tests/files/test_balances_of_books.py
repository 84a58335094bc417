"""Seasons whose books give what the app owes each person: as they stand, at cost and at market value.

The seeds are fixed. All books are one file for hledger, since a process of it takes longer than a season.
"""

from __future__ import annotations

import csv
from decimal import Decimal
from random import Random
from typing import Any

from beancount import loader
from beancount.core import convert, inventory, prices
from beancount.core.data import Transaction
from flask import Flask

from scorekeeper.files import exports
from scorekeeper.files.books import component, name_commodity
from scorekeeper.files.export_pages import describe
from scorekeeper.files.exports import Export
from scorekeeper.files.spreadsheets import SpreadsheetContents, amount_in
from scorekeeper.games import games, slug_of
from scorekeeper.models import Circle, Membership
from scorekeeper.money.ledger import EVERYTHING
from scorekeeper.money.reading import read_ledger
from scorekeeper.scoring.currency import is_currency
from scorekeeper.scoring.sheet import settlement_unit

from ..conftest import Run
from ..support.game_data import needed_rules
from .importing import books, import_files, new_circle, pay_everything, uploads

SEASONS = range(20)
NAMES = ("Anne", "Bruno", "Chloé", "David", "Élise", "Fanny")
STAKES = ("0.25", "1", "0.05", "0.1", "0.333333", "0.000001", "12.5", "0.7")
CURRENCIES = ("EUR", "EUR", "CHF", "JPY", None)

Balances = dict[tuple[str, str], Decimal]  # by account and commodity

DECIMALS = [option for name in ("EUR", "CHF", "JPY") for option in ("-c", f"1000.000000 {name}")]


def sheet(rng: Random) -> dict[str, Any]:
    """Return a table of one of three evenings, at which counters are paid."""
    game = rng.choice([game for game in games().values() if game.units])
    names = rng.sample(NAMES, rng.choice([count for count in game.player_counts if count <= len(NAMES)]))
    deals = []
    for _ in range(rng.randint(1, 3)):
        giver, taker = rng.sample(names, 2)
        paid = {rng.choice(game.units): rng.randint(1, 30)}
        deals.append({"adjustment": {"from": giver, "to": taker, "reason": "agreed"} | paid})
    written = {"format": "scorekeeper-sheet/1", "game": game.slug, "players": names, "deals": deals}
    written |= needed_rules(game.slug)
    currency, unit = rng.choice(CURRENCIES), rng.choice(game.units).removesuffix("s")
    value = {"value": {"currency": currency, "unit": unit, "amount": rng.choice(STAKES)}} if currency else {}
    return written | value | {"played_on": f"2026-11-{rng.randint(20, 22)}"}


def play(seed: int) -> Membership:
    """Enter tables, then payments of all that is due, nothing or a part; perhaps once more."""
    rng, author = Random(seed), new_circle()  # noqa: S311  # nothing secret
    for _ in range(rng.randint(1, 2)):
        import_files(author, uploads(*(sheet(rng) for _ in range(rng.randint(1, 3)))))
        pay_everything(author, rng.choice((None, 0, 1, 2)))
    return author


def key_of(name: str, account: str) -> tuple[str, str]:
    """Return an account of the books, without its first parts, and commodity for a person in an account of the app."""
    if is_currency(account):
        return f"{component(name)}:{account}", account
    return f"{component(name)}:Counters", name_commodity(account, settlement_unit(games()[slug_of(account)]))


def owed(circle: Circle) -> Balances:
    """Return what the app says is open, without those who are even."""
    accounts = read_ledger(circle).read_accounts(EVERYTHING).values()
    open_ = [(key_of(name, own.key), amount_in(own.key, due)) for own in accounts for name, due in own.open.items()]
    return {key: Decimal(amount) for key, amount in open_ if amount}


def in_players_csv(circle: Circle) -> Balances:
    players = list(exports.read_players(circle))
    rows = [row for _, row in SpreadsheetContents("en", describe, Export((), players=players)).rows(["players"])]
    pairs = [(player, Decimal(str(row[-1]))) for player, row in zip(players, rows, strict=True) if player.account]
    return {key_of(player.name, player.account or ""): amount for player, amount in pairs if amount}


def read_by_beancount(text: str) -> list[Balances]:
    """Return the balances as they stand, at cost, and at market value."""
    entries, errors, _ = loader.load_string(text)
    assert not errors, errors[:3]
    ways: list[dict[str, inventory.Inventory]] = [{}, {}, {}]
    market = prices.build_price_map(entries)  # type: ignore[no-untyped-call]  # Beancount has no types
    for posting in (posting for entry in entries if isinstance(entry, Transaction) for posting in entry.postings):
        if posting.account.startswith("Assets:Players:"):
            account = posting.account.removeprefix("Assets:Players:")
            part = account.rpartition(":")[2]
            cost = convert.get_weight(posting)  # type: ignore[no-untyped-call]
            value = convert.convert_position(posting, part, market)  # type: ignore[no-untyped-call]
            for way, amount in zip(ways, (posting.units, cost, value), strict=True):
                way.setdefault(account, inventory.Inventory()).add_amount(amount)
    return [
        {(account, held.units.currency): held.units.number for account, all_ in way.items() for held in all_}
        for way in ways
    ]


def read_by_hledger(program: Run, text: str, *how: str) -> Balances:
    output = program(text, "balance", "Players", "--flat", "--no-total", "--layout=bare", "-O", "csv", *DECIMALS, *how)
    rows = list(csv.reader(output.splitlines()))[1:]
    return {(account, name): Decimal(amount) for account, name, amount in rows if Decimal(amount)}


def test_both_programs_give_what_the_app_owes_at_cost_and_at_value(app: Flask, hledger: Run) -> None:
    together = ""
    expected: Balances = {}
    with app.app_context():
        for seed in SEASONS:
            circle = play(seed).circle
            due = owed(circle)
            assert in_players_csv(circle) == due, seed
            assert read_by_beancount(books(circle, "beancount")) == [due] * 3, seed
            together += books(circle, "hledger").replace("Assets:", f"Assets:{seed}:")
            expected |= {(f"Assets:{seed}:Players:{account}", unit): amount for (account, unit), amount in due.items()}
    assert {"EUR", "CHF", "JPY", "FRANCION.JETON"} <= {name for _, name in expected}
    for how in ((), ("-B",), ("-X", "EUR")):
        assert read_by_hledger(hledger, together, *how) == expected, how
