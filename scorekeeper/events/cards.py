"""A card: what one number did in each round of an event, as the card that people carry in a drive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .drawing import PlayedRound, PlayedTable
from .schedule import Pair
from .scoring import Scoring
from .standings import BoardsOf, scored_tables

PLAYED, NO_RESULT, SAT_OUT, ABSENT = "played", "no-result", "sat-out", "absent"


class CardLine(NamedTuple):
    """A round of one number.

    Attributes:
        kind: what became of it: one of the constants of this module. Without a table all that follows is None.
        table, side, place: where; side 0 is North–South, place 0 the first of the pair (North or East).
        scored, conceded: what the own pair scored, and the opponents.
        worth: what counts for the own pair; most: what could count, 0 without a limit.
    """

    round: int
    kind: str
    table: int | None = None
    side: int | None = None
    place: int | None = None
    partner: int | None = None
    opponents: Pair | None = None
    scored: int | None = None
    conceded: int | None = None
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
                line = line._replace(worth=scores[line.side or 0], most=most)
            lines.append(line)
    return tuple(lines)


def _seated(round_number: int, table: PlayedTable, number: int) -> CardLine:
    side = 0 if number in table.pairs[0] else 1
    own, opponents = table.pairs[side], table.pairs[1 - side]
    place = own.index(number)
    line = CardLine(round_number, NO_RESULT, table.number, side, place, own[1 - place], opponents)
    if table.result is None:
        return line
    scores, slams, _ = table.result
    return line._replace(kind=PLAYED, scored=scores[side], conceded=scores[1 - side], slams=slams[side])
