"""The emblems of games, as SVG."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from flask import Flask, g
from markupsafe import Markup

from ..games import find_folder, find_game, games, slug_of
from ..i18n import game_name
from ..models import Event, Table

ICONS = Path(__file__).parents[1] / "static" / "icons"
NO_EMBLEM, LETTER = ICONS / "missing-game.svg", ICONS / "letter.svg"


def init_app(app: Flask) -> None:
    app.add_template_global(emblem)
    app.add_template_global(emblem_of)


def emblem(key: str, names: Mapping[str, str] | None = None) -> Markup:
    """Return the emblem of the game with this key: a letter in a card for one of the names that a circle has given.

    It is a blank card for a game that is not installed or has none to be read.
    """
    if names is not None and key in names:
        return _draw_letter(names[key])
    game = games().get(slug_of(key))
    return _picture(find_folder(game) / "pictures" / "emblem.svg" if game is not None else NO_EMBLEM)


def emblem_of(played: Table | Event) -> Markup:
    """Return the emblem of what is played at a table or an event: a letter in a card, if that has named the game."""
    game, slug = find_game(played.game), played.game
    return _draw_letter(game_name(g.language, slug, played.house_rules)) if game.house_rules.named_by else emblem(slug)


def _draw_letter(name: str) -> Markup:
    letter = next(filter(str.isalnum, name), name)[:1]
    return _picture(LETTER).format(letter=letter.upper()[:1])


@cache
def _picture(path: Path) -> Markup:
    try:
        return Markup(path.read_text(encoding="utf-8"))  # noqa: S704  # our own picture, or a game's
    except (OSError, UnicodeDecodeError):
        return _picture(NO_EMBLEM)
