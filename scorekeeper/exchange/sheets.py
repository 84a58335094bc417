"""Read uploaded score sheets. Every deal is checked against the rules before anything is stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..games import games
from ..models import Player, Revision, Seat, Table
from ..scoring import schema, sheet
from ..scoring.game import fold
from ..scoring.problems import Problem, Refusal, first_duplicate, refuse
from ..scoring.sheet import Sheet
from ..scoring.values import clean_name
from ..tables.revisions import RECORD
from ..tables.state import rename_players
from .json_documents import read

MAX_DEALS = 5_000  # of a sheet
MAX_NAME_LENGTH = 40  # letters of a player's name, as at a table of ours
MAX_TEXT_LENGTH = 200  # letters of a title, or of an adjustment's reason


class ImportedSheet(NamedTuple):
    """A valid sheet, and its players' cleaned names in order of turn."""

    sheet: Sheet
    names: tuple[str, ...]


def read_sheet(text: bytes) -> ImportedSheet | Refusal:
    """Return the sheet in a document after scoring all its deals, or a refusal that says what is wrong."""
    raw = read(text)
    told = raw if isinstance(raw, Refusal) else sheet.load(raw, games())
    if isinstance(told, Refusal):
        return told
    names = tuple(map(clean_name, told.players))
    faults = [*_faults(told, names)]
    refusal = refuse(None, faults) if faults else _wordy_deal(told) or fold(told.game, told.open(), told.deals)
    return refusal or ImportedSheet(told, names)


def _faults(told: Sheet, names: tuple[str, ...]) -> Iterator[Problem]:
    twice = first_duplicate(names)
    if not all(names):
        yield Problem("players", "blank-name")
    elif twice is not None:
        yield Problem("players", "same-name", {"found": twice})
    if any(len(name) > MAX_NAME_LENGTH for name in names):
        yield Problem("players", "long-name", {"most": MAX_NAME_LENGTH})
    yield from _text_faults("title", told.title)
    if len(told.deals) > MAX_DEALS:
        yield Problem("deals", "too-many-deals", {"found": len(told.deals), "most": MAX_DEALS})


def _wordy_deal(told: Sheet) -> Refusal | None:
    for number, deal in enumerate(told.deals, start=1):
        agreed = deal.get("adjustment") if isinstance(deal, dict) else None
        reason = agreed.get("reason") if isinstance(agreed, dict) else None
        faults = [*_text_faults("adjustment.reason", reason)]
        if faults:
            return refuse(number, faults)
    return None


def _text_faults(field: str, text: Any) -> Iterator[Problem]:
    if not isinstance(text, str):
        return
    if len(text) > MAX_TEXT_LENGTH:
        yield Problem(field, "long-text", {"most": MAX_TEXT_LENGTH})
    if "\0" in text:  # which not every database keeps
        yield Problem(field, "text", {"found": "U+0000"})


def as_table(incoming: ImportedSheet, players: Sequence[Player]) -> tuple[Table, list[Revision]]:
    """What keeps a sheet: a table with these players at it, and a revision for each deal; no session has them yet."""
    told, value = incoming.sheet, incoming.sheet.value
    seats = {name: str(number) for number, name in enumerate(told.players, start=1)}
    table = Table(
        game=told.game.slug,
        house_rules=schema.dump(told.options),
        dealer=seats[told.dealer],
        value_currency=value and value.currency,
        value_unit=value and value.unit,
        value_amount=value and str(value.amount),
        title=told.title,
        played_on=told.played_on,
    )
    table.seats = [Seat(seat=seat, player=player) for seat, player in zip(seats.values(), players, strict=True)]
    bodies = (rename_players(told.game, deal, seats) for deal in told.deals)
    return table, [Revision(number=n, kind=RECORD, deal=n, body=body) for n, body in enumerate(bodies, start=1)]
