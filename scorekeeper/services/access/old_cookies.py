"""Cookies from before migration 0005, which listed a secret for every circle: merging their devices into one.

The migration turned each browser into a device with the browser's secret. When such a cookie is sent, all browsers
whose secret it has become one device. Its secret is that of the cookie's first browser, so that two requests with the
same cookie, or one whose response was lost, result in the same device.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import delete, select, update
from sqlalchemy.orm import aliased, joinedload

from ...db.transactions import write
from ...models import Browser, Device, Link, Player, db
from .devices import get_device, hash_secret, matches, seal, store_link


class OldCookie(NamedTuple):
    """The contents of an old cookie, each by the circle's name."""

    circles: Mapping[str, tuple[int, str]]  # the browser's id and secret
    links: Mapping[str, Mapping[str, str]]  # by right, the secrets of the links it could show
    players: Mapping[str, int]  # whose phone it is


def adopt(old: OldCookie, device_secret: str | None) -> str | None:
    """Give one device access to all that the cookie gave access to; return the device's secret.

    `device_secret` is that of the browser's current device, if any. Returns None if no secret in the cookie is valid.
    """
    return write(lambda: _adopt(old, device_secret))


def _adopt(old: OldCookie, device_secret: str | None) -> str | None:
    secrets = {hash_secret(secret): secret for _, secret in old.circles.values()}
    ids = [browser_id for browser_id, _ in old.circles.values()]
    query = select(Device.id, Device.secret_hash).join(Browser, Browser.device_id == Device.id)
    rows = db.session.execute(query.where(Browser.id.in_(ids)).order_by(Browser.id)).all()
    proved = {device_id: secrets[secret_hash] for device_id, secret_hash in rows if secret_hash in secrets}
    if not proved:
        return None
    secret = device_secret or next(iter(proved.values()))
    device = get_device(secret)
    _move([device_id for device_id in proved if device_id != device.id], device)
    mine = select(Browser).where(Browser.id.in_(ids), Browser.device_id == device.id)
    for browser in db.session.scalars(mine.options(joinedload(Browser.circle)).order_by(Browser.id)):
        _store_contents(old, browser, secret)
    return secret


def _move(device_ids: list[int], device: Device) -> None:
    other = aliased(Browser)
    is_in_already = select(other.id).where(other.circle_id == Browser.circle_id, other.device_id == device.id).exists()
    moved = update(Browser).where(Browser.device_id.in_(device_ids), ~is_in_already).values(device_id=device.id)
    is_used = select(Browser.id).where(Browser.device_id == Device.id).exists()
    unused = delete(Device).where(Device.id.in_(device_ids), ~is_used)
    for statement in (moved, unused):
        db.session.execute(statement, execution_options={"synchronize_session": False})


def _store_contents(old: OldCookie, browser: Browser, secret: str) -> None:
    """Store the cookie's link secrets and the player whose phone it is."""
    name = browser.circle.name
    links = select(Link).where(Link.circle_id == browser.circle_id, Link.revoked_at.is_(None))
    for link in db.session.scalars(links):
        link_secret = old.links.get(name, {}).get(link.right, "")
        if matches(link.secret_hash, link_secret):
            store_link(browser, link, seal(secret, link_secret), joined=False)
    player = db.session.get(Player, (old.players.get(name, 0), browser.circle_id))
    if player is not None and browser.player_id is None:
        browser.player_id = player.id
