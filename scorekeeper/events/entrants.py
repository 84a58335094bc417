"""Who takes part in an event: entering, leaving, coming back, substitutes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple, TypedDict, Unpack

from sqlalchemy import delete, update

from ..db.outcome import Done
from ..db.transactions import UNSYNCHRONIZED
from ..limits import MAX_ENTRANT_ROUNDS, MAX_ENTRANTS, MAX_NAME_LENGTH, MAX_SUBSTITUTIONS
from ..models import Circle, Entrant, EntrantSubstitution, Event, EventPhone, Membership, Player, db, now
from ..people.names import NO_MEANINGS, QUESTION, Meanings, find_or_build_players
from ..people.reading import list_active_persons, read_persons
from ..scoring.problems import Problem, Refusal, check_bounds, refuse
from .live import touch_event
from .phones import VIEW, Outcome, writing_to_event
from .reading import EventState, read_state

MAX_SHOWN = 12  # names in one message


class Entered(NamedTuple):
    numbers: Sequence[int]
    already: Sequence[str]  # the names of those who had been entered before
    twice: Sequence[str]


def add_names(
    event: Event, names: Sequence[str], by: Membership, group: str = "", meanings: Meanings = NO_MEANINGS
) -> Done[Entered] | Refusal:
    """Enter people by their cleaned names; those whom the circle does not know are added to it.

    Once a round is drawn, they play from the next one on. Somebody who takes part already is not entered again, so that
    a list may be sent twice. `meanings` says whom names mean that could be several people.
    """
    with writing_to_event(event, by):
        players = _find_people(event.circle, names, meanings)
        return players if isinstance(players, Refusal) else _enter(read_state(event), players, group)


def add_people(event: Event, player_ids: Sequence[int], by: Membership, group: str = "") -> Done[Entered] | Refusal:
    """Enter people of the circle by their ids, as `add_names` does; ids that are nobody's are left out."""
    with writing_to_event(event, by):
        persons = read_persons(event.circle)
        players = [persons[id_] for id_ in player_ids if id_ in persons and persons[id_].erased_at is None]
        return _enter(read_state(event), list(dict.fromkeys(players)), group)


def find_long_names(field: str, names: Sequence[str]) -> Problem | None:
    too_long = [f"{name[:MAX_NAME_LENGTH]}…" for name in names if len(name) > MAX_NAME_LENGTH]
    return Problem(field, "long-names", {"found": list_names(too_long), "most": MAX_NAME_LENGTH}) if too_long else None


def list_names(names: Sequence[str]) -> str:
    return ", ".join(names[:MAX_SHOWN]) + (" …" if len(names) > MAX_SHOWN else "")


def _find_people(circle: Circle, names: Sequence[str], meanings: Meanings) -> list[Player] | Refusal:
    players = find_or_build_players(circle, names, meanings)
    if isinstance(players, Refusal) or all(player.erased_at is None for player in players):
        return players
    return refuse([Problem("names", "player-changed")])


def _enter(state: EventState, players: Sequence[Player], group: str) -> Done[Entered] | Refusal:
    event = state.event
    present = {entrant.player_id for entrant in state.entrants.values()}
    counted = Counter(players)
    new = [player for player in counted if player.id not in present]
    already = [player.name for player in counted if player.id in present]
    twice = [player.name for player, times in counted.items() if times > 1]
    problem = _find_entering_problem(state, new, list(dict.fromkeys([*already, *twice])))
    if problem is not None:
        return refuse([problem])
    by_number = dict(enumerate(new, start=max(state.entrants, default=0) + 1))
    for number, player in by_number.items():
        entrant = Entrant(circle_id=event.circle_id, event_id=event.id, number=number, player=player, group=group)
        entrant.joined_at, entrant.first_round = now(), state.current_number + 1
        db.session.add(entrant)
    if new:
        touch_event(event)
    return Done(Entered(list(by_number), already, twice))


