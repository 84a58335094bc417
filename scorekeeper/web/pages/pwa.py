"""The progressive web app: its manifest, its service worker and the offline page."""

from __future__ import annotations

import hashlib
import json
from functools import partial
from pathlib import Path

from flask import Blueprint, Flask, Response, current_app, g, jsonify, render_template, request, url_for

from ...i18n import translate

blueprint = Blueprint("pwa", __name__)

# Those of the pages that are kept for when there is no signal, and no more: a first visit has to be light.
STYLES = ("main.css", "people.css", "seats.css", "explanations.css", "seating-draw.css", "print.css")
ICONS = {"icon-192.png": "192x192", "icon-512.png": "512x512"}


def version_of(folder: Path) -> str:
    """Return a short hash of all files in and below a folder. In their URLs, it lets browsers cache them forever."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def init_app(app: Flask) -> None:
    """Register the template function `asset`, a faster `url_for("static", ...)`: a page has a dozen files."""
    app.jinja_env.globals["asset"] = partial("{}/{}".format, app.static_url_path)


@blueprint.get("/worker.js")
def worker() -> Response:
    """Return the service worker's script, after the constants with the version and URLs of the files to cache."""
    folder = Path(current_app.static_folder or "")
    scripts = [f"js/{path.name}" for path in sorted(folder.glob("js/*.js")) if path.name != "worker.js"]
    styles = [f"css/{name}" for name in STYLES]
    shell = [url_for("static", filename=name) for name in (*styles, *scripts, "icons/icon.svg")]
    version = Path(current_app.static_url_path or "").name
    told = {"VERSION": f"scorekeeper-{version}", "SHELL": [*shell, url_for("pwa.offline")]}
    head = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in told.items())
    text = head + (folder / "js" / "worker.js").read_text(encoding="utf-8")
    answer = Response(text, mimetype="text/javascript", headers={"Cache-Control": "no-cache"})
    answer.add_etag()  # a browser asks for it again with every page
    answer.make_conditional(request)
    return answer


@blueprint.get("/manifest.webmanifest")
def manifest() -> Response:
    """Return the web app manifest in the reader's language."""
    name = translate(g.language, "app.name")
    response = jsonify(
        name=name,
        short_name=name,
        lang=g.language,
        start_url=url_for("home.home"),
        scope="/",
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
