"""Every row says which circle it belongs to, and the database refuses a row that ties two circles together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import ForeignKeyConstraint, and_, delete, select, text, update
from sqlalchemy import Table as SqlTable
from sqlalchemy.exc import IntegrityError

from scorekeeper.models import (
    Base,
    Circle,
    Confirmation,
    DealConfirmation,
    Device,
    Player,
    Presence,
    RoundResult,
    db,
)
from scorekeeper.services import verify
from scorekeeper.services.money.scopes import Scope

from ..club import Club
from ..event_rows import add_event
from ..notice_rows import add_subscription
from ..planned_rows import add_planned
from ..season_rows import add_season
from ..tables.test_flags import flag_deal

NOT_OF_A_CIRCLE = {Circle.__tablename__, Device.__tablename__}
TABLES = {table.name: table for table in Base.metadata.sorted_tables if table.name not in NOT_OF_A_CIRCLE}


def references() -> Iterator[tuple[str, ForeignKeyConstraint]]:
    """Yield the foreign keys between the rows of a circle, with the names of table and column."""
    for table in TABLES.values():
        for key in table.foreign_key_constraints:
            if key.referred_table.name not in NOT_OF_A_CIRCLE:
                yield f"{table.name}.{key.column_keys[-1]}", key


REFERENCES = dict(sorted(references()))
WITHOUT_REFERENCES_TO_THEM = (
    "confirmation",
    "deal_confirmation",
    "summary",
    "seat",
    "browser_link",
    "revision",
    "presence",
    "evening_answer",
    "calendar_feed",
    "notice_subscription",
    "handicap",
    "event_confirmation",
    "event_table",
    "event_round",
    "event_phone",
    "entrant",
    "entrant_substitution",
)


def fill(club: Club) -> None:
    """Add a row to each table."""
    table = club.table(("Anne", "Bruno", 5))
    payment = club.pay("Anne", "Bruno", 2, Scope(table=table))
    payment.needs_confirmation = True
    ids = {"circle_id": club.id, "payment_id": payment.id, "browser_id": club.browser_id}
    db.session.add(Confirmation(**ids, at=payment.at))
    flag_deal(club, table)
    ids = {"circle_id": club.id, "table_id": table.id, "browser_id": club.browser_id}
    db.session.add(DealConfirmation(revision=1, player_id=club.player("Bruno").id, at=payment.at, **ids))
    db.session.add(
        Presence(circle_id=club.id, player_id=club.player("Anne").id, day=payment.at.date(), arrived_at=payment.at)
    )
    add_subscription(club.id, club.browser_id)
    add_planned(club.id, club.browser_id, club.player("Anne").id)
    add_season(club.id, club.player("Anne").id)
    players = [Player(circle_id=club.id, name=f"Guest {number}") for number in range(6)]
    db.session.add_all(players)
    db.session.flush()
    add_event(club.id, club.browser_id, [player.id for player in players])


def key_of_first(table: SqlTable, circle_id: int) -> dict[str, Any]:
    """Return the primary key of a circle's first row."""
    query = select(*table.primary_key.columns).where(table.c["circle_id"] == circle_id)
    return dict(db.session.execute(query.order_by(*table.primary_key.columns)).mappings().first() or {})


@pytest.mark.parametrize("table", TABLES)
def test_every_row_of_a_circle_says_which(table: str) -> None:
    assert TABLES[table].c["circle_id"].nullable is False


@pytest.mark.parametrize("name", REFERENCES)
def test_every_reference_is_to_a_row_of_the_same_circle(name: str) -> None:
    key = REFERENCES[name]
    assert key.column_keys[0] == "circle_id"
    assert [element.column.name for element in key.elements] == ["circle_id", "id"]


def test_the_database_refuses_a_row_that_ties_two_circles_together(club: Club) -> None:
    other = Club()
    for each in (club, other):
        fill(each)
    for name in WITHOUT_REFERENCES_TO_THEM:  # so that no primary key is in the way
        db.session.execute(delete(TABLES[name]).where(TABLES[name].c["circle_id"] == other.id))
    of_other = update(RoundResult).where(RoundResult.circle_id == other.id)
    db.session.execute(of_other.values(number=RoundResult.number + 9, entry_key="other " + RoundResult.entry_key))
    db.session.commit()
    for name, key in REFERENCES.items():
        table, column = key.table, name.partition(".")[2]
        theirs = key_of_first(key.referred_table, other.id)["id"]
        own = [table.c[part] == value for part, value in key_of_first(table, club.id).items()]
        assert own, f"{name}: there is no row"
        with pytest.raises(IntegrityError, match=r"FOREIGN KEY|23503"):
            db.session.execute(update(table).where(and_(*own)).values({column: theirs}))
        db.session.rollback()


@pytest.mark.sqlite
def test_such_a_row_is_found_where_it_was_written_without_constraints(club: Club) -> None:
    fill(club)
    browser = Club().browser_id
    db.session.remove()
    with db.engine.connect() as connection:
        connection.execute(text("PRAGMA foreign_keys=OFF"))
        connection.execute(text("UPDATE revision SET browser_id = :browser"), {"browser": browser})
        connection.commit()
    db.engine.dispose()
    assert {fault.params["parent"] for fault in verify.verify().faults if fault.key == "reference"} == {"browser"}
