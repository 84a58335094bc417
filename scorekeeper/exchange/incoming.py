"""A sheet of somebody else's, read as strictly as one of ours is written, and played through before it is kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..games import games
from ..history import RECORD
from ..scoring import record, sheet
from ..scoring.game import fold
from ..scoring.remarks import Refusal, Remark, first_twice, refuse
from ..scoring.sheet import Sheet
from ..scoring.values import one_line
from ..store import Player, Revision, Seat, Table
from ..table import named
from .reading import read

MOST_DEALS = 5_000  # of a sheet
MOST_IN_NAME = 40  # letters of a player's name, as at a table of ours
MOST_IN_TEXT = 200  # letters of a title, or of an adjustment's reason


class Incoming(NamedTuple):
    """A sheet that stands, and its players in order of turn as we would call them."""

    sheet: Sheet
    names: tuple[str, ...]


def read_sheet(text: bytes) -> Incoming | Refusal:
    """The sheet in a document, folded fully; or what is wrong with it."""
    raw = read(text)
    told = raw if isinstance(raw, Refusal) else sheet.load(raw, games())
    if isinstance(told, Refusal):
        return told
    names = tuple(map(one_line, told.players))
    faults = [*_faults(told, names)]
    refusal = refuse(None, faults) if faults else _wordy_deal(told) or fold(told.game, told.open(), told.deals)
    return refusal or Incoming(told, names)


def _faults(told: Sheet, names: tuple[str, ...]) -> Iterator[Remark]:
    twice = first_twice(names)
    if not all(names):
        yield Remark("players", "blank-name")
    elif twice is not None:
        yield Remark("players", "same-name", {"found": twice})
    if any(len(name) > MOST_IN_NAME for name in names):
        yield Remark("players", "long-name", {"most": MOST_IN_NAME})
    yield from _text_faults("title", told.title)
    if len(told.deals) > MOST_DEALS:
        yield Remark("deals", "too-many-deals", {"found": len(told.deals), "most": MOST_DEALS})


def _wordy_deal(told: Sheet) -> Refusal | None:
    for number, deal in enumerate(told.deals, start=1):
        agreed = deal.get("adjustment") if isinstance(deal, dict) else None
        reason = agreed.get("reason") if isinstance(agreed, dict) else None
        faults = [*_text_faults("adjustment.reason", reason)]
        if faults:
            return refuse(number, faults)
    return None


def _text_faults(field: str, text: Any) -> Iterator[Remark]:
    if not isinstance(text, str):
        return
    if len(text) > MOST_IN_TEXT:
        yield Remark(field, "long-text", {"most": MOST_IN_TEXT})
    if "\0" in text:  # which not every database keeps
        yield Remark(field, "text", {"found": "U+0000"})


def as_table(incoming: Incoming, players: Sequence[Player]) -> tuple[Table, list[Revision]]:
    """What keeps a sheet: a table with these players at it, and a revision for each deal; no session has them yet."""
    told, value = incoming.sheet, incoming.sheet.value
    seats = {name: str(number) for number, name in enumerate(told.players, start=1)}
    table = Table(
        game=told.game.slug,
        house_rules=record.dump(told.options),
        dealer=seats[told.dealer],
        value_currency=value and value.currency,
        value_unit=value and value.unit,
        value_amount=value and str(value.amount),
        title=told.title,
        played_on=told.played_on,
    )
    table.seats = [Seat(seat=seat, player=player) for seat, player in zip(seats.values(), players, strict=True)]
    bodies = (named(told.game, deal, seats) for deal in told.deals)
    return table, [Revision(number=n, kind=RECORD, deal=n, body=body) for n, body in enumerate(bodies, start=1)]
