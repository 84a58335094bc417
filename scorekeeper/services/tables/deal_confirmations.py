"""Confirmations of deals: at a table that asks for them, somebody of another side taps that a deal is right.

A deal is confirmed by a phone that did not record it, whose owner sits on another side than the owner of the one that
did; where players play for themselves, by any other player. Nothing waits for it: what is unconfirmed counts, is marked
and is listed before settling. A confirmation names the revision that was seen, so that an amended deal is unconfirmed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import bindparam, delete, func, select
from sqlalchemy.orm import aliased

from ...db.clock import now
from ...db.transactions import get_id, write_to_circle
from ...models import Browser, Circle, DealConfirmation, Player, Revision, Table, db
from ...models.rights import WATCH
from ...scoring.problems import Problem, Refusal, refuse
from ...tables.revisions import RecordedDeal, RevisionRow, apply_revisions
from ...tables.state import TableState
from ..invalidation import touch_tables
from . import replayed
from .replayed import LastRevision

_PERSON = aliased(Player)
_GIVEN = (
    select(
        DealConfirmation.revision,
        DealConfirmation.browser_id,
        func.coalesce(_PERSON.name, Player.name),
        DealConfirmation.at,
    )
    .join(Player, (Player.circle_id == DealConfirmation.circle_id) & (Player.id == DealConfirmation.player_id))
    .outerjoin(_PERSON, (_PERSON.circle_id == Player.circle_id) & (_PERSON.id == Player.person_id))
    .where(DealConfirmation.circle_id == bindparam("circle"), DealConfirmation.table_id == bindparam("table"))
    .order_by(DealConfirmation.at, DealConfirmation.browser_id)
)


class GivenConfirmation(NamedTuple):
    """Somebody's word that a deal is right; `name` is the person's."""

    browser_id: int
    name: str
    at: datetime


class TableConfirmations(NamedTuple):
    """The confirmations at a table, as one browser sees them.

    Attributes:
        given: by the number of the revision that was confirmed.
        waiting: the numbers of the revisions by which deals stand that nobody has confirmed, oldest deal first.
        confirmable: those of them that the browser may confirm.
        is_seated: the browser's owner sits at the table, or has sat there.
    """

    given: Mapping[int, Sequence[GivenConfirmation]]
    waiting: Sequence[int]
    confirmable: frozenset[int]
    is_seated: bool


def read(table: TableState, browser: Browser) -> TableConfirmations | None:
    """Return a table's confirmations; None if it asks for none."""
    if not table.stored.confirms_deals:
        return None
    given = _given(table)
    waiting = [revision for revision in standing_revisions(table.deals) if revision.number not in given]
    return TableConfirmations(
        given,
        [revision.number for revision in waiting],
        frozenset(revision.number for revision in _of_other_sides(table, browser, waiting)),
        _find_label(table, browser.player_id) is not None,
    )


def _given(table: TableState) -> Mapping[int, Sequence[GivenConfirmation]]:
    given: dict[int, list[GivenConfirmation]] = {}
    for revision, browser_id, name, at in db.session.execute(_GIVEN, {"circle": table.circle_id, "table": table.id}):
        given.setdefault(revision, []).append(GivenConfirmation(browser_id, name, at))
    return given


def standing_revisions(deals: Iterable[RecordedDeal]) -> Iterable[RevisionRow]:
    """Yield the last revision of each deal that is not withdrawn."""
    return (deal.revisions[-1] for deal in deals if not deal.is_withdrawn)


# --- who may confirm -----------------------------------------------------------------------------------------


def _of_other_sides(table: TableState, browser: Browser, revisions: Iterable[RevisionRow]) -> list[RevisionRow]:
    """Return those of the revisions that this browser may confirm."""
    own = _find_label(table, browser.player_id)
    others = [revision for revision in revisions if revision.browser_id != get_id(browser)]
    if own is None or not others:
        return []
    owners = _owners(table.circle_id, {revision.browser_id for revision in others})
    seating = _Seating(table)
    found = []
    for revision in others:
        side = seating.side_of(own, revision)
        owner = _find_label(table, owners.get(revision.browser_id))
        if side is not None and seating.side_of(owner, revision) != side:
            found.append(revision)
    return found


def _find_label(table: TableState, player_id: int | None) -> str | None:
    """Return the label of a player at the table; None for somebody who is not there."""
    seated = table.seated if player_id is not None else ()
    return next((at.seat for at in seated if player_id in (at.player_id, at.person_id)), None)


class _Seating:
    """The side of each person in each deal, with those who have taken a seat since."""

    def __init__(self, table: TableState) -> None:
        self._table = table
        scored = table.newest_first() if table.has_substitutes else ()
        self._rows = {each.deal.id: each.row for each in scored if each.row is not None}

    def side_of(self, label: str | None, revision: RevisionRow) -> str | None:
        """Return the side of somebody in a deal, or their label if all play for themselves; None if they did not sit.

        So a phone that has not said whose it is has no side, and what it recorded may be confirmed by every player.
        """
        row = self._rows.get(revision.deal or 0)
        standing = self._table.standing.seated_as(row) if row is not None else self._table.standing
        if label is None or label not in standing.players:
            return None
        return standing.side_of(label) if self._table.game.in_sides else label


