"""A sample event, a progressive drive in its third round, in a circle of its own that is erased after a day."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select

from ..circles.lifecycle import create_circle
from ..db.outcome import Done
from ..home.demo import erase_expired
from ..models import Event, Membership, db, new_token
from ..scoring.game import AnyGame
from ..site.time_zones import local_time, now
from . import entrants, results, rounds, setup
from .drawing import Result
from .games import event_games
from .prizes import HIGHEST, LOWEST
from .reading import read
from .results import ResultRequest

# How many tricks more than half of a deal's the first pair of each table has taken; None: not yet sent.
AHEAD: tuple[tuple[int | None, ...], ...] = (
    (2, -1, 3, 0, 7, 1),
    (-2, 1, -4, 2, 0, 4),
    (1, None, -3, 2, None, 3),
)


def sample_game() -> AnyGame | None:
    """Return the game of the sample: of those for events, the one of most tricks a deal that is no variant."""
    games = [game for game in event_games().values() if game.limits.tricks and not game.variant_of]
    return max(games, key=lambda game: game.limits.tricks or 0, default=None)


def create_sample_event(
    game: AnyGame, titles: Sequence[str], names: Sequence[str], prizes: Sequence[str], device_secret: str, zone: str
) -> Event:
    """Create a sample circle with an event in its third round; erase expired samples.

    `titles` are those of the circle and of the event, `prizes` those for the highest and the lowest, in kind.
    """
    erase_expired()
    membership = create_circle(device_secret, titles[0], zone)[0]
    details = setup.EventDetails(
        title=titles[1],
        day=local_time(now(), membership.circle.time_zone).date().isoformat(),
        game=game.slug,
        format="progressive",
        scoring="tricks",
        rounds=24,
        prizes=[{"rule": rule, "text": text} for rule, text in zip((HIGHEST, LOWEST), prizes, strict=True)],
    )
    token = _check(setup.create(membership.circle, details, new_token(), membership))
    event = db.session.scalars(select(Event).where(Event.token == token)).one()
    _check(entrants.add_names(event, names, membership))
    for number in range(1, len(AHEAD) + 1):
        _check(rounds.draw(event, number, new_token(), membership))
        _check(rounds.set_clock(event, number, "start", membership))
        _send_results(event, number, game.limits.tricks or 0, membership)
    return event


def _send_results(event: Event, number: int, tricks: int, membership: Membership) -> None:
    """Enter slips of the earlier rounds. In the last one tables send results, and both sides confirm some of them."""
    is_slip = number < len(AHEAD)
    for table, ahead in enumerate(AHEAD[number - 1], start=1):
        if ahead is None:
            continue
        first = tricks // 2 + ahead
        result = Result((first, tricks - first), (int(first == tricks), int(first == 0)))
        place = number, table
        request = ResultRequest(*place, read(event).tables[place].seen, new_token(), result, is_slip)
        _check(results.record(event, request, membership))
        for side in () if is_slip else range(1 + table % 2):
            _check(results.confirm(event, place, read(event).tables[place].seen, side, membership))


def _check(outcome: Any) -> Any:
    if not isinstance(outcome, Done):
        raise TypeError(f"the sample event is invalid: {outcome}")
    return outcome.value
