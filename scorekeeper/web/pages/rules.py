"""The games' rules as pages. Every reason of an entry is the anchor of a heading, and each heading names its source."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import markdown
from flask import Blueprint, abort, g, render_template
from markupsafe import Markup

from ...games import folder_of, games
from ...scoring import sheet
from ...scoring.game import AnyGame, fold
from ...scoring.problems import Refusal
from ...scoring.settlement import Transfer
from ...scoring.sheet import Sheet
from ...scoring.standing import AnyStanding
from ...scoring.statement import settlement_payments, settlement_unit
from ..support.forms import OptionField, option_fields
from ..support.language import number, t

blueprint = Blueprint("rules", __name__, url_prefix="/rules")

EXAMPLE, SAMPLE = "example", "sample"  # sheets that lie beside a game's rules
_HEADING = re.compile(r"(#+) (.+) \{#([a-z_]+)\}\s*")
_SOURCE = "*Source.* "  # begins the line of a heading that says where it is from, in either language


@blueprint.get("/<slug>")
def show(slug: str) -> str:
    """Show a game's rules with a worked example."""
    game = games().get(slug)
    if game is None:
        abort(404)
    return render_template("pages/rules.html", game=game, prose=prose(game, g.language), example=example_of(game))


@cache
def prose(game: AnyGame, language: str) -> Markup:
    """Return a game's rules as HTML."""
    return Markup(markdown.markdown(_text(game, language), extensions=["attr_list", "tables"]))  # noqa: S704  # our own text


def _text(game: AnyGame, language: str) -> str:
    name = f"rules.{language}.md"
    return (folder_of(game) / name).read_text(encoding="utf-8")


@cache
def emblem(slug: str) -> Markup:
    """Return a game's emblem as SVG."""
    return Markup((folder_of(games()[slug]) / "pictures" / "emblem.svg").read_text(encoding="utf-8"))  # noqa: S704  # our own picture


# --- what stands behind a number ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Heading:
    """A heading of the rules that has an anchor."""

    anchor: str
    title: str
    chief: str
    source: Markup


class HouseRule(NamedTuple):
    """A house rule of a table, in words."""

    option: str
    value: str
    is_default: bool


class RuleReference(NamedTuple):
    """A rule that a number follows from."""

    heading: Heading
    under: str
    house: list[HouseRule]


@cache
def headings(game: AnyGame, language: str) -> dict[str, Heading]:
    """Return the headings of a game's rules by their anchors."""
    found: dict[str, Heading] = {}
    anchor = chief = ""
    for line in _text(game, language).splitlines():
        if told := _HEADING.fullmatch(line):
            level, title, anchor = told.groups()
            chief = anchor if level == "##" else chief
            found[anchor] = Heading(anchor, title, chief, Markup())
        elif line.startswith(_SOURCE):
            kept = found[anchor]
            source = markdown.markdown(line.removeprefix(_SOURCE)).removeprefix("<p>").removesuffix("</p>")
            found[anchor] = Heading(anchor, kept.title, kept.chief, Markup(source))  # noqa: S704  # our own text
    return found


@blueprint.app_template_global()
def behind(game: AnyGame, options: Any, anchors: Iterable[str]) -> list[RuleReference]:
    """These rules, each once, in the order of the page. A house rule stands under the rule that it changes."""
    wanted, known = set(anchors), headings(game, g.language)
    told: list[RuleReference] = []
    set_already: set[str] = set()
    for heading in known.values():
        if heading.anchor not in wanted:
            continue
        fields = [
            f for f in option_fields(game) if _stands_under(known, f.option, heading) and f.name not in set_already
        ]
        set_already.update(field.name for field in fields)
        under = known[heading.chief].title if heading.chief != heading.anchor else ""
        told.append(RuleReference(heading, under, list(_in_force(game, options, fields))))
    return told


def _stands_under(known: dict[str, Heading], option: str, heading: Heading) -> bool:
    return option in known and known[option].chief == heading.chief


def _in_force(game: AnyGame, options: Any, fields: Iterable[OptionField]) -> Iterator[HouseRule]:
    for field in fields:
        told = getattr(options, field.option)
        value = getattr(told, field.part, None) if field.part else told
        if value is not None:
            key = f"{game.slug}.option.{field.option}"
            yield HouseRule(t(f"{key}.{field.part}" if field.part else key), _said(key, value), value == field.default)


def _said(key: str, value: Any) -> str:
    if isinstance(value, bool):
        return t("yes" if value else "no")
    return number(value) if isinstance(value, int) else t(f"{key}.{value}")


# --- sheets beside the rules -------------------------------------------------------------------------------


class Example(NamedTuple):
    """A worked example: a sheet with its scores and payments."""

    sheet: Sheet
    standing: AnyStanding
    unit: str
    payments: list[Transfer]


@cache
def sheet_of(game: AnyGame, name: str) -> Sheet | None:
    """Return the example or sample sheet in a game's folder, if there is one."""
    path = folder_of(game) / f"{name}.json"
    if not path.is_file():
        return None
    loaded = sheet.load(json.loads(path.read_text(encoding="utf-8")), games())
    if isinstance(loaded, Refusal):
        raise ValueError(f"{path} is no sheet: {loaded}")
    return loaded


@cache
def example_of(game: AnyGame) -> Example | None:
    """Return a game's worked example, if it has one."""
    told = sheet_of(game, EXAMPLE)
    if told is None:
        return None
    standing = told.open()
    refusal = fold(game, standing, told.deals)
    if refusal is not None:
        raise ValueError(f"the example of {game.slug} does not stand: {refusal}")
    return Example(told, standing, settlement_unit(game), settlement_payments(game, standing))