def _owners(circle_id: int, browser_ids: Collection[int]) -> dict[int, int | None]:
    query = select(Browser.id, Browser.player_id).where(Browser.circle_id == circle_id, Browser.id.in_(browser_ids))
    return {row.id: row.player_id for row in db.session.execute(query)}


# --- confirming ----------------------------------------------------------------------------------------------


def confirm(table: TableState, revision: int, browser: Browser) -> Refusal | None:
    """Confirm a deal as a revision left it; None if it is confirmed. Once is enough.

    Raises:
        CircleErasedError: the circle, or the table, is no longer there.
        AccessRevokedError: the browser's access ended meanwhile.
        LookupError: the table has no such revision of a deal.
    """
    return _write(table, browser, lambda current, own: _confirm(current, [_find(current, revision)], own))


def confirm_all(table: TableState, seen: int, browser: Browser) -> Refusal | None:
    """Confirm all that the browser may confirm of what was recorded up to the revision `seen`; None if that is done.

    Nothing is confirmed if one of these deals was changed since.

    Raises:
        CircleErasedError: the circle, or the table, is no longer there.
        AccessRevokedError: the browser's access ended meanwhile.
    """

    def work(current: TableState, own: Browser) -> Refusal | None:
        deals, _ = apply_revisions(current.revisions[: max(seen, 0)])
        given = _given(current)
        shown = [revision for revision in standing_revisions(deals) if revision.number not in given]
        return _confirm(current, _of_other_sides(current, own, shown), own)

    return _write(table, browser, work)


def take_back(table: TableState, revision: int, browser: Browser) -> Refusal | None:
    """Take back the browser's own confirmation of a revision, if there is one.

    Raises:
        CircleErasedError: the circle, or the table, is no longer there.
        AccessRevokedError: the browser's access ended meanwhile.
    """

    def work(current: TableState, own: Browser) -> Refusal | None:
        query = delete(DealConfirmation).where(
            DealConfirmation.circle_id == current.circle_id,
            DealConfirmation.table_id == current.id,
            DealConfirmation.revision == revision,
            DealConfirmation.browser_id == own.id,
        )
        if db.session.execute(query.returning(DealConfirmation.revision)).first() is not None:
            count_change(current.stored)
        return None

    return _write(table, browser, work)


def count_change(table: Table) -> None:
    """Count a change of a table's confirmations, and announce it to those who follow the table.

    The caller holds the circle's lock.
    """
    db.session.flush()
    touch_tables(table.circle_id, [table.id])
    db.session.expire(table, ["confirmation_changes", "marks_edition"])


def _write(
    table: TableState, browser: Browser, work: Callable[[TableState, Browser], Refusal | None]
) -> Refusal | None:
    """Run `work` on the table and the browser as they are now, with the circle's lock, if deals are confirmed there."""
    table_id, browser_id = table.id, get_id(browser)

    def locked(circle: Circle) -> Refusal | None:
        row = replayed.get_locked(circle, table_id)
        if not row.confirms_deals:
            return _refusal("confirming-is-off")
        return work(_current(row), db.session.get_one(Browser, (browser_id, circle.id)))

    return write_to_circle(table.circle_id, locked, browser=browser, right=WATCH)


def _current(row: Table) -> TableState:
    query = select(Revision.number, Revision.at, Revision.entry_key).where(
        Revision.circle_id == row.circle_id, Revision.table_id == row.id
    )
    last = db.session.execute(query.order_by(Revision.number.desc()).limit(1)).one_or_none()
    return replayed.read(row, LastRevision(*last) if last is not None else LastRevision(None, None, None))


def _find(table: TableState, number: int) -> RevisionRow:
    """Return the revision with this number, of a deal that it did not withdraw. Raises LookupError."""
    found = table.revisions[number - 1] if 0 < number <= table.version else None
    if found is None or found.deal is None or found.body is None:
        raise LookupError(number)
    return found


def _confirm(table: TableState, revisions: Sequence[RevisionRow], browser: Browser) -> Refusal | None:
    current = {revision.number for revision in standing_revisions(table.deals)}
    if any(revision.number not in current for revision in revisions):
        return _refusal("deal-changed")
    if len(_of_other_sides(table, browser, revisions)) < len(revisions):
        return _refusal("not-yours-to-confirm" if _find_label(table, browser.player_id) else "seat-unknown")
    given = _given(table)
    new = [
        revision.number
        for revision in revisions
        if all(each.browser_id != browser.id for each in given.get(revision.number, ()))
    ]
    player_id = next(at.person_id for at in table.seated if browser.player_id in (at.player_id, at.person_id))
    ids = {"circle_id": table.circle_id, "table_id": table.id, "browser_id": browser.id, "player_id": player_id}
    db.session.add_all(DealConfirmation(revision=number, at=now(), **ids) for number in new)
    if new:
        count_change(table.stored)
    return None


def _refusal(key: str) -> Refusal:
    return refuse(None, [Problem("confirmation", key)])
