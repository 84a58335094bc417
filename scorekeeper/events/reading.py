"""An event as it is now: who takes part, the rounds so far, what is missing, the standings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import Row, Select, func, select
from sqlalchemy.orm import aliased

from ..db.outcome import make_seen
from ..games import games
from ..models import Circle, DrawnRound, Entrant, EntrantSubstitution, Event, Player, RoundTable, db
from ..scoring import schema
from ..scoring.standing import SIDES
from ..scoring.values import NO_SEATS
from .drawing import DIRECTIONS, Boards, Member, Pairs, PlayedRound, PlayedTable, Result, RoundDraw, board_numbers
from .event_game import DEALS, MINUTES, SEATS, EventGame, find_event_game, find_scoring_of
from .formats import FORMATS, MIN_PLAYERS, Format
from .ranking import ScoredTable, StandingRow, scored_tables, standings
from .scorings import Scoring

SETTING_UP, DRAWN, PLAYING, PAUSED, FINISHED = "setting-up", "drawn", "playing", "paused", "finished"


class EventSeat(NamedTuple):
    """Where an entrant sits in a round; one who plays alone has no partner, but three others."""

    table: int
    direction: str
    partner: int
    opponents: tuple[int, int]

    @property
    def others(self) -> tuple[int, int, int]:
        return self.opponents[0], self.partner, self.opponents[1]


class Place(NamedTuple):
    round: int
    table: int


class RoundTableRow(NamedTuple):
    """A `models.RoundTable` with its last result and call."""

    round: int
    number: int
    pairs: Pairs
    table_id: int | None
    version: int  # of the result, 0 before the first
    result: Result | None
    is_confirmed: bool
    calls: int
    called_at: datetime | None

    @property
    def place(self) -> Place:
        return Place(self.round, self.number)

    @property
    def seen(self) -> str:
        """What a page has shown of the result."""
        return make_seen(self.pairs, self.version, self.result)

    @property
    def seen_call(self) -> str:
        return make_seen(self.pairs, self.calls)

    @property
    def seats(self) -> dict[str, int]:
        return PlayedTable(self.number, self.pairs).seats

    @property
    def is_unconfirmed(self) -> bool:
        return self.result is not None and not self.is_confirmed

    @property
    def is_unplayed(self) -> bool:
        return self.result is not None and not self.result.is_played


def read_result(body: Mapping[str, Any] | None) -> Result | None:
    """Return a result from its JSON, which has slams and boards only if there are some; None if it was withdrawn."""
    if body is None:
        return None
    slams = body.get("slams", [0] * len(body["scores"]))
    return Result(tuple(body["scores"]), tuple(slams), tuple(map(tuple, body.get("boards", ()))))


def as_json(result: Result) -> dict[str, Any]:
    slams = {"slams": list(result.slams)} if any(result.slams) else {}
    boards = {"boards": [list(scores) for scores in result.boards]} if result.boards else {}
    return {"scores": list(result.scores), **slams, **boards}


def list_seats(row: RoundTableRow | PlayedTable) -> Iterator[tuple[int, EventSeat]]:
    for side, pair in enumerate(row.pairs):
        first, second = row.pairs[1 - side]
        for place, number in enumerate(pair):
            yield number, EventSeat(row.number, DIRECTIONS[side + 2 * place], pair[1 - place], (first, second))


# --- the event ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class EventState:
    """An event with all its rows, read in one snapshot."""

    event: Event
    entrants: dict[int, Member]  # by number
    substitutes: tuple[Member, ...]  # each from their first round on in the place of their number
    drawn: tuple[DrawnRound, ...]
    tables: dict[tuple[int, int], RoundTableRow]  # by round and number: of all rounds, or of those that a phone shows

    @cached_property
    def event_game(self) -> EventGame:
        return find_event_game(self.event)

    @property
    def format(self) -> Format:
        return FORMATS[self.event.format]

    @cached_property
    def options(self) -> Any:
        cls = self.format.options
        return schema.load(cls, self.event.options, NO_SEATS, []) or cls()

    @cached_property
    def plays_alone(self) -> bool:
        """Whether everybody at a table plays alone; if the game is not installed, as the results say."""
        if self.event.game not in games():
            return any(row.result is not None and len(row.result.scores) == SEATS for row in self.tables.values())
        return self.event_game.plays_alone

    @property
    def sides(self) -> range:
        return range(SEATS if self.plays_alone else len(SIDES))

    def parties_of(self, row: RoundTableRow) -> tuple[tuple[int, ...], ...]:
        return self.played_table(row).parties

    def played_table(self, row: RoundTableRow) -> PlayedTable:
        return PlayedTable(row.number, row.pairs, row.result, self.plays_alone)

    @property
    def current(self) -> DrawnRound | None:
        return self.drawn[-1] if self.drawn else None

    @property
    def current_number(self) -> int:
        return len(self.drawn)

    @property
    def is_finished(self) -> bool:
        return self.event.finished_at is not None

    @property
    def phase(self) -> str:
        if self.is_finished:
            return FINISHED
        if self.current is None:
            return SETTING_UP
        if self.current.started_at is None:
            return DRAWN
        return PAUSED if self.current.paused_at is not None else PLAYING

    @property
    def teams(self) -> list[tuple[Member, ...]]:
        """The entrants by the rows of the standings: each alone, in pairs or in forts."""
        size = self.format.team_size
        return [(*team,) for _, team in groupby(self.entrants.values(), key=lambda member: (member.number - 1) // size)]

    def team_of(self, number: int) -> tuple[Member, ...]:
        return next(team for team in self.teams if any(member.number == number for member in team))

    @cached_property
    def rounds(self) -> tuple[PlayedRound, ...]:
        tables = ((drawn, tuple(map(self.played_table, self.tables_of(drawn.number)))) for drawn in self.drawn)
        return tuple(PlayedRound(drawn.number, of_round, tuple(drawn.sits_out)) for drawn, of_round in tables)

    def next_draw(self) -> RoundDraw:
        return RoundDraw(
            number=self.current_number + 1,
            rounds=self.event.rounds,
            members=tuple(self.entrants.values()),
            earlier=self.rounds,
            options=self.options,
            seed=self.event.seed,
            scoring=self.event.scoring,
            sitting_out=self.event.sitting_out,
            lowest_wins=self.scoring.lowest_wins,
        )

    @property
    def has_enough(self) -> bool:
        return len(self.next_draw().present) >= MIN_PLAYERS

    def tables_of(self, round_number: int) -> list[RoundTableRow]:
        return [row for row in self.tables.values() if row.round == round_number]

    @property
    def current_tables(self) -> list[RoundTableRow]:
        return self.tables_of(self.current_number)

    @property
    def missing(self) -> list[RoundTableRow]:
        return [row for row in self.current_tables if row.result is None]

    @property
    def late(self) -> list[RoundTableRow]:
        return [row for row in self.tables.values() if row.result is None and row.round < self.current_number]

    @property
    def unconfirmed_earlier(self) -> list[RoundTableRow]:
        return [row for row in self.tables.values() if row.is_unconfirmed and row.round < self.current_number]

    @property
    def waiting(self) -> list[RoundTableRow]:
        """The tables of all rounds that wait for the director, the longest waiting first."""
        return sorted((row for row in self.tables.values() if row.called_at is not None), key=attrgetter("called_at"))

    @property
    def sits_out(self) -> tuple[int, ...]:
        return tuple(self.current.sits_out) if self.current is not None else ()

    @property
    def trump(self) -> str | None:
        return self.format.trump_of(self.current_number, self.options) if self.drawn else None

    def clock(self, moment: datetime) -> RoundClock | None:
        return read_clock(self.event, self.current, moment) if self.current is not None else None

    def substitute_of(self, number: int, round_number: int | None = None) -> Member | None:
        """Return who plays under the number in a round, the current one by default, in the entrant's place."""
        until = self.current_number if round_number is None else round_number
        begun = [each for each in self.substitutes if each.number == number and each.first_round <= until]
        return begun[-1] if begun and begun[-1].player_id != self.entrants[number].player_id else None

    def name_of(self, number: int, round_number: int | None = None) -> str:
        return (self.substitute_of(number, round_number) or self.entrants[number]).name

    def player_of(self, number: int, round_number: int | None = None) -> int:
        return (self.substitute_of(number, round_number) or self.entrants[number]).player_id

    @cached_property
    def seats(self) -> dict[int, EventSeat]:
        return {number: seat for row in self.current_tables for number, seat in list_seats(row)}

    @cached_property
    def scoring(self) -> Scoring:
        return find_scoring_of(self.event)

    @cached_property
    def standings(self) -> tuple[StandingRow, ...]:
        return standings(
            tuple(self.entrants.values()),
            self.rounds,
            self.scoring,
            team_size=self.format.team_size,
            boards=self.board_sets,
            sitting_out=self.event.sitting_out,
        )

    @cached_property
    def scored(self) -> dict[tuple[int, int], ScoredTable]:
        tables = scored_tables(self.rounds, self.scoring, self.board_sets)
        return {(each.round, each.table.number): each for each in tables}

    @cached_property
    def board_sets(self) -> Boards:
        """The set of boards of each table in each round, where results are compared by them; else empty."""
        return self.format.board_sets(self.rounds, self.options) if self.scoring.is_share else ()

    @property
    def moves_boards(self) -> bool:
        """Whether boards go from table to table, so that results are compared by them."""
        return self.scoring.is_share and self.format.build is not None

    def boards_at(self, round_number: int, table: int) -> int | None:
        """Return the set of boards of a table in a round, None if boards do not go from table to table."""
        return self.board_sets[round_number - 1][table - 1] if self.board_sets else None

    def tables_without_boards(self, round_number: int) -> list[list[RoundTableRow]]:
        """Return the tables that sent no results by board, for each set of boards of a round that others sent them for.

        Because of these tables, the set is compared by whole rounds.
        """
        found = []
        here = [self.boards_at(round_number, row.number) for row in self.tables_of(round_number)]
        for boards in dict.fromkeys(each for each in here if each is not None):
            at_boards = (row for row in self.tables.values() if self.boards_at(row.round, row.number) == boards)
            sent = [(row, row.result) for row in at_boards if row.result is not None and row.result.is_played]
            without = [row for row, result in sent if not result.boards]
            if 0 < len(without) < len(sent):
                found.append(without)
        return found

    @property
    def deals_of_round(self) -> int | None:
        """How many deals a round has, and so boards a set; None if a round is games or minutes."""
        return self.event.length if self.event.round_unit == DEALS else None

    def board_numbers(self, boards: int) -> range | None:
        """Return the numbers of a set's boards; None if a round has no number of deals."""
        return board_numbers(boards, self.deals_of_round) if self.deals_of_round is not None else None


