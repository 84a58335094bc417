"""The progressive web app: its manifest, its service worker and the offline page."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from flask import Blueprint, Flask, Response, current_app, g, jsonify, render_template, request, url_for

from ...i18n import html_tag, translate
from . import game_styles

blueprint = Blueprint("pwa", __name__)

STATIC = Path(__file__).parents[2] / "static"

# Cached for use without a connection; only what every page needs, so that a first visit stays light.
STYLES = ("main.css", "people.css", "seats.css", "explanations.css", "print.css")
SCRIPTS = ("main.js", "live.js", "offline-entries.js", "pad.js")  # the others are for pages that need a connection
ICONS = {"icon-192.png": "192x192", "icon-512.png": "512x512"}


def static_version() -> str:
    """Return a short hash of all static files and games' styles. In their URLs, it lets browsers cache them forever."""
    digest = hashlib.sha256()
    for path in (*sorted(path for path in STATIC.rglob("*") if path.is_file()), *game_styles.style_files()):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def init_app(app: Flask) -> None:
    """Register the template function `asset`, a faster `url_for("static", ...)`: a page has a dozen files."""
    app.jinja_env.globals["asset"] = lambda name: f"{request.script_root}{app.static_url_path}/{name}"


@blueprint.get("/worker.js")
def worker() -> Response:
    """Return the service worker's script, after the constants with the version and URLs of the files to cache."""
    folder = Path(current_app.static_folder or "")
    names = [*(f"css/{name}" for name in STYLES), *(f"js/{name}" for name in SCRIPTS)]
    files = [url_for("static", filename=name) for name in (*names, "icons/icon.svg", "icons/symbols.svg")]
    version = Path(current_app.static_url_path or "").name
    constants = {
        "VERSION": f"scorekeeper-{version}{request.script_root}",
        "SHELL": [*files, url_for("pwa.offline"), url_for("help.show")],
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
    """Return the web app manifest in the reader's language."""
    app_name = translate(g.language, "app.name")
    response = jsonify(
        name=app_name,
        short_name=app_name,
        lang=html_tag(g.language),
        start_url=url_for("home.home"),
        scope=url_for("home.home"),
        display="standalone",
        background_color="#f4ecda",
        theme_color="#f4ecda",
        icons=[
            {"src": url_for("static", filename="icons/icon.svg"), "sizes": "any", "type": "image/svg+xml"},
            *(
                {"src": url_for("static", filename=f"icons/{name}"), "sizes": sizes, "type": "image/png"}
                for name, sizes in ICONS.items()
            ),
        ],
    )
    response.mimetype = "application/manifest+json"
    return response


@blueprint.get("/offline")
def offline() -> str:
    """Show the page that the service worker serves without a connection."""
    return render_template("pages/offline.html")
