"""Devices: recognised by a secret in their cookie; what they may do in each circle; the link secrets they keep.

The cookie holds the device's secret and no list of circles, so its size does not depend on their number, and no two
responses that race can lose one. The server stores a hash of the secret.

A link can be shown again, on a recovery sheet or as a QR code, only by a device that knows its secret, of which the
server stores a hash as well. The secret itself is stored encrypted, with a key derived from the device's own secret:
the database, or a backup of it, opens no circle, and the cookie stays small.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, delete, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import contains_eager, undefer

from ...db.clock import now
from ...models import Browser, BrowserLink, Circle, Device, Link, db

if TYPE_CHECKING:
    from cryptography.fernet import Fernet


def new_secret() -> str:
    """Return a random secret of 192 bits, for a link or a device."""
    return secrets.token_urlsafe(24)


def hash_secret(secret: str) -> str:
    """Hash a secret for storage; a fast hash is enough, since 192 random bits cannot be guessed."""
    return hashlib.sha256(secret.encode()).hexdigest()


def matches(secret_hash: str, secret: str) -> bool:
    """Return whether a secret has this hash, compared in constant time."""
    return hmac.compare_digest(secret_hash, hash_secret(secret))


def get_device(secret: str) -> Device:
    """Return the device with this secret, locked until the transaction ends; add it where there is none yet.

    Called within a transaction that writes. Two requests of one browser take turns here.
    """
    row = {"secret_hash": hash_secret(secret), "created_at": now()}
    insert = postgresql.insert if db.engine.dialect.name == "postgresql" else sqlite.insert
    added = insert(Device).values(row).on_conflict_do_nothing(index_elements=["secret_hash"])
    query = select(Device).where(Device.secret_hash == row["secret_hash"]).with_for_update()
    while True:
        db.session.execute(added)
        device = db.session.scalar(query.execution_options(populate_existing=True))
        if device is not None:  # None: it was unused, and deleted after the insert had found it
            return device


# --- a device in its circles -------------------------------------------------------------------------------

_BROWSERS = (
    select(Browser)
    .join(Browser.device)
    .join(Browser.circle)
    .where(Device.secret_hash == bindparam("secret_hash"), Browser.revoked_at.is_(None))
    .options(contains_eager(Browser.circle), undefer(Browser.right))
)
# Built once: every page of a circle begins with it.
_BROWSER = _BROWSERS.where(Circle.name == bindparam("circle"))
_BROWSERS_BY_CIRCLE = _BROWSERS.order_by(Circle.id)


def find_browser(secret: str, circle: str) -> Browser | None:
    """Return the device's browser in the circle of that name; None where it has no access."""
    browser = db.session.scalar(_BROWSER, {"secret_hash": hash_secret(secret), "circle": circle})
    return browser if browser is not None and browser.right is not None else None


def browsers_of_device(secret: str) -> list[Browser]:
    """List the device's browsers in the circles that it has access to, oldest circle first."""
    browsers = db.session.scalars(_BROWSERS_BY_CIRCLE, {"secret_hash": hash_secret(secret)})
    return [browser for browser in browsers if browser.right is not None]


def delete_unused(device_ids: list[int]) -> None:
    """Delete those of the devices that are in no circle any more, in the caller's transaction.

    Devices locked by another transaction are skipped: a device without a circle gives access to nothing.
    """
    free = select(Device.id).where(Device.id.in_(device_ids)).with_for_update(skip_locked=True)
    ids = db.session.scalars(free).all()
    is_used = select(Browser.id).where(Browser.device_id == Device.id).exists()
    unused = delete(Device).where(Device.id.in_(ids), ~is_used)
    db.session.execute(unused, execution_options={"synchronize_session": False})


# --- link secrets ------------------------------------------------------------------------------------------


def seal(device_secret: str, link_secret: str) -> str:
    """Encrypt a link's secret so that only the device can read it again."""
    return _cipher(device_secret).encrypt(link_secret.encode()).decode()


def unseal(device_secret: str, sealed: str) -> str | None:
    """Decrypt a link's secret; None where another device sealed it."""
    from cryptography.fernet import InvalidToken  # noqa: PLC0415  # 7 MB, which reading and recording need not

    try:
        return _cipher(device_secret).decrypt(sealed.encode()).decode()
    except InvalidToken:
        return None


def _cipher(device_secret: str) -> Fernet:
    from cryptography.fernet import Fernet  # noqa: PLC0415  # see above
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415  # see above
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF  # noqa: PLC0415  # see above

    key = HKDF(SHA256(), length=32, salt=None, info=b"scorekeeper link secrets").derive(device_secret.encode())
    return Fernet(base64.urlsafe_b64encode(key))


def readable_link_secrets(browser: Browser, device_secret: str) -> dict[str, str]:
    """Return the secrets of the circle's live links that the browser can show, by right."""
    query = (
        select(Link.right, Link.secret_hash, BrowserLink.sealed_secret)
        .join(BrowserLink.link)
        .where(BrowserLink.circle_id == browser.circle_id, BrowserLink.browser_id == browser.id)
        .where(Link.revoked_at.is_(None), BrowserLink.sealed_secret.is_not(None))
    )
    secrets_by_right = {}
    for right, secret_hash, sealed in db.session.execute(query):
        secret = unseal(device_secret, sealed or "")
        if secret is not None and matches(secret_hash, secret):
            secrets_by_right[right] = secret
    return secrets_by_right


def store_link(browser: Browser, link: Link, sealed_secret: str, *, joined: bool) -> None:
    """Store that a browser can show a link and, if `joined`, that it joined by it; an earlier join stays."""
    browser_link = db.session.get(BrowserLink, (browser.id, link.id, browser.circle_id))
    if browser_link is None:
        browser_link = BrowserLink(circle_id=browser.circle_id, browser_id=browser.id, link_id=link.id)
        db.session.add(browser_link)
    browser_link.sealed_secret = sealed_secret
    if joined and browser_link.joined_at is None:
        browser_link.joined_at = now()
