"""Where the rows of a circle hold something about a person: what an export tells, and what goes with an erased name.

Each column that refers to a player or a browser stands in `HELD`; a test looks for those that do not. Texts in which
people are named are found by their columns: written_texts.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, delete, or_, select, update

from ...models import (
    Base,
    Browser,
    BrowserLink,
    Confirmation,
    DealConfirmation,
    Entrant,
    EntrantSubstitution,
    Event,
    EventPhone,
    Flag,
    Link,
    Part,
    Payment,
    Player,
    Presence,
    ResultConfirmation,
    Revision,
    RoundResult,
    Seat,
    Settlement,
    db,
)


class Held(NamedTuple):
    """Rows about a person, a section of their export.

    Attributes:
        by: the columns that refer to the person, or to a phone of theirs.
        told: the columns in the export, never those of secrets; `joined`: the models or relationships that have some.
        cleared: the columns that become null with an erased name; `is_deleted`: the rows are deleted.
    """

    section: str
    by: tuple[Any, ...]
    told: tuple[Any, ...]
    joined: tuple[Any, ...] = ()
    cleared: tuple[Any, ...] = ()
    is_deleted: bool = False

    @property
    def model(self) -> type[Base]:
        """The model of the rows."""
        model: type[Base] = self.by[0].class_
        return model

    def is_about(self, circle_id: int, player_ids: Sequence[int], *, by_phone: bool = True) -> ColumnElement[bool]:
        """Build the condition for the rows about a person with these players; those of their phones too, or not."""
        phones = select(Browser.id).where(Browser.circle_id == circle_id, Browser.player_id.in_(player_ids))
        conditions = [
            column.in_(phones) if find_referred(column) == Browser.__tablename__ else _is_of_players(column, player_ids)
            for column in self.by
            if by_phone or find_referred(column) != Browser.__tablename__
        ]
        return and_(self.by[0].class_.circle_id == circle_id, or_(*conditions))


def find_referred(column: Any) -> str | None:
    """Return the name of the table to which a column refers, if it does."""
    keys = column.property.columns[0].foreign_keys if hasattr(column, "property") else ()
    return next((key.column.table.name for key in keys), None)


def _is_of_players(column: Any, player_ids: Sequence[int]) -> Any:
    if column is not EventPhone.number:
        return column.in_(player_ids)
    entrants = select(Entrant.number).where(
        Entrant.circle_id == EventPhone.circle_id,
        Entrant.event_id == EventPhone.event_id,
        Entrant.number == EventPhone.number,
        Entrant.player_id.in_(player_ids),
    )
    return entrants.exists()


_REASON = Revision.body["adjustment"]["reason"].as_string().label("reason")
_OF_PAYMENT = (
    *(Payment.number, Settlement.account, Payment.amount, Payment.at),
    *(Settlement.table_id, Settlement.event_id, Settlement.day, Payment.withdraws),
)
_OF_RESULT = (RoundResult.event_id, RoundResult.round, RoundResult.table_number)

HELD = (
    Held(
        "names",
        (Player.id, Player.person_id),
        (Player.name, Player.is_banker, Player.iban, Player.payment_link, Player.retired_at),
        cleared=(Player.iban, Player.payment_link),
    ),
    Held("phones", (Browser.player_id,), (Browser.number, Browser.name, Browser.created_at, Browser.revoked_at)),
    Held(
        "links",
        (BrowserLink.browser_id,),
        (BrowserLink.browser_id, Link.right, BrowserLink.joined_at, Link.revoked_at),
        (BrowserLink.link,),
    ),
    Held("renewed_links", (Link.revoked_by_id,), (Link.right, Link.revoked_at)),
    Held("evenings", (Presence.player_id,), (Presence.day, Presence.arrived_at), is_deleted=True),
    Held("tables", (Seat.player_id,), (Seat.table_id, Seat.seat, Seat.is_substitute)),
    Held(
        "entries",
        (Revision.browser_id,),
        (Revision.table_id, Revision.number, Revision.kind, Revision.deal, _REASON, Revision.at),
    ),
    Held(
        "confirmed_deals",
        (DealConfirmation.player_id, DealConfirmation.browser_id),
        (DealConfirmation.table_id, DealConfirmation.revision, DealConfirmation.at),
    ),
    Held(
        "flags",
        (Flag.browser_id,),
        (Flag.number, Flag.table_id, Flag.deal, Flag.payment, Flag.comment, Flag.at, Flag.resolved_at),
    ),
    Held(
        "resolved_flags",
        (Flag.resolved_by_id,),
        (Flag.number, Flag.table_id, Flag.deal, Flag.payment, Flag.resolved_at),
    ),
    Held(
        "parts",
        (Part.player_id,),
        (Part.table_id, Part.event_id, Part.kind, Settlement.account, Part.amount, Settlement.created_at),
        (Part.settlement,),
    ),
    Held("paid", (Payment.giver_id,), (*_OF_PAYMENT, Payment.taker_id), (Payment.settlement,)),
    Held("received", (Payment.taker_id,), (*_OF_PAYMENT, Payment.giver_id), (Payment.settlement,)),
    Held("recorded_payments", (Payment.browser_id,), (Payment.number, Payment.at)),
    Held("confirmed_payments", (Confirmation.browser_id,), (Payment.number, Confirmation.at), (Payment,)),
    Held(
        "events",
        (Entrant.player_id,),
        (
            *(Entrant.event_id, Entrant.number, Entrant.group, Entrant.joined_at),
            *(Entrant.first_round, Entrant.last_round, Entrant.is_stationary, Entrant.is_free),
        ),
    ),
    Held(
        "substitutions",
        (EntrantSubstitution.player_id,),
        (EntrantSubstitution.event_id, EntrantSubstitution.number, EntrantSubstitution.round),
    ),
    Held("cashier", (Event.cashier_id,), (Event.title, Event.day)),
    Held(
        "event_phones",
        (EventPhone.browser_id, EventPhone.number),
        (EventPhone.event_id, EventPhone.table_number, EventPhone.number, EventPhone.joined_at),
        cleared=(EventPhone.number,),
    ),
    Held("results", (RoundResult.browser_id,), (*_OF_RESULT, RoundResult.is_slip, RoundResult.at)),
    Held(
        "confirmed_results",
        (ResultConfirmation.browser_id,),
        (*_OF_RESULT, ResultConfirmation.side, ResultConfirmation.at),
        (RoundResult,),
    ),
)


def forget(circle_id: int, player_ids: Sequence[int]) -> None:
    """Delete and clear what goes with the name of a person with these players, in the caller's transaction."""
    for held in HELD:
        if held.cleared or held.is_deleted:
            about = held.is_about(circle_id, player_ids, by_phone=False)
            nothing = dict.fromkeys((column.key for column in held.cleared), None)
            change = delete(held.model) if held.is_deleted else update(held.model).values(nothing)
            db.session.execute(change.where(about))
