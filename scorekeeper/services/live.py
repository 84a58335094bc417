"""Reading for live updates: how often many tables and events have changed."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice

from sqlalchemy import func, select

from ..live import MARKS, REVISION, Message
from ..models import Table, db
from .events import table_phones
from .tables.reading import LAST_NUMBER

BATCH = 500  # of a query


def read_numbers(tokens: Collection[str]) -> list[Message]:
    """Return how often the tables with these tokens, and their marks, have changed, and the events with the others."""
    query = select(Table.token, func.coalesce(LAST_NUMBER, 0), Table.mark_changes)
    found = []
    for batch in _batches(tokens):
        for token, revisions, marks in db.session.execute(query.where(Table.token.in_(batch))):
            found += [Message(REVISION, token, revisions), Message(MARKS, token, marks)]
    others = set(tokens).difference(message.topic for message in found)
    for batch in _batches(others):
        found += table_phones.read_numbers(batch)
    return found


def _batches(values: Collection[str]) -> Iterator[list[str]]:
    rest = iter(values)
    while batch := list(islice(rest, BATCH)):
        yield batch
