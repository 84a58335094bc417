"""A card: what one number did in each round of an event, as the card that people carry in a drive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from .drawing import PlayedRound, PlayedTable
from .formats import Format
from .schedule import Boards, Party, UnschedulableError
from .scoring import Scoring
from .standings import BoardsOf, scored_tables

EMPTY: Boards = ()


def board_sets(format_: Format, rounds: Sequence[PlayedRound]) -> Boards:
    """Return the set of boards of each table in each of these rounds; empty if boards do not go from table to table.

    The boards follow the schedule for as long as the rounds do. From then on all tables of a round have the same deals,
    a new set in each round, as there is no movement of boards for rounds that are drawn otherwise.
    """
    if format_.build is None or not rounds:
        return EMPTY
    numbers = _whole_pairs(rounds[0])
    try:
        schedule = format_.schedule(len(numbers), len(rounds))
    except UnschedulableError:
        try:
            schedule = format_.schedule(len(numbers))  # more were played than it has
        except UnschedulableError:
            return EMPTY
    if not schedule.boards:
        return EMPTY
    sets: list[tuple[int, ...]] = []
    for played, of_round, boards in zip(rounds, schedule.rounds, schedule.boards, strict=False):
        if played.as_drawn().tables != of_round.with_numbers(numbers).tables:
            break
        sets.append(boards)
    unused = 1 + max((each for boards in sets for each in boards), default=-1)
    for number, played in enumerate(rounds[len(sets) :], start=unused):
        sets.append((number,) * len(played.tables))
    return tuple(sets)


def board_numbers(boards: int, length: int) -> range:
    """Return the numbers of a set's boards, of which a round has so many."""
    return range(boards * length + 1, (boards + 1) * length + 1)


def _whole_pairs(played: PlayedRound) -> list[int]:
    """Return the numbers that are there in a round, together with their partners."""
    present = {each for table in played.tables for pair in table.pairs for each in pair} | set(played.sits_out)
    return sorted(number for number in present if number + (1 if number % 2 else -1) in present)


T = TypeVar("T")

PLAYED, NO_RESULT, UNPLAYED, SAT_OUT, ABSENT = "played", "no-result", "not-played", "sat-out", "absent"


class CardLine(NamedTuple):
    """A round of one number.

    Attributes:
        kind: what became of it: one of the constants of this module. Without a table all that follows is None.
        table, side, place: where; side 0 is North–South, place 0 the first of the pair (North or East).
        partner, opponents: the others at the table; who plays alone has no partner, and three opponents.
        scored, conceded: what the own party scored, and each of the others.
        worth: what counts for the own party; most: what could count, 0 without a limit.
    """

    round: int
    kind: str
    table: int | None = None
    side: int | None = None
    place: int | None = None
    partner: int | None = None
    opponents: Party | None = None
    scored: int | None = None
    conceded: tuple[int, ...] = ()
    slams: int = 0
    worth: int | None = None
    most: int | None = None


def make_card(
    number: int, rounds: Sequence[PlayedRound], scoring: Scoring, boards_of: BoardsOf | None = None
) -> tuple[CardLine, ...]:
    """Return the card of a number, a line for each round that was drawn."""
    worths = {
        (scored.round, scored.table.number): (scored.scores, scored.most)
        for scored in scored_tables(rounds, scoring, boards_of)
    }
    lines = []
    for played in rounds:
        at = next((table for table in played.tables if any(number in pair for pair in table.pairs)), None)
        if at is None:
            lines.append(CardLine(played.number, SAT_OUT if number in played.sits_out else ABSENT))
        else:
            line = _seated(played.number, at, number)
            if at.result is not None:
                scores, most = worths[played.number, at.number]
                line = line._replace(worth=scores[_find_party(at, number)], most=most)
            lines.append(line)
    return tuple(lines)


def _seated(round_number: int, table: PlayedTable, number: int) -> CardLine:
    side = 0 if number in table.pairs[0] else 1
    place, party = table.pairs[side].index(number), _find_party(table, number)
    partner = None if table.plays_alone else table.pairs[side][1 - place]
    opponents = tuple(who for each in _without(table.parties, party) for who in each)
    kind = UNPLAYED if table.is_unplayed else NO_RESULT
    line = CardLine(round_number, kind, table.number, side, place, partner, opponents)
    if table.result is None:
        return line
    scores, slams, _ = table.result
    return line._replace(kind=PLAYED, scored=scores[party], conceded=_without(scores, party), slams=slams[party])


def _find_party(table: PlayedTable, number: int) -> int:
    """Return which of the parties at a table somebody is in."""
    return next(at for at, party in enumerate(table.parties) if number in party)


def _without(values: tuple[T, ...], at: int) -> tuple[T, ...]:
    return values[:at] + values[at + 1 :]
