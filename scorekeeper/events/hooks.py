"""What other features ask of events: ratings, seasons, a person's page, the search, files, notices of new seats."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import date
from functools import lru_cache, partial
from itertools import islice
from typing import Any

from sqlalchemy import exists, select

from ..evenings.search import PAGE_SIZE, TableFilter, filter_rows, has_text, select_players
from ..files import circle_checks, circle_format
from ..files.circle_checks import Checker, expect_game
from ..files.circle_format import raise_problem, raise_problems
from ..files.personal_data import Item
from ..models import Circle, Entrant, Event, Player, db
from ..scoring.problems import Problem
from ..scoring.standing import SIDES
from ..scoring.values import without_accents
from ..site.language import t
from ..site.occasions import HOUR, Kind, Notice
from ..standings.ratings import Contest
from ..standings.reading import Contests, EventPlaces
from . import setup
from .drawing import DIRECTIONS
from .event_game import SEATS, find_event_game
from .ranking import CardLine, StandingRow, make_card, rounded
from .reading import EventSeat, EventState, find_event, read_last_rounds, read_state
from .rounds import SEAT_NOTICE
from .scorings import add_boards, find_winner

MAX_EVENTS = 50  # the latest ones


def read_played(
    circle: Circle, person_id: int, since: date | None, until: date | None
) -> Iterator[tuple[Event, int, StandingRow, int]]:
    """Yield the finished events of some days at which a person had a number, the latest first.

    Each comes with the number, its row of the standings, and how many rows these have.
    """
    query = (
        select(Event, Entrant.number)
        .join(Entrant, Entrant.event_id == Event.id)
        .join(Player, Player.id == Entrant.player_id)
        .where(Event.circle_id == circle.id, Event.finished_at.is_not(None))
        .where((Player.id == person_id) | (Player.person_id == person_id))
        .where(Event.day >= (since or date.min), Event.day <= (until or date.max))
        .order_by(Event.day.desc(), Event.id.desc())
        .limit(MAX_EVENTS)
    )
    for event, number in db.session.execute(query).all():
        rows = _standings(event.token, event.edition)
        yield event, number, next(row for row in rows if number in row.numbers), len(rows)


def list_places(circle: Circle, since: date, until: date, keys: Collection[str]) -> Iterator[EventPlaces]:
    finished = select(Event).where(Event.circle_id == circle.id, Event.finished_at.is_not(None))
    query = finished.where(Event.day.between(since, until)).order_by(Event.day, Event.id)
    for event in db.session.scalars(query).all():
        if not keys or find_event_game(event).key in keys:
            persons = {entrant.number: entrant.player.person.id for entrant in event.entrants}
            ranked = [row for row in _standings(event.token, event.edition) if row.is_ranked]
            places = {persons[number]: row.rank for row in ranked for number in row.numbers}
            yield EventPlaces(event.title, "events.show", event.token, event.day, places)


@lru_cache(maxsize=64)  # a person's page and a season read the standings of many events that are finished
def _standings(token: str, _edition: str) -> tuple[StandingRow, ...]:
    event = find_event(token)
    return read_state(event).standings if event is not None else ()


def read_contests(circle_id: int, games: Collection[str], until: date) -> Iterator[Contests]:
    query = select(Event).where(
        Event.circle_id == circle_id, Event.finished_at.is_not(None), Event.game.in_(games), Event.day <= until
    )
    for event in db.session.scalars(query.order_by(Event.day, Event.id)).all():
        yield Contests(event.day, find_event_game(event).key, list(_contests_of_event(event)))


def _contests_of_event(event: Event) -> Iterator[Contest]:
    """Yield a contest of the parties, the winner first, for each table of each round that one of them has won.

    Tables at which a phone kept score are left out: ratings read them as any other table.
    """
    state = read_state(event)
    for row in state.tables.values():
        table = state.played_table(row)
        if row.table_id is None and table.result is not None and table.result.is_played:
            winner = find_winner(state.scoring.flip_result(table.result).scores)
            if winner is not None:
                contest = [[state.player_of(number, row.round) for number in party] for party in table.parties]
                yield [contest.pop(winner), *contest]


def read_card(event: Event, number: int) -> Item:
    state = read_state(event)
    row = next(row for row in state.standings if number in row.numbers)
    place = {"rank": row.rank, "of": len(state.standings), "score": rounded(row.score)} if row.is_ranked else {}
    lines = make_card(number, state.rounds, state.scoring, state.board_sets)
    return place | {"rounds": [_describe_round(state, line) for line in lines]}


def _describe_round(state: EventState, line: CardLine) -> Item:
    conceded = line.conceded[0] if len(line.conceded) == 1 else [*line.conceded] or None
    found: Item = {"round": line.round, "kind": line.kind, "table": line.table}
    found |= {"scored": line.scored, "conceded": conceded, "worth": line.worth}
    found["players"] = [state.name_of(each, line.round) for each in line.others] or None
    return {key: value for key, value in found.items() if value is not None}


def name_side(side: int, body: Mapping[str, Any] | None) -> str | int:
    return DIRECTIONS[side] if body and len(body["scores"]) == SEATS else side


def _find_seats(circle: Circle, token: str, number: int) -> Iterator[Notice]:
    event = find_event(token)
    state = read_last_rounds(event) if event is not None and event.circle_id == circle.id else None
    if state is not None and state.current_number == number:
        for entrant, seat in state.seats.items():
            yield Notice({"token": token}, state.player_of(entrant), words=partial(_name_seat, seat))


def _name_seat(seat: EventSeat) -> dict[str, object]:
    return {"table": seat.table, "seat": t(f"event-table.{seat.direction}")}


NEW_SEATS = Kind(SEAT_NOTICE, "events.show", _find_seats, HOUR)


def search_events(circle: Circle, conditions: TableFilter) -> list[Event]:
    """List the newest events with these words in their title or place, at most a page; none without words.

    The other conditions apply, too. None fits `is_settled`, since events are not settled as tables are.
    """
    if conditions.words is None or conditions.is_settled is not None:
        return []
    query = filter_rows(select(Event), Event, circle, conditions)
    if conditions.person is not None:
        players = select_players(circle, conditions.person)
        query = query.where(exists().where(Entrant.event_id == Event.id, Entrant.player_id.in_(players)))
    wanted = without_accents(conditions.words)
    events = db.session.scalars(query.order_by(Event.day.desc(), Event.id.desc()))
    return list(islice((event for event in events if has_text(wanted, event.title, event.place)), PAGE_SIZE))


# --- checks of the events in a circle's file ---------------------------------------------------------------


def check_item(checker: Checker, item: circle_checks.Item, row: Any) -> None:
    if isinstance(row, Event):
        _check_event(checker, item, row)


def _check_event(checker: Checker, item: circle_checks.Item, event: Event) -> None:
    expect_game(event.game, item.path)
    details = setup.read_details(event)
    values: circle_format.Event = item.values
    of_rounds = setup.find_rounds_problems(event.rounds, len(values.entrants), len(values.drawn))
    raise_problems(item.path, [*setup.find_problems(event.circle, details), *of_rounds])
    setup.apply(event, details)
    for place, change in enumerate(values.substitutions, start=1):
        where = f"{item.path}.substitutions.{place}.number"
        if change.number > len(values.entrants):
            raise_problem(where, "not-in-file", found=str(change.number), section="entrants")
    for number, drawn in enumerate(values.drawn, start=1):
        _check_round(checker, event, values, number, drawn, f"{item.path}.drawn.{number}")


def _check_round(
    checker: Checker,
    event: Event,
    values: circle_format.Event,
    number: int,
    drawn: circle_format.DrawnRound,
    path: str,
) -> None:
    sides = range(SEATS if find_event_game(event).plays_alone else len(SIDES))
    people = {place: checker.persons[entrant.player] for place, entrant in enumerate(values.entrants, start=1)}
    for change in sorted(values.substitutions, key=lambda change: change.round):
        if change.round <= number:
            people[change.number] = checker.persons[change.player]
    seated = [*drawn.sits_out, *(each for table in drawn.tables for pair in table.pairs for each in pair)]
    unknown = {*seated} - people.keys()
    if unknown:
        raise_problem(f"{path}.tables", "not-in-file", found=str(min(unknown)), section="entrants")
    if len({people[each] for each in seated}) < len(seated):
        raise_problem(f"{path}.tables", "seated-twice")
    for place, table in enumerate(drawn.tables, start=1):
        where = f"{path}.tables.{place}"
        if table.table is not None and checker.pads.setdefault(table.table, where) != where:
            raise_problem(f"{where}.table", "key-again")
        for version, result in enumerate(table.results, start=1):
            raise_problems(f"{where}.results.{version}", [*_find_result_problems(result, sides)])


def _find_result_problems(result: circle_format.RoundResult, sides: range) -> Iterator[Problem]:
    body = result.body
    confirmed = {each.side for each in result.confirmed}
    is_confirmable = body is not None and not result.is_slip
    if confirmed and not (is_confirmable and confirmed <= {*sides}):
        yield Problem("confirmed", "result-not-confirmable")
    if body is None or not (body.scores or body.slams or body.boards):  # withdrawn, or not played
        return
    numbers = [body.scores, *body.boards]
    if body.slams:
        numbers.append(body.slams)
    if any(len(each) != len(sides) for each in numbers):
        yield Problem("body.scores", "scores-of-table", {"must": len(sides)})
    elif body.boards and body.scores != add_boards(body.boards):
        yield Problem("body.scores", "boards-add-up", {"must": add_boards(body.boards)[0]})
