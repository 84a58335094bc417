"""Announce a new revision to those who follow the table, and to those who may come in at it."""

from __future__ import annotations

from ...live import REVISION, Message, announce
from ...push.occasions import TURN, Occasion, notify
from ...tables.revisions import RECORD, RevisionRow
from ...tables.state import TableState


def announce_revision(before: TableState, revision: RevisionRow) -> None:
    """Announce a revision of this table, once the transaction is committed."""
    announce(Message(REVISION, before.token, revision.number))
    if revision.kind == RECORD and before.stored.turns is not None:
        notify(Occasion(TURN, before.circle_id, (before.token,), revision.browser_id))
