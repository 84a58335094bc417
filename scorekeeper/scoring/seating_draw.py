"""The draw of cards before the first deal, which decides the seats and the first dealer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

from .problems import Problem
from .standing import AnyStanding, other_side

RANKS = ("a", "k", "q", "j", "10", "9", "8", "7", "6", "5", "4", "3", "2")
SUITS = ("s", "h", "d", "c")
RED = ("h", "d")


class Card(NamedTuple):
    """A card. `suit` is "" where only the rank is known, and for a card that has none, such as a joker.

    Both are codes or symbols of one word. A page shows the game's own messages `card.<rank>` and `suit.<suit>` for
    them, the usual letters and symbols for those of `RANKS` and `SUITS`, and else the codes themselves.
    """

    rank: str
    suit: str = ""

    @property
    def code(self) -> str:
        """Rank and suit as one word: "10h"; "k" without a suit; "10_bells" with a suit not in `SUITS`."""
        return f"{self.rank}_{self.suit}" if self.suit and self.suit not in SUITS else self.rank + self.suit

    @property
    def is_red(self) -> bool:
        return self.suit in RED


Pack = tuple[Card, ...]


def pack(ranks: Collection[str], suits: Collection[str] = SUITS) -> Pack:
    """Return the cards of these ranks in each of the suits.

    Packs are tuples: `pack(a) + pack(b)` joins two, `2 * pack(a)` has every card twice.
    """
    return tuple(Card(rank, suit) for suit in suits for rank in ranks)


FULL_PACK = pack(RANKS)
PIQUET = pack(RANKS[: RANKS.index("7") + 1])  # 32 cards
QUADRILLE = pack([rank for rank in RANKS if rank not in ("10", "9", "8")])  # 40 cards


@cache
def card_codes(cards: Pack) -> Mapping[str, Card]:
    """Return the cards of a pack by code, and a card without a suit for each rank.

    Raises ValueError if a code would name two cards, or has one of the characters that separate codes in a URL.
    """
    codes: dict[str, Card] = {}
    for card in (*cards, *(Card(card.rank) for card in cards)):
        if not card.rank or set(" ._-") & set(card.rank + card.suit) or codes.setdefault(card.code, card) != card:
            raise ValueError(f"{card.code!r} does not name one card of this pack")
    return MappingProxyType(codes)


def parse_card(code: str, cards: Pack = FULL_PACK) -> Card | None:
    return card_codes(cards).get(code) or card_codes(FULL_PACK).get(code)


def remove_cards(cards: Pack, removed: Iterable[Card]) -> Pack | None:
    """Return `cards` without those `removed`, or None if one of them is missing.

    A card without a suit removes any card of its rank.
    """
    remaining = list(cards)
    for card in sorted(removed, key=lambda card: not card.suit):
        match = next((other for other in remaining if card in (other, Card(other.rank))), None)
        if match is None:
            return None
        remaining.remove(match)
    return tuple(remaining)


def by_rank(high_to_low: Iterable[str]) -> Callable[[Card], int]:
    order = list(high_to_low)
    return lambda card: -order.index(card.rank)


THE_OTHERS, THE_DEALER = "others", "dealer"
ALWAYS, IF_CHOSEN, NEVER = "always", "if-chosen", "never"


class Incident(NamedTuple):
    """Something that went wrong while dealing.

    Its message key is `<slug>.incident.<name>`, that of its consequence ends in `.then`. `again` says whether the
    same player deals again: `ALWAYS`, `IF_CHOSEN` or `NEVER`. `decides` says who chooses: `THE_OTHERS` (the side that
    did not deal), `THE_DEALER`, or None where there is no choice.
    """

    name: str
    again: str
    decides: str | None = None

    def decider(self, standing: AnyStanding, dealer: str) -> str | None:
        if self.decides == THE_OTHERS:
            return other_side(standing.side_of(dealer))
        return dealer if self.decides == THE_DEALER else None


class Claim(NamedTuple):
    """Something that may still be claimed of the deal in row `number`; `message` is a key without the game's slug."""

    message: str
    number: int
    params: Mapping[str, Any] = MappingProxyType({})


Players = tuple[str, ...]
Sample = Callable[[Sequence[Card], int], list[Card]]  # choose this many different cards at random


class Stage(NamedTuple):
    """A stage of a draw: each player draws a card, and the order of the cards decides something."""

    name: str
    pack: Callable[[int], Pack]  # for a number of players
    value: Callable[[Card], int]  # the height of a card
    # The positions at which the order must be free of ties, for a number of players. 2 means that it must be clear who
    # drew the two highest cards. Players tied there draw again.
    cuts: Callable[[int], Iterable[int]]
    suits: bool = False  # whether the suit matters and must be entered
    optional: bool = False  # whether the players may skip the stage


class Seating(NamedTuple):
    """The result of a draw."""

    seats: Players  # in order of turn
    dealer: str
    because: tuple[tuple[str, Mapping[str, Any]], ...]  # reasons: message keys below `<slug>.draw.`, and parameters
    swap: Players = ()  # two players who may change places, since the cards do not decide between them


