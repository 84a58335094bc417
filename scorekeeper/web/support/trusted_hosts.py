"""Validation of the Host header, as Django's ALLOWED_HOSTS does.

Pages contain links with the host that they were requested by, and a browser isolates sites by host. So a request by a
name that an attacker has pointed at this machine (DNS rebinding) must be refused. Unless SCOREKEEPER_HOSTS lists the
site's names, only hosts are accepted that nobody can register: IP addresses, names without a dot, and the suffixes of
local networks.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from functools import lru_cache

from flask import Flask, current_app, render_template, request
from werkzeug.exceptions import SecurityError

from ...errors import StartupError
from .security_headers import FILES

ANY = "*"
LOCAL_ENDINGS = (".localhost", ".local", ".localdomain", ".lan", ".home", ".home.arpa", ".internal", ".fritz.box")
MAX_SHOWN = 100  # characters of a name on a page or in the log
MAX_LOGGED = 20  # different names

_HOST = re.compile(r"([^:/]+|\[[^]/]+\])(:\d+)?")
_NAME = re.compile(r"\.?[a-z0-9-]+(\.[a-z0-9-]+)*", re.ASCII)


def parse_hosts(name: str, setting: str) -> tuple[str, ...]:
    """Parse names separated by commas; `.example.org` includes its subdomains, `*` is any host.

    Raises:
        StartupError: one of them is not a host name; `name` is the setting's.
    """
    return tuple(_parse_host(name, typed.strip()) for typed in setting.split(",") if typed.strip())


def _parse_host(setting: str, typed: str) -> str:
    try:
        name = _clean_name(typed) if _HOST.fullmatch(typed) else typed.lower()
        # Browsers send internationalized names in their ASCII form.
        name = name.encode("idna").decode() if not name.isascii() else name
    except UnicodeError:
        name = ""
    if name == ANY or _NAME.fullmatch(name) or _is_address(name):
        return name
    raise StartupError("setting-hosts", name=setting, value=typed)


def init_app(app: Flask) -> None:
    """Check every request's host: after the language is chosen, and before anything reads from the database."""
    app.url_value_preprocessor(_check)
    app.register_error_handler(SecurityError, _refused)


def _check(endpoint: str | None, _values: dict[str, object] | None) -> None:
    # Proxies request the health endpoints by any name, and the error page needs its styles. Neither contains links.
    if endpoint in FILES or request.blueprint == "health":
        return
    if not is_accepted(request.host, current_app.config["HOSTS"]):
        _log(request.host[:MAX_SHOWN])
        raise SecurityError


def is_accepted(host: str, hosts: tuple[str, ...]) -> bool:
    """Return whether a request may name this host, with or without a port; `hosts` as `parse_hosts` returns them."""
    name = _clean_name(host)
    if not name:
        return False
    if not hosts:
        return _is_local(name)
    return any(
        name == allowed or allowed == ANY or (allowed.startswith(".") and (f".{name}").endswith(allowed))
        for allowed in hosts
    )


def _is_local(name: str) -> bool:
    own = socket.gethostname().lower()
    return _is_address(name) or "." not in name or name.endswith(LOCAL_ENDINGS) or name == own


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _clean_name(host: str) -> str:
    """Return a host without port, brackets and trailing dot, in lower case."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return (host if _is_address(host) else host.partition(":")[0]).lower().removesuffix(".")


@lru_cache(maxsize=MAX_LOGGED)
def _log(host: str) -> None:
    """Log a refused host; the cache keeps a repeated one out of the log."""
    current_app.logger.warning("refused a request to host %r, which SCOREKEEPER_HOSTS does not list", host)


def _refused(_error: SecurityError) -> tuple[str, int]:
    return render_template("pages/error.html", page="unknown-host", host=request.host[:MAX_SHOWN]), 400
