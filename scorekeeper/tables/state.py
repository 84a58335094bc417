"""The current state of a table, replayed from its revisions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from ..games import games
from ..models import Player, Table
from ..scoring import schema
from ..scoring.game import AnyGame, fold, stop
from ..scoring.problems import Refusal
from ..scoring.sheet import Sheet
from ..scoring.standing import SUBSTITUTION, AnyStanding, Row, TableResult
from ..scoring.values import Facts, JsonObject, Value
from .chairs import read_fact, rename_players, to_labels
from .revisions import (
    CLOSE,
    REOPEN,
    RecordedDeal,
    RevisionRow,
    apply_revisions,
    count_seen,
    find_announcement,
    find_last_seen,
)


class IllegalDealError(ValueError):
    """The revisions contain a deal that breaks the rules; `refusal` says what is wrong."""

    def __init__(self, refusal: Refusal, deal_id: int) -> None:
        super().__init__(f"deal {deal_id}: {refusal}")
        self.refusal = refusal
        self.deal_id = deal_id


class MissingGameError(LookupError):
    def __init__(self, table: Table) -> None:
        super().__init__(table.game)
        self.table = table


@dataclass(frozen=True, slots=True)
class Replay:
    """The result of replaying a table's revisions. Immutable, so threads may share it.

    The deals name chairs, the standings the labels of people.
    """

    game: AnyGame  # under the house rules of the next deal
    initial: AnyStanding  # the standing before the first deal
    played: AnyStanding  # the standing after all deals that are not withdrawn
    revisions: Sequence[RevisionRow] = ()
    deals: Sequence[RecordedDeal] = ()  # every deal in order, withdrawn ones included
    stopped: AnyStanding | None = None  # `played` with what is paid because the table is closed; None while it is open

    @property
    def standing(self) -> AnyStanding:
        return self.stopped or self.played

    def extended(self, revisions: Iterable[RevisionRow]) -> Replay:
        """Return the replay with further revisions, of which only new deals are scored; raises IllegalDealError."""
        added = list(revisions)
        if not added:
            return self
        deals, unchanged = apply_revisions(added, self.deals)
        only_appends = unchanged == len(self.deals)
        played = self._score(self.played, deals[unchanged:]) if only_appends else self._score(self.initial, deals)
        closed = [revision.kind == CLOSE for revision in added if revision.kind in (CLOSE, REOPEN)]
        is_closed = closed[-1] if closed else self.stopped is not None
        game = self.game if played.options is self.played.options else _find_game(self.game, played)
        stopped = stop(game, played) if is_closed else None
        return Replay(game, self.initial, played, [*self.revisions, *added], deals, stopped)

    def _score(self, before: AnyStanding, deals: Iterable[RecordedDeal]) -> AnyStanding:
        """Return the standing after these deals; raises IllegalDealError."""
        standing = before.copy()
        for deal in deals:
            if deal.body is None:
                continue
            facts = to_labels(self.game, deal.body, self.initial.players, standing.players)
            refusal = fold(self.game, standing, [facts])
            if refusal is not None:
                raise IllegalDealError(refusal, deal.id)
        return standing


def _find_game(game: AnyGame, standing: AnyStanding) -> AnyGame:
    return games()[game.slug].under(standing.options, len(standing.players))


def empty_replay(table: Table) -> Replay:
    """Return the replay before the first revision; raises MissingGameError."""
    game = games().get(table.game)
    if game is None:
        raise MissingGameError(table)
    seats = game.seats(tuple(seat.label for seat in table.seats if not seat.is_substitute))
    options = schema.load(game.options, table.house_rules, seats, [])
    game = game.under(options, len(seats.players))
    standing = game.open(seats.players, table.dealer, options, read_opening_value(table))
    return Replay(game, standing, standing)


@dataclass(frozen=True)
class ScoredDeal:
    deal: RecordedDeal
    row: Row | None  # None while the deal is withdrawn


class TableState:
    """The current state of a table: its `standing` is that after closing the table, if it is closed.

    `version` is the number of revisions; `everybody` are the labels of all who have sat, in the order in which they
    first did. Chairs, in order of turn, are also the labels of those who sat there first.
    """

    def __init__(self, table: Table, revisions: Iterable[RevisionRow] = (), replay: Replay | None = None) -> None:
        """Replay the revisions after those of `replay`; raises IllegalDealError."""
        self.stored = table
        # Copied, so that they can be read after the transaction has ended.
        self.id = table.id
        self.circle_id = table.circle_id
        self.token = table.token
        self.replay = replay = (replay or empty_replay(table)).extended(revisions)
        self.game = replay.game
        self.standing = replay.standing
        self.chairs = replay.initial.players
        self.revisions = replay.revisions
        self.deals = replay.deals
        self.version = len(replay.revisions)
        self.everybody = tuple(self.standing.balances)
        self.is_closed = replay.stopped is not None

    def with_revision(self, *revisions: RevisionRow) -> TableState:
        """Return the table with further revisions; raises IllegalDealError. This state does not change."""
        return TableState(self.stored, revisions, self.replay)

    @property
    def seen(self) -> str:
        """How a page that shows this table names its last revision."""
        return find_last_seen(self.revisions)

    @property
    def takes_deals(self) -> bool:
        return not (self.is_closed or self.standing.is_finished)

    @property
    def takes_adjustments(self) -> bool:
        """Whether an adjustment can be recorded: after the end of the game, only a payment that changes no score."""
        return self.takes_deals or (not self.is_closed and self.game.shows_balances)

    @cached_property
    def persons(self) -> dict[str, Player]:
        """The people by label: of a merged player, the person."""
        return {seat.label: seat.player.person for seat in self.stored.seats}

    @cached_property
    def names(self) -> dict[str, str]:
        return {seat.label: seat.player.person.name for seat in self.stored.seats}

    @cached_property
    def values(self) -> list[Value]:
        """The values with which counters were paid, and that of the next deal, each once."""
        paid = (row.value for row in self.standing.rows if any(entry.is_payment for entry in row.entries))
        return [value for value in dict.fromkeys([*paid, self.standing.value]) if value is not None]

    @property
    def result(self) -> TableResult:
        """The amounts owed to each player: nothing at a table without stakes, whatever the balances are."""
        result = self.game.add_up(self.standing)
        return result if self.stored.has_stakes else result._replace(subunits=dict.fromkeys(result.subunits, 0))

    @cached_property
    def announced(self) -> JsonObject | None:
        """Facts announced for the deal being played; None without an announcement, or once play has ended."""
        facts = find_announcement(self.revisions) if self.takes_deals else None
        return facts and to_labels(self.game, facts, self.chairs, self.standing.players)

    @cached_property
    def _standings_before(self) -> dict[int, AnyStanding]:
        """The standing before each deal, withdrawn ones included, by the deal's id."""
        standing = self.replay.initial.copy()
        found = {}
        for deal in self.deals:
            found[deal.id] = standing.copy()
            if deal.body is not None:
                fold(self.game, standing, [to_labels(self.game, deal.body, self.chairs, standing.players)])
        return found

    def standing_before(self, deal_id: int | None) -> AnyStanding:
        """Return the standing in which a deal was played; as it is now, if there is no such deal."""
        return self._standings_before.get(deal_id or 0, self.standing).copy()

    def with_labels(self, deal_id: int | None, body: JsonObject) -> JsonObject:
        """Return facts that were stored of a deal, or announced, with the labels of those who sat there."""
        is_count = "held" in body  # of counters, which names labels already
        is_without_substitutes = self.everybody == self.chairs and SUBSTITUTION not in body
        if is_count or is_without_substitutes:
            return body
        return to_labels(self.game, body, self.chairs, self.standing_before(deal_id).players)

    def as_seen(self, seen: str) -> TableState:
        """Return the table as a page showed it whose last revision was `seen`; as it is now if that is not here."""
        version = count_seen(self.revisions, seen)
        return self.at_version(version) if 0 <= version < self.version else self

    def at_version(self, version: int) -> TableState:
        return self.with_only(self.revisions[:version])

    def with_only(self, revisions: Sequence[RevisionRow]) -> TableState:
        """Return the table as it would be with only these of its revisions."""
        initial = self.replay.initial
        beginning = Replay(_find_game(self.game, initial), initial, initial)
        return TableState(self.stored, revisions, beginning)

    @cached_property
    def scored_deals(self) -> list[ScoredDeal]:
        rows = iter(self.standing.rows)
        return [ScoredDeal(deal, None if deal.is_withdrawn else next(rows)) for deal in self.deals]

    def find_deal(self, deal_id: int | None) -> ScoredDeal | None:
        return next((scored for scored in self.scored_deals if scored.deal.id == deal_id), None)

    def find_row(self, deal_id: int | None) -> Row | None:
        """Return the deal's row; None while it is withdrawn, and if there is no such deal."""
        scored = self.find_deal(deal_id)
        return scored.row if scored is not None else None

    def find_deal_of_row(self, number: int) -> ScoredDeal | None:
        """Return the deal whose row has this number, its place in the sheet; None if there is none."""
        return next((scored for scored in self.scored_deals if scored.row and scored.row.number == number), None)

    def is_passed(self, facts: Facts) -> bool:
        return self.game.is_passed(read_fact(self.game, facts, self.game.seats(self.everybody)))

    def sheet(self, names: Mapping[str, str] | None = None) -> Sheet:
        """Return the portable sheet. `names` maps each label to a name, by default the people's own."""
        names = names or self.names
        bodies = (self.with_labels(deal.id, deal.body) for deal in self.deals if deal.body is not None)
        return Sheet(
            game=self.game,
            players=tuple(names[chair] for chair in self.chairs),
            dealer=names[self.stored.dealer],
            options=self.replay.initial.options,
            deals=[rename_players(self.game, body, names) for body in bodies],
            value=self.replay.initial.value,
            title=self.stored.title,
            played_on=self.stored.played_on,
        )


def read_opening_value(table: Table) -> Value | None:
    """Return the value of a counter with which the table was opened; None at a table without stakes."""
    currency, unit, amount = table.value_currency, table.value_unit, table.value_amount
    return Value(currency, unit, Decimal(amount)) if currency and unit and amount else None
