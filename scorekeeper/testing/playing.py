"""Sheets of any game at random, entered through the game's own pad.

What is random is chosen by a `Chooser`: Python's `random`, or Hypothesis, which makes a failing sheet simpler.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from random import Random
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Protocol, TypeVar, Union, get_args, get_origin, get_type_hints

from ..scoring import schema
from ..scoring.game import AnyGame, fold
from ..scoring.pad import Choice, ChoiceGroup
from ..scoring.pad_state import Pad, build_pad
from ..scoring.problems import Problem
from ..scoring.schema import find_limit
from ..scoring.sheet import FORMAT
from ..scoring.standing import POINTS, AnyStanding
from ..scoring.values import Items, JsonObject, MultipleOf, Range, Text

NAMES = (
    "Anne",
    "Bruno",
    "Chloé",
    "David",
    "Élise",
    "Farid",
    "Gaëlle",
    "Hugo",
    "Inès",
    "Jonas",
    "Noé",
    "Olga",
    "Paul",
    "Rosa",
    "Simon",
)
MAX_RULE_VALUE = 500  # for house rules that may be any number, so that games end within a sheet
MAX_TAPS = 200  # of one deal
TYPED = (0, 1, 7, 26, 140, -3, -85)  # some of the numbers that may be any

T = TypeVar("T")


class Chooser(Protocol):
    """A source of random choices."""

    def one_of(self, items: Sequence[T]) -> T:
        """Return one of the items."""

    def between(self, low: int, high: int) -> int:
        """Return an integer, both bounds included."""

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in any order."""


class PseudoRandom:
    """Choices that are the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)  # noqa: S311  # not for secrets

    def one_of(self, items: Sequence[T]) -> T:
        """Return one of the items."""
        return self._random.choice(items)

    def between(self, low: int, high: int) -> int:
        """Return an integer, both bounds included."""
        return self._random.randint(low, high)

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in any order."""
        return self._random.sample(items, len(items))


Watch = Callable[[Pad], object]


def _look_away(_shown: object) -> None:
    """Ignore a pad, or problems."""


class StuckPadError(Exception):
    """A pad that needs another tap, but offers none."""


def random_sheet(
    game: AnyGame,
    chooser: Chooser,
    players: Sequence[str],
    dealer: str,
    max_deals: int = 25,
    substitutes: Sequence[str] = (),
) -> JsonObject:
    """Return a sheet of some deals, misdeals and adjustments, and of substitutions if there are `substitutes`.

    Each of them is valid.
    """
    sheet: JsonObject = {
        "format": FORMAT,
        "game": game.slug,
        "players": list(players),
        "dealer": dealer,
        "house_rules": random_rules(game, chooser, len(players)),
        "deals": [],
    }
    standing = opened(game, sheet)
    game = game.under(standing.options, len(players))
    for _ in range(chooser.between(0, max_deals)):
        if standing.is_finished:
            break
        deal = random_deal(game, standing, chooser, substitutes=substitutes)
        if fold(game, standing, [deal]) is None:
            sheet["deals"].append(deal)
    return sheet


def opened(game: AnyGame, sheet: Mapping[str, Any]) -> AnyStanding:
    """Return the standing before the first deal of a valid sheet."""
    players = tuple(sheet["players"])
    options = schema.load(game.options, sheet.get("house_rules", {}), game.seats(players), [])
    standing: AnyStanding = game.under(options, len(players)).open(players, sheet.get("dealer", players[0]), options)
    return standing


# --- house rules ---------------------------------------------------------------------------------------------


def random_rules(
    game: AnyGame, chooser: Chooser, players: int, note: Callable[[Iterable[Problem]], None] = _look_away
) -> JsonObject:
    """Return some house rules for so many players; those left out have their defaults.

    A game with examples is played by one of them, with some rules changed if they still go together. `note` gets what
    does not.
    """
    fitting = [options for options in game.example_options if fits(game, options, players)]
    example: JsonObject = schema.dump(chooser.one_of(fitting)) if fitting else {}
    hints = get_type_hints(game.options, include_extras=True)
    names = [field.name for field in fields(game.options) if _is_simple(hints[field.name])]
    changed = {name: _value(hints[name], chooser) for name in names if chooser.one_of((False, True))}
    options = schema.load(game.options, example | changed, game.seats(NAMES[:players]), [])
    note(game.check_options(options, players))
    return example | changed if fits(game, options, players) else example


def _is_simple(annotation: Any) -> bool:
    """Return whether values can be drawn: of texts and lists they cannot."""
    parts = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    return not any(find_limit(part, Text) or find_limit(part, Items) for part in parts)


def _value(annotation: Any, chooser: Chooser) -> Any:
    if annotation is bool:
        return chooser.one_of((False, True))
    if get_origin(annotation) is Literal:
        return chooser.one_of(get_args(annotation))
    if get_origin(annotation) is Annotated:
        return _number(annotation.__metadata__, chooser)
    if isinstance(annotation, type) and is_dataclass(annotation):
        hints = get_type_hints(annotation, include_extras=True)
        return {field.name: _value(hints[field.name], chooser) for field in fields(annotation)}
    inner = [part for part in get_args(annotation) if part is not NoneType]
    return _value(chooser.one_of(inner), chooser)


