"""Who takes part in an event: entering, leaving, coming back, substitutes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import delete, func, insert, select, update

from ...db.clock import now
from ...db.transactions import get_id, write_to_circle
from ...events.drawing import GROUPS
from ...limits import MAX_NAME_LENGTH, MAX_PLACES, MAX_PLAYERS, MAX_SUBSTITUTIONS
from ...models import Browser, Circle, Entrant, EntrantSubstitution, Event, EventPhone, Player, db
from ...scoring.problems import Problem, Refusal, refuse
from ..circles.players import NO_MEANINGS, Meanings, find_or_build_players, read_persons
from ..invalidation import touch
from ..outcome import Done
from .reading import FINISHED, EntrantRow, EventState, read
from .writing import VIEW, EventAccess, check_access, write_to_event

MAX_SHOWN = 12  # names in one message


class Entered(NamedTuple):
    """The numbers of those who were entered, the names of those who had been already, and of those entered twice."""

    numbers: Sequence[int]
    already: Sequence[str]
    twice: Sequence[str]


def add_names(
    event: Event, names: Sequence[str], by: Browser, group: str = "", meanings: Meanings = NO_MEANINGS
) -> Done[Entered] | Refusal:
    """Enter people by their cleaned names; those whom the circle does not know are added to it.

    Once a round is drawn, they play from the next one on. Somebody who takes part already is not entered again, so that
    a list may be sent twice. `meanings` are the answers to questions whom the names mean.

    Raises:
        CircleErasedError: the circle, or the event, is no longer there.
        AccessRevokedError, RightRevokedError: the browser's access ended meanwhile, or its right.
    """
    problems = [*problems_of_names(names, group)]
    if problems:
        return refuse(None, problems)
    return write_to_event(event, lambda locked: enter_locked(locked, names, group, meanings), by)


def problems_of_names(names: Sequence[str], group: str) -> Iterable[Problem]:
    """Yield what is wrong with names and a group to enter."""
    if not any(names):
        yield Problem("names", "name-blank")
    too_long = [f"{name[:MAX_NAME_LENGTH]}…" for name in names if len(name) > MAX_NAME_LENGTH]
    if too_long:
        yield Problem("names", "long-names", {"found": list_names(too_long), "most": MAX_NAME_LENGTH})
    if group not in ("", *GROUPS):
        yield Problem("group", "not-among-choices")


def list_names(names: Sequence[str]) -> str:
    """Return the first names as one message lists them."""
    return ", ".join(names[:MAX_SHOWN]) + (" …" if len(names) > MAX_SHOWN else "")


def enter_locked(
    event: Event, names: Sequence[str], group: str = "", meanings: Meanings = NO_MEANINGS
) -> Done[Entered] | Refusal:
    """Enter people by their names as `add_names` does; the caller holds the circle's lock."""
    players = find_or_build_players(event.circle, [*filter(None, names)], meanings)
    if isinstance(players, Refusal):
        return players
    erased = next((player for player in players if player.erased_at is not None), None)
    if erased is not None:
        return refuse(None, [Problem("names", "player-changed")])
    return _enter(event, players, group)


def add_people(event: Event, player_ids: Sequence[int], by: Browser, group: str = "") -> Done[Entered] | Refusal:
    """Enter people of the circle by their ids, as `add_names` does; ids that are nobody's are left out."""

    def work(locked: Event) -> Done[Entered] | Refusal:
        persons = read_persons(locked.circle)
        players = [persons[id_] for id_ in player_ids if id_ in persons and persons[id_].erased_at is None]
        return _enter(locked, list(dict.fromkeys(players)), group)

    return write_to_event(event, work, by)


