"""Substitutions: from the next deal on, another person takes a player's seat, in every game alike."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from . import schema
from .problems import Problem
from .schema import list_fields
from .standing import SUBSTITUTION, AnyStanding, Row
from .values import INVALID, Newcomer, Party, Player, Seats

_Names = Mapping[Any, Mapping[str, str]]  # the new names, by annotation


def rename(record: Any, names: Mapping[str, str], sides: Iterable[str] = ()) -> Any:
    """Return a copy of a dataclass with its players renamed. Sides and other strings stay unchanged.

    A `Party` that is one of `sides` is that side, even if a player has its name.
    """
    parties = {name: renamed for name, renamed in names.items() if name not in sides}
    return _rename(type(record), record, {Player: names, Newcomer: names, Party: parties})


def _rename(annotation: Any, value: Any, names: _Names) -> Any:
    if annotation in names:
        return names[annotation].get(value, value)  # a Party may be a side, which has no other name
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is dict:
        return {_rename(arguments[0], k, names): _rename(arguments[1], v, names) for k, v in value.items()}
    if origin is tuple:
        return tuple(_rename(arguments[0], item, names) for item in value)
    if origin in (Union, UnionType) and value is not None:
        return _rename_in_union(arguments, value, names)
    if dataclasses.is_dataclass(annotation):
        renamed = {f: _rename(a, getattr(value, f), names) for f, a, _ in list_fields(annotation)}  # type: ignore[arg-type]  # a class
        return dataclasses.replace(value, **renamed)
    if hasattr(annotation, "_fields"):
        hints = get_type_hints(annotation, include_extras=True)
        return annotation(*(_rename(hints[f], getattr(value, f), names) for f in annotation._fields))
    return value


def _rename_in_union(annotations: tuple[Any, ...], value: Any, names: _Names) -> Any:
    for named in (Player, Party):
        if named in annotations:
            return names[named].get(value, value)
    for annotation in annotations:
        kind = get_origin(annotation) or annotation
        if isinstance(kind, type) and kind is not str and isinstance(value, kind):
            return _rename(annotation, value, names)
    return value


@dataclass(frozen=True)
class Substitution:
    """`in_` takes the seat of `out`, with its points, its partner and its turn to deal."""

    out: Player
    in_: Newcomer


@dataclass(frozen=True)
class SeatChange:
    """A substitution as it stands in the sheet's list of deals: `{"substitution": {…}}`. It passes no deal."""

    substitution: Substitution


def read_seat_change(raw: Any, seats: Seats, problems: list[Problem]) -> Any:
    """Read a substitution. The newcomer must not be seated; the player who leaves must be."""
    fact = schema.reader_for(SeatChange)(raw, seats, problems)
    newcomer = raw["substitution"].get("in") if type(raw["substitution"]) is dict else None
    if newcomer not in seats.players:
        return fact
    problems.append(Problem("substitution.in", "already-seated", {"party": newcomer}))
    return INVALID


def seated_after(players: tuple[str, ...], raw: Any) -> tuple[str, ...]:
    """Return who sits after a substitution in plain JSON, which may be invalid and then changes nothing."""
    out, in_ = (raw.get("out"), raw.get("in")) if type(raw) is dict else (None, None)
    return tuple(in_ if player == out else player for player in players) if type(in_) is str else players


def change_seats(standing: AnyStanding, fact: SeatChange, worth_of: Callable[[str], int] | None) -> None:
    """Seat the newcomer, and add the row, which scores and closes nothing.

    `worth_of` is what one of a unit is worth where scores are payments: a newcomer's score is then their own balance.
    """
    newcomer = fact.substitution.in_
    standing.substitute(fact.substitution.out, newcomer)
    if worth_of is not None:
        counters = standing.balances[newcomer].items()
        standing.scores[newcomer] = sum(count * worth_of(unit) for unit, count in counters)
    number, scored = len(standing.rows) + 1, dict.fromkeys(standing.parties, 0)
    players, deals = standing.players, standing.deal_count
    row = Row(number, standing.dealer, fact, scored, standing.scores.copy(), [], (), players, SUBSTITUTION, deals)
    standing.rows.append(row)
