"""Every setting: the environment variables that are read, what each may be, and what holds without it.

To add one, add a line below, and one to the table of docs/configuration.md, which a test compares with these. The check
at the start and the hint at a misspelt name follow by themselves. No message contains the value of a setting that may
hold a password.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Generic, TypeVar

from ...errors import StartupError
from ...live.nchan import Endpoint
from . import addresses
from .site_path import parse_path
from .trusted_hosts import parse_hosts

PREFIX = "SCOREKEEPER_"
EVERYONE, CODE, NOBODY = "everyone", "code", "nobody"  # who may make circles
MIN_CODE = 8  # characters
MIN_SECRET = 16  # characters; generated keys have 64
SIMILAR = 0.85  # from here on, a name without the prefix is taken for a misspelt setting: `DATABASE_URI`

T = TypeVar("T")


@dataclass(frozen=True)
class Setting(Generic[T]):
    """An environment variable; empty counts as not set.

    `read` turns a name and a text into the value, or raises StartupError. `allowed` and `otherwise` are what
    docs/configuration.md says of the value, and of what holds without it.
    """

    name: str
    read: Callable[[str, str], T]
    default: T
    allowed: str
    otherwise: str

    @property
    def value(self) -> T:
        """The value of the variable, or the default.

        Raises:
            StartupError: it cannot be used; the message says what would be right.
        """
        text = os.environ.get(self.name)
        return self.read(self.name, text) if text else self.default


@dataclass(frozen=True)
class NumberSetting(Setting[int]):
    """A whole number within limits."""

    low: int
    high: int


@dataclass(frozen=True)
class WordSetting(Setting[str]):
    """One of several words."""

    choices: tuple[str, ...]


# --- kinds ---------------------------------------------------------------------------------------------------


def _number(name: str, low: int, high: int, default: int) -> NumberSetting:
    def read(name: str, text: str) -> int:
        is_short = text.isascii() and text.isdecimal() and len(text) <= len(str(high))
        if not (is_short and low <= int(text) <= high):
            raise StartupError("setting-number", name=name, value=text, low=low, high=high)
        return int(text)

    return NumberSetting(name, read, default, f"{low:,} to {high:,}", f"{default:,}", low, high)


def _switch(name: str) -> Setting[bool]:
    def read(name: str, text: str) -> bool:
        if text not in ("0", "1"):
            raise StartupError("setting-switch", name=name, value=text)
        return text == "1"

    return Setting(name, read, False, "`1` or `0`", "`0`")


def _choice(name: str, *choices: str) -> WordSetting:
    """One of these words; the first is the default."""

    def read(name: str, text: str) -> str:
        if text not in choices:
            raise StartupError("setting-choice", name=name, value=text, choices=choices)
        return text

    return WordSetting(name, read, choices[0], " or ".join(f"`{word}`" for word in choices), f"`{choices[0]}`", choices)


def _text(name: str, default: str, allowed: str, otherwise: str) -> Setting[str]:
    return Setting(name, lambda _name, text: text, default, allowed, otherwise)


def _folder(name: str, text: str) -> Path:
    if not (os.path.isdir(text) and os.access(text, os.R_OK | os.W_OK | os.X_OK)):
        raise StartupError("setting-folder", name=name, value=text)
    return Path(text)


def _token(name: str, text: str) -> str:
    """Check that a header can carry it; its value is not shown."""
    if not (text.isascii() and text.isprintable() and " " not in text):
        raise StartupError("setting-token", name=name)
    return text


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

DATABASE_URL: Setting[str | None] = Setting(
    "DATABASE_URL",
    addresses.read_database_url,
    None,
    "`postgresql://…` or `sqlite:////path/to/file`",
    "`scorekeeper.sqlite3` in the instance folder",
)
INSTANCE = _text("SCOREKEEPER_INSTANCE", "", "a folder", "`instance/` in a checkout, else `~/.local/share/scorekeeper`")
BACKUPS: Setting[Path | None] = Setting(
    "SCOREKEEPER_BACKUPS", _folder, None, "an existing folder", "`backups` in the instance folder"
)
HOST = _text("SCOREKEEPER_HOST", "0.0.0.0", "an address of this machine", "`0.0.0.0`")  # noqa: S104  # phones on the local network must reach it
PORT = _number("SCOREKEEPER_PORT", 0, 65_535, 8_765)
HOSTS: Setting[tuple[str, ...]] = Setting(
    "SCOREKEEPER_HOSTS", parse_hosts, (), "names, separated by commas", "names that nobody can register (see below)"
)
PATH: Setting[str] = Setting("SCOREKEEPER_PATH", parse_path, "", "`/scores`", "`/`")
WORKERS = _number("SCOREKEEPER_WORKERS", 1, 64, 1)
THREADS = _number("SCOREKEEPER_THREADS", 1, 64, 8)
CONNECTIONS = _number("SCOREKEEPER_CONNECTIONS", 1, 60_000, 4_000)
HTTPS = _switch("SCOREKEEPER_HTTPS")
PROXIES = _number("SCOREKEEPER_PROXIES", 0, 9, 0)
REDIS_URL: Setting[str | None] = Setting(
    "REDIS_URL", addresses.read_redis_url, None, "`redis://…`", "each process counts for itself"
)
NCHAN: Setting[list[Endpoint]] = Setting(
    "SCOREKEEPER_NCHAN",
    addresses.read_nchan_urls,
    [],
    "`http://…`, separated by commas",
    "the app's servers hold the streams",
)
LOG = _choice("SCOREKEEPER_LOG", "text", "json")
METRICS_TOKEN: Setting[str] = Setting(
    "SCOREKEEPER_METRICS_TOKEN", _token, "", "letters and digits", "`/metrics` answers 404"
)
CONTACT = _text("SCOREKEEPER_CONTACT", "", "a text", '"the person who gave you the link"')
CREATE = _choice("SCOREKEEPER_CREATE", EVERYONE, CODE, NOBODY)
CREATE_CODE: Setting[str] = Setting(
    "SCOREKEEPER_CREATE_CODE", _code, "", f"at least {MIN_CODE} characters", "the server does not start with `code`"
)
SECRET_KEY: Setting[str | None] = Setting(
    "SECRET_KEY",
    _secret,
    None,
    f"at least {MIN_SECRET} characters",
    "created at the first start, in `secret_key` in the instance folder",
)

SETTINGS: dict[str, Setting[object]] = {
    setting.name: setting for setting in list(globals().values()) if isinstance(setting, Setting)
}


def create_code() -> str:
    """Return the code for new circles.

    Raises:
        StartupError: there is none, and only who knows it may make circles.
    """
    if CREATE.value == CODE and not CREATE_CODE.value:
        raise StartupError("no-code", name=CREATE_CODE.name, low=MIN_CODE)
    return CREATE_CODE.value


def check_all() -> None:
    """Read every setting, those of the server as well.

    Raises:
        StartupError: one cannot be used.
    """
    for setting in SETTINGS.values():
        _ = setting.value


def unknown_names() -> Iterator[tuple[str, str | None]]:
    """Yield the variables that nobody reads, each with the setting that was probably meant, if there is one."""
    short = {name.removeprefix(PREFIX): name for name in SETTINGS}
    for name in sorted(os.environ.keys() - SETTINGS.keys()):
        if name.upper().startswith(PREFIX):
            meant = get_close_matches(name.upper().removeprefix(PREFIX), short, 1)
            yield name, short[meant[0]] if meant else None
        elif meant := get_close_matches(name.upper(), SETTINGS, 1, SIMILAR):
            yield name, meant[0]
