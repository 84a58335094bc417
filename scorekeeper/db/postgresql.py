"""PostgreSQL connections whose commits and rollbacks do the right thing when a server fails.

Imported once a PostgreSQL database is opened: psycopg is an optional package.
"""

from __future__ import annotations

from typing import Any

from psycopg import Connection, OperationalError
from psycopg.errors import Diagnostic

_WAITING_FOR_STANDBY = "SyncRepWaitForLSN"  # PostgreSQL's function; the message itself may be in any language


class CheckedConnection(Connection[Any]):
    """A connection on which a commit fails if the wait for the synchronous standby was broken off.

    An administrator can do that. PostgreSQL then only warns: the transaction is committed on the primary, and lost if
    the standby takes over before it has it.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._may_be_lost = False
        self.add_notice_handler(self._read_notice)

    def _read_notice(self, diagnostic: Diagnostic) -> None:
        if diagnostic.source_function == _WAITING_FOR_STANDBY:
            self._may_be_lost = True

    def commit(self) -> None:
        """Commit.

        Raises:
            OperationalError: whether it is committed is not known.
        """
        self._may_be_lost = False
        super().commit()
        if self._may_be_lost:
            raise OperationalError("the standby may not have the commit")

    def rollback(self) -> None:
        """Roll back. If the connection is lost, the server has done so."""
        try:
            super().rollback()
        except OperationalError:
            if not self.closed:
                raise
