"""Logging as text or as JSON lines. Secrets of links are removed from every record, whichever library logs it."""

from __future__ import annotations

import logging
import re
from typing import Any

from pythonjsonlogger.json import JsonFormatter

TEXT, JSON = "text", "json"
REQUESTS = "scorekeeper.requests"  # logger of requests; enabled with JSON only

_SECRET = re.compile(r"((?:/events/join|/(?:join|calendars)/[^/\s?\"']+)/|[?&]shared=)[^\s?&\"']+")


def without_secrets(text: str) -> str:
    """Replace the secrets of links in a text by "…"."""
    return _SECRET.sub(r"\1…", text)


class _Text(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return without_secrets(super().format(record))


class _Json(JsonFormatter):
    def format(self, record: logging.LogRecord) -> str:
        return without_secrets(super().format(record))


def configuration(kind: str) -> dict[str, Any]:
    """Return the argument of `logging.config.dictConfig`. Gunicorn, Flask and the app log to standard error."""
    formatter = {
        TEXT: {"()": _Text, "fmt": "%(asctime)s %(levelname)s %(message)s"},
        JSON: {
            "()": _Json,
            "fmt": "%(levelname)s %(name)s %(process)d %(message)s",
            "rename_fields": {"levelname": "level", "name": "logger"},
            "timestamp": "at",
            "json_ensure_ascii": False,
        },
    }[kind]
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"ours": formatter},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "ours"}},
        "root": {"level": "WARNING", "handlers": ["console"]},
        "loggers": {
            "gunicorn.error": {"level": "INFO", "handlers": ["console"], "propagate": False},
            "gunicorn.access": {"level": "CRITICAL", "handlers": [], "propagate": False},
            REQUESTS: {"level": "INFO" if kind == JSON else "WARNING"},
        },
    }
