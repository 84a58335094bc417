"""The rules of any game: the scoring of a deal and the end, in the order of rules.en.md beside this file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from ... import api
from .options import CategoryDeal, Deal, Options, PlacesDeal, PointsDeal, WinnerDeal, number_places

REASONS = ("points", "place", "won", "game")


@dataclass(slots=True)
class CountedStanding(api.Standing[Options]):
    deals_played: int = 0  # without misdeals
    filled: Mapping[str, frozenset[str]] = field(default_factory=dict)  # the categories that have a number, by party

    def substitute_in_own_fields(self, out: str, in_: str) -> None:
        self.filled = api.replace_player(self.filled, out, in_)

    def is_filled(self, category: str, party: str) -> bool:
        return self.options.category_once and category in self.filled.get(party, ())

    def list_overshoots(self, row: api.Row) -> dict[str, int]:
        """Return the scores, after a deal, of those whose points carried them beyond the target and did not count."""
        fact = row.fact
        if row.options.overshoot == "counts" or not isinstance(fact, Deal):
            return {}
        points = count_points(row.options, row.scored, fact)
        return {party: row.scores[party] for party, scored in row.scored.items() if points[party] != scored}

    @property
    def nearest_the_end(self) -> tuple[str, ...]:
        """The parties that will end the game first if it is bad to do so; none while all are equal."""
        if not self.options.loses_at_target or self.is_finished or len(set(self.scores.values())) == 1:
            return ()
        left = {party: self.options.left(score) for party, score in self.scores.items()}
        return tuple(party for party in self.parties if left[party] == min(left.values()))

    @property
    def is_level(self) -> bool:
        """Whether the target is reached, and the game goes on because several are equal and best."""
        return not self.is_finished and _has_reached_target(self)


def make_standing(**parts: Any) -> CountedStanding:
    standing = CountedStanding(**parts)
    standing.scores = dict.fromkeys(standing.parties, standing.options.start)
    return standing


# --- a deal --------------------------------------------------------------------------------------------------


def total_problems(standing: CountedStanding, deal: PointsDeal | CategoryDeal) -> Iterator[api.Problem]:
    totals = standing.options.totals
    found = sum(deal.points_of(party) for party in standing.parties)
    if totals and found not in totals:
        yield api.Problem("points", "sum", {"found": found, "must": totals})


def category_problems(standing: CountedStanding, deal: CategoryDeal) -> Iterator[api.Problem]:
    known = standing.options.categories
    for category, points in deal.points.items():
        yield from party_problems(standing, "points", points)
        if category not in known:
            yield api.Problem("points", "any-game.no-such-category", {"found": category[:40], "choices": known})
        for party in points:
            if standing.is_filled(category, party):
                yield api.Problem("points", "any-game.filled", {"party": party, "category": category})


def party_problems(standing: CountedStanding, field: str, names: Iterable[str]) -> Iterator[api.Problem]:
    """Check that no player is named where a party is a side."""
    for name in names:
        if name not in standing.parties:
            yield api.Problem(field, "side", {"found": name, "parties": standing.parties})


def deal_problems(standing: CountedStanding, deal: Deal) -> Iterator[api.Problem]:
    if isinstance(deal, PlacesDeal):
        placed = [party for group in deal.places for party in group]
        if sorted(placed) != sorted(standing.parties) or not all(deal.places):
            yield api.Problem("places", "any-game.one-place-each", {"all": standing.parties})
    elif isinstance(deal, WinnerDeal):
        yield from party_problems(standing, "winner", (deal.winner,))
    elif isinstance(deal, CategoryDeal):
        yield from category_problems(standing, deal)
        yield from total_problems(standing, deal)
    else:
        yield from party_problems(standing, "points", deal.points)
        yield from total_problems(standing, deal)


def checks_of(field: str) -> tuple[api.Check[CountedStanding, Any]]:
    return (api.Check((field,), deal_problems),)


_ADAPTED: Mapping[str, Mapping[str, object]] = {
    "points": {},
    "categories": {"deal": CategoryDeal},
    "places": {"deal": PlacesDeal, "checks": checks_of("places")},
    "winner": {"deal": WinnerDeal, "checks": checks_of("winner")},
}


def adapt(options: Options, _players: int | None) -> Mapping[str, object]:
    sides = {"in_sides": True, "player_counts": (4,)} if options.sides else {}
    kinds = (api.PARTIE,) if options.has_end else ()
    ending = api.Ending(kinds=kinds, lowest_wins=options.best == "lowest", report=report)
    limits = api.Limits(points_of_deal=_find_points_of_deal(options))
    entry = _ADAPTED["categories" if options.categories else options.entry]
    return {**entry, **sides, "ending": ending, "limits": limits}


def _find_points_of_deal(options: Options) -> tuple[api.Range, api.Range] | None:
    """Return the points of a party in one deal, and of all together; None if the house rules do not bound them."""
    anything = api.Range(-api.MAX_AMOUNT, api.MAX_AMOUNT)
    if options.entry == "winner":
        return api.Range(0, 1), api.Range(1, 1)
    if options.entry == "places" and options.place_points:
        return api.Range(min(options.place_points), max(options.place_points)), anything
    if options.totals and options.overshoot == "counts":
        return anything, api.Range(min(options.totals), max(options.totals))
    return None


def score(standing: CountedStanding, deal: Deal) -> Iterator[api.Entry]:
    standing.deals_played += 1
    if isinstance(deal, CategoryDeal) and standing.options.category_once:
        standing.filled = {
            party: standing.filled.get(party, frozenset()).union(deal.categories_of(party))
            for party in standing.parties
        }
    reason = "won" if isinstance(deal, WinnerDeal) else "place" if isinstance(deal, PlacesDeal) else "points"
    for party, points in count_points(standing.options, standing.parties, deal).items():
        yield api.mark(party, _change_score(standing.options, standing.scores[party], points), reason)


def count_points(options: Options, parties: Iterable[str], deal: Deal) -> dict[str, int]:
    if isinstance(deal, WinnerDeal):
        return {party: int(party == deal.winner) for party in parties}
    if isinstance(deal, PlacesDeal):
        places = number_places(deal.places)
        points = options.place_points or ()
        return {party: points[places[party] - 1] for party in parties}
    return {party: deal.points_of(party) for party in parties}


def _change_score(options: Options, score: int, points: int) -> int:
    """Return by how much points change a score. Beyond a target to be hit exactly they do nothing, or lead back."""
    has_come_nearer = options.left(score + points) < options.left(score)
    if options.overshoot == "counts" or not has_come_nearer or options.left(score + points) >= 0:
        return points
    return options.back_to - score if options.back_to is not None else 0


def explain(standing: CountedStanding, row: api.Row, entry: api.Entry) -> dict[str, int]:
    if isinstance(row.fact, PlacesDeal) and entry.taker is not None and entry.reason == "place":
        return {"place": number_places(row.fact.places)[entry.taker]}
    if entry.reason == "game" and standing.options.pays == "difference":
        players = (entry.giver or "", entry.taker or "")
        parties = map(standing.side_of, players) if standing.options.sides else players
        less, more = sorted(row.scores[party] for party in parties)
        return {"more": more, "less": less, "count": standing.options.stake}
    return {}


# --- the end -------------------------------------------------------------------------------------------------


def find_best(standing: CountedStanding) -> tuple[str, ...]:
    scores = standing.scores
    best = (max if standing.options.best == "highest" else min)(scores.values())
    return tuple(party for party in standing.parties if scores[party] == best)


def close(standing: CountedStanding) -> api.Closing | None:
    """Return the end of the game: after its last deal, or at the target, unless a tie has to be played out."""
    if standing.is_finished:
        return None
    winners = find_best(standing)
    is_last = standing.options.deals is not None and standing.deals_played >= standing.options.deals
    plays_on = len(winners) > 1 and standing.options.ties == "play_on"
    if not is_last and (plays_on or not _has_reached_target(standing)):
        return None
    return api.Closing(api.PARTIE, winners[0], {}, tuple(_payments(standing, winners)), winners[1:])


def _has_reached_target(standing: CountedStanding) -> bool:
    options = standing.options
    return options.target is not None and any(options.left(score) <= 0 for score in standing.scores.values())


def _payments(standing: CountedStanding, winners: tuple[str, ...]) -> Iterator[api.Entry]:
    """Yield what is paid at the end: the stake to the winners, or by each difference to the better of two."""
    stake = standing.options.stake
    if standing.options.pays == "winner":
        losers = [party for party in standing.parties if party not in winners]
        for winner in winners:
            for loser in losers:
                yield from _pay(standing, loser, winner, stake)
        return
    for one, other in combinations(standing.parties, 2):
        lead = standing.scores[one] - standing.scores[other]
        better, worse = (one, other) if (lead > 0) == (standing.options.best == "highest") else (other, one)
        yield from _pay(standing, worse, better, stake * abs(lead))


def _pay(standing: CountedStanding, giver: str, taker: str, amount: int) -> Iterator[api.Entry]:
    """Yield a payment; of a side that is paid, each player gets it from the player on their left."""
    if standing.options.sides:
        yield from api.pay_from_left(standing, taker, amount, "game")
    else:
        yield api.Entry(giver, taker, amount, standing.smallest_unit, "game")


def report(standing: CountedStanding) -> api.JsonObject:
    return {"winner": standing.winner, "winners": list(standing.winners)}


# --- statistics --------------------------------------------------------------------------------------------------

FIGURES = ("best_of_a_deal", "points", "place")  # the last two for their averages
FEATS = ("most_points", "longest_partie")


def figures(standing: api.Standing[Options], row: api.Row) -> Iterator[api.Figure]:
    if not isinstance(row.fact, Deal):
        return
    scored = row.scored.values()
    best = max(scored) if standing.options.best == "highest" else min(scored)
    places = number_places(row.fact.places) if isinstance(row.fact, PlacesDeal) else {}
    for party, points in row.scored.items():
        if points == best and min(scored) < max(scored):
            yield api.Figure(party, "best_of_a_deal")
        if places:
            yield api.Figure(party, "place", times=places[party])
        elif points and not isinstance(row.fact, WinnerDeal):
            yield api.Figure(party, "points", times=points)


def feats(standing: api.Standing[Options], row: api.Row) -> Iterator[api.Feat]:
    is_high = standing.options.best == "highest" and isinstance(row.fact, PointsDeal | CategoryDeal)
    if is_high and (most := max(row.scored.values())) > 0:
        yield api.Feat("most_points", most, tuple(party for party, points in row.scored.items() if points == most))
    if row.closings:
        yield from api.length_feats(standing, row, api.PARTIE)
