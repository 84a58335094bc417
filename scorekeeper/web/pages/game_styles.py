"""The games' own styles, under the address of the static files, so that browsers cache them in the same way."""

from __future__ import annotations

from pathlib import Path

from flask import Flask, Response, abort, current_app, request, send_from_directory

from ...games import find_folder, games, lineage
from ...scoring.game import AnyGame

ENDPOINT = "game_style"
_FILE = "style.css"  # in a game's package


def style_files() -> list[Path]:
    """Return the style sheets of all installed games."""
    paths = [find_folder(game) / _FILE for game in games().values()]
    return [path for path in paths if path.is_file()]


def init_app(app: Flask) -> None:
    """Serve the styles, and give templates `game_styles(game)`, the addresses of those that a game needs."""
    app.add_url_rule(f"{app.static_url_path}/games/<slug>.css", ENDPOINT, _serve)
    app.jinja_env.globals["game_styles"] = game_styles


def game_styles(game: AnyGame) -> list[str]:
    """Return the addresses of a game's styles; those of the game it is a variant of come first."""
    styled = [game for game in lineage(game)[::-1] if (find_folder(game) / _FILE).is_file()]
    folder = f"{request.script_root}{current_app.static_url_path}/games"
    return [f"{folder}/{game.slug}.css" for game in styled]


def _serve(slug: str) -> Response:
    game = games().get(slug)
    if game is None:
        abort(404)
    return send_from_directory(find_folder(game), _FILE)
