"""Creating a circle, its settings, the recovery reminder, and erasing it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from sqlalchemy import delete, func, select

from ..db.engine import forget_deleted
from ..db.transactions import RowDeletedError, get_id, writing, writing_to_circle
from ..models import HOST, RIGHTS, SCORE, Base, Circle, Event, Membership, Player, Summary, Table, db, may, now
from ..site import time_zones
from .phones import (
    add_link,
    delete_unused_devices,
    get_or_add_device,
    get_or_add_membership,
    list_memberships_of_device,
)

TEXTS = ("title", "motto")


def change_setting(circle: Circle, name: str, value: str | bool | None, by: Membership) -> None:
    """Set the column of this name. With another time zone, past tables keep their evening."""
    with writing_to_circle(get_id(circle), membership=by, right=HOST) as locked:
        setattr(locked, name, value)


def create_sample_circle(device_secret: str, title: str, zone: str) -> Membership:
    """Make a sample circle; `zone` is what the device calls its time zone."""
    with writing():
        membership = _add_circle(device_secret, zone)
        circle = membership.circle
        circle.title = title
        circle.is_sample = True
        circle.recovery_at = now()  # needs no recovery sheet
        return membership


def find_or_add_scoring_membership(device_secret: str, zone: str) -> Membership:
    """Return the membership of the newest circle the device may score in; two requests at once create one circle."""
    with writing():
        get_or_add_device(device_secret)
        mine = list_memberships_of_device(device_secret)
        scoring = [own for own in mine if may(own.right, SCORE) and not own.circle.is_sample]
        if scoring:
            return max(scoring, key=lambda membership: membership.id)
        return _add_circle(device_secret, zone)


def _add_circle(device_secret: str, zone: str) -> Membership:
    """Add a circle with a link for each right, in the server's zone if this one is unknown; return its first host."""
    circle = Circle(created_at=now(), time_zone=time_zones.parse(zone))
    db.session.add(circle)
    db.session.flush()
    membership = get_or_add_membership(circle, get_or_add_device(device_secret))
    add_links(circle, membership, device_secret)
    return membership


def add_links(circle: Circle, host: Membership | None = None, device_secret: str = "") -> dict[str, str]:
    """Add a link for each right in the caller's transaction, which `host` can show; return their secrets by right."""
    return {right: add_link(circle, right, host, device_secret, joined=right == HOST) for right in RIGHTS}


def dismiss_recovery_reminder(circle: Circle, by: Membership) -> None:
    if circle.recovery_at is None:
        with writing_to_circle(circle.id, membership=by, right=HOST) as locked:
            locked.recovery_at = now()


# --- erasing -----------------------------------------------------------------------------------------------


def count_holdings(circle: Circle) -> dict[str, int]:
    deals = select(func.coalesce(func.sum(Summary.data["deals"].as_integer()), 0))
    counts = {
        "tables": select(func.count(Table.id)).where(Table.circle_id == circle.id),
        "deals": deals.where(Summary.circle_id == circle.id),
        "players": select(func.count(Player.id)).where(Player.circle_id == circle.id, Player.person_id.is_(None)),
        "events": select(func.count(Event.id)).where(Event.circle_id == circle.id),
    }
    return {what: db.session.scalar(count) or 0 for what, count in counts.items()}


def erase_circle(
    circle_id: int, by: Membership | None = None, is_agreed: Callable[[Circle], bool] = lambda _circle: True
) -> bool:
    """Delete a circle and everything in it, irreversibly, if `is_agreed` returns True for the locked circle.

    Nothing else in the app deletes recorded facts. Devices that were in no other circle are deleted as well.
    Returns True also if another request has just erased the circle.
    """
    with suppress(RowDeletedError):
        with writing_to_circle(circle_id, membership=by, right=HOST) as circle:
            if not is_agreed(circle):
                return False
            devices = list(db.session.scalars(select(Membership.device_id).where(Membership.circle_id == circle_id)))
            for table in reversed(Base.metadata.sorted_tables):  # children before parents
                if "circle_id" in table.c:
                    db.session.execute(delete(table).where(table.c.circle_id == circle_id))
            db.session.execute(delete(Circle).where(Circle.id == circle_id))
            delete_unused_devices(devices)
        forget_deleted()
    return True