# --- reading -----------------------------------------------------------------------------------------------


def list_events(circle: Circle) -> list[Event]:
    query = select(Event).where(Event.circle_id == circle.id)
    return list(db.session.scalars(query.order_by(Event.day.desc(), Event.id.desc())))


def find_event(token: str) -> Event | None:
    return db.session.scalar(select(Event).where(Event.token == token))


def read_last_rounds(event: Event) -> EventState:
    """Return the event with the tables of its last two rounds, which is quicker: 250 phones ask when a round is drawn.

    Phones show no others. Where boards move, all rounds are read, as which boards a table has depends on them.
    """
    return read_state(event, last_rounds=None if find_scoring_of(event).is_share else 2)


def read_state(event: Event, *, last_rounds: int | None = None) -> EventState:
    columns = Entrant.group, Entrant.is_stationary, Entrant.first_round, Entrant.last_round
    entrants = _read_people(Entrant, event, *columns)
    of_substitutes = _read_people(EntrantSubstitution, event, EntrantSubstitution.round)
    substitutes = db.session.execute(of_substitutes.order_by(EntrantSubstitution.round))
    rounds = select(DrawnRound).where(DrawnRound.event_id == event.id).order_by(DrawnRound.number)
    drawn = tuple(db.session.scalars(rounds.execution_options(populate_existing=True)))
    rows = _read_tables(event, since=1 if last_rounds is None else len(drawn) - last_rounds + 1)
    return EventState(
        event,
        entrants={row[0]: Member(*row) for row in db.session.execute(entrants)},
        substitutes=tuple(
            Member(number, first_round=round_, player_id=id_, name=name) for number, round_, id_, name in substitutes
        ),
        drawn=drawn,
        tables={(row.round, row.number): row for row in rows},
    )


