"""Store a checked circle's file as a new circle, in the transactions of circle_import.py."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from sqlalchemy import Table as SqlTable
from sqlalchemy import insert, update
from werkzeug.utils import cached_property

from ...db.clock import now
from ...exchange.circle_records import LISTS, EventRecord, TableRecord, parse_moment
from ...models import (
    Browser,
    Circle,
    Confirmation,
    Device,
    Part,
    Payment,
    Player,
    Presence,
    Revision,
    Seat,
    Settlement,
    Table,
    db,
)
from ...models.rights import HOST
from ...scoring import schema
from ...scoring.values import JsonObject
from ...tables.revisions import RevisionRow
from ...tables.state import TableState
from ..access.devices import get_device, hash_secret, new_secret
from ..access.links import browser_for
from ..circles.lifecycle import add_links
from ..circles.players import read_persons
from ..money.unpaid import recompute_all
from ..tables import summaries
from ..tables.summaries import SummaryRow
from .checking import CheckedCircle
from .event_rows import add_event
from .money import add_up_taken_over
from .rows import make_row, make_values
from .seasons import add_seasons
from .tables import get_house_rules, number_labels


@dataclass
class CircleStorer:
    """Stores one circle. `ids` are those in the database by the numbers in the file, for each section.

    Until `finish`, nobody can open the circle: it has no links. What it has is consistent at any time.
    """

    checked: CheckedCircle
    ids: dict[str, dict[int, int]] = field(default_factory=lambda: {section: {} for section in LISTS})
    taken_over: dict[int, SummaryRow] = field(default_factory=dict)  # by the table's number

    @cached_property
    def _parts_of_tables(self) -> dict[int, dict[int, int]]:
        return add_up_taken_over(self.checked.settlements)

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
                self.ids["events"][record.number] = add_event(circle.id, record, self.ids)
            else:
                self._add_table(circle, record, self._parts_of_tables.get(record.number, {}))

    def finish(self, circle: Circle, device_secret: str | None, entry_key: str | None) -> str:
        """Add the rest and the links, and return the secret of the link for hosts, in the caller's transaction."""
        add_seasons(circle, self.checked.seasons, self.ids)
        self._add_settlements(circle)
        self._add_payments(circle)
        db.session.flush()
        db.session.expire_all()
        summaries.take_over(circle.id, {self.ids["tables"][number]: row for number, row in self.taken_over.items()})
        recompute_all(circle, read_persons(circle))
        circle.created_at, circle.entry_key = parse_moment(self.checked.circle.created_at), entry_key
        host = browser_for(circle, get_device(device_secret)) if device_secret is not None else None
        return add_links(circle, host, device_secret or "")[HOST]

    def _add_circle(self) -> Circle:
        """Add the circle. Its time is that of the import until it is finished."""
        record = self.checked.circle
        name, transferred = secrets.token_urlsafe(9), " ".join(sorted({*record.transferred}))
        circle = make_row(Circle, record, self.ids, name=name, created_at=now(), transferred=transferred)
        db.session.add(circle)
        db.session.flush()
        return circle

    # --- people

    def _add_players(self, circle: Circle) -> None:
        records = self.checked.players
        banker = self.checked.circle.banker
        players = [
            make_row(Player, record, self.ids, circle_id=circle.id, person_id=None, is_banker=record.number == banker)
            for record in records
        ]
        _add_in_order(players)
        ids = self.ids["players"] = {record.number: player.id for record, player in zip(records, players, strict=True)}
        for record in records:
            if record.present is not None:
                here = {"circle_id": circle.id, "player_id": ids[record.number]}
                db.session.add(make_row(Presence, record.present, self.ids, **here))
        merged = [
            {"id": ids[record.number], "circle_id": circle.id, "person_id": ids[record.merged_into]}
            for record in records
            if record.merged_into is not None
        ]
        if merged:
            db.session.execute(update(Player), merged)

    def _add_browsers(self, circle: Circle) -> None:
        """Add the browsers as authors. Nobody has the secrets of their devices, and they have joined by no link."""
        for record in self.checked.browsers:
            device = Device(secret_hash=hash_secret(new_secret()), created_at=parse_moment(record.created_at))
            browser = make_row(Browser, record, self.ids, circle_id=circle.id)
            browser.device = device
            db.session.add_all([device, browser])
            db.session.flush()
            self.ids["browsers"][record.number] = browser.id

    # --- tables

    def _add_table(self, circle: Circle, record: TableRecord, taken_over: dict[int, int]) -> None:
        table = self._table(circle, record)
        labels, substitutes = number_labels(record), record.substitutes
        table.seats = [
            Seat(seat=label, player_id=self.ids["players"][player], is_substitute=player in substitutes)
            for player, label in labels.items()
        ]
        db.session.add(table)
        db.session.flush()
        rows = [make_row(RevisionRow, revision, self.ids) for revision in record.revisions]
        if rows:
            ids = {"circle_id": circle.id, "table_id": table.id}
            db.session.execute(_REVISIONS, [row._asdict() | ids for row in rows])
        stored = summaries.store(TableState(table, rows))
        if taken_over and stored is not None:
            by_seat = {labels[player]: amount for player, amount in taken_over.items()}
            self.taken_over[record.number] = stored._replace(taken_over=by_seat)
        self.ids["tables"][record.number] = table.id

    def _table(self, circle: Circle, record: TableRecord) -> Table:
        value = schema.dump(record.value) if record.value is not None else {}
        return make_row(
            Table,
            record,
            self.ids,
            circle_id=circle.id,
            token=secrets.token_urlsafe(16),
            house_rules=get_house_rules(record),
            **{f"value_{name}": each for name, each in value.items()},
        )

    # --- money

    def _add_settlements(self, circle: Circle) -> None:
        records = self.checked.settlements
        if not records:
            return
        cache: JsonObject = {"unpaid": {}, "is_paid": True, "is_cleared": True}
        of_all = {"circle_id": circle.id, "successor_id": None, **cache}
        rows = [make_values(Settlement, record, self.ids, **of_all) for record in records]
        found = db.session.scalars(_SETTLEMENTS, rows)
        ids = self.ids["settlements"] = {record.number: id_ for record, id_ in zip(records, found, strict=True)}
        successors = [
            {"id": ids[record.number], "circle_id": circle.id, "successor_id": ids[record.successor]}
            for record in records
            if record.successor is not None
        ]
        if successors:
            db.session.execute(update(Settlement), successors)
        parts = [
            make_values(Part, part, self.ids, circle_id=circle.id, settlement_id=ids[record.number])
            for record in records
            for part in record.parts
        ]
        if parts:
            db.session.execute(_PARTS, parts)

    def _add_payments(self, circle: Circle) -> None:
        records = self.checked.payments
        payments = [make_row(Payment, record, self.ids, circle_id=circle.id) for record in records]
        _add_in_order(payments)
        for record, payment in zip(records, payments, strict=True):
            if record.confirmed is not None:
                of_payment = {"circle_id": circle.id, "payment_id": payment.id}
                db.session.add(make_row(Confirmation, record.confirmed, self.ids, **of_payment))


_REVISIONS = insert(cast(SqlTable, Revision.__table__))
_PARTS = insert(cast(SqlTable, Part.__table__))
_SETTLEMENTS = insert(Settlement).returning(Settlement.id, sort_by_parameter_order=True)


def _add_in_order(rows: list[Any]) -> None:
    """Add rows so that their ids have the same order."""
    db.session.add_all(rows)
    db.session.flush()
