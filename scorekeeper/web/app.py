"""The Flask app: settings, what every page has, and what every answer carries."""

from __future__ import annotations

import os
import secrets
from datetime import timedelta
from pathlib import Path
from typing import Any

from click import UsageError
from flask import Flask
from flask_compress import Compress
from flask_migrate import Migrate
from flask_wtf import CSRFProtect
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.routing import IntegerConverter

from ..book import connections
from ..store import db
from . import (
    amounts,
    circles,
    counting,
    deals,
    drawing,
    errors,
    exchange,
    explained,
    finding,
    following,
    front,
    headers,
    health,
    history,
    imports,
    installing,
    language,
    limits,
    measuring,
    people,
    players,
    rules,
    safety,
    sample,
    seats,
    settling,
    table,
    working,
)
from .forms import MOST_DIGITS

PACKAGE = Path(__file__).parent.parent
MOST_BYTES = 1_000_000  # in the body of a request
YEAR = 365  # days

PAGES = (
    front,
    installing,
    table,
    deals,
    circles,
    people,
    players,
    rules,
    safety,
    working,
    settling,
    amounts,
    following,
    finding,
    history,
    exchange,
    imports,
    explained,
    sample,
    seats,
    drawing,
    counting,
    health,
)


class ShortNumber(IntegerConverter):
    """A count or an id in an address: there is none that any database's integers do not take."""

    regex = rf"\d{{1,{MOST_DIGITS}}}"


def build(settings: dict[str, Any]) -> Flask:
    app = measuring.TightLipped(
        "scorekeeper",
        static_folder=str(PACKAGE / "static"),
        static_url_path=f"/static/{installing.version_of(PACKAGE / 'static')}",
        template_folder=str(_templates()),
        instance_path=str(instance_folder()),
    )
    app.jinja_options = {"trim_blocks": True, "lstrip_blocks": True}
    Path(app.instance_path).mkdir(mode=0o700, parents=True, exist_ok=True)
    app.config.from_mapping(_from_environment(Path(app.instance_path)))
    app.config.from_mapping(settings)
    app.config.setdefault("SECRET_KEY", None)
    if app.config["SECRET_KEY"] is None:
        app.config["SECRET_KEY"] = _kept_secret(Path(app.instance_path) / "secret_key")
    # What is sent to the database is told in no message of a fault: there are names and hashes among it.
    options = connections.options(app.config["SQLALCHEMY_DATABASE_URI"]) | {"hide_parameters": True}
    app.config.setdefault("SQLALCHEMY_ENGINE_OPTIONS", options)
    db.init_app(app)
    Migrate(app, db, directory=str(PACKAGE / "migrations"))
    measuring.init_app(app)
    language.init_app(app)  # before CSRFProtect, whose refusal is told in the reader's language too
    CSRFProtect(app)
    errors.init_app(app)
    headers.init_app(app)  # which sees an answer last of all, and so whether it has come to a 304
    Compress(app)
    installing.init_app(app)
    app.url_map.converters["int"] = ShortNumber
    for pages in PAGES:
        app.register_blueprint(pages.blueprint)
    limits.init_app(app)
    if app.config["PROXIES"]:
        hops = app.config["PROXIES"]
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=hops, x_proto=hops, x_host=hops)  # type: ignore[method-assign]  # how Flask has it wrapped
    return app


def instance_folder() -> Path:
    """Where the database and the secret lie: `instance/` beside the package in a checkout."""
    told = os.environ.get("SCOREKEEPER_INSTANCE")
    if told:
        return Path(told).resolve()
    checkout = PACKAGE.parent
    if (checkout / "pyproject.toml").exists():
        return checkout / "instance"
    return Path.home() / ".local" / "share" / "scorekeeper"


def _templates() -> Path:
    """Beside the package in a checkout, inside it where it was installed from a wheel."""
    inside = PACKAGE / "templates"
    return inside if inside.exists() else PACKAGE.parent / "templates"


def _from_environment(instance: Path) -> dict[str, Any]:
    return {
        "SQLALCHEMY_DATABASE_URI": _database(os.environ.get("DATABASE_URL"), instance),
        "SECRET_KEY": os.environ.get("SECRET_KEY"),
        "LIMITS_KEPT_IN": os.environ.get("REDIS_URL") or "memory://",
        "METRICS_TOKEN": os.environ.get("SCOREKEEPER_METRICS_TOKEN", ""),
        "CONTACT": os.environ.get("SCOREKEEPER_CONTACT", ""),
        "PROXIES": _proxies(os.environ.get("SCOREKEEPER_PROXIES") or "0"),
        "SESSION_COOKIE_NAME": "scorekeeper",
        "SESSION_COOKIE_HTTPONLY": True,
        "SESSION_COOKIE_SAMESITE": "Lax",
        "SESSION_COOKIE_SECURE": os.environ.get("SCOREKEEPER_HTTPS", "") == "1",
        "PERMANENT_SESSION_LIFETIME": timedelta(days=YEAR),
        # A page that follows asks all the time; its answers would put back what a tap has just changed in the cookie.
        "SESSION_REFRESH_EACH_REQUEST": False,
        "MAX_CONTENT_LENGTH": MOST_BYTES,
        "SEND_FILE_MAX_AGE_DEFAULT": timedelta(days=YEAR),  # what is in static/ has its version in its address
        # Brotli makes pages and styles smaller than the others do, by a sixth from level 5.
        "COMPRESS_ALGORITHM": ["br", "gzip"],
        "COMPRESS_ALGORITHM_STREAMING": ["br", "gzip"],
        "COMPRESS_BR_LEVEL": 5,
        # A page lies open on the table for an evening; its token must not age while the cards are dealt.
        "WTF_CSRF_TIME_LIMIT": None,
    }


def _proxies(told: str) -> int:
    if not (told.isdecimal() and int(told) < 10):
        raise UsageError(f"SCOREKEEPER_PROXIES: how many proxies stand before the app, 0 to 9, and not {told!r}")
    return int(told)


def _database(url: str | None, instance: Path) -> str:
    if not url:
        return f"sqlite:///{instance / 'scorekeeper.sqlite3'}"
    for scheme in ("postgres://", "postgresql://"):
        if url.startswith(scheme):
            return "postgresql+psycopg://" + url.removeprefix(scheme)
    return url


def _kept_secret(path: Path) -> str:
    """The secret that signs cookies, made at the first start and readable by its owner alone."""
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(32))
    except FileExistsError:
        pass
    return path.read_text()
