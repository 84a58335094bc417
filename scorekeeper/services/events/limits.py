"""What results of a round can be by the rules of the game, where it says what one deal can give."""

from __future__ import annotations

from collections.abc import Iterator

from ...events.drawing import Result
from ...events.scoring import IN_POINTS, IN_TRICKS, find_scoring
from ...models import Event
from ...scoring.problems import Problem
from ...scoring.values import Range
from ..event_game import find_event_game
from .reading import DEALS, MINUTES


def points_problems(event: Event, result: Result) -> Iterator[Problem]:
    """Yield which points no deals of a round can give by the rules of the game."""
    most = event.length if event.round_unit == DEALS else None
    if most is None:
        return
    for field, found, of_deal in _list_bounded(event, result):
        possible = _scale(of_deal, most)
        if not possible.low <= found <= possible.high:
            key = "points-together" if field == "scores" else "points-of-party"
            key = "points-exactly" if possible.low == possible.high else key
            yield Problem(field, key, {"found": found, "least": possible.low, "most": possible.high})


def is_unlikely(event: Event, result: Result) -> bool:
    """Return whether a result needs fewer deals than a round has, an unfinished one, or more than one a minute."""
    game = find_event_game(event)
    if _count_in(event) == IN_TRICKS and game.tricks is not None and event.round_unit != DEALS:
        return sum(result.scores) % game.tricks != 0
    if event.length is None or event.round_unit not in (DEALS, MINUTES):
        return False
    is_exact = event.round_unit == DEALS
    return any(
        not (of_deal.low * event.length if is_exact else _scale(of_deal, event.length).low)
        <= found
        <= _scale(of_deal, event.length).high
        for _, found, of_deal in _list_bounded(event, result)
    )


def _count_in(event: Event) -> str:
    return find_scoring(event.scoring).counted_in(find_event_game(event).tricks)


def _list_bounded(event: Event, result: Result) -> Iterator[tuple[str, int, Range]]:
    """Yield the field, the number and the bounds of one deal for each party's points, and for all together."""
    bounds = find_event_game(event).points_of_deal
    if bounds is None or _count_in(event) != IN_POINTS:
        return
    of_party, together = bounds
    for side, score in enumerate(result.scores):
        yield f"score-{side}", score, of_party
    yield "scores", sum(result.scores), together


def _scale(of_deal: Range, deals: int) -> Range:
    """Return the bounds of one to so many deals."""
    return Range(min(of_deal.low, of_deal.low * deals), max(of_deal.high, of_deal.high * deals))
