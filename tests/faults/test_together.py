"""Many phones write to one table at once: each entry is stored once, in an order that all of them see."""

from __future__ import annotations

import json
from functools import partial

import pytest

from .conftest import Serve, on_both
from .phones import TIMES, Phone, audit, in_threads

PHONES = 8
ENTRIES = 104 * TIMES  # by all phones together


def enter_many(phone: Phone, table: str, entries: int) -> None:
    for number in range(entries):
        form = {"kind": "points", "to": phone.rng.choice(("ns", "ew")), "amount": "1", "do": "record"}
        phone.enter(table, form | {"reason": f"{id(phone)}-{number}"}, "deals/adjustment")


def order(phone: Phone, table: str) -> list[str]:
    """Return the entries in the order in which a phone reads them, identified by their reasons."""
    deals = json.loads(phone.ask(f"{table}sheet.json").text)["deals"]
    return [deal["adjustment"]["reason"] for deal in deals]


@on_both
def test_entries_of_eight_phones_at_one_table_are_stored_once_in_one_order(
    url: str, serve: Serve, request: pytest.FixtureRequest
) -> None:
    """One server on SQLite, two on PostgreSQL."""
    is_sqlite = url.startswith("sqlite")
    servers = [serve(url) for _ in range(1 if is_sqlite else 2)]
    host = Phone(servers[0].url)
    table = host.open_table()
    phones = [Phone(servers[number % len(servers)].url, seed=number) for number in range(PHONES)]
    for phone in phones:
        host.let_in(table, phone)
    with in_threads([partial(enter_many, phone, table, ENTRIES // PHONES) for phone in phones]):
        pass
    orders = [order(phone, table) for phone in phones]
    done = audit(servers[0].app(), phones)
    acknowledged = sorted((entry.number or 0, entry.key) for phone in phones for entry in phone.entries)
    print(f"{PHONES} phones, {len(servers)} server(s), {request.node.callspec.id}: {done}")
    assert [number for number, _ in acknowledged] == list(range(1, ENTRIES + 1))
    assert len(set(orders[0])) == len(orders[0]) == ENTRIES
    assert all(order == orders[0] for order in orders)
    by_number = {entry.number: f"{id(phone)}-{n}" for phone in phones for n, entry in enumerate(phone.entries)}
    assert orders[0] == [by_number[number] for number in range(1, ENTRIES + 1)]