def _read_tables(event: Event, since: int) -> Iterator[RoundTableRow]:
    columns = (
        *(RoundTable.round, RoundTable.number, RoundTable.pairs, RoundTable.table_id),
        *(RoundTable.result, RoundTable.scores, RoundTable.is_confirmed),
        *(RoundTable.calls, RoundTable.called_at),
    )
    tables = select(*columns).where(RoundTable.event_id == event.id, RoundTable.round >= since)
    return map(read_row, db.session.execute(tables.order_by(RoundTable.round, RoundTable.number)))


def read_row(stored: RoundTable | Row[Any]) -> RoundTableRow:
    """Return a table from its row, or from the columns that `_read_tables` selects."""
    (north, south), (east, west) = stored.pairs  # JSON has lists
    return RoundTableRow(
        round=stored.round,
        number=stored.number,
        pairs=((north, south), (east, west)),
        table_id=stored.table_id,
        version=stored.result,
        result=read_result(stored.scores),
        is_confirmed=stored.is_confirmed,
        calls=stored.calls,
        called_at=stored.called_at,
    )


def _read_people(model: type[Entrant] | type[EntrantSubstitution], event: Event, *columns: Any) -> Select[Any]:
    person = aliased(Player)
    who = func.coalesce(Player.person_id, Player.id), func.coalesce(person.name, Player.name)
    joined = select(model.number, *columns, *who).join(Player, Player.id == model.player_id)
    of_event = joined.outerjoin(person, person.id == Player.person_id).where(model.event_id == event.id)
    return of_event.order_by(model.number)


