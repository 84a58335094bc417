"""Sheets of any game at random, entered through the game's own pad.

`rng` is Python's own randomness, or Hypothesis's, which makes a failing sheet simpler.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from random import Random
from types import NoneType
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import pytest
from hypothesis import strategies as st

from ..games import find_folder, games, refused_games
from ..scoring import schema
from ..scoring.game import AnyGame, fold
from ..scoring.pad import Choice, ChoiceGroup, Pad
from ..scoring.schema import find_limit
from ..scoring.sheet import FORMAT, Sheet, load
from ..scoring.standing import POINTS, AnyStanding
from ..scoring.taps import build_pad
from ..scoring.values import Items, JsonObject, MultipleOf, Range, Text

NAMES = (
    *("Anne", "Bruno", "Chloé", "David", "Élise", "Farid", "Gaëlle", "Hugo"),
    *("Inès", "Jonas", "Noé", "Olga", "Paul", "Rosa", "Simon"),
)
SUBSTITUTES = ("Karim", "Léa", "Malo")
MAX_RULE_VALUE = 500  # for house rules that may be any number, so that games end within a sheet
MAX_TAPS = 200  # of one deal
TYPED = (0, 1, 7, 26, 140, -3, -85)  # some of the numbers that may be any


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Fill in `slug`, a game's slug, and `case`, a game's slug and one of its cases. Modules of tests import this."""
    slugs = chosen_slugs(metafunc.config)
    if "slug" in metafunc.fixturenames:
        metafunc.parametrize("slug", slugs)
    if "case" in metafunc.fixturenames:
        folders = {slug: find_folder(games()[slug]) / "cases" for slug in slugs}
        cases = [f"{slug}/{path.stem}" for slug in slugs for path in sorted(folders[slug].glob("*.json"))]
        metafunc.parametrize("case", cases)


def chosen_slugs(config: pytest.Config) -> list[str]:
    """Return the games of the command line, by default all that are installed. Raises UsageError for any other."""
    chosen: list[str] = config.getoption("--game", default=[])
    reasons = {refused.slug: refused.reason for refused in refused_games()}
    for slug in chosen:
        if slug in reasons:
            raise pytest.UsageError(f"--game {slug}: it is installed, but cannot be used: {reasons[slug]}")
        if slug not in games():
            raise pytest.UsageError(f"--game {slug}: no such game is installed; there are {', '.join(games())}")
    return list(dict.fromkeys(chosen)) or list(games())


@st.composite
def sheets(
    draw: st.DrawFn, slug: str | None = None, max_deals: int = 25, *, with_substitutes: bool = False
) -> JsonObject:
    return random_sheet(draw(st.randoms()), slug, max_deals, SUBSTITUTES if with_substitutes else ())


def random_sheet(
    rng: Random, slug: str | None = None, max_deals: int = 25, substitutes: Sequence[str] = ()
) -> JsonObject:
    game = games()[slug or rng.choice(sorted(games()))]
    sheet = random_opening(game, rng, rng.choice(game.player_counts))
    game, standing = open_sheet(sheet)
    for _ in range(rng.randint(0, max_deals)):
        if standing.is_finished:
            break
        deal = random_deal(game, standing, rng, substitutes)
        if fold(game, standing, [deal]) is None:
            sheet["deals"].append(deal)
    return sheet


def random_opening(game: AnyGame, rng: Random, count: int) -> JsonObject:
    return {
        "format": FORMAT,
        "game": game.slug,
        "players": list(NAMES[:count]),
        "dealer": rng.choice(NAMES[:count]),
        "house_rules": random_rules(game, rng, count),
        "deals": [],
    }


def open_sheet(raw: JsonObject) -> tuple[AnyGame, AnyStanding]:
    """Return the game of a sheet under the sheet's house rules, and the standing before its deals."""
    sheet = load(raw, games())
    assert isinstance(sheet, Sheet), sheet
    return sheet.game, sheet.open()


def play(sheet: JsonObject) -> tuple[AnyGame, AnyStanding]:
    game, standing = open_sheet(sheet)
    assert (refusal := fold(game, standing, sheet["deals"])) is None, refusal
    return game, standing


# --- house rules ---------------------------------------------------------------------------------------------


def random_rules(game: AnyGame, rng: Random, players: int) -> JsonObject:
    """Return house rules: of a game with examples one of these, with some rules changed if they still go together."""
    fitting = [options for options in game.house_rules.examples if go_together(game, options, players)]
    example: JsonObject = schema.dump(rng.choice(fitting)) if fitting else {}
    hints = get_type_hints(game.options, include_extras=True)
    names = [field.name for field in fields(game.options) if _is_simple(hints[field.name])]
    changed = {name: _random_value(hints[name], rng) for name in names if rng.choice((False, True))}
    options = schema.load(game.options, example | changed, game.seats(NAMES[:players]), [])
    return example | changed if go_together(game, options, players) else example


def _is_simple(annotation: Any) -> bool:
    part = schema.without_none(annotation)
    return find_limit(part, Text) is None and find_limit(part, Items) is None


