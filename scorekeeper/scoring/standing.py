"""How a sheet stands: the rows so far, the scores, the balances, and what has been closed."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Self

from .ledger import FICHES, Entry
from .sides import SIDES

MANCHE, ROBRE, PARTIE = "manche", "robre", "partie"


@dataclass(frozen=True, slots=True)
class Closing:
    """What a deal has brought to its end: a manche, a robre or the partie.

    `figures` are the keys that the statement adds to `deal` and `winner`; `entries` what is paid for it.
    """

    kind: str
    winner: str
    figures: Mapping[str, Any] = field(default_factory=dict)
    entries: tuple[Entry, ...] = ()


@dataclass(slots=True)
class Row:
    """One deal as it was scored: `scored` in this deal alone, `scores` after it, before an ended manche was cleared."""

    number: int
    dealer: str
    fact: Any  # the game's own Deal, a Misdeal or Agreed
    scored: dict[str, int]
    scores: dict[str, int]
    entries: list[Entry]
    closings: tuple[Closing, ...] = ()


@dataclass(slots=True)
class Standing:
    """A sheet so far. `fold` alone makes and advances one; a game adds the fields that only it carries forward,
    puts new values in place of old ones in them, and alters none, since copies share them.

    `parties` are those who score points: the two sides, or the players. `balances` are counters by player and
    unit, up or down since the sheet began; what lies in the pot is nobody's.
    """

    players: tuple[str, ...]
    parties: tuple[str, ...]
    options: Any
    clockwise: bool
    dealer: str
    scores: dict[str, int]
    balances: dict[str, dict[str, int]]
    rows: list[Row] = field(default_factory=list)
    winner: str | None = None
    manches: int = 0  # that have ended
    _after: dict[str, str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._after = dict(zip(self.players, self.players[1:] + self.players[:1], strict=True))

    def copy(self) -> Self:
        """One that `fold` can advance by itself."""
        own = copy(self)
        own.rows, own.scores = self.rows.copy(), self.scores.copy()
        own.balances = {player: held.copy() for player, held in self.balances.items()}
        return own

    def next_player(self, player: str) -> str:
        """Who plays, and deals, after this player."""
        return self._after[player]

    def left_of(self, player: str) -> str:
        """Who sits at this player's left hand: the next where play runs clockwise, else the one before."""
        step = 1 if self.clockwise else -1
        return self.players[(self.players.index(player) + step) % len(self.players)]

    def others(self, player: str) -> list[str]:
        """The other players in order of turn, from the one after this player."""
        at = self.players.index(player)
        return [*self.players[at + 1 :], *self.players[:at]]

    def side_of(self, player: str) -> str:
        return SIDES[self.players.index(player) % 2]

    def partners(self, side: str) -> tuple[str, ...]:
        return self.players[SIDES.index(side) :: 2]

    def closed(self, kind: str) -> list[dict[str, Any]]:
        """Every manche (or robre) that has ended, as the statement tells of it."""
        return [
            {"deal": row.number, "winner": closing.winner, **closing.figures}
            for row in self.rows
            for closing in row.closings
            if closing.kind == kind
        ]

    @property
    def is_finished(self) -> bool:
        return self.winner is not None


def paid_from_the_left(standing: Standing, side: str, fiches: int, reason: str) -> tuple[Entry, ...]:
    """The custom of Whist: each winner is paid by the player at his left hand."""
    return tuple(Entry(standing.left_of(player), player, fiches, FICHES, reason) for player in standing.partners(side))
