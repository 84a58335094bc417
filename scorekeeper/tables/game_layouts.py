"""A game on a page: its pad, its facts in words, its emblem, and its layout, by its own template or the default one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from flask import Flask, g
from jinja2 import BaseLoader, ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from .. import i18n
from ..games import find_folder, find_game, games, lineage, slug_of
from ..i18n import game_name
from ..models import Event, Table
from ..scoring.game import AnyGame
from ..scoring.pad import AMOUNT, TOGGLE, Choice, ChoiceGroup, Pad
from ..scoring.standing import PARTIE, SIDES, AnyStanding
from ..scoring.taps import list_typed, taps_for
from ..scoring.values import Facts
from ..site.language import has_message, party_people, t

_COLUMNS = {5: "fives", 7: "sevens", 8: "fives", 9: "fives", 10: "fives", 13: "sevens", 14: "sevens", 17: "sevens"}
_FEW = 3  # parties to name: more would make the bar of a phone too high


@dataclass(frozen=True)
class Block:
    """Groups that are drawn together: the same question for several players, or switches."""

    stem: str  # their name without the players'; "" for switches, whose own words say all
    groups: tuple[ChoiceGroup, ...]

    @property
    def kind(self) -> str:
        return self.groups[0].kind

    @property
    def title(self) -> str:
        """The players' own words for its groups; "" if they have none, or one for each line of a sheet."""
        return "" if self._is_sheet else self.groups[0].title

    @property
    def _is_sheet(self) -> bool:
        return self.kind == AMOUNT and bool(self.groups[0].title)

    @property
    def lines(self) -> dict[str, list[ChoiceGroup]]:
        """The groups of a sheet by heading, each with one for every player or side; of other blocks, nothing."""
        lines: dict[str, list[ChoiceGroup]] = {}
        for group in self.groups if self._is_sheet else ():
            lines.setdefault(group.title, []).append(group)
        return lines

    @property
    def is_alternative(self) -> bool:
        return self.groups[0].is_alternative

    @property
    def columns(self) -> str:
        """The style that makes the cells of a strip fill its rows, at the width of a phone."""
        cells = max(len(choices) for group in self.groups for choices in group.rows.values())
        return _COLUMNS.get(cells, "")

    def is_tapped(self, pad: Pad) -> bool:
        return any(group.name in pad.taps for group in self.groups)


def pad_shape(pad: Pad) -> str:
    """Return a text that changes when other groups or choices are on the pad, but not with their order."""
    described = sorted(
        (group.name, group.title, repr([(c.key, c.label, dict(c.params)) for c in group.choices]))
        for group in pad.groups
    )
    return sha256(repr(described).encode()).hexdigest()[:12]


def party_of_group(group: ChoiceGroup, parties: Collection[str]) -> str:
    """Return the player or side whose group it is: that of its only row, or that its name ends with; else ""."""
    rows = list(group.rows)
    only = rows[0] if len(rows) == 1 else ""
    suffix = group.name.rpartition("-")[2]
    return only or (suffix if suffix in (*parties, *SIDES) and suffix != group.name else "")


def get_stem(group: ChoiceGroup, party: str) -> str:
    """Return a group's name without its party: `tricks` of `tricks-2`."""
    return group.name.removesuffix(f"-{party}") if party else group.name


def group_label(game: AnyGame, stem: str, *areas: str) -> str:
    """Return the game's words for groups in the first of these areas of its messages that has some, or ""."""
    keys = [f"{game.slug}.{area}.{stem}" for area in areas or ("group",)]
    return next((t(key) for key in keys if has_message(key)), "")


def pad_blocks(pad: Pad, standing: AnyStanding) -> list[Block]:
    """Return the groups of a pad, with those together that ask the same of several players."""

    def key(group: ChoiceGroup) -> tuple[str, str, bool]:
        party = party_of_group(group, standing.players)
        stem = "" if group.kind == TOGGLE and not party else get_stem(group, party)
        stem = group.keys[0] if group.kind == AMOUNT and group.title else stem  # lines of one sheet
        return stem, group.kind, group.is_alternative

    return [Block(stem, tuple(groups)) for (stem, _, _), groups in groupby(pad.groups, key)]


