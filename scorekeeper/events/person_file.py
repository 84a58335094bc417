"""What the file of everything about a person says of events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..files.exports import Item
from ..models import Event
from .reading import DIRECTIONS, SEATS, EventState, read
from .standings import CardLine, make_card, rounded


def read_card(event: Event, number: int) -> Item:
    """Return the place of a number in an event's standings, and what it did in each round."""
    state = read(event)
    row = next(row for row in state.standings if number in row.numbers)
    place = {"rank": row.rank, "of": len(state.standings), "score": rounded(row.score)} if row.is_ranked else {}
    lines = make_card(number, state.rounds, state.scoring, state.board_sets)
    return place | {"rounds": [_round(state, line) for line in lines]}


def _round(state: EventState, line: CardLine) -> Item:
    conceded = line.conceded[0] if len(line.conceded) == 1 else [*line.conceded] or None
    found: Item = {"round": line.round, "kind": line.kind, "table": line.table}
    found |= {"scored": line.scored, "conceded": conceded, "worth": line.worth}
    others = [*([line.partner] if line.partner is not None else ()), *(line.opponents or ())]
    found["players"] = [state.name_of(each, line.round) for each in others] or None
    return {key: value for key, value in found.items() if value is not None}


def name_side(side: int, body: Mapping[str, Any] | None) -> str | int:
    """Return a side of a result; where everybody plays alone, a seat."""
    return DIRECTIONS[side] if body and len(body["scores"]) == SEATS else side
