"""Messages: that something has changed, and not what. Announced within a transaction, published after its commit.

What has changed of a table is sent by pushing.py.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import event

from ..models import db

REVISION, MARKS = "revision", "marks"  # of a table
EVENT, PLAN = "event", "plan"  # of an event
TABLE = "table"  # of one table of an event: "table-7"
ACCESS = "access"  # of a circle or a table

_ANNOUNCED = "announced_messages"  # key of a session's `info`


class Message(NamedTuple):
    """A change of something that browsers follow.

    REVISION: the table with the token `topic` has `number` revisions. MARKS: who may come in, its names, or what was
    paid for it, have changed `number` times. EVENT: the event with the token `topic` was written to `number` times.
    PLAN: `number` of these writes were not about results; a thousand phones follow only those. TABLE: the result or the
    pad of one of its tables has changed, and is at the state `number`. ACCESS: the access of somebody may have ended,
    to everything in the circle with the name `topic` or to the table with this token; `number` is 0.
    """

    event: str
    topic: str
    number: int

    def as_event(self) -> bytes:
        """Return the message as a server-sent event."""
        return f"event: {self.event}\ndata: {self.number}\n\n".encode()


def access_changed(topic: str) -> Message:
    """Return the message that access to the circle of this name, or the table of this token, may have ended."""
    return Message(ACCESS, topic, 0)


def announce(message: Message) -> None:
    """Have the message published once the current transaction is committed; a rollback drops it."""
    db.session().info.setdefault(_ANNOUNCED, []).append(message)


def take_announced(session: Any) -> list[Message]:
    """Remove and return the messages announced in a session."""
    announced: list[Message] = session.info.pop(_ANNOUNCED, [])
    return announced


event.listen(db.session, "after_rollback", take_announced)