def find_announced(game: AnyGame, pad: Pad, standing: AnyStanding) -> Block | None:
    """Return the block below which the pad offers to save what is announced: the last one that enters nothing else."""
    blocks = [block for block in pad_blocks(pad, standing) if not block.is_alternative] if game.announced else []
    announced = [block for block in blocks if all({*group.keys} <= {*game.announced} for group in block.groups)]
    return announced[-1] if announced else None


def find_missing(game: AnyGame, pad: Pad, standing: AnyStanding) -> list[tuple[str, list[str], str]]:
    """Return the labels of groups that still need a tap, the parties if only few lack theirs, and the first's name."""
    missing = []
    for block in pad_blocks(pad, standing):
        lacking = [group for group in block.groups if group in pad.unanswered]
        if lacking:
            whose = list(dict.fromkeys(party_of_group(group, standing.players) for group in lacking))
            parties = whose if len(lacking) < len(block.groups) and len(whose) <= _FEW else []
            label = block.title or group_label(game, block.stem, "missing", "group") or block.stem
            missing.append((label, parties, lacking[0].name))
    return missing


class Fact(NamedTuple):
    party: str
    choice: Choice  # that enters it; or a number that the pad adds up


def facts_in_words(game: AnyGame, standing: AnyStanding, facts: Facts) -> list[tuple[str, list[Fact]]]:
    """Return a deal's facts, complete or not, in the words of the game's pad at the standing in which it was played.

    Each part is after its label, or "" if the words of the choice say all. What is so without a tap needs no words,
    unless there is nothing else.
    """
    players = standing.players
    dealer = facts.get("dealer")
    standing = replace(standing, dealer=dealer) if dealer in players else standing
    facts = game.complete(standing, {key: fact for key, fact in facts.items() if key != "dealer"})
    taps = taps_for(game, standing, facts)
    groups = [group for group in game.pad(standing, facts) if not group.is_alternative]
    unusual = [group for group in groups if not _is_as_usual(game, group, taps.get(group.name))]
    found = [*_tapped(unusual, taps, players), *_added_up(groups, facts)] or [*_tapped(groups, taps, players)]
    titles = {get_stem(group, party_of_group(group, players)): group.title for group in groups}
    labels = {stem: titles.get(stem) or group_label(game, stem, "fact", "paper", "group") for stem, _ in found}
    return [(labels[stem], [fact for _, fact in same]) for stem, same in groupby(found, lambda item: item[0])]


def in_fact(choice: Choice) -> Choice:
    """Give a choice the words of a recorded deal: `<slug>.fact.<label>`, if the game has them."""
    slug, _, name = str(choice.label).partition(".")
    key = f"{slug}.fact.{name}"
    return choice._replace(label=key) if name and has_message(key) else choice


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
            party, names = party_of_group(group, players), ("party", "side")
            # A switch needs no label, nor does "everybody passed" among the names of players.
            is_among_names = choice.label not in names and any(other.label in names for other in group.choices)
            says_all = is_among_names or (group.kind == TOGGLE and not party)
            yield "" if says_all else get_stem(group, party), Fact(choice.row or party, choice)


def _added_up(groups: list[ChoiceGroup], facts: Facts) -> Iterator[tuple[str, Fact]]:
    """Yield the facts that several choices add up to, which none of these choices enters."""
    for key in dict.fromkeys(key for group in groups if group.is_additive for key in group.keys if key in facts):
        value = facts[key]
        for party, number in value.items() if isinstance(value, Mapping) else [("", value)]:
            yield key, Fact(party, Choice("", {}, number))


def heading_in_words(game: AnyGame, standing: AnyStanding) -> str:
    """Return the game's own heading, which may name the next deal, the manche and the options; "" if it has none."""
    key = f"{game.slug}.heading"
    params = asdict(standing.options) | {"deal": standing.deal_count + 1, "manche": standing.manches + 1}
    return t(key, **params) if has_message(key) else ""


def ends_won(game: AnyGame, standing: AnyStanding, party: str) -> dict[str, int]:
    """Return how many of each kind a party has won, smallest first; the partie is left out, since it is the last."""
    won = Counter(closing.kind for row in standing.rows for closing in row.closings if party in closing.winners)
    return {kind: won[kind] for kind in game.ending.kinds if kind != PARTIE and won[kind]}


