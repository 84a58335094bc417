"""The layout of a game's parts on a page: macros of the game's own template, and default ones for those it lacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from flask import Flask, g
from jinja2 import BaseLoader, ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, pass_context
from jinja2.runtime import Context
from werkzeug.utils import cached_property

from ... import i18n
from ...games import find_folder, games, lineage
from ...scoring.game import AnyGame
from ...scoring.pad import TOGGLE, Choice, ChoiceGroup
from ...scoring.pad_state import taps_for
from ...scoring.standing import PARTIE, AnyStanding, Row
from ...scoring.values import Facts
from ...tables.state import TableState
from . import pads
from .language import has_message, own_key, t
from .pads import get_stem, party_of_group


@dataclass(frozen=True)
class Fact:
    """A fact of a deal: the choice of the pad that enters it, or a number that the pad adds up."""

    party: str
    choice: Choice


@dataclass(frozen=True)
class FactsInWords:
    """Facts under one label.

    stem: the name of their groups without the players', or the key of the facts; "" if the words of the choice say all.
    title: the players' own words for the groups; "" if they have none.
    """

    stem: str
    facts: tuple[Fact, ...]
    title: str = ""


def add_default_layout(app: Flask) -> None:
    """Register what the default layout draws."""
    app.jinja_env.globals.update(
        facts_in_words=facts_in_words,
        in_fact=in_fact,
        heading_in_words=heading_in_words,
        ends_won=ends_won,
        facts_are_points=facts_are_points,
        is_under_way=is_under_way,
        won_text=won_text,
    )
    app.jinja_env.globals["list_terms"] = lambda game: list_terms(game.slug, g.language)


def won_text(game: AnyGame, winners: Sequence[str], say: Callable[..., str] = t) -> str:
    """Return who has won the partie, who share it, or that nobody has, as the game words it."""
    if not winners:
        return say(own_key(game.slug, "table.nobody"))
    if len(winners) > 1:
        return say(own_key(game.slug, "table.shared"), all=winners)
    return say(own_key(game.slug, "table.won"), party=winners[0], count=2 if game.in_sides else 1)


def facts_in_words(game: AnyGame, standing: AnyStanding | None, facts: Facts) -> list[FactsInWords]:
    """Return a deal's facts, complete or not, in the words of the game's pad at the standing in which it was played.

    Without a standing, it is that of the most players before their first deal. What is so without a tap needs no words,
    unless there is nothing else.
    """
    if standing is None:
        everybody = tuple(map(str, range(1, max(game.player_counts) + 1)))
        standing = game.open(everybody, everybody[-1], game.usual_options)
    players, dealer = standing.players, facts.get("dealer")
    standing = replace(standing, dealer=dealer) if dealer in players else standing
    facts = game.complete(standing, {key: fact for key, fact in facts.items() if key != "dealer"})
    taps = taps_for(game, standing, facts)
    groups = [group for group in game.pad(standing, facts) if not group.is_alternative]
    unusual = [group for group in groups if not _is_as_usual(game, group, taps.get(group.name))]
    found = [*_tapped(unusual, taps, players), *_added_up(groups, facts)] or [*_tapped(groups, taps, players)]
    titles = {get_stem(group, party_of_group(group, players)): group.title for group in groups}
    parts = [(stem, tuple(fact for _, fact in same)) for stem, same in groupby(found, lambda item: item[0])]
    return [FactsInWords(stem, facts_of_stem, titles.get(stem, "")) for stem, facts_of_stem in parts]


def in_fact(choice: Choice) -> Choice:
    """Return a choice with the words of a recorded deal: `<slug>.fact.<label>` if the game has them, else its own."""
    slug, _, name = str(choice.label).partition(".")
    key = f"{slug}.fact.{name}"
    return choice._replace(label=key) if name and has_message(key) else choice


def facts_are_points(row: Row) -> bool:
    """Return whether a deal's facts are the points that it has scored, and nothing else."""
    fact: Any = row.fact
    values = [getattr(fact, field.name) for field in fields(fact)]
    is_one = len(values) == 1 and isinstance(values[0], Mapping)
    return is_one and dict.fromkeys(row.scored, 0) | dict(values[0]) == row.scored


