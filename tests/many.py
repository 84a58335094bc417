"""Insert many random tables at once, with the same rows as recording them one by one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from random import Random
from typing import Any

from scorekeeper.games import games
from scorekeeper.models import Circle, Membership, Player, Revision, Seat, Table, db
from scorekeeper.scoring import schema
from scorekeeper.scoring.game import AnyGame, fold
from scorekeeper.tables.reading import read_revisions
from scorekeeper.tables.state import TableState
from scorekeeper.tables.writing import store_summary

from . import chance

MAX_DEALS = 8
SHEETS = 12  # different ones, used several times: generating a sheet takes longer than storing it


def play(
    circle: Circle,
    number: int,
    first: date = date(2026, 1, 2),
    *,
    apart: int = 3,
    seed: int = 1765,
    max_deals: int = MAX_DEALS,
) -> None:
    """Add tables to a circle with at least four players, two an evening, some days apart, and commit.

    A table is played until it ends or has `max_deals` deals.
    """
    rng = Random(seed)  # noqa: S311  # nothing secret
    circle_id = circle.id
    players = list(db.session.scalars(db.select(Player.id).where(Player.circle_id == circle_id)))
    membership = db.session.scalars(db.select(Membership.id).where(Membership.circle_id == circle_id)).first()
    sheets = [_sheet(rng, len(players), max_deals) for _ in range(SHEETS)]
    for index in range(number):
        game, seats, deals = rng.choice(sheets)
        table = _table(circle_id, game, rng.sample(players, seats), first + timedelta(days=index // 2 * apart), rng)
        table.revisions = [
            Revision(
                circle_id=circle_id,
                number=n,
                kind="record",
                deal=n,
                body=body,
                membership_id=membership,
                at=table.opened_at,
                entry_key=f"{n}",
            )
            for n, body in enumerate(deals, start=1)
        ]
        db.session.add(table)
        db.session.flush()
        store_summary(TableState(table, read_revisions(table)))
    db.session.commit()


def _sheet(rng: Random, players: int, max_deals: int) -> tuple[AnyGame, int, list[dict[str, Any]]]:
    game = rng.choice(list(games().values()))
    seats = rng.choice([number for number in game.player_counts if number <= players])
    standing = game.open(tuple(map(str, range(1, seats + 1))), "1", game.usual_options)
    deals: list[dict[str, Any]] = []
    while len(deals) < max_deals and not standing.is_finished:
        deal = chance.deal(game, standing, rng)
        if fold(game, standing, [deal]) is None:
            deals.append(deal)
    return game, seats, deals


def _table(circle_id: int, game: AnyGame, players: Sequence[int], day: date, rng: Random) -> Table:
    table = Table(
        token=f"{rng.getrandbits(96):x}",
        circle_id=circle_id,
        game=game.slug,
        rules_version=1,
        house_rules=schema.dump(game.usual_options),
        dealer="1",
        played_on=day,
        day=day,
        opened_at=datetime(day.year, day.month, day.day, 20),
    )
    if rng.random() < 1 / 3:
        table.value_currency, table.value_unit, table.value_amount = "EUR", "fiche", "0.25"
    table.seats = [
        Seat(circle_id=circle_id, seat=str(seat), player_id=id_) for seat, id_ in enumerate(players, start=1)
    ]
    return table
