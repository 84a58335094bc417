"""The draw before the first deal: cards that say who sits where and who deals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .cards import Card, Pack, without
from .remarks import Remark

Players = tuple[str, ...]
Sample = Callable[[Sequence[Card], int], list[Card]]  # so many cards of these, no card twice


@dataclass(frozen=True)
class Stage:
    """One drawing of cards, each player one; what it decides depends on the players from the highest card down.

    `pack` is what so many players draw from, `value` how high a card is. `cuts` are the places where the order must
    be certain: 2 where it matters which are the two highest. Who ties there draws again, as often as need be.
    `suits`: the suit matters, and is to be told. An `optional` stage is drawn only where the players wish it.
    """

    name: str
    pack: Callable[[int], Pack]
    value: Callable[[Card], int]
    cuts: Callable[[int], Iterable[int]]
    suits: bool = False
    optional: bool = False


class Seated(NamedTuple):
    """What a draw comes to: the players in order of turn, who deals, and why; words are `<slug>.draw.<key>`.

    `swap` are two who may change places without changing anything that the cards decided.
    """

    seats: Players
    dealer: str
    because: tuple[tuple[str, Mapping[str, Any]], ...]
    swap: Players = ()


@dataclass(frozen=True)
class Draw:
    """How a game draws. `seat` is told, for each stage, the players from the highest card down.

    `partners`: the players' order, as they are told, already says who faces whom.
    """

    stages: tuple[Stage, ...]
    seat: Callable[[Players, Mapping[str, Players]], Seated]
    partners: bool = False

    @property
    def option(self) -> Stage | None:
        return next((stage for stage in self.stages if stage.optional), None)


@dataclass(frozen=True)
class Round:
    """The cards that were drawn at once, and who had to draw again after them."""

    stage: Stage
    cards: Mapping[str, Card]
    again: Players


@dataclass(frozen=True)
class Awaited:
    """Who is to draw now, and from which cards; `number` counts the rounds of this stage from 1."""

    stage: Stage
    players: Players
    cards: Pack
    number: int


@dataclass(frozen=True)
class Course:
    """A draw as far as it has gone: `awaited` is None, and `seated` told, once everything is decided."""

    rounds: tuple[Round, ...]
    awaited: Awaited | None
    seated: Seated | None


@dataclass
class _Table:
    """A stage under way: each player's cards so far, and those that no longer lie in the pack."""

    stage: Stage
    players: Players
    drawn: dict[str, list[Card]] = field(default_factory=dict)
    taken: list[Card] = field(default_factory=list)
    rounds: int = 0

    def height(self, player: str) -> tuple[int, ...]:
        return tuple(self.stage.value(card) for card in self.drawn.get(player, ()))

    @property
    def ordered(self) -> Players:
        """From the highest down; those of whom nothing is decided in the order in which they were told."""
        return tuple(sorted(self.players, key=self.height, reverse=True))

    @property
    def waiting(self) -> Players:
        """Who has to draw (again) before everything is decided."""
        order, heights = self.ordered, {player: self.height(player) for player in self.players}
        tied = {
            heights[order[cut]] for cut in self.stage.cuts(len(order)) if heights[order[cut - 1]] == heights[order[cut]]
        }
        return tuple(player for player in self.players if not heights[player] or heights[player] in tied)

    def cards(self) -> Pack:
        """What they draw from: cards drawn before stay out, unless too few are left."""
        left = without(self.stage.pack(len(self.players)), self.taken) or ()
        if len(left) >= len(self.waiting):
            return left
        self.taken = []
        return self.stage.pack(len(self.players))

    def draw(self, cards: Mapping[str, Card]) -> None:
        for player, card in cards.items():
            self.drawn.setdefault(player, []).append(card)
        self.taken += cards.values()
        self.rounds += 1


def follow(
    draw: Draw, players: Players, rounds: Iterable[Mapping[str, Card]], *, optional: bool = False
) -> Course | list[Remark]:
    """The draw with these rounds of cards, or what could not have been drawn, located at `card-<player>`."""
    told, done = list(rounds), list[Round]()
    orders: dict[str, Players] = {}
    for stage in draw.stages:
        if stage.optional and not optional:
            continue
        table = _Table(stage, players)
        while waiting := table.waiting:
            lying = table.cards()
            if not told:
                return Course(tuple(done), Awaited(stage, waiting, lying, table.rounds + 1), None)
            cards = told.pop(0)
            if remarks := faults(Awaited(stage, waiting, lying, table.rounds + 1), cards):
                return remarks
            table.draw(cards)
            done.append(Round(stage, cards, table.waiting))
        orders[stage.name] = table.ordered
    if told:
        return [Remark("drawn", "nothing-to-draw")]
    return Course(tuple(done), None, draw.seat(players, orders))


def faults(awaited: Awaited, cards: Mapping[str, Card]) -> list[Remark]:
    """What is wrong with a round: who has drawn nothing, and which card cannot have been drawn."""
    if not cards.keys() <= set(awaited.players):
        return [Remark("drawn", "nothing-to-draw")]
    remarks: list[Remark] = []
    before: dict[str, Card] = {}
    for player in awaited.players:
        card = cards.get(player)
        if card is None or (awaited.stage.suits and not card.suit):
            remarks.append(Remark(f"card-{player}", "no-card", {"party": player}))
        elif without(awaited.cards, [card]) is None:
            remarks.append(Remark(f"card-{player}", "card-not-there", {"party": player}))
        elif without(awaited.cards, [*before.values(), card]) is None:
            holder = next((one for one, held in before.items() if held == card), player)
            remarks.append(Remark(f"card-{player}", "card-twice", {"party": player, "giver": holder}))
        else:
            before[player] = card
    return remarks


def choices(awaited: Awaited) -> list[Card]:
    """What can be told of a card: each card where suits matter, else each rank, the highest first."""
    cards = awaited.cards if awaited.stage.suits else {Card(card.rank) for card in awaited.cards}
    return sorted(cards, key=lambda card: (-awaited.stage.value(card), card.suit))


def drawn(
    draw: Draw, players: Players, sample: Sample, rounds: Sequence[Mapping[str, Card]] = (), *, optional: bool = False
) -> list[Mapping[str, Card]]:
    """The rounds that decide everything, the cards drawn by `sample`; those told so far first."""
    told = list(rounds)
    while True:
        course = follow(draw, players, told, optional=optional)
        if not isinstance(course, Course) or course.awaited is None:
            return told
        waiting = course.awaited.players
        told.append(dict(zip(waiting, sample(course.awaited.cards, len(waiting)), strict=True)))


def highest(places: int) -> Callable[[int], tuple[int, ...]]:
    """The cut below so many of the highest."""
    return lambda _players: (places,)


def lowest(players: int) -> tuple[int, ...]:
    """The cut above the lowest."""
    return (players - 1,)


def every_place(players: int) -> tuple[int, ...]:
    return tuple(range(1, players))


def facing(first: Players, second: Players) -> Players:
    """Two pairs around a table in order of turn, partners facing each other."""
    return (first[0], second[0], first[1], second[1])