def _is_as_usual(game: AnyGame, group: ChoiceGroup, key: str | None) -> bool:
    """Return whether a choice is its group's default, and its facts are those of a deal that does not mention them."""
    choice = group.choice(key) if key is not None and key == group.default else None
    if choice is None:
        return False
    defaults = {field.name: field.default for field in fields(game.deal)}
    return all(isinstance(fact, Mapping | list) or fact == defaults.get(name) for name, fact in choice.facts.items())


def _tapped(groups: list[ChoiceGroup], taps: Mapping[str, str], players: tuple[str, ...]) -> Iterator[tuple[str, Fact]]:
    """Yield the choices that are tapped, each after the stem of its group, and with the player or side it is for."""
    for group in groups:
        choice = group.choice(taps.get(group.name, ""))
        if choice is not None:
            party = party_of_group(group, players)
            yield "" if _says_all(group, choice, party) else get_stem(group, party), Fact(choice.row or party, choice)


def _says_all(group: ChoiceGroup, choice: Choice, party: str) -> bool:
    """Return whether a choice needs no label: a switch, or "everybody passed" among the names of players."""
    names = ("party", "side")
    is_among_names = choice.label not in names and any(other.label in names for other in group.choices)
    return is_among_names or (group.kind == TOGGLE and not party)


def _added_up(groups: list[ChoiceGroup], facts: Facts) -> Iterator[tuple[str, Fact]]:
    """Yield the facts that several choices add up to, which none of these choices enters."""
    for key in dict.fromkeys(key for group in groups if group.is_additive for key in group.keys if key in facts):
        value = facts[key]
        for party, number in value.items() if isinstance(value, Mapping) else [("", value)]:
            yield key, Fact(party, Choice("", {}, number))


def heading_in_words(game: AnyGame, standing: AnyStanding) -> str:
    """Return the game's own heading, which may name the deal, the manche and the numbers of its options; "" if none.

    A heading that names other numbers needs the game's own template.
    """
    options = {option.name: getattr(standing.options, option.name) for option in fields(standing.options)}
    numbers = {name: value for name, value in options.items() if type(value) is int}
    key = f"{game.slug}.heading"
    try:
        return t(key, deal=standing.deal_count + 1, manche=standing.manches + 1, **numbers) if has_message(key) else ""
    except KeyError:
        return ""


def ends_won(game: AnyGame, standing: AnyStanding, party: str) -> dict[str, int]:
    """Return how many of each kind a party has won, smallest first; the partie is left out, since it is the last."""
    won = Counter(closing.kind for row in standing.rows for closing in row.closings if party in closing.winners)
    return {kind: won[kind] for kind in game.ends if kind != PARTIE and won[kind]}


def is_under_way(game: AnyGame, standing: AnyStanding) -> bool:
    """Return whether something has begun that would be won or lost at its end."""
    if not game.ends or not standing.rows or standing.is_finished:
        return False
    return all(closing.kind != game.ends[-1] for closing in standing.rows[-1].closings)


@cache
def list_terms(slug: str, language: str) -> list[str]:
    """Return the terms that a game explains, by name; in the order of their words."""
    prefix, suffix = f"{slug}.term.", ".means"
    explained = [key for key in i18n.catalogue(language).keys if key.startswith(prefix) and key.endswith(suffix)]
    names = [key.removeprefix(prefix).removesuffix(suffix) for key in explained]
    return sorted(names, key=lambda name: i18n.translate(language, f"{prefix}{name}").casefold())


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
    add_default_layout(app)
    by_slug = {slug: FileSystemLoader(find_folder(game) / "templates") for slug, game in games().items()}
    loaders: list[BaseLoader] = [PrefixLoader({"games": PrefixLoader(by_slug)})]
    if app.jinja_loader is not None:
        loaders.insert(0, app.jinja_loader)
    app.jinja_loader = ChoiceLoader(loaders)  # a cached property, which may be replaced
    app.jinja_env.globals |= {"layout": layout, "layout_at_deal": layout_at_deal}
