"""A card: what one number did in each round of an event, as the card that people carry in a drive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .drawing import Boards, Party, PlayedRound
from .formats import Format
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
    first = rounds[0]
    present = {each for table in first.tables for pair in table.pairs for each in pair} | set(first.sits_out)
    numbers = sorted(number for number in present if number + (1 if number % 2 else -1) in present)  # whole pairs
    schedule = format_.build(len(numbers), len(rounds))
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
    """Return the numbers of the `length` boards of a set."""
    return range(boards * length + 1, (boards + 1) * length + 1)


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
    worths = {(each.round, each.table.number): each for each in scored_tables(rounds, scoring, boards_of)}
    lines = []
    for played in rounds:
        table = next((table for table in played.tables if any(number in pair for pair in table.pairs)), None)
        if table is None:
            lines.append(CardLine(played.number, SAT_OUT if number in played.sits_out else ABSENT))
            continue
        side = int(number in table.pairs[1])
        place = table.pairs[side].index(number)
        at = next(at for at, party in enumerate(table.parties) if number in party)
        partner = None if table.plays_alone else table.pairs[side][1 - place]
        opponents = tuple(who for party in table.parties for who in party if number not in party)
        kind = UNPLAYED if table.is_unplayed else NO_RESULT
        line = CardLine(played.number, kind, table.number, side, place, partner, opponents)
        if table.result is not None:
            scores, worth = table.result.scores, worths[played.number, table.number]
            line = line._replace(kind=PLAYED, scored=scores[at], conceded=scores[:at] + scores[at + 1 :])
            line = line._replace(slams=table.result.slams[at], worth=worth.scores[at], most=worth.most)
        lines.append(line)
    return tuple(lines)