def is_under_way(game: AnyGame, standing: AnyStanding) -> bool:
    """Return whether something has begun that is won or lost at its end."""
    if not game.ending.kinds or not standing.rows or standing.is_finished:
        return False
    return all(closing.kind != game.ending.kinds[-1] for closing in standing.rows[-1].closings)


def list_terms(game: AnyGame) -> list[str]:
    """Return the terms that a game explains, in the order of their words."""
    prefix, suffix = f"{game.slug}.term.", ".means"
    explained = [key for key in i18n.catalogue(g.locale) if key.startswith(prefix) and key.endswith(suffix)]
    names = [key.removeprefix(prefix).removesuffix(suffix) for key in explained]
    return sorted(names, key=lambda name: t(f"{prefix}{name}").casefold())


_PACKAGE = Path(__file__).parents[1]
_OWN = "table.html"  # in the folder `templates` of a game's package


@pass_context
def layout(context: Context, game: AnyGame) -> SimpleNamespace:
    return lay_out(game, context.environment, context.get_all())


def lay_out(game: AnyGame, environment: Environment, variables: Mapping[str, Any]) -> SimpleNamespace:
    """Return the macros that lay out a game, on a page with these variables.

    They are the default ones, replaced by those of the game that it is a variant of, and these by its own.
    """
    with_own = [each for each in reversed(lineage(game)) if (find_folder(each) / "templates" / _OWN).is_file()]
    macros: dict[str, Any] = {}
    for name in ("tables/_default_layout.html", *(f"games/{each.slug}/{_OWN}" for each in with_own)):
        module = environment.get_template(name).make_module(dict(variables, played_game=game))
        macros |= vars(module)
    return SimpleNamespace(**macros)


def templates_folder() -> Path:
    """Return the folder of the app's templates: inside the package if it was installed from a wheel, else beside it."""
    inside = _PACKAGE / "templates"
    return inside if inside.exists() else _PACKAGE.parent / "templates"


def init_app(app: Flask) -> None:
    by_slug = {slug: FileSystemLoader(find_folder(game) / "templates") for slug, game in games().items()}
    loaders: list[BaseLoader] = [PrefixLoader({"games": PrefixLoader(by_slug)})]
    if app.jinja_loader is not None:
        loaders.insert(0, app.jinja_loader)
    app.jinja_loader = ChoiceLoader(loaders)  # a cached property, which may be replaced
    of_layouts = (layout, pad_blocks, group_label, party_of_group, find_announced, list_typed, party_people)
    of_words = (facts_in_words, in_fact, heading_in_words, ends_won, is_under_way, list_terms)
    shown: tuple[Callable[..., Any], ...] = (*of_layouts, *of_words, emblem, emblem_of)
    app.jinja_env.globals |= {function.__name__: function for function in shown}


# --- emblems, as SVG -----------------------------------------------------------------------------------------

ICONS = _PACKAGE / "static" / "icons"
NO_EMBLEM, LETTER = ICONS / "missing-game.svg", ICONS / "letter.svg"


def emblem(key: str, names: Mapping[str, str] | None = None) -> Markup:
    """Return the emblem of the game with this key: a letter in a card for one of the names that a circle has given."""
    if names is not None and key in names:
        return _draw_letter(names[key])
    game = games().get(slug_of(key))
    return _picture(find_folder(game) / "pictures" / "emblem.svg" if game is not None else NO_EMBLEM)


def emblem_of(played: Table | Event) -> Markup:
    """Return the emblem of what is played at a table or an event: a letter in a card, if that has named the game."""
    game, slug = find_game(played.game), played.game
    return _draw_letter(game_name(g.locale, slug, played.house_rules)) if game.house_rules.named_by else emblem(slug)


def _draw_letter(name: str) -> Markup:
    letter = next(filter(str.isalnum, name), name)[:1]
    return _picture(LETTER).format(letter=letter.upper()[:1])


@cache
def _picture(path: Path) -> Markup:
    try:
        return Markup(path.read_text(encoding="utf-8"))  # noqa: S704  # our own picture, or a game's
    except (OSError, UnicodeDecodeError):
        return _picture(NO_EMBLEM)
