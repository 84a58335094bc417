"""The rules of Quarante de rois: the facts of a deal and its scoring, in the order of rules.en.md beside this file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from ...api import (
    CARDS,
    EW,
    MAX_AMOUNT,
    NS,
    PARTIE,
    PIQUET,
    RANKS,
    SIDES,
    Check,
    Choice,
    ChoiceGroup,
    Closing,
    Draw,
    Entry,
    Facts,
    Feat,
    Figure,
    JsonObject,
    Player,
    Players,
    Problem,
    Range,
    Row,
    Seating,
    Side,
    Stage,
    Standing,
    by_rank,
    count_deals,
    cut_below_highest,
    facing,
    mark,
    other_side,
    pack,
    pay_from_left,
    share_of,
    sum_problems,
    with_both_sides,
)

CARD_POINTS = 48  # of all court cards together
COURT_CARDS = {"kings": 5, "queens": 4, "jacks": 3}  # card points of one card; there are four of each rank
CLIQUES = {
    ("jacks", 3): 6,
    ("queens", 3): 8,
    ("kings", 3): 10,
    ("jacks", 4): 13,
    ("queens", 4): 20,
    ("kings", 4): 40,
}
_MOST = CARD_POINTS + max(CLIQUES.values())
POINTS_OF_DEAL = Range(0, _MOST), Range(CARD_POINTS, _MOST)
IMPOSSIBLE = frozenset({1, 2, 46, 47})  # card points that no set of court cards adds up to

REASONS = ("clique", "card_points", "stake")


@dataclass(frozen=True)
class Options:
    """The house rules of Quarante de rois."""

    target: Annotated[int, Range(1, MAX_AMOUNT)] = 150
    clique_first: bool = False
    stake: Annotated[int, Range(0, MAX_AMOUNT)] = 0


@dataclass(frozen=True)
class Clique:
    """Three or four court cards of one rank shown by a player."""

    player: Player
    rank: Literal["kings", "queens", "jacks"]
    count: Literal[3, 4]

    @property
    def points(self) -> int:
        return CLIQUES[self.rank, self.count]


@dataclass(frozen=True)
class Deal:
    """The facts of a deal: card points by side, and the clique that counts."""

    card_points: dict[Side, Annotated[int, Range(0, CARD_POINTS)]]
    clique: Clique | None = None


def card_points_problems(_standing: Standing[Options], deal: Deal) -> list[Problem]:
    problems = sum_problems("card_points", deal.card_points, CARD_POINTS)
    for side, points in deal.card_points.items():
        if points in IMPOSSIBLE:
            problems.append(Problem(f"card_points.{side}", "quarante-de-rois.no-such-sum", {"found": points}))
            break  # the other side's number is then impossible too
    return problems


CHECKS = (Check(("card_points",), card_points_problems),)


def score(standing: Standing[Options], deal: Deal) -> list[Entry]:
    entries = [mark(side, share_of(side, deal.card_points, CARD_POINTS), "card_points") for side in SIDES]
    if deal.clique is not None:
        entries.insert(0, mark(standing.side_of(deal.clique.player), deal.clique.points, "clique"))
    return entries


def close(standing: Standing[Options]) -> Closing | None:
    scores, target = standing.scores, standing.options.target
    if standing.is_finished or (scores[NS] < target and scores[EW] < target):
        return None
    winner = _winner_by_clique(standing) or _winner_by_points(standing)
    if winner is None:
        return None
    return Closing(PARTIE, winner, {}, pay_from_left(standing, winner, standing.options.stake, "stake"))


def _winner_by_clique(standing: Standing[Options]) -> str | None:
    """Return the side whose clique reached the target before card points were counted, under the house rule."""
    fact = standing.rows[-1].fact
    if not standing.options.clique_first or not isinstance(fact, Deal) or fact.clique is None:
        return None
    side = standing.side_of(fact.clique.player)
    before_cards = standing.scores[side] - share_of(side, fact.card_points, CARD_POINTS)
    return side if before_cards >= standing.options.target else None


def _winner_by_points(standing: Standing[Options]) -> str | None:
    higher = max(SIDES, key=lambda side: standing.scores[side])
    points, others = standing.scores[higher], standing.scores[other_side(higher)]
    return higher if points >= standing.options.target and points != others else None


# --- statistics --------------------------------------------------------------------------------------------------

FIGURES = ("clique", "card_points")
FEATS = ("best_clique", "most_in_a_deal", "longest_partie")


def figures(standing: Standing[Options], row: Row) -> Iterator[Figure]:
    deal = row.fact
    if not isinstance(deal, Deal):
        return
    if deal.clique is not None:
        yield Figure(deal.clique.player, "clique", f"{deal.clique.rank}-{deal.clique.count}")
    for side in SIDES:
        if points := share_of(side, deal.card_points, CARD_POINTS):
            for player in standing.partners(side):
                yield Figure(player, "card_points", times=points)


def feats(standing: Standing[Options], row: Row) -> Iterator[Feat]:
    deal = row.fact
    if isinstance(deal, Deal):
        if deal.clique is not None:
            yield Feat("best_clique", deal.clique.points, (deal.clique.player,))
        for side, points in row.scored.items():
            if points:
                yield Feat("most_in_a_deal", points, standing.partners(side))
    if row.closings and (deals := count_deals(standing, row, PARTIE)):
        yield Feat("longest_partie", deals, standing.players)


# --- the pad -----------------------------------------------------------------------------------------------------


def pad(standing: Standing[Options], facts: Facts) -> Iterator[ChoiceGroup]:
    for rank, points in COURT_CARDS.items():
        yield ChoiceGroup(
            rank,
            ("card_points",),
            tuple(Choice(str(n), {"card_points": {NS: n * points}}, n) for n in range(5)),
            is_additive=True,
        )
    yield ChoiceGroup("clique", ("clique",), tuple(_cliques()), kind=CARDS, required=False, default="none")
    yield ChoiceGroup(
        "clique-player", ("clique",), tuple(_players(standing)), kind=CARDS, required="rank" in facts.get("clique", {})
    )


def _cliques() -> Iterator[Choice]:
    yield Choice("none", {}, "quarante-de-rois.no-clique")
    for (rank, count), points in CLIQUES.items():
        clique = {"clique": {"rank": rank, "count": count}}
        yield Choice(
            f"{rank}-{count}",
            clique,
            f"quarante-de-rois.{rank}-{count}",
            params={"points": points, "rank": rank, "count": count},
        )


def _players(standing: Standing[Options]) -> Iterator[Choice]:
    for player in standing.players:
        yield Choice(player, {"clique": {"player": player}}, "party", params={"party": player})


def complete(_standing: Standing[Options], facts: JsonObject) -> JsonObject:
    """Add the other side's card points, and drop a player tapped without a clique."""
    facts = with_both_sides(facts, "card_points", CARD_POINTS)
    clique = facts.get("clique")
    if isinstance(clique, dict) and "rank" not in clique:
        return {key: value for key, value in facts.items() if key != "clique"}
    return facts


# --- the draw: the kings make the sides, red against black; then the highest card deals. Ranks as at Piquet ------


def seat(_players: Players, orders: Mapping[str, Players]) -> Seating:
    red, black, dealer = orders["kings"][:2], orders["kings"][2:], orders["dealer"][0]
    because = (("red", {"all": red}), ("black", {"all": black}), ("dealer", {"party": dealer}))
    return Seating(facing(red, black), dealer, because, swap=black)


DRAW = Draw(
    stages=(
        Stage("kings", lambda _players: pack(("k",)), lambda king: int(king.is_red), cut_below_highest(2), suits=True),
        Stage("dealer", lambda _players: PIQUET, by_rank(RANKS), cut_below_highest(1)),
    ),
    seat=seat,
)
