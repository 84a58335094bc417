"""The phones of a circle: devices, recognised by a secret in their cookie, and the links by which they join.

The cookie holds the device's secret and no list of circles, so its size does not depend on their number, and no two
responses that race can lose one. The server stores a hash of the secret.

A link can be shown again, on a recovery sheet or as a QR code, only by a device that knows its secret, of which the
server stores a hash as well. The secret itself is stored encrypted, with a key derived from the device's own secret:
the database, or a backup of it, opens no circle, and the cookie stays small.
"""

from __future__ import annotations

import base64

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from sqlalchemy import Select, and_, delete, func, or_, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import contains_eager, subqueryload, undefer

from ..db.transactions import UNSYNCHRONIZED, writing_to_circle
from ..models import HOST, RIGHTS, WATCH, Circle, Device, Event, Link, Membership, MembershipLink, Table, db, now
from ..models.base import hash_secret, new_secret

# --- a device in its circles -------------------------------------------------------------------------------


def get_or_add_device(secret: str) -> Device:
    """Return the device with this secret, locked until the transaction ends; add it where there is none yet.

    Called within a transaction that writes. Two requests of one device take turns here.
    """
    row = {"secret_hash": hash_secret(secret), "created_at": now()}
    insert = postgresql.insert if db.engine.dialect.name == "postgresql" else sqlite.insert
    added = insert(Device).values(row).on_conflict_do_nothing(index_elements=["secret_hash"])
    db.session.execute(added)
    return db.session.scalars(select(Device).where(Device.secret_hash == row["secret_hash"]).with_for_update()).one()


def _select_memberships(secret: str) -> Select[Membership]:
    has_access = Membership.revoked_at.is_(None), Membership.right.is_not(None)
    query = select(Membership).join(Membership.device).join(Membership.circle).where(*has_access)
    query = query.where(Device.secret_hash == hash_secret(secret))
    return query.options(contains_eager(Membership.circle), undefer(Membership.right))


def find_membership(secret: str, circle_token: str) -> Membership | None:
    """Return the device's membership of the circle; None without access."""
    return db.session.scalar(_select_memberships(secret).where(Circle.token == circle_token))


def has_lost_access(secret: str, circle_token: str = "", token: str = "") -> bool:
    """Return whether the device had access to the circle, or to that of the table or event, and has none now."""
    of_token = (select(model.circle_id).where(model.token == token) for model in (Table, Event))
    is_meant = or_(Circle.token == circle_token, *(Circle.id.in_(ids) for ids in of_token))
    is_lost = or_(Membership.revoked_at.is_not(None), and_(Membership.links.any(), Membership.right.is_(None)))
    query = select(Membership.id).join(Membership.device).join(Membership.circle)
    query = query.where(Device.secret_hash == hash_secret(secret), is_meant, is_lost)
    return db.session.scalar(query) is not None


def list_memberships_of_device(secret: str) -> list[Membership]:
    return list(db.session.scalars(_select_memberships(secret).order_by(Circle.id)))


def delete_unused_devices(device_ids: list[int]) -> None:
    """Delete those that are in no circle any more. Those locked by another transaction stay: they open nothing."""
    free = select(Device.id).where(Device.id.in_(device_ids)).with_for_update(skip_locked=True)
    ids = db.session.scalars(free).all()
    is_used = select(Membership.id).where(Membership.device_id == Device.id).exists()
    unused = delete(Device).where(Device.id.in_(ids), ~is_used)
    db.session.execute(unused, execution_options=UNSYNCHRONIZED)


# --- links and their secrets -------------------------------------------------------------------------------


def find_link(circle_token: str, secret: str) -> Link | None:
    conditions = (Circle.token == circle_token, Link.secret_hash == hash_secret(secret), Link.revoked_at.is_(None))
    return db.session.scalar(select(Link).join(Link.circle).where(*conditions).options(contains_eager(Link.circle)))


def live_links(circle: Circle) -> dict[str, Link]:
    """Return the link for each right."""
    return {link.right: link for link in circle.links if link.revoked_at is None}


def add_link(
    circle: Circle, right: str, holder: Membership | None = None, device_secret: str = "", *, joined: bool = False
) -> str:
    """Add a link, by which `holder` has `joined`; return its secret, stored nowhere but sealed for the holder."""
    secret = new_secret()
    link = Link(circle_id=circle.id, right=right, secret_hash=hash_secret(secret), created_at=now())
    db.session.add(link)
    db.session.flush()
    if holder is not None:
        store_link(holder, link, seal(device_secret, secret), joined=joined)
    return secret


def seal(device_secret: str, link_secret: str) -> str:
    return _cipher(device_secret).encrypt(link_secret.encode()).decode()


def unseal(device_secret: str, sealed: str) -> str | None:
    """Decrypt a link's secret; None where another device sealed it."""
    try:
        return _cipher(device_secret).decrypt(sealed.encode()).decode()
    except InvalidToken:
        return None


def _cipher(device_secret: str) -> Fernet:
    key = HKDF(SHA256(), length=32, salt=None, info=b"scorekeeper link secrets").derive(device_secret.encode())
    return Fernet(base64.urlsafe_b64encode(key))


