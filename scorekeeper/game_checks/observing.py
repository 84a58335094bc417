"""Observations of what a game's functions return: at random in every seating, and in the game's own sheets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from random import Random
from typing import Any

from ..scoring import schema
from ..scoring.cards import card_codes
from ..scoring.game import AnyGame, replay_deals
from ..scoring.pad import ChoiceGroup
from ..scoring.pad_state import Pad, build_pad
from ..scoring.problems import Problem
from ..scoring.seating_draw import Draw, DrawState, draw_rounds, replay_draw
from ..scoring.standing import AnyStanding, Row
from ..scoring.values import JsonObject
from ..web.support.pads import get_stem, pad_blocks, party_of_group
from .findings import Finding, GameFolder, raised
from .playing import NAMES, PseudoRandom, opened, random_deal, random_rules, tapped

SHEETS = 24  # for all seatings: each number of players, each first dealer
DEALS_PER_SHEET = 15
DRAWS = 30  # for each number of players
OWN_LABELS = ("party", "side")  # of choices that are labelled with a name


class Params:
    """The parameters that every use of a message gives; None until it is used."""

    def __init__(self) -> None:
        self.names: frozenset[str] | None = None

    def add(self, names: Iterable[str]) -> None:
        """Add a use of the message."""
        self.names = frozenset(names) if self.names is None else self.names & frozenset(names)


@dataclass
class Observed:
    """The observations. Messages are by key; parameters of a message are those given at every use.

    closings: the parameters by kind and by the number that may have a message of its own.
    problems: the parameters by key, of what the checks of deals and of house rules refuse.
    asked: the stems of groups for which the default pad asks a label.
    cards: the ranks and suits of the packs from which the players draw.
    faults: errors that the game's functions raised.
    """

    labels: defaultdict[str, Params] = field(default_factory=lambda: defaultdict(Params))
    explanations: defaultdict[str, Params] = field(default_factory=lambda: defaultdict(Params))
    closings: defaultdict[tuple[str, int], Params] = field(default_factory=lambda: defaultdict(Params))
    claims: defaultdict[str, Params] = field(default_factory=lambda: defaultdict(Params))
    seatings: defaultdict[str, Params] = field(default_factory=lambda: defaultdict(Params))
    problems: defaultdict[str, Params] = field(default_factory=lambda: defaultdict(Params))
    asked: set[str] = field(default_factory=set)
    groups: dict[str, ChoiceGroup] = field(default_factory=dict)
    reasons: set[str] = field(default_factory=set)
    figures: set[tuple[str, str]] = field(default_factory=set)
    feats: set[str] = field(default_factory=set)
    cards: set[str] = field(default_factory=set)
    faults: dict[str, Finding] = field(default_factory=dict)


def observe(folder: GameFolder, sheets: Iterable[Mapping[str, Any]]) -> Observed:
    """Play at random with every number of players and every first dealer, and replay these sheets."""
    observed = Observed()
    for index, sheet in enumerate(sheets):
        _guarded(folder, observed, _replay, sheet, index)
    sheets_per_seating = max(2, SHEETS // max(1, sum(folder.game.player_counts)))
    for count in folder.game.player_counts:
        players = NAMES[:count]
        for dealer, number in product(players, range(sheets_per_seating)):
            _guarded(folder, observed, _play, players, dealer, number)
        if folder.game.draw is not None:
            _guarded(folder, observed, _draw, folder.game.draw, players)
    return observed


def _guarded(folder: GameFolder, observed: Observed, play: Any, *arguments: Any) -> None:
    """Play; an error becomes a finding at the line of the game's code that it came from."""
    try:
        play(folder.game, observed, *arguments)
    except Exception as error:  # whatever the game's code raises
        found = raised(folder, error)
        observed.faults.setdefault(f"{found.place} {type(error)}", found)


def _replay(game: AnyGame, observed: Observed, sheet: Mapping[str, Any], seed: int) -> None:
    """Replay a sheet. Whether it may be refused is for the check of the examples."""
    standing, chooser = opened(game, sheet), PseudoRandom(seed)
    game = game.under(standing.options, len(standing.players))
    watch = partial(_note_pad, game, observed, standing)
    for deal in sheet["deals"]:
        if not standing.is_finished:
            tapped(game, standing, chooser, watch)
        if (refusal := replay_deals(game, standing, [deal])) is not None:
            _note_problems(observed, refusal.problems)
            return
        _note_row(game, observed, standing)