def is_current_round(event: Event, round_number: int) -> bool:
    return event.finished_at is None and round_number == len(event.drawn)


def find_row(event: Event, place: Place) -> RoundTable | None:
    return db.session.get(RoundTable, (event.id, *place))


class RoundClock(NamedTuple):
    """How long a round has run, in seconds."""

    elapsed: int
    left: int | None  # below 0 once the time is over; None for a round without a time limit
    is_running: bool  # not while the round is paused

    @property
    def is_over(self) -> bool:
        return self.left is not None and self.left <= 0

    @property
    def minutes(self) -> int:
        """How many minutes are left, the last one begun; or have been played, all of them whole."""
        return self.elapsed // 60 if self.left is None else -(-self.left // 60)


def read_clock(event: Event, drawn: DrawnRound, moment: datetime) -> RoundClock | None:
    if drawn.started_at is None:
        return None
    elapsed = max(0, seconds_between(drawn.started_at, drawn.paused_at or moment) - drawn.paused_seconds)
    minutes = event.length if event.round_unit == MINUTES else None
    return RoundClock(elapsed, None if minutes is None else minutes * 60 - elapsed, drawn.paused_at is None)


def seconds_between(earlier: datetime, later: datetime) -> int:
    return (later - earlier) // timedelta(seconds=1)


# --- what phones follow; models.Event says what editions are ------------------------------------------------


def read_table_etag(event: Event, table: int) -> str:
    """Return the ETag of a table's page, which shows the event without its results, and this table's result."""
    at_table = select(RoundTable.edition).where(RoundTable.event_id == event.id, RoundTable.number == table)
    return f"{event.plan_edition}-{db.session.scalar(at_table.order_by(RoundTable.round.desc()).limit(1))}"
