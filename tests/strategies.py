"""Hypothesis strategies for sheets of any game, entered through the game's pad."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from scorekeeper.games import games
from scorekeeper.scoring.game import AnyGame, fold
from scorekeeper.scoring.pad_state import build_pad
from scorekeeper.scoring.sheet import Sheet, load
from scorekeeper.scoring.standing import AnyStanding
from scorekeeper.scoring.values import Range

NAMES = ("Anne", "Bruno", "Chloé", "David", "Élise")
MAX_RULE_VALUE = 500  # for house rules that may be any number, so that parties end within a sheet


def house_rules(game: AnyGame) -> st.SearchStrategy[dict[str, Any]]:
    hints = get_type_hints(game.options, include_extras=True)
    return st.fixed_dictionaries({}, optional={f.name: _values(hints[f.name]) for f in fields(game.options)})


def _values(annotation: Any) -> st.SearchStrategy[Any]:
    if annotation is bool:
        return st.booleans()
    if get_origin(annotation) is Literal:
        return st.sampled_from(get_args(annotation))
    if get_origin(annotation) is Annotated:
        low, high = next(m for m in annotation.__metadata__ if isinstance(m, Range))
        return st.integers(low, min(high, MAX_RULE_VALUE))
    return st.fixed_dictionaries({"fiches": st.integers(0, 20), "jetons": st.integers(0, 20).map(lambda n: 9 * n)})


@st.composite
def sheets(draw: st.DrawFn, slug: str | None = None, max_deals: int = 25) -> dict[str, Any]:
    game = games()[slug or draw(st.sampled_from(sorted(games())))]
    players = NAMES[: draw(st.sampled_from(game.player_counts))]
    rules = draw(house_rules(game))
    sheet: dict[str, Any] = {
        "format": "scorekeeper-sheet/1",
        "game": game.slug,
        "players": list(players),
        "dealer": draw(st.sampled_from(players)),
        "house_rules": rules,
        "deals": [],
    }
    standing = opened(sheet)
    for _ in range(draw(st.integers(0, max_deals))):
        if standing.is_finished:
            break
        deal = draw(deals(game, standing))
        if fold(game, standing, [deal]) is None:
            sheet["deals"].append(deal)
    return sheet


def opened(sheet: dict[str, Any]) -> AnyStanding:
    read = load(sheet, games())
    assert isinstance(read, Sheet), read
    return read.open()


@st.composite
def deals(draw: st.DrawFn, game: AnyGame, standing: AnyStanding) -> dict[str, Any]:
    kind = draw(st.sampled_from(("deal",) * 8 + ("misdeal", "points", "counters")))
    if kind == "deal":
        deal = draw(tapped(game, standing))
    elif kind == "misdeal":
        deal = {"misdeal": True}
    else:
        deal = {"adjustment": draw(adjustments(game, standing, kind))}
    if draw(st.integers(0, 9)) == 0:
        deal = {"dealer": draw(st.sampled_from(standing.players))} | deal
    return deal


@st.composite
def tapped(draw: st.DrawFn, game: AnyGame, standing: AnyStanding) -> dict[str, Any]:
    """Draw a deal entered on the pad: one of the offered choices for each group, in any order."""
    taps: dict[str, str] = {}
    pad = build_pad(game, standing, taps)
    for name in draw(st.permutations([group.name for group in pad.groups if not group.is_alternative])):
        group = pad.by_name[name]
        if not group.required and not draw(st.booleans()):
            continue
        ruled_out = pad.impossible | pad.ruled_out
        offered = [choice.key for choice in group.choices if (name, choice.key) not in ruled_out]
        if offered and name not in pad.derived:
            taps[name] = draw(st.sampled_from(offered))
            pad = build_pad(game, standing, taps)
    while pad.unanswered:
        group = pad.unanswered[0]
        ruled_out = pad.impossible | pad.ruled_out
        offered = [choice.key for choice in group.choices if (group.name, choice.key) not in ruled_out]
        taps[group.name] = draw(st.sampled_from(offered))
        pad = build_pad(game, standing, taps)
    return pad.facts


@st.composite
def adjustments(draw: st.DrawFn, game: AnyGame, standing: AnyStanding, kind: str) -> dict[str, Any]:
    if kind == "points":
        agreed = {"to": draw(st.sampled_from(standing.parties)), "points": draw(st.integers(-12, 60).filter(bool))}
    else:
        giver, taker = draw(st.permutations(standing.players))[:2]
        agreed = {"from": giver, "to": taker, draw(st.sampled_from(game.units)): draw(st.integers(1, 40))}
    return agreed | ({"reason": "agreed"} if draw(st.booleans()) else {})
