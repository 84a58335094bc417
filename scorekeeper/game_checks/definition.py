"""Check the fields of `Game` against each other and against what was seen in play."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass

from ..limits import MAX_SEATS
from ..scoring.entries import POINTS
from ..scoring.game import AnyGame
from ..scoring.standing import MANCHE, PARTIE, ROBRE
from ..web.support.option_fields import TEXT, option_fields
from .findings import Finding, GameFolder, Place, listed, similar
from .observing import OWN_LABELS, Observed
from .playing import fits

KINDS = (MANCHE, ROBRE, PARTIE)  # of closings, the smallest first


def check(folder: GameFolder, observed: Observed) -> Iterator[Finding]:
    """Yield fields that do not fit."""
    yield from observed.faults.values()
    for found in (
        _check_seats(folder),
        _check_units(folder),
        _check_ends(folder, observed),
        _check_dataclasses(folder),
        _check_examples(folder),
        _check_description(folder),
        _check_keys(folder),
        _check_names(folder, observed),
        _check_reasons(folder),
        _check_groups(folder, observed),
    ):
        yield from found


def _check_seats(folder: GameFolder) -> Iterator[Finding]:
    game, place = folder.game, folder.place_of_field("player_counts")
    counts = game.player_counts
    if not counts or list(counts) != sorted(set(counts)) or not all(2 <= count <= MAX_SEATS for count in counts):
        yield Finding(place, f"player_counts are different numbers from 2 to {MAX_SEATS}, the smallest first: {counts}")
    if game.in_sides and counts != (4,):
        yield Finding(place, f"a game in sides is played by four: player_counts must be (4,), not {counts}")
    for count in counts:
        if count != 4 and not game.in_sides and game.under(game.usual_options, count).in_sides:
            text = f"only four play in sides, and adapt_to_players makes sides of {count}"
            yield Finding(folder.place_of_function("adapt_to_players"), text)
    if game.direction not in ("clockwise", "anticlockwise"):
        text = f"direction must be CLOCKWISE or ANTICLOCKWISE, not {game.direction!r}"
        yield Finding(folder.place_of_field("direction"), text)


def _check_units(folder: GameFolder) -> Iterator[Finding]:
    game, place = folder.game, folder.place_of_field("units")
    if len(set(game.units)) != len(game.units) or POINTS in game.units:
        yield Finding(place, f"units are the names of different counters, without {POINTS!r}: {game.units}")


def _check_ends(folder: GameFolder, observed: Observed) -> Iterator[Finding]:
    game, place = folder.game, folder.place_of_field("ends")
    if unknown := [kind for kind in game.ends if kind not in KINDS]:
        yield Finding(place, f"unknown kinds of closing: {listed(unknown)}; known are {', '.join(KINDS)}")
    elif list(game.ends) != sorted(set(game.ends), key=KINDS.index):
        yield Finding(place, f"ends are in another order than the smallest first: {game.ends}")
    if undeclared := {kind for kind, _ in observed.closings} - set(game.ends):
        yield Finding(place, f"close returns kinds that ends lacks: {listed(undeclared)}")


def _check_dataclasses(folder: GameFolder) -> Iterator[Finding]:
    for name in ("options", "deal"):
        declared, place = getattr(folder.game, name), folder.place_of_field(name)
        if not (isinstance(declared, type) and is_dataclass(declared)):
            yield Finding(place, f"{name} must be a dataclass")
        elif not declared.__dataclass_params__.frozen:  # type: ignore[attr-defined]
            yield Finding(place, f"the dataclass {declared.__name__} must be frozen")
        elif name == "options":
            required = [f.name for f in fields(declared) if f.default is MISSING and f.default_factory is MISSING]
            if required and not folder.game.example_options:
                yield Finding(place, f"house rules without a default, and no example_options: {listed(required)}")


def _check_examples(folder: GameFolder) -> Iterator[Finding]:
    """Example options fit some number of players, the first ones any; what a new table asks for is an option."""
    game, place = folder.game, folder.place_of_field("example_options")
    for options in game.example_options:
        if not any(fits(game, options, count) for count in game.player_counts):
            yield Finding(place, f"these example_options do not go together: {options}")
    if game.example_options and not all(fits(game, game.usual_options, count) for count in game.player_counts):
        yield Finding(place, "the first of example_options does not go with every number of players")
    names = [field.name for field in fields(game.options)]
    for name in game.asked:
        if name not in names:
            text = f"asked names {name!r}, which is no house rule.{similar(name, names)}"
            yield Finding(folder.place_of_field("asked"), text)


def _check_description(folder: GameFolder) -> Iterator[Finding]:
    """A game is named by a text without a default, and what it can describe goes together."""
    game, texts = folder.game, [field.option for field in option_fields(folder.game) if field.kind == TEXT]
    if game.named_by and game.named_by not in texts:
        text = (
            f"named_by names {game.named_by!r}, which is no text among the house rules.{similar(game.named_by, texts)}"
        )
        yield Finding(folder.place_of_field("named_by"), text)
    if game.known and not game.named_by:
        yield Finding(folder.place_of_field("known"), "known games need named_by, the house rule with their names")
    for options in game.known:
        if not any(fits(game, options, count) for count in game.player_counts):
            yield Finding(
                folder.place_of_field("known"), f"the house rules of a known game do not go together: {options}"
            )


def _keys_of_deals(game: AnyGame) -> set[str]:
    """Return the keys that a deal may have, under whichever house rules and with however many players."""
    rules = game.example_options or (game.usual_options,)
    games = [game, *(game.under(options, count) for options in rules for count in game.player_counts)]
    return {field.name for each in games for field in fields(each.deal)}


def _check_keys(folder: GameFolder) -> Iterator[Finding]:
    """Announced keys, keys of checks and keys of groups are fields of the deal."""
    game = folder.game
    known = _keys_of_deals(game)
    for key in game.announced:
        if key not in known:
            text = f"announced names {key!r}, which is no field of the deal.{similar(key, known)}"
            yield Finding(folder.place_of_field("announced"), text)
    for check_of_deal in game.checks:
        for key in check_of_deal.required_keys:
            if key not in known:
                text = f"a check requires {key!r}, which is no field of the deal.{similar(key, known)}"
                yield Finding(folder.place_of_text(key, "checks"), text)


def _check_names(folder: GameFolder, observed: Observed) -> Iterator[Finding]:
    """Check that what the functions return is declared, and the other way round for reasons."""
    game = folder.game
    returned = {
        ("reasons", "score"): (observed.reasons, game.reasons),
        ("figure_names", "figures"): ({name for name, _ in observed.figures}, game.figure_names),
        ("feat_names", "feats"): (observed.feats, game.feat_names),
    }
    for (field, function), (seen, declared) in returned.items():
        for name in sorted(seen - set(declared)):
            text = f"{function} returns {name!r}, which {field} lacks.{similar(name, set(declared) - seen)}"
            yield Finding(folder.place_of_text(name, function), text)
        for name in declared:
            if list(declared).count(name) > 1:
                yield Finding(folder.place_of_field(field), f"{field} has {name!r} twice")


def _check_reasons(folder: GameFolder) -> Iterator[Finding]:
    """A reason in the code is declared: the last argument of `mark` and `Entry`."""
    for path, module in folder.code.items():
        for node in ast.walk(module):
            position = {"mark": 2, "Entry": 4}.get(getattr(getattr(node, "func", None), "id", ""))
            if isinstance(node, ast.Call) and position is not None and len(node.args) > position:
                reason = node.args[position]
                if isinstance(reason, ast.Constant) and reason.value not in (*folder.game.reasons, "adjustment"):
                    text = f"the reason {reason.value!r} is not among the game's reasons."
                    yield Finding(Place(path, reason.lineno), text + similar(str(reason.value), folder.game.reasons))


def _check_groups(folder: GameFolder, observed: Observed) -> Iterator[Finding]:
    known = _keys_of_deals(folder.game)
    for name, group in observed.groups.items():
        place, keys = folder.place_of_text(name, "pad"), [choice.key for choice in group.choices]
        for key in sorted(set(group.keys) - known):
            yield Finding(place, f"group {name!r} sets {key!r}, which is no field of the deal.{similar(key, known)}")
        if len(set(keys)) != len(keys):
            yield Finding(place, f"group {name!r} has two choices with the same key")
        if group.default is not None and group.default not in keys:
            text = (
                f"the default {group.default!r} of group {name!r} is none of its choices.{similar(group.default, keys)}"
            )
            yield Finding(place, text)
    for label in observed.labels:
        if "." not in label and label not in OWN_LABELS:
            text = f"the label {label!r} is no key of a message; it would be {folder.slug}.{label}"
            yield Finding(folder.place_of_text(label, "pad"), text)
