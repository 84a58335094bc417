"""The rules of the games, as pages; every reason of an entry is a heading there."""

from __future__ import annotations

from functools import cache

import markdown
from flask import Blueprint, abort, g, render_template
from markupsafe import Markup

from ..games import folder_of, games
from ..scoring.game import Game

blueprint = Blueprint("rules", __name__, url_prefix="/rules")


@blueprint.get("/<slug>")
def show(slug: str) -> str:
    if slug not in games():
        abort(404)
    return render_template("rules.html", game=games()[slug], prose=prose(games()[slug], g.language))


@cache
def prose(game: Game, language: str) -> Markup:
    """The game's rules as HTML. They are our own files: nothing of a user's is in them."""
    name = "rules.md" if language == "en" else f"rules.{language}.md"
    text = (folder_of(game) / name).read_text(encoding="utf-8")
    return Markup(markdown.markdown(text, extensions=["attr_list", "tables"]))  # noqa: S704  # our own text


@cache
def emblem(slug: str) -> Markup:
    return Markup((folder_of(games()[slug]) / "pictures" / "emblem.svg").read_text(encoding="utf-8"))  # noqa: S704  # our own picture