def _random_value(annotation: Any, rng: Random) -> Any:
    if annotation is bool:
        return rng.choice((False, True))
    if get_origin(annotation) is Literal:
        return rng.choice(get_args(annotation))
    if get_origin(annotation) is Annotated:
        return _random_number(annotation.__metadata__, rng)
    if isinstance(annotation, type) and is_dataclass(annotation):
        hints = get_type_hints(annotation, include_extras=True)
        return {field.name: _random_value(hints[field.name], rng) for field in fields(annotation)}
    inner = [part for part in get_args(annotation) if part is not NoneType]
    return _random_value(rng.choice(inner), rng)


def _random_number(metadata: Sequence[Any], rng: Random) -> int:
    low, high = next(limits for limits in metadata if isinstance(limits, Range))
    step = next((multiple.step for multiple in metadata if isinstance(multiple, MultipleOf)), 1)
    low = max(low, -MAX_RULE_VALUE)
    return step * rng.randint(-(-low // step), max(-(-low // step), min(high, MAX_RULE_VALUE) // step))


# --- deals ---------------------------------------------------------------------------------------------------


def random_deal(game: AnyGame, standing: AnyStanding, rng: Random, substitutes: Sequence[str] = ()) -> JsonObject:
    """Make up a deal, a misdeal or an adjustment; with `substitutes`, also a substitution.

    One of them, or of those who have left, then takes a seat.
    """
    kinds = ("deal",) * 8 + ("misdeal", "points", "counters")
    kind = rng.choice((*kinds, "substitution", "substitution") if substitutes else kinds)
    if kind == "substitution":
        return {"substitution": random_substitution(standing, rng, substitutes)}
    if kind == "deal":
        deal = tap_deal(game, standing, rng).facts or {"misdeal": True}  # if every box was filled in earlier deals
    elif kind == "misdeal":
        deal = {"misdeal": True}
    else:
        deal = {"adjustment": random_adjustment(game, standing, rng, kind)}
    if rng.randint(0, 9) == 0:
        deal = {"dealer": rng.choice(standing.players)} | deal
    return deal


def random_adjustment(game: AnyGame, standing: AnyStanding, rng: Random, kind: str) -> JsonObject:
    units = [unit for unit in game.adjustable_units if (unit == POINTS) == (kind == "points")]
    unit = rng.choice(units or game.adjustable_units)
    if unit == POINTS:
        agreed: JsonObject = {"to": rng.choice(standing.parties), POINTS: rng.randint(-12, 60) or 1}
    else:
        giver, taker = rng.sample(tuple(standing.balances), 2)
        agreed = {"from": giver, "to": taker, unit: rng.randint(1, 40)}
    return agreed | ({"reason": "agreed"} if rng.choice((False, True)) else {})


def random_substitution(standing: AnyStanding, rng: Random, substitutes: Sequence[str]) -> JsonObject:
    absent = [name for name in dict.fromkeys((*standing.balances, *substitutes)) if name not in standing.players]
    return {"out": rng.choice(standing.players), "in": rng.choice(absent)}


def make_terms(game: AnyGame, house_rules: JsonObject) -> JsonObject:
    """Return the change to these house rules, but for the name of the game."""
    names = [field.name for field in fields(game.options) if field.name != game.house_rules.named_by]
    return {"terms": {"house_rules": {name: house_rules.get(name) for name in names}}}


class TappedDeal(NamedTuple):
    facts: JsonObject
    taps: dict[str, str]  # in the order in which they were tapped
    pads: list[Pad]  # that were shown: before the first tap, and after each


def tap_deal(game: AnyGame, standing: AnyStanding, rng: Random) -> TappedDeal:
    """Return a deal entered on the pad: offered choices of the groups in any order, until none is missing."""
    taps: dict[str, str] = {}
    pads = [build_pad(game, standing, taps)]
    names = [group.name for group in pads[0].groups if not group.is_alternative]
    waiting = rng.sample(names, len(names))
    while waiting or pads[-1].unanswered:
        pad = pads[-1]
        is_due = not waiting
        name = pad.unanswered[0].name if is_due else waiting.pop(0)
        group = pad.by_name.get(name)
        if group is None or not (is_due or group.required or rng.choice((False, True))):
            continue
        choices = offered(pad, group)
        is_stuck = is_due and (not choices or len(taps) > MAX_TAPS)
        assert not is_stuck, f"group {name!r} needs a tap but offers none after {taps}"
        if choices and (is_due or name not in pad.derived):
            taps[name] = rng.choice(choices).key
            pads.append(build_pad(game, standing, taps))
    return TappedDeal(pads[-1].facts, {name: key for name, key in taps.items() if name in pads[-1].taps}, pads)


def offered(pad: Pad, group: ChoiceGroup) -> list[Choice]:
    if group.amount is not None:
        has_field = group.required or not group.amount.is_once  # else the box may be filled
        return [choice for number in TYPED if has_field and (choice := group.choice(str(number))) is not None]
    ruled_out = pad.left_out | pad.ruled_out
    return [choice for choice in group.choices if (group.name, choice.key) not in ruled_out]


def go_together(game: AnyGame, options: Any, players: int) -> bool:
    return players in game.under(options, players).player_counts and not any(game.house_rules.check(options, players))