def unseal_link_secrets(membership: Membership, device_secret: str) -> dict[str, str]:
    """Return the secrets of the circle's live links that the phone can show, by right."""
    query = (
        select(Link.right, MembershipLink.sealed_secret)
        .join(MembershipLink.link)
        .where(MembershipLink.membership_id == membership.id)
        .where(Link.revoked_at.is_(None), MembershipLink.sealed_secret.is_not(None))
    )
    secrets = {right: unseal(device_secret, sealed or "") for right, sealed in db.session.execute(query)}
    return {right: secret for right, secret in secrets.items() if secret is not None}


def store_link(membership: Membership, link: Link, sealed_secret: str, *, joined: bool) -> None:
    """Store that a phone can show a link and, if `joined`, that it joined by it; an earlier join stays."""
    membership_link = db.session.get(MembershipLink, (membership.id, link.id))
    if membership_link is None:
        membership_link = MembershipLink(circle_id=membership.circle_id, membership_id=membership.id, link_id=link.id)
        db.session.add(membership_link)
    membership_link.sealed_secret = sealed_secret
    if joined and membership_link.joined_at is None:
        membership_link.joined_at = now()


# --- joining, and the circle's phones. With the circle's lock they get consecutive numbers


def join(link: Link, secret: str, device_secret: str) -> bool:
    """Let a device join the link's circle with the link's right; return False if the link was revoked meanwhile.

    A device that has joined before keeps its membership, and a higher right. One that was removed gets its former
    membership back, with this link's right alone.
    """
    sealed = seal(device_secret, secret)
    with writing_to_circle(link.circle_id) as circle:
        if link.revoked_at is not None:
            return False
        store_link(get_or_add_membership(circle, get_or_add_device(device_secret)), link, sealed, joined=True)
        return True


def get_or_add_membership(circle: Circle, device: Device) -> Membership:
    """Return the device's membership of the circle, with the next number if it is new, in the caller's transaction."""
    query = select(Membership).where(Membership.circle_id == circle.id, Membership.device_id == device.id)
    membership = db.session.scalar(query)
    if membership is None:
        last = db.session.scalar(select(func.max(Membership.number)).where(Membership.circle_id == circle.id))
        membership = Membership(circle_id=circle.id, device_id=device.id, number=(last or 0) + 1, created_at=now())
        db.session.add(membership)
    membership.revoked_at = None
    db.session.flush()
    return membership


def list_memberships(circle: Circle) -> list[Membership]:
    query = (
        select(Membership)
        .where(Membership.circle_id == circle.id, Membership.right.is_not(None))
        .options(undefer(Membership.right), subqueryload(Membership.links).joinedload(MembershipLink.link))
        .order_by(Membership.number)
    )
    return list(db.session.scalars(query))


def list_joined_links(membership: Membership) -> list[MembershipLink]:
    joined = [row for row in membership.links if row.joined_at is not None and row.link.revoked_at is None]
    return sorted(joined, key=lambda row: RIGHTS.index(row.link.right), reverse=True)


def rename_membership(membership: Membership, name: str, by: Membership) -> None:
    """Set or, if blank, remove a phone's name; only hosts may name other phones than their own."""
    right = WATCH if by.id == membership.id else HOST
    with writing_to_circle(membership.circle_id, membership=by, right=right):
        membership.name = name or None


# --- renewing and removing ---------------------------------------------------------------------------------


def renew(link: Link, by: Membership, device_secret: str) -> bool:
    """Revoke a link and add a new one; phones that joined by it alone lose access, except for the host `by`.

    Return whether `by` renewed it, now or by an earlier tap. False if another host was quicker (`link.revoked_by`).
    """
    with writing_to_circle(link.circle_id, membership=by, right=HOST):
        if link.revoked_at is None:
            _replace(link, by, device_secret)
        return link.revoked_by_id == by.id


def revoke_membership(membership: Membership, by: Membership, device_secret: str, *, renew_links: bool = False) -> None:
    """Revoke a phone's access. Its device can join again by a link it still has, unless that link is renewed too.

    `renew_links` renews the links that it joined by; other people then need the new ones as well.
    """
    with writing_to_circle(membership.circle_id, membership=by, right=HOST):
        links = [membership_link.link for membership_link in list_joined_links(membership)] if renew_links else []
        db.session.execute(delete(MembershipLink).where(MembershipLink.membership_id == membership.id))
        membership.revoked_at = now()
        for link in links:
            _replace(link, by, device_secret)


def renew_host_link(circle_id: int) -> str:
    """Renew the link for hosts; return the secret of the new one, which no phone has yet."""
    with writing_to_circle(circle_id) as circle:
        return _replace(live_links(circle)[HOST])


def _replace(link: Link, by: Membership | None = None, device_secret: str = "") -> str:
    """Revoke a link and add a new one, which `by` can show; return its secret."""
    joined = by is not None and link.id in (row.link_id for row in list_joined_links(by))
    link.revoked_at = now()
    link.revoked_by = by
    db.session.flush()  # before adding the new link: only one link of each right may be live
    return add_link(link.circle, link.right, by, device_secret, joined=joined)
