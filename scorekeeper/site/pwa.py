"""The progressive web app: its manifest, its service worker, the offline page, and the games' own styles.

A game's styles are under the address of the static files, so that browsers cache them in the same way.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from flask import (
    Blueprint,
    Flask,
    Response,
    abort,
    current_app,
    g,
    jsonify,
    render_template,
    request,
    send_from_directory,
    url_for,
)

from ..games import find_folder, games, lineage
from ..i18n import translate
from ..scoring.game import AnyGame

blueprint = Blueprint("pwa", __name__)

STATIC = Path(__file__).parents[1] / "static"

# Cached for use without a connection; only what every page needs, so that a first visit stays light.
STYLES = ("main.css", "people.css", "seats.css", "explanations.css", "print.css")
SCRIPTS = ("main.js", "live.js", "offline-entries.js", "pad.js")  # the others are for pages that need a connection
ICONS = {"icon-192.png": "192x192", "icon-512.png": "512x512"}
_GAME_STYLE = "style.css"  # in a game's package


def static_version() -> str:
    """Return a short hash of all static files and games' styles. In their URLs, it lets browsers cache them forever."""
    digest = hashlib.sha256()
    files = sorted(path for path in STATIC.rglob("*") if path.is_file())
    for path in (*files, *(find_folder(game) / _GAME_STYLE for game in games().values() if _has_style(game))):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def init_app(app: Flask) -> None:
    """Serve games' styles; give templates `asset`, a faster `url_for("static", ...)`: a page has a dozen files."""
    app.add_url_rule(f"{app.static_url_path}/games/<slug>.css", "game_style", _serve_style)
    app.add_template_global(game_styles)
    app.jinja_env.globals["asset"] = lambda name: f"{request.script_root}{app.static_url_path}/{name}"


def game_styles(game: AnyGame) -> list[str]:
    folder = f"{request.script_root}{current_app.static_url_path}/games"
    return [f"{folder}/{styled.slug}.css" for styled in lineage(game)[::-1] if _has_style(styled)]


def _has_style(game: AnyGame) -> bool:
    return (find_folder(game) / _GAME_STYLE).is_file()


def _serve_style(slug: str) -> Response:
    game = games().get(slug)
    return send_from_directory(find_folder(game), _GAME_STYLE) if game is not None else abort(404)


@blueprint.get("/worker.js")
def worker() -> Response:
    folder = Path(current_app.static_folder or "")
    names = [*(f"css/{name}" for name in STYLES), *(f"js/{name}" for name in SCRIPTS)]
    files = [url_for("static", filename=name) for name in (*names, "icons/icon.svg", "icons/symbols.svg")]
    version = Path(current_app.static_url_path or "").name
    constants = {
        "VERSION": f"scorekeeper-{version}{request.script_root}",
        "SHELL": [*files, url_for("pwa.offline"), url_for("home.help_page")],
        "ICON": url_for("static", filename="icons/icon-192.png"),  # of notices
    }
    head = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in constants.items())
    text = head + (folder / "js" / "worker.js").read_text(encoding="utf-8")
    response = Response(text, mimetype="text/javascript", headers={"Cache-Control": "no-cache"})
    response.add_etag()  # browsers request it again with every page
    response.make_conditional(request)
    return response


@blueprint.get("/manifest.webmanifest")
def manifest() -> Response:
    app_name = translate(g.locale, "app.name")
    home = url_for("home.home")
    icons = [{"src": url_for("static", filename="icons/icon.svg"), "sizes": "any", "type": "image/svg+xml"}]
    for name, sizes in ICONS.items():
        icons.append({"src": url_for("static", filename=f"icons/{name}"), "sizes": sizes, "type": "image/png"})
    response = jsonify(
        name=app_name,
        short_name=app_name,
        lang=g.locale.replace("_", "-"),
        start_url=home,
        scope=home,
        display="standalone",
        background_color="#f4ecda",
        theme_color="#f4ecda",
        icons=icons,
    )
    response.mimetype = "application/manifest+json"
    return response


@blueprint.get("/offline")
def offline() -> str:
    return render_template("error.html", page="offline")
