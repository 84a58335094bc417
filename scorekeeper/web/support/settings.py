"""Every setting: the environment variables that are read, what each may be, and what holds without it.

Each may be read from a file instead, whose path is in a variable with `_FILE` at its end: secrets of containers. To add
one, add a line below, and one to the table of docs/configuration.md. No message contains a value that may be secret.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from ...errors import StartupError, get_reason
from . import addresses

PREFIX = "SCOREKEEPER_"
EVERYONE, CODE, NOBODY = "everyone", "code", "nobody"  # who may make circles
LOGS = ("text", "json")
MIN_CODE = 8  # characters
MIN_SECRET = 16  # characters; generated keys have 64

T = TypeVar("T")


@dataclass(frozen=True)
class Setting(Generic[T]):
    """An environment variable; empty counts as not set.

    `read` turns a name and a text into the value, or raises StartupError.
    """

    name: str
    read: Callable[[str, str], T]
    default: T

    @property
    def value(self) -> T:
        """The value of the variable, or the default.

        Raises:
            StartupError: it cannot be used; the message says what would be right.
        """
        text = os.environ.get(self.name) or self._read_file()
        return self.read(self.name, text) if text else self.default

    def _read_file(self) -> str:
        path = os.environ.get(f"{self.name}_FILE")
        try:
            return Path(path).read_text(encoding="utf-8").strip() if path else ""
        except (OSError, UnicodeDecodeError) as error:
            raise StartupError("setting-file", name=f"{self.name}_FILE", value=path, reason=get_reason(error)) from None


# --- kinds ---------------------------------------------------------------------------------------------------


def _number(name: str, low: int, high: int, default: int) -> Setting[int]:
    def read(name: str, text: str) -> int:
        is_short = text.isascii() and text.isdecimal() and len(text) <= len(str(high))
        if not (is_short and low <= int(text) <= high):
            raise StartupError("setting-number", name=name, value=text, low=low, high=high)
        return int(text)

    return Setting(name, read, default)


def _switch(name: str) -> Setting[bool]:
    def read(name: str, text: str) -> bool:
        if text not in ("0", "1"):
            raise StartupError("setting-switch", name=name, value=text)
        return text == "1"

    return Setting(name, read, False)


def _choice(name: str, choices: tuple[str, ...]) -> Setting[str]:
    """One of these words; the first is the default."""

    def read(name: str, text: str) -> str:
        if text not in choices:
            raise StartupError("setting-choice", name=name, value=text, choices=choices)
        return text

    return Setting(name, read, choices[0])


def _text(_name: str, text: str) -> str:
    return text


def _list(_name: str, text: str) -> list[str]:
    return [typed.strip().lower() for typed in text.split(",") if typed.strip()]


def _folder(name: str, text: str) -> Path:
    if not (os.path.isdir(text) and os.access(text, os.R_OK | os.W_OK | os.X_OK)):
        raise StartupError("setting-folder", name=name, value=text)
    return Path(text)


def _code(name: str, text: str) -> str:
    """Check that it cannot be guessed by a few tries; its value is not shown."""
    if len(text.strip()) < MIN_CODE:
        raise StartupError("setting-code", name=name, low=MIN_CODE)
    return text.strip()


def _secret(_name: str, text: str) -> str:
    if len(text.strip()) < MIN_SECRET:
        raise StartupError("secret-setting", low=MIN_SECRET)
    return text


# --- the settings --------------------------------------------------------------------------------------------

DATABASE_URL: Setting[str | None] = Setting("DATABASE_URL", addresses.read_database_url, None)
INSTANCE = Setting("SCOREKEEPER_INSTANCE", _text, "")
BACKUPS: Setting[Path | None] = Setting("SCOREKEEPER_BACKUPS", _folder, None)
HOST = Setting("SCOREKEEPER_HOST", _text, "0.0.0.0")  # noqa: S104  # phones on the local network must reach it
PORT = _number("SCOREKEEPER_PORT", 0, 65_535, 8_765)
HOSTS: Setting[list[str] | None] = Setting("SCOREKEEPER_HOSTS", _list, None)
WORKERS = _number("SCOREKEEPER_WORKERS", 1, 64, 1)
HTTPS = _switch("SCOREKEEPER_HTTPS")
PROXIES = _number("SCOREKEEPER_PROXIES", 0, 9, 0)
LOG = _choice("SCOREKEEPER_LOG", LOGS)
CONTACT = Setting("SCOREKEEPER_CONTACT", _text, "")
CREATE = _choice("SCOREKEEPER_CREATE", (EVERYONE, CODE, NOBODY))
CREATE_CODE = Setting("SCOREKEEPER_CREATE_CODE", _code, "")
SECRET_KEY: Setting[str | None] = Setting("SECRET_KEY", _secret, None)


def create_code() -> str:
    """Return the code for new circles.

    Raises:
        StartupError: there is none, and only who knows it may make circles.
    """
    if CREATE.value == CODE and not CREATE_CODE.value:
        raise StartupError("no-code", name=CREATE_CODE.name, low=MIN_CODE)
    return CREATE_CODE.value
