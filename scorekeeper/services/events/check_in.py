"""Checking in to an event by its link: guests enter themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...db.transactions import get_id, write_to_circle
from ...models import Browser, Circle, Event, db
from ...scoring.problems import Problem, Refusal
from ..circles.players import NO_MEANINGS, Meanings, find_or_build_players
from .access import VIEW, EventAccess, check_access
from .entrants import come_back_locked, enter_locked, problems_of_names
from .reading import FINISHED, EventState, read


@dataclass(frozen=True)
class CheckedIn:
    """The people are entered under these numbers; `is_new` is False if they were already.

    `back_from` is the round from which those play again who had left; None if nobody had.
    """

    numbers: tuple[int, ...]
    is_new: bool
    back_from: int | None = None


def check_in(event: Event, names: Sequence[str], by: Browser, meanings: Meanings = NO_MEANINGS) -> CheckedIn | Refusal:
    """Enter people by their cleaned names: one, or the partners of a pair, or a fort.

    Somebody who has been entered already keeps the number, and plays again if they left. The browser becomes the phone
    of the first of them. `meanings` are the answers to questions whom the names mean.

    Raises:
        CircleErasedError: the circle is no longer there.
        AccessRevokedError: the browser's access to the event ended meanwhile.
    """
    event_id, browser_id = get_id(event), get_id(by)

    def work(circle: Circle) -> CheckedIn | Refusal:
        access = check_access(circle.id, event_id, browser_id, VIEW)
        checked = _check_in(access.event, names, meanings)
        if isinstance(checked, CheckedIn):
            _claim(access, checked.numbers[0])
        return checked

    return write_to_circle(event.circle_id, work)


def _check_in(event: Event, names: Sequence[str], meanings: Meanings) -> CheckedIn | Refusal:
    state = read(event)
    if not event.has_check_in or state.phase == FINISHED:
        return Refusal(None, (Problem("names", "check-in-closed"),))
    problems = _problems_of_group(state, names) or [*problems_of_names(names, "")]
    if problems:
        return Refusal(None, tuple(problems))
    players = find_or_build_players(event.circle, names, meanings)
    if isinstance(players, Refusal):
        return players
    known = {entrant.player_id: entrant.number for entrant in state.entrants.values()}
    already = [known[player.id] for player in players if player.id in known]
    if len(already) == len(names) and _sit_together(already, len(names)):
        return _return(state, already)
    if already:
        taken = next(name for name, player in zip(names, players, strict=True) if player.id in known)
        return Refusal(None, (Problem("names", "check-in-taken", {"found": taken}),))
    if len(set(players)) < len(players):  # two names of one person
        return Refusal(None, (Problem("names", "check-in-names", {"count": state.format.members}),))
    entered = enter_locked(event, names, meanings=meanings)
    if isinstance(entered, Refusal):
        return entered
    db.session.flush()
    return CheckedIn(tuple(entered.value.numbers), is_new=True)


def _return(state: EventState, numbers: Sequence[int]) -> CheckedIn | Refusal:
    """Have those who left play again from the next round on."""
    left = [number for number in numbers if state.entrants[number].has_left(state.current_number)]
    if left and state.current_number >= state.event.rounds:
        return Refusal(None, (Problem("names", "all-rounds-drawn", {"most": state.event.rounds}),))
    problem = come_back_locked(state, left)
    if problem is not None:
        return Refusal(None, (problem,))
    return CheckedIn(tuple(numbers), is_new=False, back_from=state.current_number + 1 if left else None)


def _problems_of_group(state: EventState, names: Sequence[str]) -> list[Problem]:
    """Return what is wrong unless these are as many different names as are ranked together."""
    size = state.format.members
    is_right = len(names) == size and all(names) and len(set(names)) == size
    return [] if is_right else [Problem("names", "check-in-names", {"count": size})]


def _sit_together(numbers: list[int], size: int) -> bool:
    return len({(number - 1) // size for number in numbers}) == 1


def _claim(access: EventAccess, number: int) -> None:
    if access.phone is not None and access.phone.number is None:
        access.phone.number = number
