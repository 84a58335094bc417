"""Store a checked circle's file as a new circle, in the transactions of importing.py."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from sqlalchemy import Table as SqlTable
from sqlalchemy import insert, update
from werkzeug.utils import cached_property

from ...db.clock import now
from ...exchange.circle_event_records import EventRecord
from ...exchange.circle_file import CircleFileError
from ...exchange.circle_records import BrowserRecord, PaymentRecord, SettlementRecord, Signed, TableRecord
from ...exchange.circle_values import parse_day, parse_moment, parse_optional_moment
from ...models import (
    Browser,
    Circle,
    Confirmation,
    DealConfirmation,
    Device,
    Flag,
    Part,
    Payment,
    Player,
    Revision,
    Seat,
    Settlement,
    Table,
    db,
)
from ...models.rights import HOST
from ...scoring.failing import GameFailedError
from ...tables.state import TableState
from ..access.devices import get_device, hash_secret, new_secret
from ..access.links import browser_for
from ..caches import table_summary
from ..caches.table_summary import SummaryRow
from ..circles import add_links
from ..people import persons_by_player_id
from ..settlements.queries import recompute_all
from .checking import CheckedCircle
from .deal_confirmations import confirmation_rows
from .event_rows import add_event
from .money import taken_over_of
from .presence import presences
from .tables import house_rules_of, labels_of, to_row


@dataclass
class CircleStorer:
    """Stores one circle. The dictionaries have the ids in the database by the numbers in the file.

    Until `finish`, nobody can open the circle: it has no links. What it has is consistent at any time.
    """

    checked: CheckedCircle
    players: dict[int, int] = field(default_factory=dict)
    browsers: dict[int, int] = field(default_factory=dict)
    tables: dict[int, int] = field(default_factory=dict)
    events: dict[int, int] = field(default_factory=dict)
    settlements: dict[int, int] = field(default_factory=dict)

    taken_over: dict[int, SummaryRow] = field(default_factory=dict)  # by the table's number

    @cached_property
    def _parts_of_tables(self) -> dict[int, dict[int, int]]:
        return taken_over_of(self.checked.settlements)

    def begin(self) -> Circle:
        """Add the circle with its people, in the caller's transaction."""
        circle = self._add_circle()
        self._add_players(circle)
        self._add_browsers(circle)
        return circle

    def add(self, circle: Circle, items: Sequence[TableRecord | EventRecord]) -> None:
        """Add tables and events, in the caller's transaction."""
        for record in items:
            if isinstance(record, EventRecord):
                ids = self.players, self.browsers, self.tables
                self.events[record.number] = add_event(circle.id, record, *ids)
            else:
                self._add_table(circle, record, self._parts_of_tables.get(record.number, {}))

    def finish(self, circle: Circle, device_secret: str | None, entry_key: str | None) -> str:
        """Add the rest and the links, and return the secret of the link for hosts, in the caller's transaction."""
        self._add_settlements(circle)
        self._add_payments(circle)
        self._add_flags(circle)
        db.session.flush()
        db.session.expire_all()
        table_summary.take_over(circle.id, {self.tables[number]: row for number, row in self.taken_over.items()})
        recompute_all(circle, persons_by_player_id(circle))
        circle.created_at, circle.entry_key = parse_moment(self.checked.circle.created_at), entry_key
        host = browser_for(circle, get_device(device_secret)) if device_secret is not None else None
        return add_links(circle, host, device_secret or "")[HOST]

    def _add_circle(self) -> Circle:
        """Add the circle. Its time is that of the import until it is finished."""
        record = self.checked.circle
        circle = Circle(
            name=secrets.token_urlsafe(9),
            created_at=now(),
            title=record.title,
            time_zone=record.time_zone,
            settles_games_together=record.settles_games_together,
            confirms_payments=record.confirms_payments,
            shows_ratings=record.shows_ratings,
            transferred=" ".join(sorted({*record.transferred})),
        )
        db.session.add(circle)
        db.session.flush()
        return circle

    # --- people

    def _add_players(self, circle: Circle) -> None:
        records = self.checked.players
        players = [
            Player(
                circle_id=circle.id,
                name=record.name,
                retired_at=parse_optional_moment(record.retired_at),
                erased_at=parse_optional_moment(record.erased_at),
                iban=record.iban,
                payment_link=record.payment_link,
                is_banker=record.number == self.checked.circle.banker,
            )
            for record in records
        ]
        _add_in_order(players)
        self.players = {record.number: player.id for record, player in zip(records, players, strict=True)}
        db.session.add_all(presences(circle.id, records, self.players))
        merged = [
            {"id": self.players[record.number], "circle_id": circle.id, "person_id": self.players[record.merged_into]}
            for record in records
            if record.merged_into is not None
        ]
        if merged:
            db.session.execute(update(Player), merged)

    def _add_browsers(self, circle: Circle) -> None:
        """Add the browsers as authors. Nobody has the secrets of their devices, and they have joined by no link."""
        for record in self.checked.browsers:
            device = Device(secret_hash=hash_secret(new_secret()), created_at=parse_moment(record.created_at))
            browser = self._browser(circle, record)
            browser.device = device
            db.session.add_all([device, browser])
            db.session.flush()
            self.browsers[record.number] = browser.id

    def _browser(self, circle: Circle, record: BrowserRecord) -> Browser:
        return Browser(
            circle_id=circle.id,
            number=record.number,
            name=record.name,
            created_at=parse_moment(record.created_at),
            revoked_at=parse_optional_moment(record.revoked_at),
            player_id=self.players.get(record.player or 0),
        )

    # --- tables

    def _add_table(self, circle: Circle, record: TableRecord, taken_over: dict[int, int]) -> None:
        table = self._table(circle, record)
        labels, substitutes = labels_of(record), record.substitutes
        table.seats = [
            Seat(seat=label, player_id=self.players[player], is_substitute=player in substitutes)
            for player, label in labels.items()
        ]
        db.session.add(table)
        db.session.flush()
        rows = [to_row(revision, self.browsers[revision.by]) for revision in record.revisions]
        if rows:
            ids = {"circle_id": circle.id, "table_id": table.id}
            db.session.execute(_REVISIONS, [row._asdict() | ids for row in rows])
            self._add_deal_confirmations(record, ids)
        try:
            stored = table_summary.store(TableState(table, rows))
        except GameFailedError as error:  # in the game's statistics, which are not needed to check its deals
            problem = error.problem(record.game)
            raise CircleFileError(problem._replace(field=f"tables.{record.number}.{problem.field}")) from error
        if taken_over and stored is not None:
            by_seat = {labels[player]: amount for player, amount in taken_over.items()}
            self.taken_over[record.number] = stored._replace(taken_over=by_seat)
        self.tables[record.number] = table.id

    def _add_deal_confirmations(self, record: TableRecord, ids: dict[str, int]) -> None:
        given = [
            row | ids
            for revision in record.revisions
            for row in confirmation_rows(revision, self.players, self.browsers)
        ]
        if given:
            db.session.execute(insert(DealConfirmation), given)

    def _table(self, circle: Circle, record: TableRecord) -> Table:
        value = record.value
        return Table(
            token=secrets.token_urlsafe(16),
            circle_id=circle.id,
            game=record.game,
            rules_version=record.rules_version,
            house_rules=house_rules_of(record),
            dealer=record.dealer,
            value_currency=value and value.currency,
            value_unit=value and value.unit,
            value_amount=value and value.amount,
            has_stakes=record.has_stakes,
            title=record.title,
            played_on=parse_day(record.played_on) if record.played_on is not None else None,
            day=parse_day(record.day),
            is_dated=record.is_dated,
            place=record.place,
            note=record.note,
            confirms_deals=record.confirms_deals,
            turns=record.turns,
            opened_at=parse_moment(record.opened_at),
            closed_at=parse_optional_moment(record.closed_at),
            entry_key=record.key,
        )

    # --- money

    def _add_settlements(self, circle: Circle) -> None:
        records = self.checked.settlements
        if not records:
            return
        rows: list[dict[str, Any]] = [
            {
                "circle_id": circle.id,
                "account": record.account,
                "table_id": self.tables.get(record.table or 0),
                "event_id": self.events.get(record.event or 0),
                "day": parse_day(record.day) if record.day is not None else None,
                "game": record.game,
                "created_at": parse_moment(record.created_at),
                "unpaid": {},
                "is_paid": True,
                "is_cleared": True,
            }
            for record in records
        ]
        ids = db.session.scalars(_SETTLEMENTS, rows)
        self.settlements = {record.number: id_ for record, id_ in zip(records, ids, strict=True)}
        successors = [
            {
                "id": self.settlements[record.number],
                "circle_id": circle.id,
                "successor_id": self.settlements[record.successor],
            }
            for record in records
            if record.successor is not None
        ]
        if successors:
            db.session.execute(update(Settlement), successors)
        parts = [part for record in records for part in self._parts(circle, record)]
        if parts:
            db.session.execute(_PARTS, parts)

    def _parts(self, circle: Circle, record: SettlementRecord) -> list[dict[str, Any]]:
        return [
            {
                "circle_id": circle.id,
                "settlement_id": self.settlements[record.number],
                "player_id": self.players[part.player],
                "amount": part.amount,
                "table_id": self.tables.get(part.table or 0),
                "event_id": self.events.get(part.event or 0),
                "kind": part.kind,
                "earlier_id": self.settlements.get(part.settlement or 0),
            }
            for part in record.parts
        ]

    def _add_payments(self, circle: Circle) -> None:
        records = self.checked.payments
        payments = [self._payment(circle, record) for record in records]
        _add_in_order(payments)
        for record, payment in zip(records, payments, strict=True):
            if record.confirmed is not None:
                by, at = self.browsers[record.confirmed.by], parse_moment(record.confirmed.at)
                db.session.add(Confirmation(circle_id=circle.id, payment_id=payment.id, browser_id=by, at=at))

    def _payment(self, circle: Circle, record: PaymentRecord) -> Payment:
        return Payment(
            circle_id=circle.id,
            number=record.number,
            settlement_id=self.settlements[record.settlement],
            giver_id=self.players[record.from_],
            taker_id=self.players[record.to],
            amount=record.amount,
            withdraws=record.withdraws,
            needs_confirmation=record.needs_confirmation,
            browser_id=self.browsers[record.by],
            at=parse_moment(record.at),
            entry_key=record.key,
        )

    def _add_flags(self, circle: Circle) -> None:
        for record in self.checked.flags:
            resolved = record.resolved or Signed(by=0, at="")
            flag = Flag(
                circle_id=circle.id,
                number=record.number,
                table_id=self.tables.get(record.table or 0),
                deal=record.deal,
                payment=record.payment,
                comment=record.comment,
                browser_id=self.browsers[record.by],
                at=parse_moment(record.at),
                entry_key=record.key,
                resolved_at=parse_optional_moment(resolved.at or None),
                resolved_by_id=self.browsers.get(resolved.by),
            )
            db.session.add(flag)


_REVISIONS = insert(cast(SqlTable, Revision.__table__))
_PARTS = insert(cast(SqlTable, Part.__table__))
_SETTLEMENTS = insert(Settlement).returning(Settlement.id, sort_by_parameter_order=True)


def _add_in_order(rows: list[Any]) -> None:
    """Add rows so that their ids have the same order."""
    db.session.add_all(rows)
    db.session.flush()
