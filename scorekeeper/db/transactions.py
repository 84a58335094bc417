"""Writing transactions: one at a time per circle.

Every service that writes to a circle, its people, links, tables or payments (`writing_to_circle`) first locks the
circle's row, then reads what it depends on, then writes. So what it has read cannot change before it commits, the next
number can be computed from the last one, and there are no deadlocks: no transaction waits for a second lock.

A request reads one snapshot until it writes (db/engine.py) and another one afterwards: a page that is shown again after
a refused write loads its circle or table anew. What takes long is computed before the lock (a draw), or stored in
several short transactions (an import), so that others can write meanwhile.

Only operations outside an existing circle commit in other ways: creating a circle, migrations and backups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlalchemy import bindparam, inspect, select

from ..models import HOST, Base, Circle, Membership, db, may
from .engine import begin_writing

# Execution options of an update or a deletion after which the rows are not read again, or read anew.
UNSYNCHRONIZED = {"synchronize_session": False}

_AFTER_COMMIT = "after_commit"  # key of a session's `info`: functions to call

# Built once, as what runs for every deal: SQLAlchemy takes longer to build a statement than to run it.
# Not FOR UPDATE, which would block inserting rows that refer to the circle, such as caches.
_CIRCLE_TO_LOCK = (
    select(Circle)
    .where(Circle.id == bindparam("circle"))
    .with_for_update(key_share=True)
    .execution_options(populate_existing=True)
)
_RIGHT = select(Membership.right).where(
    Membership.circle_id == bindparam("circle"), Membership.id == bindparam("membership")
)


class RowDeletedError(Exception):
    """The circle, or what was to be written in it, was deleted after the request had read it."""


class AccessRevokedError(Exception):
    """The phone's access to the circle ended after the request had read it."""


class RightRevokedError(Exception):
    """The phone may still read the circle; the right that the write needs ended after the request had read it."""


@contextmanager
def writing_to_circle(
    circle_id: int,
    *,
    membership: Membership | None = None,
    right: str = HOST,
    is_guest: Callable[[], bool] = lambda: False,
) -> Iterator[Circle]:
    """Hold the circle's lock in a transaction, and commit it at the end.

    Whatever the session had loaded is expired first: the circle, and every object that was loaded before, are as they
    are now. `membership` is who writes: once the lock is held, it must still have access, with `right` or a higher one,
    or be a guest who may write this. Raises one of the errors above.
    """
    membership_id = get_id(membership) if membership is not None else None
    with writing():
        circle = db.session.scalar(_CIRCLE_TO_LOCK, {"circle": circle_id})
        if circle is None:
            raise RowDeletedError
        if membership_id is not None:
            current = db.session.scalar(_RIGHT, {"circle": circle_id, "membership": membership_id})
            if not may(current, right) and not is_guest():
                raise RightRevokedError if current else AccessRevokedError
        yield circle


@contextmanager
def writing() -> Iterator[None]:
    """Write in a transaction, and commit it at the end: what belongs to no circle yet, such as a device."""
    db.session.rollback()  # ends the snapshot that the request has read, and expires what it had loaded
    db.session().info[_AFTER_COMMIT] = after_commit = list[Callable[[], object]]()
    try:
        begin_writing(db.session.connection())
        yield
        db.session.commit()
    except BaseException:
        db.session.rollback()
        raise
    for call in after_commit:
        call()


def call_after_commit(function: Callable[[], object]) -> None:
    """Have a function called once the current writing transaction is committed; a rollback drops it."""
    db.session().info[_AFTER_COMMIT].append(function)


def get_id(row: Base) -> int:
    """Return the id of an ORM object without a query; its row may have been deleted."""
    identity = inspect(row).identity
    return int(identity[0]) if identity is not None else int(row.id)  # type: ignore[attr-defined]  # not added yet
