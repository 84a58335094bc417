"""What live updates read of many tables and browsers at once."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from typing import TypeVar

from sqlalchemy import func, select

from ..live.messages import FLAGS, REVISION, Message, access_changed
from ..models import Browser, Circle, Table, db
from .tables import FLAG_CHANGES, LAST_NUMBER

BATCH = 500  # of a query

T = TypeVar("T")


def numbers_of(tokens: Collection[str]) -> list[Message]:
    """Return how many revisions the tables with these tokens have, and how often their flags have changed."""
    query = select(Table.token, func.coalesce(LAST_NUMBER, 0), FLAG_CHANGES)
    found = []
    for batch in _batches(tokens):
        for token, revisions, flags in db.session.execute(query.where(Table.token.in_(batch))):
            found += [Message(REVISION, token, revisions), Message(FLAGS, token, flags)]
    return found


def browsers_with_access(browser_ids: Collection[int]) -> set[int]:
    """Return those of the browsers that may still read their circle."""
    query = select(Browser.id).where(Browser.right.is_not(None))
    return {
        browser_id
        for batch in _batches(browser_ids)
        for browser_id in db.session.scalars(query.where(Browser.id.in_(batch)))
    }


def messages_to_all() -> list[Message]:
    """Return messages that end all streams, to be published once a backup has been restored."""
    messages = [access_changed(circle_id) for circle_id in db.session.scalars(select(Circle.id))]
    db.session.rollback()  # the backup replaces what has been read
    return messages


def _batches(values: Collection[T]) -> Iterator[list[T]]:
    rest = iter(values)
    while batch := list(islice(rest, BATCH)):
        yield batch
