"""The application factory: settings, extensions and blueprints."""

from __future__ import annotations

import logging
from importlib import import_module
from pathlib import Path
from typing import Any

from flask import Flask
from flask_compress import Compress
from flask_wtf import CSRFProtect
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.routing import IntegerConverter

from . import config, limits
from .db import engine, schemas
from .games import refused_games
from .models import db
from .site import (
    amounts,
    error_pages,
    features,
    fields,
    forms,
    health,
    http,
    language,
    live,
    navigation,
    pwa,
    rate_limits,
)
from .tables import game_layouts

MAX_REQUEST_BYTES = 1_000_000
# From the lowest to the highest: a feature knows only those before it.
FEATURES = (
    "circles",
    "people",
    "tables",
    "money",
    "standings",
    "evenings",
    "files",
    "home",
    "events",
    "notices",
)


class ShortNumber(IntegerConverter):
    """URL converter for counts and ids, which fit the integers of every database."""

    regex = rf"\d{{1,{fields.MAX_DIGITS}}}"


def build(settings: dict[str, Any]) -> Flask:
    instance = config.instance_folder()
    app = Flask(
        "scorekeeper",
        static_folder=str(pwa.STATIC),
        static_url_path=f"/static/{pwa.static_version()}",
        template_folder=str(game_layouts.templates_folder()),
        instance_path=str(instance),
    )
    config.make_instance_folder(instance)
    app.config.from_mapping(_read_settings(instance) | settings)
    _init_database(app)
    if app.config["SECRET_KEY"] is None:
        with app.app_context():
            app.config["SECRET_KEY"] = config.load_secret_key(instance, schemas.count_circles)
    _log_refused_games()
    _init_shared(app)
    for name in FEATURES:
        features.add_feature(app, import_module(f".{name}.feature", __package__).FEATURE)
    _trust_proxies(app)
    return app


def _init_database(app: Flask) -> None:
    # Statements' parameters include names and hashes, which must not appear in error messages.
    options = engine.engine_options(app.config["SQLALCHEMY_DATABASE_URI"]) | {"hide_parameters": True}
    app.config.setdefault("SQLALCHEMY_ENGINE_OPTIONS", options)
    db.init_app(app)


def _log_refused_games() -> None:
    for game in refused_games():
        message = "The game %s of the package %s is left out: %s"
        logging.getLogger("scorekeeper.games").warning(message, *game)


def _init_shared(app: Flask) -> None:
    """Set up what all features use. Flask calls what is registered for after a request in reverse order."""
    app.config["FEATURES"] = FEATURES
    app.url_map.converters["int"] = ShortNumber
    app.jinja_options = {"trim_blocks": True, "lstrip_blocks": True}
    app.jinja_env.globals["limits"] = limits
    app.add_template_global(forms.hidden_fields)
    live.init_app(app)
    game_layouts.init_app(app)
    language.init_app(app)  # before CSRFProtect, whose error page needs the language
    http.init_app(app)  # before Compress, so that its headers are set last
    navigation.init_app(app)
    CSRFProtect(app)
    error_pages.init_app(app)
    rate_limits.init_app(app)
    Compress(app)
    pwa.init_app(app)
    for view in (amounts, health, pwa):
        app.register_blueprint(view.blueprint)


def _trust_proxies(app: Flask) -> None:
    if hops := app.config["PROXIES"]:
        proxied = ProxyFix(app.wsgi_app, x_for=hops, x_proto=hops, x_host=hops, x_prefix=hops)
        app.wsgi_app = proxied  # type: ignore[method-assign]  # as Flask documents


def _read_settings(instance: Path) -> dict[str, Any]:
    url = config.read_text("DATABASE_URL", f"sqlite:///{instance / 'scorekeeper.sqlite3'}")
    return {
        "SQLALCHEMY_DATABASE_URI": engine.database_url(url),
        "RATELIMIT_ENABLED": True,
        "CONTACT": config.read_text("SCOREKEEPER_CONTACT"),
        "CREATE": config.read_choice("SCOREKEEPER_CREATE", rate_limits.EVERYONE, rate_limits.CODE, rate_limits.NOBODY),
        "CREATE_CODE": config.read_secret("SCOREKEEPER_CREATE_CODE", rate_limits.MIN_CODE),
        "PROXIES": config.read_number("SCOREKEEPER_PROXIES", 0, 9, 0),
        "TRUSTED_HOSTS": config.read_hosts("SCOREKEEPER_HOSTS"),
        "LISTENS_EVERYWHERE": False,  # whether the server listens on all interfaces; it sets this itself
        "SESSION_COOKIE_NAME": "scorekeeper",
        "SESSION_COOKIE_SAMESITE": "Lax",
        "SESSION_COOKIE_SECURE": config.read_choice("SCOREKEEPER_HTTPS", "0", "1") == "1",
        "MAX_CONTENT_LENGTH": MAX_REQUEST_BYTES,
        "SEND_FILE_MAX_AGE_DEFAULT": http.YEAR,  # URLs of static files contain a version
        # From level 5, Brotli makes pages and styles a sixth smaller than the other algorithms.
        "COMPRESS_ALGORITHM": ["br", "gzip"],
        "COMPRESS_ALGORITHM_STREAMING": ["br", "gzip"],
        "COMPRESS_BR_LEVEL": 6,
        "COMPRESS_BR_WINDOW": 18,  # 256 KB: reserving the usual 4 MB takes longer than compressing a page
        # A page may stay open for an evening; its token must not expire meanwhile.
        "WTF_CSRF_TIME_LIMIT": None,
    }
