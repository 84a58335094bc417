"""The rules of Quarante de rois: the facts of a deal and its scoring, in the order of rules.en.md beside this file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from ... import api

CARD_POINTS = 48  # of all court cards together
COURT_CARDS = {"kings": 5, "queens": 4, "jacks": 3}  # card points of one card; there are four of each rank
CLIQUES = {("jacks", 3): 6, ("queens", 3): 8, ("kings", 3): 10, ("jacks", 4): 13, ("queens", 4): 20, ("kings", 4): 40}
_MOST = CARD_POINTS + max(CLIQUES.values())
POINTS_OF_DEAL = api.Range(0, _MOST), api.Range(CARD_POINTS, _MOST)
IMPOSSIBLE = frozenset({1, 2, 46, 47})  # card points that no set of court cards adds up to

REASONS = ("clique", "card_points", "stake")


@dataclass(frozen=True)
class Options:
    target: Annotated[int, api.Range(1, api.MAX_AMOUNT)] = 150
    clique_first: bool = False
    stake: Annotated[int, api.Range(0, api.MAX_AMOUNT)] = 0


@dataclass(frozen=True)
class Clique:
    player: api.Player
    rank: Literal["kings", "queens", "jacks"]
    count: Literal[3, 4]

    @property
    def points(self) -> int:
        return CLIQUES[self.rank, self.count]


@dataclass(frozen=True)
class Deal:
    """The facts of a deal: card points by side, and the clique that counts."""

    card_points: dict[api.Side, Annotated[int, api.Range(0, CARD_POINTS)]]
    clique: Clique | None = None


def card_points_problems(_standing: api.Standing[Options], deal: Deal) -> list[api.Problem]:
    problems = api.sum_problems("card_points", deal.card_points, CARD_POINTS)
    for side, points in deal.card_points.items():
        if points in IMPOSSIBLE:
            problems.append(api.Problem(f"card_points.{side}", "quarante-de-rois.no-such-sum", {"found": points}))
            break  # the other side's number is then impossible too
    return problems


CHECKS = (api.Check(("card_points",), card_points_problems),)


def score(standing: api.Standing[Options], deal: Deal) -> list[api.Entry]:
    entries = [api.mark(side, api.share_of(side, deal.card_points, CARD_POINTS), "card_points") for side in api.SIDES]
    if deal.clique is not None:
        entries.insert(0, api.mark(standing.side_of(deal.clique.player), deal.clique.points, "clique"))
    return entries


def close(standing: api.Standing[Options]) -> api.Closing | None:
    scores, target = standing.scores, standing.options.target
    if standing.is_finished or (scores[api.NS] < target and scores[api.EW] < target):
        return None
    winner = _winner_by_clique(standing)
    if winner is None and scores[api.NS] != scores[api.EW]:
        winner = max(api.SIDES, key=lambda side: scores[side])
    if winner is None:
        return None
    return api.Closing(api.PARTIE, winner, {}, api.pay_from_left(standing, winner, standing.options.stake, "stake"))


def _winner_by_clique(standing: api.Standing[Options]) -> str | None:
    """Return the side whose clique reached the target before card points were counted, under the house rule."""
    fact = standing.rows[-1].fact
    if not standing.options.clique_first or not isinstance(fact, Deal) or fact.clique is None:
        return None
    side = standing.side_of(fact.clique.player)
    before_cards = standing.scores[side] - api.share_of(side, fact.card_points, CARD_POINTS)
    return side if before_cards >= standing.options.target else None


# --- statistics --------------------------------------------------------------------------------------------------

FIGURES = ("clique", "card_points")
FEATS = ("best_clique", "most_in_a_deal", "longest_partie")


def figures(_standing: api.Standing[Options], row: api.Row) -> Iterator[api.Figure]:
    deal = row.fact
    if not isinstance(deal, Deal):
        return
    if deal.clique is not None:
        yield api.Figure(deal.clique.player, "clique", f"{deal.clique.rank}-{deal.clique.count}")
    for side in api.SIDES:
        if points := api.share_of(side, deal.card_points, CARD_POINTS):
            yield api.Figure(side, "card_points", times=points)


def feats(standing: api.Standing[Options], row: api.Row) -> Iterator[api.Feat]:
    deal = row.fact
    if isinstance(deal, Deal):
        if deal.clique is not None:
            yield api.Feat("best_clique", deal.clique.points, (deal.clique.player,))
        for side, points in row.scored.items():
            if points:
                yield api.Feat("most_in_a_deal", points, (side,))
    if row.closings:
        yield from api.length_feats(standing, row, api.PARTIE)


# --- the pad -----------------------------------------------------------------------------------------------------


def pad(standing: api.Standing[Options], facts: api.Facts) -> Iterator[api.ChoiceGroup]:
    for rank, points in COURT_CARDS.items():
        numbers = tuple(api.Choice(str(n), {"card_points": {api.NS: n * points}}, n) for n in range(5))
        yield api.ChoiceGroup(rank, ("card_points",), numbers, is_additive=True)
    cliques = [api.Choice("none", {}, "quarante-de-rois.no-clique")]
    for (rank, count), points in CLIQUES.items():
        key, clique = f"{rank}-{count}", {"rank": rank, "count": count}
        params = {"points": points, **clique}
        cliques.append(api.Choice(key, {"clique": clique}, f"quarante-de-rois.{key}", params=params))
    yield api.ChoiceGroup("clique", ("clique",), tuple(cliques), kind=api.CARDS, required=False, default="none")
    players = tuple(api.party_choice(player, {"clique": {"player": player}}) for player in standing.players)
    is_shown = "rank" in facts.get("clique", {})
    yield api.ChoiceGroup("clique-player", ("clique",), players, kind=api.CARDS, required=is_shown)


def complete(_standing: api.Standing[Options], facts: api.JsonObject) -> api.JsonObject:
    """Add the other side's card points, and drop a player tapped without a clique."""
    facts = api.with_both_sides(facts, "card_points", CARD_POINTS)
    clique = facts.get("clique")
    if isinstance(clique, dict) and "rank" not in clique:
        return {key: value for key, value in facts.items() if key != "clique"}
    return facts


# --- the draw: the kings make the sides, red against black; then the highest card deals. Ranks as at Piquet ------


def seat(_players: api.Players, orders: Mapping[str, api.Players]) -> api.Seating:
    red, black, dealer = orders["kings"][:2], orders["kings"][2:], orders["dealer"][0]
    because = (("red", {"all": red}), ("black", {"all": black}), ("dealer", {"party": dealer}))
    return api.Seating(api.facing(red, black), dealer, because, swap=black)


KINGS = api.pack(("k",))
DRAW = api.Draw(
    stages=(
        api.Stage("kings", lambda _players: KINGS, lambda king: int(king.is_red), lambda _players: (2,), suits=True),
        api.Stage("dealer", lambda _players: api.PIQUET, api.by_rank(api.RANKS), lambda _players: (1,)),
    ),
    seat=seat,
)
