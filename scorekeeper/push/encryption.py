"""Encrypting a message for one browser: RFC 8291, with the content coding `aes128gcm` of RFC 8188.

Only the browser can read it; its push service cannot.
"""

from __future__ import annotations

import binascii
import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey, EllipticCurvePublicKey

# cryptography is imported where it is used: it takes 7 MB, which a server that sends no notices need not have.

POINT_BYTES = 65  # of a public key on P-256, uncompressed
AUTH_BYTES = 16  # of the secret that a browser makes with its keys
SALT_BYTES = 16
RECORD_BYTES = 4096  # the whole message is one record
_END = b"\x02"  # of the last record


def encode(data: bytes) -> str:
    """Write bytes as Web Push does: base64url without padding."""
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text: str) -> bytes:
    """Read what `encode` writes.

    Raises:
        ValueError: it is not base64url.
    """
    try:
        return urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
    except (binascii.Error, UnicodeEncodeError):
        raise ValueError("not base64url") from None


def are_keys(p256dh: str, auth: str) -> bool:
    """Return whether these are the keys of a browser: a point on the curve, and a secret."""
    try:
        _load_point(decode(p256dh))
        return len(decode(auth)) == AUTH_BYTES
    except ValueError:
        return False


def _load_point(point: bytes) -> EllipticCurvePublicKey:
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415  # see above

    if len(point) != POINT_BYTES:
        raise ValueError("not an uncompressed point")
    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)


def dump_point(key: EllipticCurvePrivateKey) -> bytes:
    """Return the public part of a key as an uncompressed point."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat  # noqa: PLC0415  # see above

    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def encrypt(
    text: bytes, p256dh: str, auth: str, *, key: EllipticCurvePrivateKey | None = None, salt: bytes | None = None
) -> bytes:
    """Encrypt a message for the browser with these keys. Only a test gives `key` and `salt`, which are used once.

    Raises:
        ValueError: they are not the keys of a browser.
    """
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415  # see above
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415  # see above

    theirs = decode(p256dh)
    key, salt = key or ec.generate_private_key(ec.SECP256R1()), salt or os.urandom(SALT_BYTES)
    shared, ours = key.exchange(ec.ECDH(), _load_point(theirs)), dump_point(key)
    input_key = _derive(shared, decode(auth), b"WebPush: info\0" + theirs + ours, 32)
    content_key = _derive(input_key, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derive(input_key, salt, b"Content-Encoding: nonce\0", 12)
    header = salt + RECORD_BYTES.to_bytes(4, "big") + bytes([len(ours)]) + ours
    return header + AESGCM(content_key).encrypt(nonce, text + _END, None)


def _derive(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415  # see above
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF  # noqa: PLC0415  # see above

    return HKDF(SHA256(), length, salt, info).derive(secret)
