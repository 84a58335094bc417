"""Pegs, a game that nobody plays: colours are called, and hands and the dealer's crib are counted.

It has what the bundled games lack: two to four players, of whom four play in sides; an end that nobody wins; calls in
order of the seats; rows of numbers that are nobody's; a number that can never be, and one that only one party can have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

from scorekeeper.api import (
    CARDS,
    CLOCKWISE,
    NOBODY,
    PARTIE,
    SIDES,
    Check,
    Choice,
    ChoiceGroup,
    Closing,
    Entry,
    Facts,
    Game,
    HouseRules,
    Party,
    Player,
    Problem,
    Range,
    Row,
    Standing,
    mark,
    party_choice,
)

Colour = Literal["red", "black"]
COLOURS = ("red", "black")
WORTH = {"fifteens": 2, "runs": 3}  # points for one of them in the crib
MOST = 3  # of them
MOST_SHOWN = 12  # points of a hand
NO_HAND = 11  # points that no hand has
WITNESSED = 25  # points from which a hand needs a witness


@dataclass(frozen=True)
class Options:
    """The house rules."""

    target: Annotated[int, Range(5, 1000)] = 31


class Call(NamedTuple):
    """What a player has called: the colour of the card that is turned."""

    player: Player
    colour: Colour


@dataclass(frozen=True)
class Crib:
    """What lies in the dealer's crib."""

    fifteens: Annotated[int, Range(0, MOST)] = 0
    runs: Annotated[int, Range(0, MOST)] = 0


@dataclass(frozen=True)
class Deal:
    """The facts of a deal."""

    calls: tuple[Call, ...] = ()
    turned: Colour | None = None
    shown: dict[Party, Annotated[int, Range(0, MOST_SHOWN)]] | None = None
    crib: Crib = Crib()
    witness: Player | None = None


def shown_problems(_standing: Standing[Options], deal: Deal) -> Iterator[Problem]:
    if deal.shown is None:
        yield Problem("shown", "missing")
    if deal.shown is not None and NO_HAND in deal.shown.values():
        yield Problem("shown", "pegs.no-such-hand", {"count": NO_HAND})
    if deal.shown is not None and list(deal.shown.values()).count(MOST_SHOWN) > 1:
        yield Problem("shown", "pegs.one-best-hand", {"count": MOST_SHOWN})


def calls_problems(standing: Standing[Options], deal: Deal) -> Iterator[Problem]:
    order = order_of(standing)
    if [call.player for call in deal.calls] != order:
        yield Problem("calls", "pegs.calls-in-order", {"all": order})


def turned_problems(_standing: Standing[Options], deal: Deal) -> Iterator[Problem]:
    if deal.turned is None:
        yield Problem("turned", "missing")


def witness_problems(standing: Standing[Options], deal: Deal) -> Iterator[Problem]:
    if deal.witness is None and needs_witness(standing):
        yield Problem("witness", "missing")


def needs_witness(standing: Standing[Options]) -> bool:
    return max(standing.scores.values()) >= WITNESSED


def order_of(standing: Standing[Options]) -> list[str]:
    return [*standing.others(standing.dealer), standing.dealer]


def party_of(standing: Standing[Options], player: str) -> str:
    return player if player in standing.parties else standing.side_of(player)


def score(standing: Standing[Options], deal: Deal) -> Iterator[Entry]:
    for call in deal.calls:
        yield mark(party_of(standing, call.player), int(call.colour == deal.turned), "calls")
    for party, points in (deal.shown or {}).items():
        yield mark(party, points, "hands")
    crib = WORTH["fifteens"] * deal.crib.fifteens + WORTH["runs"] * deal.crib.runs
    yield mark(party_of(standing, standing.dealer), crib, "crib")


def explain(standing: Standing[Options], row: Row, entry: Entry) -> dict[str, int]:
    if entry.reason != "hands":
        return {}
    return {"left": standing.options.target - row.scores[entry.taker or ""]}


def close(standing: Standing[Options]) -> Closing | None:
    out = [party for party, points in standing.scores.items() if points >= standing.options.target]
    if standing.is_finished or not out:
        return None
    return Closing(PARTIE, out[0] if len(out) == 1 else NOBODY)


def pad(standing: Standing[Options], _facts: Facts) -> Iterator[ChoiceGroup]:
    for player in order_of(standing):
        calls = (Choice(name, {"calls": [[player, name]]}, f"pegs.{name}", player) for name in COLOURS)
        yield ChoiceGroup(f"calls-{player}", ("calls",), tuple(calls), kind=CARDS)
    turned = (Choice(name, {"turned": name}, f"pegs.{name}") for name in COLOURS)
    yield ChoiceGroup("turned", ("turned",), tuple(turned), kind=CARDS)
    for party in standing.parties:
        hands = (Choice(str(n), {"shown": {party: n}}, n, party, offered=n != NO_HAND) for n in range(MOST_SHOWN + 1))
        yield ChoiceGroup(f"shown-{party}", ("shown",), tuple(hands))
    for name in WORTH:
        row = f"pegs.{name}"
        numbers = (Choice(str(n), {"crib": {name: n}}, n, row) for n in range(MOST + 1))
        yield ChoiceGroup(f"crib-{row}", ("crib",), tuple(numbers), required=False)
    if needs_witness(standing):
        witnesses = (party_choice(player, {"witness": player}) for player in standing.players)
        yield ChoiceGroup("witness", ("witness",), tuple(witnesses), kind=CARDS)


def adapt(_options: Options, players: int | None) -> Mapping[str, object]:
    return {"in_sides": True} if players == 2 * len(SIDES) else {}


GAME = Game(
    api="1.0",
    slug="pegs",
    player_counts=(2, 3, 4),
    direction=CLOCKWISE,
    in_sides=False,
    units=(),
    options=Options,
    deal=Deal,
    checks=(
        Check(("shown",), shown_problems),
        Check(("calls",), calls_problems),
        Check(("turned",), turned_problems),
        Check(("witness",), witness_problems),
    ),
    score=score,
    explain=explain,
    house_rules=HouseRules(adapt=adapt),
    close=close,
    reasons=("calls", "hands", "crib"),
    pad=pad,
)
