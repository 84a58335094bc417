"""The app on a phone's home screen: its manifest, its service worker, and the page for when there is no signal."""

from __future__ import annotations

import hashlib
import json
from functools import partial
from pathlib import Path

from flask import Blueprint, Flask, Response, current_app, g, jsonify, render_template, request, url_for

from ..language import say

blueprint = Blueprint("installing", __name__)

# Those of the pages that are kept for when there is no signal, and no more: a first visit has to be light.
STYLES = ("scorekeeper.css", "people.css", "seats.css", "explained.css", "drawing.css", "print.css")
ICONS = {"icon-192.png": "192x192", "icon-512.png": "512x512"}


def version_of(folder: Path) -> str:
    """Stands for all that is in the folder: it is part of the address, which may then be kept for ever."""
    digest = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def init_app(app: Flask) -> None:
    # Every page names a dozen files, and Flask would work out the address of each.
    app.jinja_env.globals["asset"] = partial("{}/{}".format, app.static_url_path)


@blueprint.get("/worker.js")
def worker() -> Response:
    """The service worker, told what to keep; new where any of that is."""
    folder = Path(current_app.static_folder or "")
    scripts = [path.name for path in sorted(folder.glob("*.js")) if path.name != "worker.js"]
    shell = [url_for("static", filename=name) for name in (*STYLES, *scripts, "icon.svg")]
    version = Path(current_app.static_url_path or "").name
    told = {"VERSION": f"scorekeeper-{version}", "SHELL": [*shell, url_for("installing.offline")]}
    head = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in told.items())
    text = head + (folder / "worker.js").read_text(encoding="utf-8")
    answer = Response(text, mimetype="text/javascript", headers={"Cache-Control": "no-cache"})
    answer.add_etag()  # a browser asks for it again with every page
    answer.make_conditional(request)
    return answer


@blueprint.get("/manifest.webmanifest")
def manifest() -> Response:
    name = say(g.language, "app.name")
    answer = jsonify(
        name=name,
        short_name=name,
        lang=g.language,
        start_url=url_for("front.home"),
        scope="/",
        display="standalone",
        background_color="#f4ecda",
        theme_color="#f4ecda",
        icons=[
            {"src": url_for("static", filename="icon.svg"), "sizes": "any", "type": "image/svg+xml"},
            *(
                {"src": url_for("static", filename=name), "sizes": sizes, "type": "image/png"}
                for name, sizes in ICONS.items()
            ),
        ],
    )
    answer.mimetype = "application/manifest+json"
    return answer


@blueprint.get("/offline")
def offline() -> str:
    return render_template("offline.html")
