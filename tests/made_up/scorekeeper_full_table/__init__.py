"""Full Table, a game that nobody plays: a taker, whose points count, against all others, or everybody passes.

It has what the bundled games lack: up to eight players, choices that depend on others, numbers from 0 to 91, and a draw
from a pack with a fifth suit, a fourth court card and a card without a suit. It has no template.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from scorekeeper.api import (
    CARDS,
    CLOCKWISE,
    FICHES,
    PARTIE,
    TOGGLE,
    Amount,
    Card,
    Check,
    Choice,
    ChoiceGroup,
    Closing,
    Dealing,
    Draw,
    Entry,
    Facts,
    Game,
    JsonObject,
    Player,
    Players,
    Problem,
    Range,
    Seating,
    Stage,
    Standing,
    amount_group,
    mark,
    pack,
    party_choice,
)

CARD_POINTS = 91
NEEDED = 46
PRICES = {"small": 10, "large": 20}


@dataclass(frozen=True)
class Options:
    """The house rules."""

    target: Annotated[int, Range(1, 1000)] = 100


@dataclass(frozen=True)
class Deal:
    """The facts of a deal: `passed`, or the rest."""

    passed: bool = False
    taker: Player | None = None
    contract: Literal["small", "large"] | None = None
    partner: Player | None = None
    points: Annotated[int, Range(0, CARD_POINTS)] | None = None
    slam: bool = False


def taker_problems(_standing: Standing[Options], deal: Deal) -> Iterator[Problem]:
    if deal.passed == (deal.taker is not None) or (deal.taker is None) != (deal.points is None):
        yield Problem("taker", "tap-one")


def score(standing: Standing[Options], deal: Deal) -> Iterator[Entry]:
    if deal.taker is None or deal.points is None or deal.contract is None:
        return
    side = [player for player in standing.players if player in (deal.taker, deal.partner)]
    winners = side if deal.points >= NEEDED else [player for player in standing.players if player not in side]
    for player in winners:
        yield mark(player, PRICES[deal.contract] + abs(deal.points - NEEDED), "contract")
        yield mark(player, 50 * deal.slam, "slam")


def close(standing: Standing[Options]) -> Closing | None:
    highest = max(standing.scores.values())
    leaders = [player for player, points in standing.scores.items() if points == highest]
    if standing.is_finished or highest < standing.options.target or len(leaders) > 1:
        return None
    payments = tuple(Entry(other, leaders[0], 1, FICHES, "contract") for other in standing.others(leaders[0]))
    return Closing(PARTIE, leaders[0], {}, payments)


def pad(standing: Standing[Options], facts: Facts) -> Iterator[ChoiceGroup]:
    order = (*standing.others(standing.dealer), standing.dealer)
    passed = Choice("passed", {"passed": True}, "full-table.passed")
    yield ChoiceGroup("taker", ("taker", "passed"), (*_players("taker", order), passed), kind=CARDS)
    if facts.get("passed"):
        return
    contracts = tuple(Choice(name, {"contract": name}, f"full-table.{name}") for name in PRICES)
    yield ChoiceGroup("contract", ("contract",), contracts, kind=CARDS)
    if facts.get("taker") and len(order) > 4:
        others = tuple(player for player in order if player != facts["taker"])
        yield ChoiceGroup("partner", ("partner",), tuple(_players("partner", others)), kind=CARDS)
    if facts.get("contract") == "large":
        slam = Choice("yes", {"slam": True}, "full-table.slam")
        yield ChoiceGroup("slam", ("slam",), (slam,), kind=TOGGLE, required=False)
    yield amount_group("points", Amount(("points",), 0, CARD_POINTS))


def _players(key: str, players: tuple[str, ...]) -> Iterator[Choice]:
    for player in players:
        yield party_choice(player, {key: player})


def complete(_standing: Standing[Options], facts: JsonObject) -> JsonObject:
    return facts


NUMBERS = tuple(str(number) for number in range(10, 0, -1))
PLAIN_RANKS = ("k", "q", "kn", "j", *NUMBERS)
TRUMPS = tuple(str(number) for number in range(21, 0, -1))
PACK = (*pack(PLAIN_RANKS), *pack(TRUMPS, ("trumps",)), Card("excuse"))


def height(card: Card) -> int:
    if card.suit == "trumps":
        return 100 + int(card.rank)
    return -PLAIN_RANKS.index(card.rank) if card.suit else -100


def seat(_players: Players, orders: Mapping[str, Players]) -> Seating:
    order = orders["seats"]
    return Seating(order, order[-1], (("seats", {"all": order}),))


GAME = Game(
    api="1.0",
    slug="full-table",
    player_counts=(3, 4, 5, 6, 7, 8),
    direction=CLOCKWISE,
    in_sides=False,
    units=(FICHES,),
    options=Options,
    deal=Deal,
    checks=(Check(("taker", "passed", "points"), taker_problems),),
    score=score,
    close=close,
    reasons=("contract", "slam"),
    pad=pad,
    complete=complete,
    dealing=Dealing(
        draw=Draw((Stage("seats", lambda _players: PACK, height, lambda players: range(1, players), suits=True),), seat)
    ),
)
