"""The current state of a table, replayed from its revisions; and the people on its chairs.

The chairs of a table are "1", "2", … in order of turn. A label is a person at the table: the chairs are the labels of
those who sat there first, and everybody who takes a chair later has a further label, such as "5". So facts are stored
as `{"substitution": {"out": CHAIR, "in": LABEL}}` and `{"dealer": CHAIR, …}`, and a change of an earlier substitution
moves the deals after it to the person who sits there then. An adjustment in counters names labels: it is between
people, who may have left. Without substitutions chairs and labels are the same, and nothing is translated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from typing import Any

from ..games import games
from ..models import Player, Table
from ..scoring import schema
from ..scoring.game import AnyGame, fold, stop
from ..scoring.problems import Problem, Refusal
from ..scoring.sheet import Sheet, TableResult, subunits_per_counter, table_result
from ..scoring.standing import ADJUSTMENT, POINTS, SUBSTITUTION, AnyStanding, Row
from ..scoring.values import Facts, JsonObject, Seats, Value
from .revisions import (
    CLOSE,
    REOPEN,
    Change,
    RecordedDeal,
    RevisionRow,
    apply_revisions,
    count_seen,
    find_announcement,
    find_last_seen,
    find_last_undoable,
)

# --- chairs and labels ---------------------------------------------------------------------------------------

Seated = tuple[str, ...]  # labels, in the order of the chairs

_NOBODY = "?"  # appended to a name that is not valid here, so that the deal is refused


def relabel_after(chairs: Seated, seated: Seated, body: Facts | None) -> Seated:
    """Return who sits on each chair after a stored item."""
    change = (body or {}).get(SUBSTITUTION)
    if not isinstance(change, Mapping) or type(change.get("in")) is not str:
        return seated
    out, label = change.get("out"), change["in"]
    return tuple(label if chair == out else other for chair, other in zip(chairs, seated, strict=True))


def in_labels(game: AnyGame, standing: AnyStanding, chairs: Seated, bodies: Iterable[JsonObject]) -> Iterator[Any]:
    """Yield stored items as `fold` reads them. It must read each one before it asks for the next."""
    for body in bodies:
        yield body if standing.players == chairs else to_labels(game, body, chairs, standing.players)


def to_labels(game: AnyGame, body: JsonObject, chairs: Seated, seated: Seated) -> JsonObject:
    """Return a stored item with the people who sit on its chairs; `seated` are those before it."""
    after = relabel_after(chairs, seated, body)
    if chairs == seated == after:
        return body
    dealers = dict(zip(chairs, after, strict=True))
    return _translate(game, body, dict(zip(chairs, seated, strict=True)), dealers)


def to_chairs(game: AnyGame, facts: JsonObject, chairs: Seated, seated: Seated) -> JsonObject:
    """Return an item for storage, with the chairs of the people it names; `seated` are those before it."""
    names, change = dict(zip(seated, chairs, strict=True)), facts.get(SUBSTITUTION)
    dealers = names
    if isinstance(change, Mapping):
        stored = {SUBSTITUTION: {**change, "out": names.get(str(change.get("out")))}}
        dealers = dict(zip(relabel_after(chairs, seated, stored), chairs, strict=True))
    elif chairs == seated:
        return facts
    return _translate(game, facts, names, dealers)


def _translate(game: AnyGame, facts: JsonObject, names: Mapping[str, str], dealers: Mapping[str, str]) -> JsonObject:
    """Rename the players of an item, and its dealer, who may be one who has just sat down.

    A name that is valid only after renaming is made invalid.
    """
    names, dealers = ({name: name + _NOBODY for name in old.values()} | dict(old) for old in (names, dealers))
    renamed: JsonObject = {key: value for key, value in facts.items() if key != "dealer"}
    change, adjustment, problems = facts.get(SUBSTITUTION), facts.get("adjustment"), list[Problem]()
    if isinstance(change, Mapping):
        renamed[SUBSTITUTION] = {**change, "out": names.get(str(change.get("out")), change.get("out"))}
    elif not isinstance(adjustment, Mapping) or POINTS in adjustment:
        fact = schema.load(game.find_type(facts), renamed, game.seats(tuple(names)).renamed(names), problems)
        # What is invalid is refused all the same, with the names that it would have.
        is_valid = fact is not None and not problems
        renamed = schema.dump(fact) if is_valid else rename_anywhere(renamed, names)
    if "dealer" not in facts:
        return renamed
    dealer = facts["dealer"]
    return {"dealer": dealers.get(dealer, dealer) if type(dealer) is str else dealer} | renamed


def rename_anywhere(facts: Facts, names: Mapping[str, str]) -> JsonObject:
    """Return facts of which the types are unknown with players renamed, wherever a text or a key is a player's name."""

    def rename_in(value: Any) -> Any:
        if isinstance(value, Mapping):
            return rename_anywhere(value, names)
        if isinstance(value, list):
            return [rename_in(item) for item in value]
        return names.get(value, value) if isinstance(value, str) else value

    return {names.get(key, key): value if key == "reason" else rename_in(value) for key, value in facts.items()}