def _number(metadata: Sequence[Any], chooser: Chooser) -> int:
    low, high = next(limits for limits in metadata if isinstance(limits, Range))
    step = next((multiple.step for multiple in metadata if isinstance(multiple, MultipleOf)), 1)
    low = max(low, -MAX_RULE_VALUE)
    return step * chooser.between(-(-low // step), max(-(-low // step), min(high, MAX_RULE_VALUE) // step))


# --- deals ---------------------------------------------------------------------------------------------------


def random_deal(
    game: AnyGame,
    standing: AnyStanding,
    chooser: Chooser,
    watch: Watch = _look_away,
    substitutes: Sequence[str] = (),
) -> JsonObject:
    """Return a deal, a misdeal or an adjustment, with another dealer now and then.

    With `substitutes`, also a substitution: one of them or of those who have left takes a seat.
    """
    kinds = ("deal",) * 8 + ("misdeal", "points", "counters")
    kind = chooser.one_of((*kinds, "substitution", "substitution") if substitutes else kinds)
    if kind == "substitution":
        return {"substitution": random_substitution(standing, chooser, substitutes)}
    if kind == "deal":
        deal = tapped(game, standing, chooser, watch).facts
    elif kind == "misdeal":
        deal = {"misdeal": True}
    else:
        deal = {"adjustment": random_adjustment(game, standing, chooser, kind)}
    if chooser.between(0, 9) == 0:
        deal = {"dealer": chooser.one_of(standing.players)} | deal
    return deal


def random_adjustment(game: AnyGame, standing: AnyStanding, chooser: Chooser, kind: str) -> JsonObject:
    """Return points for a party, or counters from one player to another."""
    units = [unit for unit in game.adjustable_units if (unit == POINTS) == (kind == "points")]
    unit = chooser.one_of(units or game.adjustable_units)
    if unit == POINTS:
        agreed: JsonObject = {"to": chooser.one_of(standing.parties), POINTS: chooser.between(-12, 60) or 1}
    else:
        giver, taker = chooser.shuffled(tuple(standing.balances))[:2]
        agreed = {"from": giver, "to": taker, unit: chooser.between(1, 40)}
    return agreed | ({"reason": "agreed"} if chooser.one_of((False, True)) else {})


def random_substitution(standing: AnyStanding, chooser: Chooser, substitutes: Sequence[str]) -> JsonObject:
    """Return who leaves a seat, and who takes it."""
    absent = [name for name in dict.fromkeys((*standing.balances, *substitutes)) if name not in standing.players]
    return {"out": chooser.one_of(standing.players), "in": chooser.one_of(absent)}


class TappedDeal(NamedTuple):
    """A deal entered on the pad: its facts, and the choices in the order in which they were tapped."""

    facts: JsonObject
    taps: dict[str, str]


def tapped(game: AnyGame, standing: AnyStanding, chooser: Chooser, watch: Watch = _look_away) -> TappedDeal:
    """Return a deal entered on the pad: offered choices of the groups in any order, until none is missing.

    `watch` gets the pad before and after each tap. Raises StuckPadError if a group that needs a tap offers no choice.
    """
    taps: dict[str, str] = {}
    pad = build_pad(game, standing, taps)
    watch(pad)
    for name in chooser.shuffled([group.name for group in pad.groups if not group.is_alternative]):
        group = pad.by_name.get(name)
        if group is None or not (group.required or chooser.one_of((False, True))):
            continue
        choices = offered(pad, group)
        if choices and name not in pad.derived:
            taps[name] = chooser.one_of(choices).key
            pad = build_pad(game, standing, taps)
            watch(pad)
    while pad.unanswered:
        group = pad.unanswered[0]
        choices = offered(pad, group)
        if not choices or len(taps) > MAX_TAPS:
            raise StuckPadError(f"group {group.name!r} needs a tap but offers none after {taps}")
        taps[group.name] = chooser.one_of(choices).key
        pad = build_pad(game, standing, taps)
        watch(pad)
    return TappedDeal(pad.facts, {name: key for name, key in taps.items() if name in pad.taps})


def offered(pad: Pad, group: ChoiceGroup) -> list[Choice]:
    """Return the choices of a group that can be tapped; some of the numbers that can be typed."""
    if group.amount is not None:
        return [choice for number in TYPED if (choice := group.choice(str(number))) is not None]
    ruled_out = pad.left_out | pad.ruled_out
    return [choice for choice in group.choices if (group.name, choice.key) not in ruled_out]


def fits(game: AnyGame, options: Any, players: int) -> bool:
    """Return whether house rules go together, and with so many players."""
    return players in game.under(options, players).player_counts and not any(game.check_options(options, players))