def _find_entering_problem(state: EventState, new: Sequence[Player], again: Sequence[str]) -> Problem | None:
    """Return why the `new` cannot be entered, if there is a reason.

    `again` are the names of those who have been entered already, or are twice in the list.
    """
    event = state.event
    count = len(state.entrants) + len(new)
    if event.finished_at is not None:
        return Problem("event", "event-is-finished")
    if new and state.current_number >= event.rounds:
        return Problem("names", "all-rounds-drawn", {"most": event.rounds})
    if again and new and state.format.team_size > 1:  # those entered with them would lack a partner
        return Problem("names", "entered-twice", {"found": list_names(again)})
    if count > MAX_ENTRANTS:
        return Problem("names", "too-many-entrants", {"most": MAX_ENTRANTS})
    if new and count * event.rounds > MAX_ENTRANT_ROUNDS:
        return Problem("names", "too-many-places", {"most": MAX_ENTRANT_ROUNDS // event.rounds, "rounds": event.rounds})
    following = state.current_number + 1
    problems = (_find_other_number(state, player.id, player.name, following) for player in new)
    return next(filter(None, problems), None) if state.substitutes else None


def _find_other_number(
    state: EventState, player_id: int, name: str, first_round: int, except_number: int = 0
) -> Problem | None:
    """Return the problem if a person plays under another number in this round or a later one."""
    rounds = {first_round, *(row.first_round for row in state.substitutes if row.first_round > first_round)}
    for number, entrant in state.entrants.items():
        is_other = number != except_number and not entrant.has_left(first_round - 1)
        if is_other and player_id in {state.player_of(number, round_) for round_ in rounds}:
            return Problem("names", "plays-already", {"found": name, "number": number})
    return None


def list_candidates(state: EventState) -> list[Player]:
    present = {entrant.player_id for entrant in state.entrants.values()}
    absent = [player for player in list_active_persons(state.event.circle) if player.id not in present]
    return sorted(absent, key=lambda player: player.name.casefold())


# --- changing an entrant -----------------------------------------------------------------------------------


def remove(event: Event, number: int, player_id: int, by: Membership) -> Outcome:
    """Remove an entrant who has not had a table; with them the partners of a pair, or the fort. Numbers close up.

    `player_id` is the person who had the number on the page. If somebody else has it by now, nothing is changed: the
    page was sent twice.
    """
    with writing_to_event(event, by):
        state = read_state(event)
        if number not in state.entrants or state.entrants[number].player_id != player_id:
            return Done(None)
        if not may_be_removed(state, number):
            return refuse([Problem("number", "entrant-has-played")])
        removed = {member.number for member in state.team_of(number)}
        for model in (Entrant, EntrantSubstitution):
            db.session.execute(delete(model).where(model.event_id == event.id, model.number.in_(removed)))
        _close_up(state, removed)
        touch_event(event)
        return Done(None)


def _close_up(state: EventState, removed: Collection[int]) -> None:
    """Give those who are left the numbers from 1 on; a phone of somebody who was removed is nobody's."""
    event_id = state.event.id
    phones_of_removed = update(EventPhone).where(EventPhone.event_id == event_id, EventPhone.number.in_(removed))
    db.session.execute(phones_of_removed.values(number=None), execution_options=UNSYNCHRONIZED)
    left = [number for number in state.entrants if number not in removed]
    new_numbers = {old: new for new, old in enumerate(left, start=1)}
    for old, new in new_numbers.items():
        for model in (Entrant, EntrantSubstitution, EventPhone) if old != new else ():
            of_number = update(model).where(model.event_id == event_id, model.number == old)
            db.session.execute(of_number.values(number=new), execution_options=UNSYNCHRONIZED)
    for drawn in state.drawn:
        drawn.sits_out = [new_numbers[old] for old in drawn.sits_out if old not in removed]


def may_be_removed(state: EventState, number: int) -> bool:
    """Return whether numbers can close up: nobody from this one on has had a table."""
    seated = (player for row in state.tables.values() for pair in row.pairs for player in pair)
    return not state.is_finished and max(seated, default=0) < state.team_of(number)[0].number


class EntrantColumns(TypedDict, total=False):
    last_round: int | None  # None: the entrant plays until the end
    is_stationary: bool
    group: str


def change(event: Event, number: int, by: Membership, **columns: Unpack[EntrantColumns]) -> Outcome:
    with writing_to_event(event, by):
        state = read_state(event)
        if problem := _find_number_problem(state, number):
            return refuse([problem])
        if "last_round" in columns and (problem := _find_last_round_problem(state, number, columns["last_round"])):
            return refuse([problem])
        _set(event, number, **columns)
        return Done(None)


def _find_number_problem(state: EventState, number: int) -> Problem | None:
    if number not in state.entrants:
        return Problem("number", "no-such-number", {"found": number})
    return Problem("event", "event-is-finished") if state.is_finished else None


def _find_last_round_problem(state: EventState, number: int, last: int | None) -> Problem | None:
    if last is None:
        return _find_return_problem(state, number)
    least = max(state.current_number, state.entrants[number].first_round - 1)
    return check_bounds("last_round", last, least, state.event.rounds)


def _find_return_problem(state: EventState, number: int) -> Problem | None:
    following = state.current_number + 1
    who = state.player_of(number, following), state.name_of(number, following)
    return _find_other_number(state, *who, following, number)


def substitute(
    event: Event, number: int, name: str, first_round: int, by: Membership, meanings: Meanings = NO_MEANINGS
) -> Outcome:
    """Record who plays under a number from this round on; with the entrant's own name, the entrant returns."""
    with writing_to_event(event, by):
        state = read_state(event)
        bounds = max(1, state.current_number), event.rounds
        if problem := _find_number_problem(state, number) or check_bounds("round", first_round, *bounds):
            return refuse([problem])
        players = _find_people(event.circle, [name], meanings)
        if isinstance(players, Refusal):
            return players
        [player] = players
        if problem := _find_other_number(state, player.id, player.name, first_round, number):
            return refuse([problem])
        row = db.session.get(EntrantSubstitution, (event.id, number, first_round))
        if row is None and len(state.substitutes) >= MAX_SUBSTITUTIONS:
            return refuse([Problem("name", "too-many-substitutions", {"most": MAX_SUBSTITUTIONS})])
        db.session.add(player)
        db.session.flush()
        place = {"circle_id": event.circle_id, "event_id": event.id, "number": number, "round": first_round}
        db.session.merge(EntrantSubstitution(**place, player_id=player.id))
        touch_event(event)
        return Done(None)


def _set(event: Event, number: int, **columns: Unpack[EntrantColumns]) -> None:
    db.session.execute(update(Entrant).where(Entrant.event_id == event.id, Entrant.number == number).values(**columns))
    touch_event(event)


# --- checking in -------------------------------------------------------------------------------------------


def check_in(event: Event, names: Sequence[str], by: Membership, group: str = "") -> Done[int | None] | Refusal:
    """Enter people by their cleaned names: one, or the partners of a pair, or a fort.

    Somebody who has been entered already keeps the number. If they had left, they play again, and the value is the
    round from which they do. The phone becomes that of the first of them.
    """
    with writing_to_event(event, by, VIEW) as access:
        state = read_state(event)
        players = _find_people_to_check_in(state, names)
        if isinstance(players, Refusal):
            return players
        known = {entrant.player_id: entrant.number for entrant in state.entrants.values()}
        numbers: Sequence[int] = [known[player.id] for player in players if player.id in known]
        left = [number for number in numbers if state.entrants[number].has_left(state.current_number)]
        if not numbers:
            entered = _enter(state, players, group)
            if isinstance(entered, Refusal):
                return entered
            numbers = entered.value.numbers
        elif problem := _find_check_in_problem(state, names, players, numbers, left):
            return refuse([problem])
        for number in left:
            _set(event, number, last_round=None)
        if access.phone is not None and access.phone.number is None:
            access.phone.number = numbers[0]
        return Done(state.current_number + 1 if left else None)


def _find_people_to_check_in(state: EventState, names: Sequence[str]) -> list[Player] | Refusal:
    """Return the people with these names, where one differs in accents alone the first whom it may mean.

    To ask whom it means would tell a guest who is in the circle.
    """
    circle = state.event.circle
    size = state.format.team_size
    wrong_names = Problem("names", "check-in-names", {"count": size})
    if not state.event.has_check_in or state.is_finished:
        return refuse([Problem("names", "check-in-closed")])
    if len(names) != size:
        return refuse([wrong_names])
    players = _find_people(circle, names, NO_MEANINGS)
    if isinstance(players, Refusal):
        questions = [problem.params for problem in players.problems if problem.key == QUESTION]
        players = _find_people(circle, names, {params["found"]: params["people"][0] for params in questions})
    if not isinstance(players, Refusal) and len(set(players)) < size:  # two names of one person
        return refuse([wrong_names])
    return players


def _find_check_in_problem(
    state: EventState, names: Sequence[str], players: Sequence[Player], numbers: Sequence[int], left: Sequence[int]
) -> Problem | None:
    """Return what is in the way of those who have these numbers already; `left` are the ones who have left."""
    size, most = state.format.team_size, state.event.rounds
    if len(numbers) < size or len({(number - 1) // size for number in numbers}) > 1:
        taken = {state.entrants[number].player_id for number in numbers}
        found = next(name for name, player in zip(names, players, strict=True) if player.id in taken)
        return Problem("names", "check-in-taken", {"found": found})
    if left and state.current_number >= most:
        return Problem("names", "all-rounds-drawn", {"most": most})
    return next(filter(None, (_find_return_problem(state, number) for number in left)), None)
