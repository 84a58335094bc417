"""Opening a table: who sits where, who deals first, what is played for and by which house rules."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..games import games
from ..scoring import record, sheet
from ..scoring.game import Game
from ..scoring.remarks import Refusal, Remark, first_twice, refuse
from ..scoring.sheet import Sheet
from ..store import Circle, Seat, Table, db
from ..table import Open, evening_of
from . import summaries
from .commits import committed, now
from .people import MOST_LETTERS, players_called

RULES_VERSION = 1  # of the rules in games/; a table remembers the one it was opened under


@dataclass(frozen=True)
class Opening:
    """What is told of a table before the first deal; names in order of turn, `dealer` one of them."""

    game: Game
    names: tuple[str, ...]
    dealer: str
    house_rules: Mapping[str, Any]
    value: Mapping[str, str] | None = None

    def checked(self) -> Sheet | Refusal:
        raw: dict[str, Any] = {
            "format": sheet.FORMAT,
            "game": self.game.slug,
            "players": list(self.names),
            "dealer": self.dealer,
            "house_rules": dict(self.house_rules),
            "deals": [],
        }
        if self.value is not None:
            raw["value"] = dict(self.value)
        if any(len(name) > MOST_LETTERS for name in self.names):
            return refuse(None, [Remark("players", "long-name", {"most": MOST_LETTERS})])
        return sheet.load(raw, games())


def open_table(circle: Circle, opening: Opening) -> Table | Refusal:
    checked = opening.checked()
    if isinstance(checked, Refusal):
        return checked
    players = players_called(circle, opening.names)
    twice = first_twice(player.name for player in players)
    if twice is not None:
        return refuse(None, [Remark("players", "same-person", {"found": twice})])
    return committed(lambda: _new_table(circle, opening, checked))


def _new_table(circle: Circle, opening: Opening, checked: Sheet) -> Table:
    value, moment = checked.value, now()
    players, evening = players_called(circle, opening.names), evening_of(moment)
    table = Table(
        token=secrets.token_urlsafe(16),
        circle_id=circle.id,
        game=opening.game.slug,
        rules_version=RULES_VERSION,
        house_rules=record.dump(checked.options),
        dealer=str(opening.names.index(opening.dealer) + 1),
        value_currency=value and value.currency,
        value_unit=value and value.unit,
        value_amount=value and str(value.amount),
        played_on=evening,
        day=evening,
        opened_at=moment,
    )
    for number, player in enumerate(players, start=1):
        table.seats.append(Seat(seat=str(number), player=player))
    db.session.add(table)
    db.session.flush()
    summaries.keep(Open(table, []))
    return table