class Draw(NamedTuple):
    """How seats and the first dealer are drawn in a game.

    `seat` gets the players as entered and, by stage, ordered from the highest card down. `partners` says whether the
    order in which the players are entered already decides who are partners.
    """

    stages: tuple[Stage, ...]
    seat: Callable[[Players, Mapping[str, Players]], Seating]
    partners: bool = False

    @property
    def optional_stage(self) -> Stage | None:
        return next((stage for stage in self.stages if stage.optional), None)


class Round(NamedTuple):
    stage: Stage
    cards: Mapping[str, Card]  # by player
    again: Players  # who must draw again


class NextDraw(NamedTuple):
    """The next round: who draws, and from which cards. `number` counts the rounds of the stage from 1."""

    stage: Stage
    players: Players
    cards: Pack
    number: int


class DrawState(NamedTuple):
    """The state of a draw. `awaited` is None, and `seated` set, once everything is decided."""

    rounds: tuple[Round, ...]
    awaited: NextDraw | None
    seated: Seating | None


Drawn = Mapping[str, list[Card]]  # the cards that each player has drawn at a stage, in order


def _heights(stage: Stage, drawn: Drawn) -> dict[str, tuple[int, ...]]:
    """Return how high the players' cards are, from the highest down; tied ones in the order in which they came."""
    heights = {player: tuple(map(stage.value, cards)) for player, cards in drawn.items()}
    return dict(sorted(heights.items(), key=lambda item: item[1], reverse=True))


def _find_waiting(stage: Stage, drawn: Drawn) -> Players:
    """Return the players who have to draw, for the first time or because of a tie."""
    heights = _heights(stage, drawn)
    order = list(heights.values())
    tied = {order[cut] for cut in stage.cuts(len(order)) if order[cut - 1] == order[cut]}
    return tuple(player for player in drawn if not heights[player] or heights[player] in tied)


def replay_draw(
    draw: Draw, players: Players, rounds: Iterable[Mapping[str, Card]], *, optional: bool = False
) -> DrawState | list[Problem]:
    """Return the state of a draw after these rounds, or the problems of the first impossible round.

    `optional` includes the optional stage. A problem's field is `card-<player>` or `drawn`.
    """
    remaining = list(rounds)
    done: list[Round] = []
    orders: dict[str, Players] = {}
    for stage in draw.stages:
        if stage.optional and not optional:
            continue
        drawn: dict[str, list[Card]] = {player: [] for player in players}
        removed: list[Card] = []
        number = 1
        while waiting := _find_waiting(stage, drawn):
            left = remove_cards(stage.pack(len(players)), removed) or ()
            if len(left) < len(waiting):  # then from the whole pack
                left = stage.pack(len(players))
                removed = []
            awaited = NextDraw(stage, waiting, left, number)
            if not remaining:
                return DrawState(tuple(done), awaited, None)
            cards = remaining.pop(0)
            if problems := round_problems(awaited, cards):
                return problems
            for player, card in cards.items():
                drawn[player].append(card)
            removed += cards.values()
            done.append(Round(stage, cards, _find_waiting(stage, drawn)))
            number += 1
        orders[stage.name] = tuple(_heights(stage, drawn))
    if remaining:
        return [Problem("drawn", "nothing-to-draw")]
    return DrawState(tuple(done), None, draw.seat(players, orders))


def round_problems(awaited: NextDraw, cards: Mapping[str, Card]) -> list[Problem]:
    if not cards.keys() <= set(awaited.players):
        return [Problem("drawn", "nothing-to-draw")]
    problems: list[Problem] = []
    earlier: dict[str, Card] = {}
    for player in awaited.players:
        card = cards.get(player)
        if card is None or (awaited.stage.suits and not card.suit and card not in awaited.cards):
            problems.append(Problem(f"card-{player}", "no-card", {"party": player}))
        elif remove_cards(awaited.cards, [card]) is None:
            problems.append(Problem(f"card-{player}", "card-not-there", {"party": player}))
        elif remove_cards(awaited.cards, [*earlier.values(), card]) is None:
            owner = next((other for other, other_card in earlier.items() if other_card == card), player)
            problems.append(Problem(f"card-{player}", "card-twice", {"party": player, "giver": owner}))
        else:
            earlier[player] = card
    return problems


def card_choices(awaited: NextDraw) -> list[Card]:
    """Return what may be entered for a card, highest first: cards where suits matter, else ranks."""
    cards = awaited.cards if awaited.stage.suits else (Card(card.rank) for card in awaited.cards)
    return sorted(dict.fromkeys(cards), key=lambda card: (-awaited.stage.value(card), card.suit))


def draw_rounds(draw: Draw, players: Players, sample: Sample, *, optional: bool = False) -> list[Mapping[str, Card]]:
    """Return the rounds of a draw, with cards that `sample` has drawn."""
    rounds: list[Mapping[str, Card]] = []
    while True:
        state = replay_draw(draw, players, rounds, optional=optional)
        if not isinstance(state, DrawState) or state.awaited is None:
            return rounds
        waiting = state.awaited.players
        rounds.append(dict(zip(waiting, sample(state.awaited.cards, len(waiting)), strict=True)))


def facing(*sides: Players) -> Players:
    """Seat sides of equal size in order of turn: one player of each, then the next. Two pairs sit face to face."""
    return tuple(player for turn in zip(*sides, strict=True) for player in turn)
