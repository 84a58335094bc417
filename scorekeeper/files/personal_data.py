"""Where the rows of a circle hold something about a person, for the file with everything about them.

Each column that refers to a player or a phone stands in `HELD`; a test looks for those that do not. Texts in which
people are named are found by their columns: erasure.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, and_, or_, select

from ..models import Base

TABLES = Base.metadata.tables
REASON = "reason"  # of an adjustment, in the body of a revision


class Held(NamedTuple):
    """Rows about a person, a section of their export. Names of columns are separated by spaces.

    Attributes:
        table: the database's table.
        by: the columns that refer to the person, or to a phone of theirs.
        columns: those in the export, never those of secrets; those of a row that it refers to after the table's name.
    """

    section: str
    table: str
    by: str
    columns: str

    @property
    def references(self) -> list[Any]:
        return [TABLES[self.table].c[name] for name in self.by.split()]

    def list_columns(self) -> list[Any]:
        places = [name.rpartition(".") for name in self.columns.split() if name != REASON]
        return [TABLES[table or self.table].c[name] for table, _, name in places]

    def select_about(self, circle_id: int, player_ids: Sequence[int]) -> Select[Any]:
        """Select the columns of the rows about a person with these players and about their phones."""
        own, columns = TABLES[self.table], self.list_columns()
        if REASON in self.columns.split():
            columns.append(own.c.body["adjustment"][REASON].as_string().label(REASON))
        query = select(*columns).select_from(own)
        for other in dict.fromkeys(column.table for column in self.list_columns() if column.table is not own):
            reference = next(column for column in own.c if find_referred(column) == other.name)
            query = query.join(other, other.c.id == reference)
        return query.where(self.is_about(circle_id, player_ids)).order_by(*own.primary_key)

    def is_about(self, circle_id: int, player_ids: Sequence[int]) -> ColumnElement[bool]:
        membership = TABLES["membership"]
        phones = select(membership.c.id).where(
            membership.c.circle_id == circle_id, membership.c.player_id.in_(player_ids)
        )
        conditions = [
            column.in_(phones) if find_referred(column) == "membership" else _is_of_players(column, player_ids)
            for column in self.references
        ]
        return and_(TABLES[self.table].c.circle_id == circle_id, or_(*conditions))


def find_referred(column: Any) -> str | None:
    """Return the name of the table to which a column refers, if it does."""
    return next((key.column.table.name for key in column.foreign_keys), None)


def _is_of_players(column: Any, player_ids: Sequence[int]) -> Any:
    if str(column) != "event_phone.number":
        return column.in_(player_ids)
    entrant, phone = TABLES["entrant"].c, column.table.c
    is_it = [getattr(entrant, name) == getattr(phone, name) for name in ("circle_id", "event_id", "number")]
    return select(entrant.number).where(*is_it, entrant.player_id.in_(player_ids)).exists()


_PAYMENT = "number account amount paid_on at method table_id event_id evening withdrawn_at"
_RESULT = "event_result.event_id event_result.round event_result.table_number"
_ANSWER = "planned_evening.begins answer guests at"
_ENTRANT = "event_id number group joined_at first_round last_round is_stationary is_free"

HELD = (
    Held("names", "player", "id person_id", "name is_banker is_cashier iban payment_link retired_at"),
    Held("phones", "membership", "player_id", "number name created_at revoked_at"),
    Held("links", "membership_link", "membership_id", "membership_id link.right joined_at link.revoked_at"),
    Held("renewed_links", "link", "revoked_by_id", "right revoked_at"),
    Held("evenings", "presence", "player_id", "day arrived_at"),
    Held("answers", "evening_answer", "player_id", f"planned_evening.place day {_ANSWER}"),
    Held("calendars", "calendar_feed", "membership_id", "is_personal created_at"),
    Held("notices", "notice_subscription", "membership_id", "kinds language changed_at"),
    Held("handicaps", "handicap", "player_id", "season.name kind size"),
    Held("tables", "seat", "player_id", "table_id seat is_substitute"),
    Held("entries", "revision", "membership_id", f"table_id number kind deal at {REASON}"),
    Held("paid", "payment", "giver_id", f"{_PAYMENT} taker_id"),
    Held("received", "payment", "taker_id", f"{_PAYMENT} giver_id"),
    Held("recorded_payments", "payment", "membership_id", "number at"),
    Held("withdrawn_payments", "payment", "withdrawn_by_id", "number withdrawn_at"),
    Held("confirmed_payments", "confirmation", "membership_id", "payment.number at"),
    Held("events", "entrant", "player_id", _ENTRANT),
    Held("substitutions", "entrant_substitution", "player_id", "event_id number round"),
    Held("calls", "event_table", "coming_id", "event_id round number"),
    Held("event_phones", "event_phone", "membership_id number", "event_id table_number number joined_at"),
    Held("results", "event_result", "membership_id", "event_id round table_number is_slip at"),
    Held("confirmed_results", "event_confirmation", "membership_id", f"{_RESULT} side at"),
)
