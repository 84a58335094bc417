"""An event's standings and results as rows of spreadsheets, in the reader's words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from ...events.scoring import DIRECT, IN_PARTIES, IN_POINTS, POINTS, TRICKS
from ...events.standings import StandingRow, rounded, scored_tables
from ...exchange.spreadsheets import Cells
from ...models import Event
from ...scoring.standing import SIDES
from ...services.events.reading import DEALS, DIRECTIONS, EventState
from ...services.events.results import results_in
from ..support.language import t

PERCENT_PLACES = 2


class ResultRows(NamedTuple):
    """The headings and rows of a spreadsheet."""

    headings: list[str]
    rows: Iterator[Cells]


def compute_percent(share: Fraction) -> Decimal:
    """Return a share in percent, rounded to two decimal places, half to even."""
    return Decimal(round(share * 100 * 10**PERCENT_PLACES)).scaleb(-PERCENT_PLACES)


def heading(state: EventState, column: str) -> str:
    """Return the heading of a column of the results, a scoring or a tie-break, in what the game counts."""
    is_in_points = results_in(state.event) == IN_POINTS
    if (column == POINTS and not is_in_points) or (column == TRICKS and is_in_points):
        return results_noun(state.event)
    return t(f"event-results.column.{column}")


def results_noun(event: Event) -> str:
    """Return what the results of an event are numbers of: tricks, points, games or deals won."""
    counted_in = results_in(event)
    return t(f"event-table.{DEALS if counted_in == IN_PARTIES and event.round_unit == DEALS else counted_in}")


def standings(state: EventState) -> ResultRows:
    """Return a row for each rank, and each who has it."""
    tie_breaks = [slug for slug in state.scoring.tie_breaks if slug not in (DIRECT, "slams")]
    columns = ("rank", *_names_of_unit(state), "group", state.scoring.slug)
    after = ("rounds", "sat-out", "slams")
    keys = [*columns, *(["percent"] if state.scoring.is_share else []), *tie_breaks, *after]
    rows = (_standing(state, row, tie_breaks) for row in state.standings)
    return ResultRows([heading(state, key) for key in keys], rows)


def _names_of_unit(state: EventState) -> tuple[str, ...]:
    return ("numbers", "name") if state.format.members == 1 else ("numbers", "names")


def _standing(state: EventState, row: StandingRow, tie_breaks: list[str]) -> Cells:
    share: Cells = [compute_percent(row.share) if row.share is not None else None] if state.scoring.is_share else []
    return [
        row.rank,
        row.numbers[0] if len(row.numbers) == 1 else " ".join(map(str, row.numbers)),
        ", ".join(state.entrants[each].name for each in row.numbers),
        t(f"event-results.group.{row.group}") if row.group else "",
        rounded(row.score),
        *share,
        *(row.tie_breaks[slug] for slug in tie_breaks),
        *(row.played, row.sat_out, row.slams),
    ]


_PLACES = ("north", "south", "east", "west")  # as pairs list them
_KINDS = ("score", "worth", "slams")  # the numbers of each party; where everybody plays alone, there are no slams


def tables(state: EventState) -> ResultRows:
    """Return a row for each table of each round: who sat there, the result, and what it was worth."""
    places, kinds = (DIRECTIONS, _KINDS[:-1]) if state.plays_alone else (_PLACES, _KINDS)
    headings = [t(f"event-results.column.{key}") for key in ("round", "table", *places)]
    headings += [_heading_of_party(state, kind, side) for kind in kinds for side in state.sides]
    return ResultRows([*headings, t("event-results.column.is-confirmed")], _tables(state, kinds))


def _heading_of_party(state: EventState, kind: str, side: int) -> str:
    """Return the heading of a column with numbers of one of the parties."""
    if state.plays_alone:
        return t(f"event-results.column.{kind}-of", name=t(f"event-results.column.{DIRECTIONS[side]}"))
    return t(f"event-results.column.{kind}-{SIDES[side]}")


def _tables(state: EventState, kinds: Sequence[str]) -> Iterator[Cells]:
    worths = {
        (scored.round, scored.table.number): scored
        for scored in scored_tables(state.rounds, state.scoring, state.boards_of)
    }
    for place, row in state.tables.items():
        names = [state.name_of(each, row.round) for party in state.parties_of(row) for each in party]
        scored = worths.get(place)
        cells: Cells = [row.round, row.number, *names]
        if scored is None:
            yield [*cells, *[None] * len(kinds) * len(state.sides), ""]
        else:
            numbers = {"score": scored.result.scores, "worth": scored.scores, "slams": scored.result.slams}
            confirmed = t("yes" if row.is_confirmed else "no")
            yield [*cells, *(number for kind in kinds for number in numbers[kind]), confirmed]
