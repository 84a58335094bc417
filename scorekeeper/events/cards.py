"""A card: what one number did in each round of an event, as the card that people carry in a drive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from .drawing import PlayedRound, PlayedTable
from .schedule import Party
from .scoring import Scoring
from .standings import BoardsOf, scored_tables

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
