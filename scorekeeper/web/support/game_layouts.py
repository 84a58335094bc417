"""The layout of a game's parts on a page: macros of the game's own template, and default ones for those it lacks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flask import Flask
from jinja2 import BaseLoader, ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, pass_context
from jinja2.runtime import Context
from werkzeug.utils import cached_property

from ...games import find_folder, games, lineage
from ...scoring.game import AnyGame
from ...scoring.standing import AnyStanding
from ...tables.state import TableState
from . import default_layout, pads

DEFAULT = "tables/_default_layout.html"
_PACKAGE = Path(__file__).parents[2]
_OWN = "table.html"  # in the folder `templates` of a game's package


class Layout:
    """The macros and variables that lay out a game, as attributes. `context` holds the page's variables."""

    def __init__(self, game: AnyGame, environment: Environment, context: dict[str, Any]) -> None:
        self._game = game
        self._environment = environment
        self._context = context

    def at(self, standing: AnyStanding) -> Layout:
        """Return the layout with the words for what was played at this standing."""
        return Layout(self._game, self._environment, self._context | {"standing": standing})

    def has_own(self, name: str) -> bool:
        """Return whether a template of the game defines this."""
        return any(hasattr(module, name) for module in self._own)

    def __getattr__(self, name: str) -> Any:
        own = next((module for module in self._own if hasattr(module, name)), None)
        return getattr(self._default if own is None else own, name)

    @cached_property
    def _own(self) -> list[Any]:
        """The template of the game and that of the game it is a variant of, as far as they have one."""
        with_own = [game for game in lineage(self._game) if (find_folder(game) / "templates" / _OWN).is_file()]
        return [self._module(f"games/{game.slug}/{_OWN}") for game in with_own]

    @cached_property
    def _default(self) -> Any:
        return self._module(DEFAULT)

    def _module(self, name: str) -> Any:
        """Return a template's module as `{% import name with context %}` makes it."""
        return self._environment.get_template(name).make_module(self._context | {"played_game": self._game}, True)


@pass_context
def layout(context: Context, game: AnyGame) -> Layout:
    """Return the layout of a game, with the variables of the page."""
    return Layout(game, context.environment, context.get_all())


def layout_at_deal(words: Layout, table: TableState | None, deal_id: int | None) -> Layout:
    """Return the layout with the words for a deal's facts, which depend on the standing in which it was played.

    It takes a replay of the table. A game's own words need it only for who sat: they have the facts.
    """
    if table is None or (words.has_own("facts") and not table.has_substitutes):
        return words
    return words.at(table.standing_before(deal_id))


def templates_folder() -> Path:
    """Return the folder of the app's templates: inside the package if it was installed from a wheel, else beside it."""
    inside = _PACKAGE / "templates"
    return inside if inside.exists() else _PACKAGE.parent / "templates"


def init_app(app: Flask) -> None:
    """Let pages find the templates of installed games, and give them `layout` and what the default layout draws."""
    pads.init_app(app)
    default_layout.init_app(app)
    by_slug = {slug: FileSystemLoader(find_folder(game) / "templates") for slug, game in games().items()}
    loaders: list[BaseLoader] = [PrefixLoader({"games": PrefixLoader(by_slug)})]
    if app.jinja_loader is not None:
        loaders.insert(0, app.jinja_loader)
    app.jinja_loader = ChoiceLoader(loaders)  # a cached property, which may be replaced
    app.jinja_env.globals |= {"layout": layout, "layout_at_deal": layout_at_deal}
