"""An immutable replay of a table's revisions, which later revisions extend without scoring the earlier deals again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..games import games
from ..models import Table
from ..scoring import schema
from ..scoring.game import AnyGame, fold, stop
from ..scoring.problems import Refusal
from ..scoring.standing import AnyStanding, RowName, name_rows
from .revisions import CLOSE, REOPEN, RecordedDeal, RevisionRow, apply_revisions
from .seating import everybody_seated, find_row_kind, in_labels


class IllegalDealError(ValueError):
    """The revisions contain a deal that breaks the rules. `deal` is its id, `refusal` says what is wrong."""

    def __init__(self, refusal: Refusal, deal: int) -> None:
        super().__init__(str(refusal))
        self.refusal, self.deal = refusal, deal


class MissingGameError(LookupError):
    """The game of this table is not installed, so that only its facts are known."""

    def __init__(self, table: Table) -> None:
        super().__init__(table.game)
        self.table = table


@dataclass(frozen=True, slots=True)
class Replay:
    """The result of replaying a table's revisions. Immutable, so threads may share it.

    The deals name chairs, the standings the labels of people: see seating.py.

    Attributes:
        initial: the standing before the first deal.
        played: the standing after all deals that are not withdrawn.
        deals: every deal in order, withdrawn ones included.
        stopped: `played` with what is paid because the table is closed; None while it is open.
    """

    game: AnyGame
    initial: AnyStanding
    played: AnyStanding
    revisions: Sequence[RevisionRow] = ()
    deals: Sequence[RecordedDeal] = ()
    stopped: AnyStanding | None = None

    @property
    def standing(self) -> AnyStanding:
        """The standing after all revisions."""
        return self.played if self.stopped is None else self.stopped

    @property
    def chairs(self) -> tuple[str, ...]:
        """The chairs, which are the labels of those who sat there first."""
        return self.initial.players

    @property
    def beginning(self) -> Replay:
        """The replay before the first revision."""
        return Replay(self.game, self.initial, self.initial)

    def find_standings(self) -> dict[int, AnyStanding]:
        """Return the standing in which each deal was played, by its id."""
        standing, found = self.initial.copy(), {}
        for deal in self.deals:
            found[deal.id] = standing.copy()
            if deal.body is not None:
                fold(self.game, standing, in_labels(self.game, standing, self.chairs, [deal.body]))
        return found

    def extended(self, revisions: Iterable[RevisionRow]) -> Replay:
        """Return the replay with further revisions. Only appended deals are scored, unless an earlier deal changed.

        Raises:
            IllegalDealError: a deal breaks the rules after these revisions.
        """
        added = list(revisions)
        if not added:
            return self
        deals, unchanged = apply_revisions(added, self.deals)
        only_appends = unchanged == len(self.deals)
        standing, pending = (self.played, deals[unchanged:]) if only_appends else (self.initial, deals)
        to_score = [deal for deal in pending if deal.body is not None]
        if to_score or not only_appends:
            standing = standing.copy()
        scored = len(standing.rows)
        bodies = (deal.body for deal in to_score if deal.body is not None)
        refusal = fold(self.game, standing, in_labels(self.game, standing, self.chairs, bodies))
        if refusal is not None:
            raise IllegalDealError(refusal, to_score[len(standing.rows) - scored].id)
        stopped = stop(self.game, standing) if self._is_closed_after(added) else None
        return Replay(self.game, self.initial, standing, [*self.revisions, *added], deals, stopped)

    def _is_closed_after(self, added: Sequence[RevisionRow]) -> bool:
        kinds = [revision.kind for revision in added if revision.kind in (CLOSE, REOPEN)]
        return kinds[-1] == CLOSE if kinds else self.stopped is not None


def empty_replay(table: Table) -> Replay:
    """Return the replay before the first revision.

    Raises:
        MissingGameError: the table's game is not installed.
    """
    game = games().get(table.game)
    if game is None:
        raise MissingGameError(table)
    seats = game.seats(tuple(seat.seat for seat in table.seats if not seat.is_substitute))
    options = schema.load(game.options, table.house_rules, seats, [])
    game = game.under(options, len(seats.players))
    standing = game.open(seats.players, table.dealer, options)
    return Replay(game, standing, standing)


def name_stored_rows(table: Table, deals: Iterable[RecordedDeal]) -> list[RowName]:
    """Return what people call each deal of a table that is not withdrawn, without scoring them."""
    replay = empty_replay(table)
    bodies = [deal.body for deal in deals if deal.body is not None]
    labels = tuple(everybody_seated(replay.chairs, bodies))
    return [*name_rows(bodies, lambda body: find_row_kind(replay.game, body, labels))]
