"""Paid Deals, a game that nobody plays: a taker, with or without a partner, against all others.

It has what the bundled games lack: counters of its own, scores that are payments, partners that change with every deal,
a deal that everybody passes, no end, and three to eight players.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from scorekeeper.api import (
    CARDS,
    CLOCKWISE,
    TOGGLE,
    AnyStanding,
    Check,
    Choice,
    ChoiceGroup,
    Counted,
    Ending,
    Entry,
    Facts,
    Figure,
    Game,
    Player,
    Problem,
    Range,
    Row,
    Stakes,
    Standing,
    party_choice,
)

CHIPS, PLAQUES = "chips", "plaques"
PLAQUE = 10  # what a plaque is worth in chips


@dataclass(frozen=True)
class Options:
    """The house rules."""

    price: Annotated[int, Range(1, 100)] = 5


@dataclass(frozen=True)
class Deal:
    """The facts of a deal; none if everybody passed."""

    taker: Player | None = None
    partner: Player | None = None
    lost: bool = False
    passed: bool = False


def taker_problems(_standing: Standing[Options], deal: Deal) -> Iterator[Problem]:
    if deal.passed == (deal.taker is not None):
        yield Problem("taker", "tap-one")


def sides(standing: Standing[Options], row: Row) -> tuple[tuple[str, ...], ...]:
    deal = row.fact
    if not isinstance(deal, Deal):
        return ()
    takers = tuple(player for player in standing.players if player in (deal.taker, deal.partner))
    return takers, tuple(player for player in standing.players if player not in takers)


def score(standing: Standing[Options], deal: Deal) -> Iterator[Entry]:
    if deal.taker is None:
        return
    takers = [player for player in standing.players if player in (deal.taker, deal.partner)]
    for taker in takers:
        for other in standing.players:
            if other not in takers:
                giver, receiver = (taker, other) if deal.lost else (other, taker)
                if deal.partner is None:
                    yield Entry(giver, receiver, 1, PLAQUES, "deal")
                else:
                    yield Entry(giver, receiver, standing.options.price, CHIPS, "deal")


def figures(_standing: AnyStanding, row: Row) -> Iterator[Figure]:
    if isinstance(row.fact, Deal) and row.fact.taker is not None:
        yield Figure(row.fact.taker, "taken")


def pad(standing: Standing[Options], facts: Facts) -> Iterator[ChoiceGroup]:
    passed = Choice("passed", {"passed": True}, "paid-deals.passed")
    takers = (party_choice(player, {"taker": player}) for player in standing.players)
    yield ChoiceGroup("taker", ("taker", "passed"), (*takers, passed), kind=CARDS)
    if facts.get("passed"):
        return
    partners = (
        party_choice(player, {"partner": player}) for player in standing.players if player != facts.get("taker")
    )
    yield ChoiceGroup("partner", ("partner",), tuple(partners), kind=CARDS, required=False)
    lost = Choice("yes", {"lost": True}, "paid-deals.lost")
    yield ChoiceGroup("lost", ("lost",), (lost,), kind=TOGGLE, required=False)


GAME = Game(
    api="1.0",
    slug="paid-deals",
    player_counts=(3, 4, 5, 6, 7, 8),
    direction=CLOCKWISE,
    in_sides=False,
    units=(CHIPS, PLAQUES),
    stakes=Stakes(worth={PLAQUES: PLAQUE}, scores_are_payments=True),
    ending=Ending(kinds=(), report=lambda _standing: {}),
    options=Options,
    deal=Deal,
    checks=(Check(("taker", "passed"), taker_problems),),
    score=score,
    close=lambda _standing: None,
    reasons=("deal",),
    pad=pad,
    counted=Counted(figure_names=("taken",), figures=figures, deal_sides=sides),
    passed=lambda deal: deal.passed,
)