def rename_players(game: AnyGame, facts: Facts, names: Mapping[str, str]) -> JsonObject:
    """Return a deal's facts with players renamed: `names` maps labels to names, or names to labels."""
    seats = game.seats(tuple(names))
    if POINTS not in facts.get(ADJUSTMENT, (POINTS,)):  # counters go to players, even to one with the name of a side
        seats = Seats(seats.players, (), seats.players)
    renamed: JsonObject = schema.dump(read_fact(game, facts, seats.renamed(names)))
    return {"dealer": names[facts["dealer"]]} | renamed if "dealer" in facts else renamed


def read_fact(game: AnyGame, facts: Facts, seats: Seats) -> Any:
    """Return what stored facts are, as a row has it; None if they are not valid."""
    without_dealer = {key: value for key, value in facts.items() if key != "dealer"}
    return schema.load(game.find_type(facts), without_dealer, seats, [])


# --- replays -------------------------------------------------------------------------------------------------


class IllegalDealError(ValueError):
    """The revisions contain a deal that breaks the rules; `refusal` says what is wrong."""

    def __init__(self, refusal: Refusal, deal_id: int) -> None:
        super().__init__(str(refusal))
        self.refusal, self.deal_id = refusal, deal_id


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
        standing, bodies = before.copy(), {deal.id: deal.body for deal in deals if deal.body is not None}
        refusal = fold(self.game, standing, in_labels(self.game, standing, self.initial.players, bodies.values()))
        if refusal is not None:
            raise IllegalDealError(refusal, [*bodies][len(standing.rows) - len(before.rows)])
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
    first did; `seated_now` those of now. Chairs, in order of turn, are also the labels of those who sat there first.
    """

    def __init__(self, table: Table, revisions: Iterable[RevisionRow] = (), replay: Replay | None = None) -> None:
        """Replay the revisions after those of `replay`; raises ValueError if a stored deal breaks the rules."""
        self.stored = table
        # Copied, so that they can be read after the transaction has ended.
        self.id, self.circle_id, self.token, self.edition = table.id, table.circle_id, table.token, table.edition
        try:
            self.replay = replay = (replay or empty_replay(table)).extended(revisions)
        except IllegalDealError as error:
            raise ValueError(f"table {table.id} no longer stands: {error}") from error
        self.game, self.standing, self.chairs = replay.game, replay.standing, replay.initial.players
        self.revisions, self.deals, self.version = replay.revisions, replay.deals, len(replay.revisions)
        self.everybody, self.seated_now = tuple(self.standing.balances), self.standing.players
        self.is_closed = replay.stopped is not None

    def with_revision(self, *revisions: RevisionRow) -> TableState:
        """Return the table with further revisions; raises IllegalDealError. This state does not change."""
        return TableState(self.stored, replay=self.replay.extended(revisions))

    def build_rows(self, changes: Iterable[Change]) -> list[RevisionRow]:
        """Return the next revisions, as if nobody had made them, after all others."""
        return [change.to_row(number, 0, datetime.max, "") for number, change in enumerate(changes, self.version + 1)]

    @property
    def subunits_per_counter(self) -> int:
        """How many subunits of its account one counter of its settlement is worth; 0 without one value for all."""
        return subunits_per_counter(self.game, self.value) if len(self.values) == 1 else 0

    @property
    def seen(self) -> str:
        """How a page that shows this table names its last revision."""
        return find_last_seen(self.revisions)

    @property
    def next_number(self) -> int:
        return self.standing.deal_count + 1

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

    @property
    def value(self) -> Value | None:
        return self.standing.value

    @cached_property
    def values(self) -> list[Value]:
        """The values with which counters were paid, and that of the next deal, each once."""
        paid = (row.value for row in self.standing.rows if any(entry.is_payment for entry in row.entries))
        return [value for value in dict.fromkeys([*paid, self.value]) if value is not None]

    @property
    def result(self) -> TableResult:
        """The amounts owed to each player: nothing at a table without stakes, whatever the balances are."""
        result = table_result(self.game, self.standing)
        return result if self.stored.has_stakes else result._replace(subunits=dict.fromkeys(result.subunits, 0))

    @property
    def last_undoable(self) -> RevisionRow | None:
        return find_last_undoable(self.revisions)

    @cached_property
    def announced(self) -> JsonObject | None:
        """Facts announced for the deal being played; None without an announcement, or once play has ended."""
        facts = find_announcement(self.revisions) if self.takes_deals else None
        return facts and to_labels(self.game, facts, self.chairs, self.standing.players)

    @property
    def last_announcement(self) -> JsonObject | None:
        """The announceable fact of the latest deal that has one, or None. The pad offers it again."""
        for deal in reversed(self.deals):
            facts = {key: value for key, value in (deal.body or {}).items() if key in self.game.announced}
            if facts:
                first = {self.game.announced[0]: facts.get(self.game.announced[0])}
                return to_labels(self.game, first, self.chairs, self.standing.players)
        return None

    @cached_property
    def _standings_before(self) -> dict[int, AnyStanding]:
        """The standing before each deal, withdrawn ones included, by the deal's id."""
        standing, found = self.replay.initial.copy(), {}
        for deal in self.deals:
            found[deal.id] = standing.copy()
            if deal.body is not None:
                fold(self.game, standing, in_labels(self.game, standing, self.chairs, [deal.body]))
        return found

    def standing_before(self, deal_id: int | None) -> AnyStanding:
        """Return the standing in which a deal was played; as it is now, if there is no such deal."""
        return self._standings_before.get(deal_id or 0, self.standing).copy()

    def standing_after(self, number: int) -> AnyStanding:
        """Return the standing after the first `number` rows; after all, as it is now."""
        played = [deal.id for deal in self.deals if not deal.is_withdrawn]
        return self.standing if number == len(played) else self.standing_before(played[number])

    @property
    def has_substitutes(self) -> bool:
        return len(self.everybody) > len(self.chairs)

    @property
    def has_new_rules(self) -> bool:
        return self.standing.options is not self.replay.initial.options

    @property
    def people_by_chair(self) -> list[list[str]]:
        """The labels of those who have sat on each chair, in the order in which they first did."""
        seatings = [*(row.players for row in self.standing.rows), self.standing.players]
        return [[*dict.fromkeys((chair, *(seated[at] for seated in seatings)))] for at, chair in enumerate(self.chairs)]

    def with_labels(self, deal_id: int | None, body: JsonObject) -> JsonObject:
        """Return facts that were stored of a deal, or announced, with the labels of those who sat there."""
        is_count = "held" in body  # of counters, which names labels already
        if is_count or (SUBSTITUTION not in body and not self.has_substitutes):
            return body
        return to_labels(self.game, body, self.chairs, self.standing_before(deal_id).players)

    def facts_of(self, deal: RecordedDeal) -> JsonObject | None:
        return deal.last_body and self.with_labels(deal.id, deal.last_body)

    def at_version(self, version: int) -> TableState:
        """Return the table as it was at an earlier version; the current state if there is no such version."""
        return self.with_only(self.revisions[:version]) if 0 <= version < self.version else self

    def as_seen(self, seen: str) -> TableState:
        """Return the table as a page showed it whose last revision was `seen`; as it is now if that is not here."""
        return self.at_version(count_seen(self.revisions, seen))

    def with_only(self, revisions: Sequence[RevisionRow]) -> TableState:
        """Return the table as it would be with only these of its revisions."""
        initial = self.replay.initial
        beginning = Replay(_find_game(self.game, initial), initial, initial)
        return TableState(self.stored, revisions, beginning)

    def deal(self, deal_id: int) -> RecordedDeal | None:
        return next((deal for deal in reversed(self.deals) if deal.id == deal_id), None)

    @cached_property
    def scored_deals(self) -> list[ScoredDeal]:
        rows = iter(self.standing.rows)
        return [ScoredDeal(deal, None if deal.is_withdrawn else next(rows)) for deal in self.deals]

    def deal_numbered(self, number: int) -> ScoredDeal | None:
        """Return the deal whose row has this number, its place in the sheet; None if there is none."""
        return next((scored for scored in self.scored_deals if scored.row and scored.row.number == number), None)

    def scored_deal(self, deal_id: int) -> ScoredDeal | None:
        return next((scored for scored in self.scored_deals if scored.deal.id == deal_id), None)

    def row_of(self, deal_id: int) -> Row | None:
        return next((scored.row for scored in self.scored_deals if scored.deal.id == deal_id), None)

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
