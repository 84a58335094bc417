"""The database engine's own checks: damaged pages and indexes, broken references, triggers and views.

Nothing is changed. A finding is the key of a message `fault.<key>` and its parameters.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from ..errors import get_reason
from ..models import Base
from . import copying
from .engine import classify_error

MAX_FOUND = 100  # findings of each kind: one damaged page can cause thousands

Found = tuple[str, dict[str, Any]]

# The beginnings of SQLite's messages about an index alone; the rows themselves are intact.
_INDEX_MESSAGES = ("row ", "wrong # of entries in index", "non-unique entry in index")


def find(connection: Connection) -> Iterator[Found]:
    """Run the engine's own checks and yield the findings."""
    checks = _check_sqlite(connection) if copying.is_sqlite(connection) else _check_postgresql(connection)
    yield from checks


def notes(connection: Connection) -> Iterator[str]:
    """Yield the keys of messages `verify.<key>` about what could not be checked and why."""
    if not copying.is_sqlite(connection) and _amcheck_schema(connection) is None:
        yield "no-amcheck" if connection.scalar(_AMCHECK) is None else "no-right-to-amcheck"


def is_damage(error: DBAPIError) -> bool:
    """Whether a statement failed because of damaged data, not because the database is busy or unreachable."""
    return classify_error(error) is None


# --- SQLite ----------------------------------------------------------------------------------------------------


def _check_sqlite(connection: Connection) -> Iterator[Found]:
    try:
        for (message,) in connection.exec_driver_sql(f"PRAGMA integrity_check({MAX_FOUND})").all():
            if message != "ok":
                yield "index" if _concerns_an_index(message) else "damage", {"said": message}
        references = connection.exec_driver_sql("PRAGMA foreign_key_check")
        for table, row, parent, _ in islice(references, MAX_FOUND):
            yield "reference", {"table": table, "row": str(row), "parent": parent}
        query = "SELECT type, name, tbl_name FROM sqlite_master WHERE type IN ('trigger', 'view')"
        for kind, name, table in connection.exec_driver_sql(query).all():
            yield "foreign", {"what": f"{kind} {name}", "table": table}
    except DBAPIError as error:
        if not is_damage(error):
            raise
        yield "damage", {"said": get_reason(error)}


def _concerns_an_index(message: str) -> bool:
    return message.startswith(_INDEX_MESSAGES) and " index " in message


# --- PostgreSQL ------------------------------------------------------------------------------------------------

_INDEXES = text(
    "SELECT index.relname FROM pg_index JOIN pg_class AS index ON index.oid = indexrelid"
    " JOIN pg_am ON pg_am.oid = index.relam JOIN pg_class AS owner ON owner.oid = indrelid"
    " WHERE owner.relname = :table AND owner.relnamespace = current_schema()::regnamespace AND amname = 'btree'"
    " ORDER BY index.relname"
)
_TRIGGERS = text(
    "SELECT tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid"
    " WHERE NOT tgisinternal AND relname = :table AND relnamespace = current_schema()::regnamespace"
)


def _check_postgresql(connection: Connection) -> Iterator[Found]:
    amcheck = _amcheck_schema(connection)
    for table in Base.metadata.sorted_tables:
        name = table.name
        # Reads every row completely, including values stored outside the table.
        yield from _run_check(connection, "damage", f'SELECT sum(length(whole::text)) FROM "{name}" AS whole')  # noqa: S608  # a name of ours
        if amcheck is not None:
            yield from _run_check(connection, "damage", f"SELECT * FROM {amcheck}.verify_heapam('\"{name}\"')")  # noqa: S608  # the same
            for index in connection.scalars(_INDEXES, {"table": name}).all():
                yield from _run_check(connection, "index", f"SELECT {amcheck}.bt_index_check('\"{index}\"', true)")
        for trigger in connection.scalars(_TRIGGERS, {"table": name}).all():
            yield "foreign", {"what": f"trigger {trigger}", "table": name}


def _run_check(connection: Connection, key: str, statement: str) -> Iterator[Found]:
    """Run a check and yield its messages, or its error.

    A check that finds nothing returns no rows, or one without a column `msg`.
    """
    try:
        with connection.begin_nested():
            rows = connection.execute(text(statement)).all()
    except DBAPIError as error:
        if not is_damage(error):
            raise
        yield key, {"said": get_reason(error)}
        return
    yield from ((key, {"said": str(row.msg)}) for row in rows[:MAX_FOUND] if "msg" in row._fields)


_AMCHECK = text(
    "SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace"
    " WHERE extname = 'amcheck'"
)


def _amcheck_schema(connection: Connection) -> str | None:
    """Return the schema of PostgreSQL's own checks, quoted; None if they are missing or this user may not run them."""
    query = text(
        "SELECT count(*) = 2 FROM pg_proc JOIN pg_depend ON objid = pg_proc.oid"
        " JOIN pg_extension ON refobjid = pg_extension.oid AND extname = 'amcheck'"
        " WHERE (proname, pronargs) IN (('bt_index_check', 2), ('verify_heapam', 6))"
        " AND has_schema_privilege(pronamespace, 'USAGE') AND has_function_privilege(pg_proc.oid, 'EXECUTE')"
    )
    return connection.scalar(_AMCHECK) if connection.scalar(query) else None
