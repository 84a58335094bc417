"""Errors of configuration, files and databases, reported to the user on one line."""

from __future__ import annotations

import sqlite3
from typing import Any

from .scoring.problems import Problem
from .scoring.values import single_line

FAILED = 2  # exit status of a command, as of click for wrong usage
_NOT_ALLOWED = "42501"  # PostgreSQL's insufficient_privilege


class StartupError(Exception):
    """Scorekeeper cannot work with a setting, a file or a database: the message `startup.<key>` says what to do."""

    def __init__(self, key: str, **params: Any) -> None:
        super().__init__(key, params)
        self.problem = Problem("", f"startup.{key}", params)

    def __str__(self) -> str:
        from .i18n import problem_text  # noqa: PLC0415  # a command that succeeds needs no words

        return problem_text(self.problem, "en", names=str)


def get_reason(error: Exception) -> str:
    """Return the message of the operating system or the database on one line, without the stop at its end."""
    text = getattr(error, "strerror", None) or str(getattr(error, "orig", None) or error)
    return " ".join(single_line(text).split()).rstrip(".?")


def explain(error: Exception) -> Problem | None:
    """Return the problem to report for an expected error; None for a bug."""
    from sqlalchemy.exc import DBAPIError, OperationalError  # noqa: PLC0415  # the server's first process needs no database

    if isinstance(error, StartupError):
        return error.problem
    if not isinstance(error, DBAPIError):
        return None
    if damaged := find_damage(error.orig):
        return damaged.problem
    if isinstance(error, OperationalError) or getattr(error.orig, "sqlstate", None) == _NOT_ALLOWED:
        key = "startup.file" if isinstance(error.orig, sqlite3.Error) else "startup.database"
        return Problem("", key, {"reason": get_reason(error)})
    return None


def find_damage(error: BaseException | None) -> StartupError | None:
    """Return the error for a file that is damaged or no SQLite database; None for any other error."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    key = {sqlite3.SQLITE_NOTADB: "not-a-database", sqlite3.SQLITE_CORRUPT: "damaged"}.get(code)
    return StartupError(key) if key else None