def _play(game: AnyGame, observed: Observed, players: tuple[str, ...], dealer: str, number: int) -> None:
    chooser = PseudoRandom(number * 100 + players.index(dealer))
    note = partial(_note_problems, observed)
    rules: JsonObject = random_rules(game, chooser, len(players), note) if number else schema.dump(game.usual_options)
    standing = opened(game, {"players": players, "dealer": dealer, "house_rules": rules})
    game = game.under(standing.options, len(standing.players))
    substitutes = NAMES[len(players) :] if number % 2 else ()
    watch = partial(_note_pad, game, observed, standing)
    for _ in range(DEALS_PER_SHEET):
        if standing.is_finished:
            return
        refusal = replay_deals(game, standing, [random_deal(game, standing, chooser, watch, substitutes)])
        if refusal is None:
            _note_row(game, observed, standing)
        else:
            _note_problems(observed, refusal.problems)


# --- the pad -------------------------------------------------------------------------------------------------


def _note_pad(game: AnyGame, observed: Observed, standing: AnyStanding, pad: Pad) -> None:
    observed.asked |= {block.stem for block in pad_blocks(pad, standing) if block.stem and not block.title}
    if not pad.unanswered:
        _try_grey_choices(game, observed, standing, pad)
    for group in pad.groups:
        observed.groups.setdefault(get_stem(group, party_of_group(group, standing.players)), group)
        for choice in group.choices:
            if isinstance(choice.label, str) and choice.label not in OWN_LABELS:
                observed.labels[choice.label].add(choice.params)
        for row in group.rows:
            if "." in row:
                observed.labels[row].add(())


def _try_grey_choices(game: AnyGame, observed: Observed, standing: AnyStanding, pad: Pad) -> None:
    """Note why the choices are refused that the pad shows in grey: a page without scripts can send them."""
    for name, key in pad.ruled_out:
        facts = build_pad(game, standing, {**pad.taps, name: key}).facts
        refusal = replay_deals(game, standing.copy(), [facts])
        _note_problems(observed, refusal.problems if refusal is not None else ())


def _note_problems(observed: Observed, problems: Iterable[Problem]) -> None:
    for problem in problems:
        observed.problems[problem.key].add({"field", *problem.params})


# --- rows ----------------------------------------------------------------------------------------------------


def _note_row(game: AnyGame, observed: Observed, standing: AnyStanding) -> None:
    row = standing.rows[-1]
    for entry in row.entries:
        if entry.reason == "adjustment":
            continue
        observed.reasons.add(entry.reason)
        numbers = game.explain(standing, row, entry)
        if numbers:
            observed.explanations[entry.reason].add(numbers)
    for closing in row.closings:
        numbers = {name: value for name, value in closing.figures.items() if isinstance(value, int)}
        special = numbers.get("margin") or numbers.get("points") or 0
        observed.closings[closing.kind, special].add({"party", "count", *numbers})
    _note_statistics(game, observed, standing, row)
    for claim in game.claimable(standing):
        observed.claims[claim.message].add({"number", *claim.params})


def _note_statistics(game: AnyGame, observed: Observed, standing: AnyStanding, row: Row) -> None:
    if game.is_passed(row.fact):
        return
    standing = standing.seated_as(row)
    if game.deal_sides is not None and type(row.fact) is game.deal:
        tuple(game.deal_sides(standing, row))
    observed.figures |= {(figure.name, figure.part) for figure in game.figures(standing, row)}
    observed.feats |= {feat.name for feat in game.feats(standing, row)}
    game.report(standing)


# --- the draw ------------------------------------------------------------------------------------------------


def _draw(_game: AnyGame, observed: Observed, draw: Draw, players: tuple[str, ...]) -> None:
    for stage in draw.stages:
        card_codes(stage.pack(len(players)))  # raises ValueError if a code names two cards
    packs = [stage.pack(len(players)) for stage in draw.stages]
    observed.cards |= {name for pack in packs for card in pack for name in (card.rank, card.suit)}
    for seed in range(DRAWS):
        optional = bool(seed % 2) and draw.optional_stage is not None
        rounds = draw_rounds(draw, players, Random(seed).sample, optional=optional)  # noqa: S311  # no secret
        state = replay_draw(draw, players, rounds, optional=optional)
        if isinstance(state, DrawState) and state.seated is not None:
            for key, params in state.seated.because:
                observed.seatings[key].add(params)
