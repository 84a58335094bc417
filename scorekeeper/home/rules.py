"""Rules as pages. In a game's, every reason of an entry is the anchor of a heading, and each names its source."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from flask import Blueprint, abort, g, render_template
from markupsafe import Markup

from ..circles import access
from ..games import find_folder, games
from ..scoring import sheet
from ..scoring.game import AnyGame, fold
from ..scoring.problems import Refusal
from ..scoring.sheet import Sheet, settlement_payments, settlement_unit
from ..site.rate_limits import may_make_sample
from ..tables.rule_texts import list_rules, rules_text

blueprint = Blueprint("rules", __name__, url_prefix="/rules")

EXAMPLE, SAMPLE = "example", "sample"  # names of the sheets in a game's folder


@blueprint.get("/<slug>")
def show(slug: str) -> str:
    game = games().get(slug) or abort(404)
    heading, text = take_off_title(rules_text(slug, g.locale).html)
    may_try = find_sheet(game, SAMPLE) is not None and may_make_sample(is_member=bool(access.list_real_memberships()))
    example = _find_example(game)
    return render_template("home/rules.html", game=game, heading=heading, text=text, example=example, may_try=may_try)


def take_off_title(html: Markup) -> tuple[Markup, Markup]:
    """Return the title of rules, which stands above the links to their parts, and the rest."""
    title, end, text = html.partition("</h1>")
    return title + end, text


# --- sheets beside the rules -------------------------------------------------------------------------------


@cache
def find_sheet(game: AnyGame, name: str) -> Sheet | None:
    path = find_folder(game) / f"{name}.json"
    if not path.is_file():
        return None
    loaded = sheet.load(json.loads(path.read_text(encoding="utf-8")), games())
    if isinstance(loaded, Refusal):
        raise ValueError(f"{path} is no sheet: {loaded}")
    return loaded


def _find_example(game: AnyGame) -> dict[str, Any] | None:
    """Return a game's worked example, if it has one; `standings` are those in which each deal was played."""
    example = find_sheet(game, EXAMPLE)
    if example is None:
        return None
    standings = [example.open()]
    for deal in example.deals:
        standings.append(standings[-1].copy())
        if refusal := fold(example.game, standings[-1], [deal]):
            raise ValueError(f"the example of {game.slug} does not stand: {refusal}")
    *before, last = standings
    rules = list_rules(game, [last.options], game.reasons)
    changed = [house for rule in rules for house in rule.house_rules if not house.is_default]
    return {
        "sheet": example,
        "standings": before,
        "house_rules": changed,
        "standing": last,
        "unit": settlement_unit(game),
        "payments": settlement_payments(game, last),
    }
