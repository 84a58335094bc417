"""Pages, exports and statistics of a table of each game, on which somebody took a seat."""

from __future__ import annotations

import json
from random import Random

import pytest
from flask import Flask
from sqlalchemy import select

from scorekeeper.db.outcome import Done
from scorekeeper.games import games
from scorekeeper.models import Circle, Table, db
from scorekeeper.standings.reading import read_totals
from scorekeeper.tables import caches, reading
from scorekeeper.tables.chairs import to_chairs
from scorekeeper.tables.named_games import find_game_key
from scorekeeper.tables.revisions import RECORD, Change
from scorekeeper.tables.state import TableState
from scorekeeper.tables.summary import summarise
from scorekeeper.tables.turns import Newcomer, substitute
from scorekeeper.tables.writing import write
from scorekeeper.testing.playing import tap_deal

from ..support.visitor import NAMES, Visitor

SLUGS = ["francion", "whist"]
PAGES = [
    *("", "display", "chart", "after/3", "deals", "changes", "print", "recap", "sheet.json", "update"),
    *("settlement", "why/stake", "deals/new", "deals/adjustment", "deals/substitution", "details", "export"),
]


class Evening:
    """A table with three deals, Emma for the second player, three deals, and the second player for the first."""

    def __init__(self, visitor: Visitor, slug: str) -> None:
        self.random = Random(slug)  # noqa: S311  # the same deals each time
        self.slug = slug
        players = max(games()[slug].player_counts)
        visitor.open_table(slug, players)
        self.token = visitor.table.split("/")[2]
        self.play(3)
        self.substitute("2", "Emma")
        self.play(3)
        self.substitute("1", NAMES[1])
        self.play(2)

    @property
    def table(self) -> TableState:
        db.session.expire_all()
        row = db.session.scalars(select(Table).where(Table.token == self.token)).one()
        return TableState(row, reading.read_revisions(row))

    @property
    def circle(self) -> Circle:
        return self.table.stored.circle

    def play(self, deals: int) -> None:
        for _ in range(deals):
            table = self.table
            if table.standing.is_finished:
                return
            deal = tap_deal(table.game, table.standing, self.random).facts
            body = to_chairs(table.game, deal, table.chairs, table.standing.players)
            key, membership = f"deal-{table.version}", table.stored.circle.memberships[0]
            assert isinstance(write(table, [Change(RECORD, body=body)], table.seen, key, membership), Done)

    def substitute(self, chair: str, name: str) -> None:
        table = self.table
        if not table.standing.is_finished:
            key, membership = f"change-{table.version}", table.stored.circle.memberships[0]
            written = substitute(table, Change(RECORD), chair, Newcomer(name=name), table.seen, key, membership)
            assert isinstance(written, Done)


@pytest.mark.parametrize("slug", SLUGS)
def test_every_page_can_be_read_and_everything_adds_up(app: Flask, visitor: Visitor, slug: str) -> None:
    with app.app_context():
        evening = Evening(visitor, slug)
        table = evening.table
        assert len(table.everybody) > len(table.chairs)
        summary = table.stored.summary
        assert summary is not None
        assert summary.data == json.loads(json.dumps(summarise(table)))
        for unit in table.game.units:
            assert not sum(balance[unit] for balance in table.standing.balances.values()) or table.game.ending.kinds
        totals = read_totals(evening.circle).games[find_game_key(table.stored)]
        persons = {person.id: label for label, person in table.persons.items()}
        rows = [row for row in table.standing.rows if table.game.is_played(row.fact)]
        for person, seat in persons.items():
            assert totals.players[person].deals == sum(seat in row.players for row in rows)
            assert totals.players[person].net == table.standing.balances[seat]
        assert not caches.verify().faults
        circle = evening.circle.token
        labels = [*table.everybody]
    visitor.visit(f"/tables/{evening.token}/")
    people = [f"why/balance/{label}" for label in labels]
    units = games()[slug].units
    for page in (*PAGES, "journal", *(people if units else ()), *(["count"] if units else ())):
        assert visitor.visit(f"/tables/{evening.token}/{page}").status == 200, page
    pages = ["tables", "figures", "people", "settlement", "deals.csv", "entries.csv", "payments.csv", "balances.csv"]
    for page in [*pages, "players.csv", "ledger.beancount", "ledger.hledger", "spreadsheet.xlsx", "export.zip"]:
        assert visitor.client.get(f"/circles/{circle}/{page}").status_code == 200, page
    for page in ("deals.csv", "balances.csv", "ledger.beancount"):
        assert "Emma" in visitor.client.get(f"/circles/{circle}/{page}").get_data(as_text=True), page
