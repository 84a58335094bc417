"""The deals that nobody has confirmed, at tables that ask for it, to be looked at before settling."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, exists, select
from sqlalchemy.orm import aliased

from ...models import SEATED, Circle, DealConfirmation, Revision, Summary, Table, db
from ...scoring.standing import RowName
from ...tables.replay import name_stored_rows
from ...tables.revisions import RevisionRow, apply_revisions
from ..money.scopes import Scope, tables_in
from .deal_confirmations import standing_revisions
from .replayed import read_revisions_of_all

MAX_LISTED_TABLES = 20


def _has_unconfirmed() -> ColumnElement[bool]:
    """Build the condition that one of a table's deals stands by a revision without a confirmation."""
    later, confirmation = aliased(Revision), aliased(DealConfirmation)
    is_of_table = and_(Revision.circle_id == Table.circle_id, Revision.table_id == Table.id)
    is_changed = exists().where(
        later.circle_id == Revision.circle_id,
        later.table_id == Revision.table_id,
        later.number > Revision.number,
        later.deal == Revision.deal,
    )
    is_confirmed = exists().where(
        confirmation.circle_id == Revision.circle_id,
        confirmation.table_id == Revision.table_id,
        confirmation.revision == Revision.number,
    )
    stands = and_(Revision.deal.is_not(None), Revision.body.is_not(None))
    return exists().where(is_of_table, stands, ~is_confirmed, ~is_changed)


_HAS_UNCONFIRMED = _has_unconfirmed()  # built once: SQLAlchemy takes longer to build it than to run it


class UnconfirmedDeals(NamedTuple):
    """The deals of a table that nobody has confirmed: what people call each by, and its last revision."""

    table: Table
    deals: Sequence[tuple[RowName, RevisionRow]]


def unconfirmed_deals(circle: Circle, scope: Scope) -> list[UnconfirmedDeals]:
    """List the unconfirmed deals of a scope, of its latest tables first.

    Of everything, only tables count of which something is still to be settled.
    """
    query = select(Table).where(tables_in(circle, scope), Table.confirms_deals, _HAS_UNCONFIRMED)
    if scope.is_everything:
        query = query.join(Table.summary).where(Summary.is_taken_over.is_(False))
    tables = db.session.scalars(
        query.options(SEATED).order_by(Table.day.desc(), Table.id.desc()).limit(MAX_LISTED_TABLES)
    ).all()
    if not tables:
        return []
    ids = [table.id for table in tables]
    revisions = read_revisions_of_all(circle.id, ids)
    confirmed = select(DealConfirmation.table_id, DealConfirmation.revision).where(
        DealConfirmation.circle_id == circle.id, DealConfirmation.table_id.in_(ids)
    )
    given = {(table, revision) for table, revision in db.session.execute(confirmed)}
    return [UnconfirmedDeals(table, _unconfirmed(table, revisions[table.id], given)) for table in tables]


def _unconfirmed(
    table: Table, revisions: Iterable[RevisionRow], given: Collection[tuple[int, int]]
) -> list[tuple[RowName, RevisionRow]]:
    deals, _ = apply_revisions(revisions)
    named = zip(name_stored_rows(table, deals), standing_revisions(deals), strict=True)
    return [(name, revision) for name, revision in named if (table.id, revision.number) not in given]