def _enter(event: Event, players: Sequence[Player], group: str) -> Done[Entered] | Refusal:
    state = read(event)
    if event.finished_at is not None:
        return refuse(None, [Problem("event", "event-is-finished")])
    present = {entrant.player_id for entrant in state.entrants.values()}
    counted = Counter(players)
    new = [player for player in counted if player.id is None or player.id not in present]
    if new and state.current_number >= event.rounds:
        return refuse(None, [Problem("names", "all-rounds-drawn", {"most": event.rounds})])
    already = [player.name for player in counted if player not in new]
    twice = [player.name for player, times in counted.items() if times > 1]
    again = list(dict.fromkeys([*already, *twice]))
    if again and new and state.format.members > 1:  # who was entered with them would be left without a partner
        return refuse(None, [Problem("names", "entered-twice", {"found": list_names(again)})])
    if len(state.entrants) + len(new) > MAX_PLAYERS:
        return refuse(None, [Problem("names", "too-many-entrants", {"most": MAX_PLAYERS})])
    if new and (len(state.entrants) + len(new)) * event.rounds > MAX_PLACES:
        most = {"most": MAX_PLACES // event.rounds, "rounds": event.rounds}
        return refuse(None, [Problem("names", "too-many-places", most)])
    problems = [*_plays_already(state, [player for player in new if player.id is not None])]
    if problems:
        return refuse(None, problems)
    db.session.add_all(new)
    db.session.flush()
    first, moment = max(state.entrants, default=0) + 1, now()
    rows = [
        _row(event, number, player, group, state.current_number + 1, moment)
        for number, player in enumerate(new, start=first)
    ]
    if rows:
        db.session.execute(insert(Entrant), rows)
        touch(event)
    return Done(Entered(list(range(first, first + len(new))), already, twice))


def _plays_already(state: EventState, players: Sequence[Player]) -> Iterable[Problem]:
    """Yield a problem for each of these people who plays for an entrant in the next round or later."""
    for player in players if state.substitutes else ():
        number = _find_number(state, player.id, state.current_number + 1, 0)
        if number is not None:
            yield Problem("names", "plays-already", {"found": player.name, "number": number})


def _row(
    event: Event, number: int, player: Player, group: str, first_round: int, moment: datetime
) -> dict[str, object]:
    return {
        "circle_id": event.circle_id,
        "event_id": event.id,
        "number": number,
        "player_id": player.id,
        "group": group,
        "first_round": first_round,
        "joined_at": moment,
    }


# --- changing an entrant -----------------------------------------------------------------------------------


def remove(event: Event, number: int, player_id: int, by: Browser) -> Problem | None:
    """Remove an entrant before the first round; with them the partners of a pair, or the fort. Numbers close up.

    `player_id` is the person who had the number on the page. If somebody else has it by now, nothing is changed: the
    page was sent twice.
    """
    return write_to_event(event, lambda locked: _remove(locked, number, player_id), by)


def _remove(event: Event, number: int, player_id: int) -> Problem | None:
    state = read(event)
    if number not in state.entrants or state.entrants[number].player_id != player_id:
        return None
    if state.drawn:
        return Problem("number", "event-has-begun")
    size = state.format.members
    first = number - (number - 1) % size
    removed = [each for each in state.entrants if first <= each < first + size]
    for model in (Entrant, EntrantSubstitution):
        of_event = delete(model).where(model.event_id == event.id)
        db.session.execute(of_event.where(model.number.in_(removed)))
    phones = update(EventPhone).where(EventPhone.event_id == event.id)
    db.session.execute(
        phones.where(EventPhone.number.in_(removed)).values(number=None),
        execution_options={"synchronize_session": False},
    )
    _renumber(event, [each for each in state.entrants if each not in removed])
    touch(event)
    return None


def _renumber(event: Event, numbers: Sequence[int]) -> None:
    """Give the entrants with these numbers the numbers from 1 on, in their order, and the phones that are theirs."""
    changed = {old: new for new, old in enumerate(numbers, start=1) if old != new}
    for model in (Entrant, EntrantSubstitution, EventPhone):
        of_event = update(model).where(model.event_id == event.id)
        for old, new in changed.items():
            moved = of_event.where(model.number == old).values(number=new)
            db.session.execute(moved, execution_options={"synchronize_session": False})


def leave(event: Event, number: int, last_round: int, by: Browser) -> Problem | None:
    """Record that an entrant leaves after this round, which may be the current one or a later one."""

    def work(locked: Event, state: EventState, entrant: EntrantRow) -> Problem | None:
        least = max(state.current_number, entrant.first_round - 1)
        if not least <= last_round <= locked.rounds:
            return Problem("last_round", "number-between", {"least": least, "most": locked.rounds})
        return _set(locked, number, last_round=last_round)

    return _change(event, number, work, by)


def come_back(event: Event, number: int, by: Browser) -> Problem | None:
    """Record that an entrant who left plays again from the next round on, or stays after all."""

    return _change(event, number, lambda _locked, state, _entrant: come_back_locked(state, [number]), by)


def come_back_locked(state: EventState, numbers: Sequence[int]) -> Problem | None:
    """Have entrants play again as `come_back` does, unless one of them cannot; the caller holds the circle's lock."""
    following = state.current_number + 1
    for number in numbers:
        other = _find_number(state, state.player_of(number, following), following, number)
        if other is not None:
            return Problem("number", "plays-already", {"found": state.name_of(number, following), "number": other})
    for number in numbers:
        _set(state.event, number, last_round=None)
    return None


def set_first_round(event: Event, number: int, first_round: int, by: Browser) -> Problem | None:
    """Record in which round an entrant who has not played yet begins."""

    def work(locked: Event, state: EventState, entrant: EntrantRow) -> Problem | None:
        least, most = state.current_number + 1, entrant.last_round or locked.rounds
        if entrant.first_round <= state.current_number:
            return Problem("first_round", "entrant-has-begun")
        if not least <= first_round <= most:
            return Problem("first_round", "number-between", {"least": least, "most": most})
        return _set(locked, number, first_round=first_round)

    return _change(event, number, work, by)


def set_stationary(event: Event, number: int, is_stationary: bool, by: Browser) -> Problem | None:
    """Set whether an entrant keeps their table from the next round on."""
    return _change(
        event, number, lambda locked, _state, _entrant: _set(locked, number, is_stationary=is_stationary), by
    )


def set_group(event: Event, number: int, group: str, by: Browser) -> Problem | None:
    """Set an entrant's group."""
    if group not in ("", *GROUPS):
        return Problem("group", "not-among-choices")
    return _change(event, number, lambda locked, _state, _entrant: _set(locked, number, group=group), by)


def _change(
    event: Event, number: int, work: Callable[[Event, EventState, EntrantRow], Problem | None], by: Browser
) -> Problem | None:
    def change(locked: Event) -> Problem | None:
        state = read(locked)
        entrant = state.entrants.get(number)
        if entrant is None:
            return Problem("number", "no-such-number", {"found": number})
        if locked.finished_at is not None:
            return Problem("event", "event-is-finished")
        return work(locked, state, entrant)

    return write_to_event(event, change, by)


def _set(event: Event, number: int, **values: object) -> Problem | None:
    """Set columns of an entrant; there is no problem with that."""
    of_event = update(Entrant).where(Entrant.event_id == event.id)
    db.session.execute(of_event.where(Entrant.number == number).values(**values))
    touch(event)
    return None


# --- substitutes -------------------------------------------------------------------------------------------


def substitute(
    event: Event, number: int, name: str, first_round: int, by: Browser, meanings: Meanings = NO_MEANINGS
) -> Problem | None:
    """Record who plays under a number from a round on, the current one or a later one.

    With the entrant's own name, the entrant returns. `meanings` are the answers to a question whom the name means.
    """
    if not name:
        return Problem("name", "name-blank")
    if len(name) > MAX_NAME_LENGTH:
        return Problem("name", "long-name", {"most": MAX_NAME_LENGTH})

    def work(locked: Event, state: EventState, _entrant: EntrantRow) -> Problem | None:
        least = max(1, state.current_number)
        if not least <= first_round <= locked.rounds:
            return Problem("round", "number-between", {"least": least, "most": locked.rounds})
        players = find_or_build_players(locked.circle, [name], meanings)
        if isinstance(players, Refusal):
            return players.first
        return _substitute(locked, state, number, players[0], first_round)

    return _change(event, number, work, by)


def _substitute(event: Event, state: EventState, number: int, player: Player, first_round: int) -> Problem | None:
    if player.erased_at is not None:
        return Problem("name", "player-changed")
    other = _find_number(state, player.id, first_round, number) if player.id is not None else None
    if other is not None:
        return Problem("name", "plays-already", {"found": player.name, "number": other})
    key = (event.id, number, first_round)
    row = db.session.get(EntrantSubstitution, key, populate_existing=True)
    if row is None and len(state.substitutes) >= MAX_SUBSTITUTIONS:
        return Problem("name", "too-many-substitutions", {"most": MAX_SUBSTITUTIONS})
    db.session.add(player)
    db.session.flush()
    if row is None:
        row = EntrantSubstitution(circle_id=event.circle_id, event_id=event.id, number=number, round=first_round)
        db.session.add(row)
    row.player_id = player.id
    touch(event)
    return None


def _find_number(state: EventState, player_id: int, first_round: int, except_number: int) -> int | None:
    """Return another number under which a person plays in this round or a later one, if there is one."""
    for number, entrant in state.entrants.items():
        if number == except_number or (entrant.last_round is not None and entrant.last_round < first_round):
            continue
        rounds = {first_round, *(row.round for row in state.substitutes if row.round > first_round)}
        if any(state.player_of(number, round_number) == player_id for round_number in rounds):
            return number
    return None


def candidates(circle: Circle, state: EventState) -> list[Player]:
    """List the circle's people who do not take part yet, by name."""
    present = {entrant.player_id for entrant in state.entrants.values()}
    query = select(Player).where(
        Player.circle_id == circle.id,
        Player.person_id.is_(None),
        Player.erased_at.is_(None),
        Player.retired_at.is_(None),
        Player.id.not_in(present),
    )
    return list(db.session.scalars(query.order_by(func.lower(Player.name))))


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
