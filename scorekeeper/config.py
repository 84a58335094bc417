"""Reading settings, the instance folder, and the secret key in it. app.py lists the settings of the app.

A setting is an environment variable, or the content of the file that is named by a variable with `_FILE` at its end:
secrets of containers. Empty counts as not set. docs/configuration.md lists them. Every function may raise
`StartupError`, whose message names the setting and what to do, but no value that may be secret.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable
from pathlib import Path

from .db.disk import lock_folder, make_folder, write_whole
from .errors import StartupError, get_reason

MIN_SECRET = 16  # characters; generated keys have 64
_HOST = re.compile(r"\.?[\w-]{1,63}(\.[\w-]{1,63})*(:\d+)?")  # with a dot before it, its subdomains too


def read_text(name: str, default: str = "") -> str:
    if value := os.environ.get(name):
        return value
    path = os.environ.get(f"{name}_FILE")
    if not path:
        return default
    try:
        return Path(path).read_text(encoding="utf-8").strip() or default
    except (OSError, UnicodeDecodeError) as error:
        raise StartupError("setting-file", name=f"{name}_FILE", value=path, reason=get_reason(error)) from None


def read_number(name: str, low: int, high: int, default: int) -> int:
    text = read_text(name, str(default))
    is_short = text.isascii() and text.isdecimal() and len(text) <= len(str(high))
    if not (is_short and low <= int(text) <= high):
        raise StartupError("setting-number", name=name, value=text, low=low, high=high)
    return int(text)


def read_choice(name: str, *choices: str) -> str:
    text = read_text(name, choices[0])
    if text not in choices:
        raise StartupError("setting-choice", name=name, value=text, choices=choices)
    return text


def read_folder(name: str) -> Path | None:
    text = read_text(name)
    if text and not (os.path.isdir(text) and os.access(text, os.R_OK | os.W_OK | os.X_OK)):
        raise StartupError("setting-folder", name=name, value=text)
    return Path(text) if text else None


def read_hosts(name: str) -> list[str] | None:
    """Return the host names to answer to, those of health checks on this machine included; None for any name."""
    text = read_text(name)
    hosts = text.lower().replace(",", " ").split()
    if not all(_HOST.fullmatch(host) for host in hosts):
        raise StartupError("setting-hosts", name=name, value=text)
    return [*hosts, "127.0.0.1", "localhost"] if hosts else None


def read_secret(name: str, least: int) -> str:
    """Return a setting that nobody may guess, of at least this many characters; "" if it is not set."""
    text = read_text(name).strip()
    if text and len(text) < least:
        raise StartupError("setting-code", name=name, low=least)
    return text


def instance_folder() -> Path:
    if folder := read_text("SCOREKEEPER_INSTANCE"):
        return Path(folder).resolve()
    checkout = Path(__file__).parents[1]
    if (checkout / "pyproject.toml").exists():
        return checkout / "instance"
    return Path.home() / ".local" / "share" / "scorekeeper"


def make_instance_folder(folder: Path) -> None:
    try:
        make_folder(folder)
    except (FileExistsError, NotADirectoryError):
        raise StartupError("instance-is-a-file", folder=str(folder)) from None
    except OSError as error:
        raise StartupError("instance", folder=str(folder), reason=get_reason(error)) from None


def load_secret_key(folder: Path, count_circles: Callable[[], int]) -> str:
    """Return the key that signs cookies: the setting, or the one in the instance folder, made at the first start.

    A key that is lost is not replaced while there are circles: every phone would have to join again.
    """
    if key := read_secret("SECRET_KEY", MIN_SECRET):
        return key
    path = folder / "secret_key"
    try:
        key = _read(path)
        if not key:
            if circles := count_circles():
                raise StartupError("secret-lost", file=str(path), count=circles)
            key = _create_secret(path)
    except (OSError, UnicodeDecodeError) as error:
        raise StartupError("secret-unreadable", file=str(path), reason=get_reason(error)) from None
    if len(key.strip()) < MIN_SECRET:
        raise StartupError("secret-short", file=str(path), low=MIN_SECRET)
    return key


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""


def _create_secret(path: Path) -> str:
    """Write a new secret, unless another process has written one since."""
    with lock_folder(path.parent):
        if not _read(path):
            with write_whole(path) as unfinished:
                unfinished.write_text(secrets.token_hex(32))
    return _read(path)
