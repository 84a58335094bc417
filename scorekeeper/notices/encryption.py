"""Encrypting a message for one browser (RFC 8291, with the content coding `aes128gcm` of RFC 8188), and signing it.

Only the browser can read it; its push service cannot. Import this where it is used: `cryptography` takes 7 MB, which a
server that sends no notices need not have.
"""

from __future__ import annotations

import json
import os
from base64 import b64decode, urlsafe_b64encode
from functools import lru_cache
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

POINT_BYTES = 65  # of a public key on P-256, uncompressed
AUTH_BYTES = 16  # of the secret that a browser makes with its keys
SALT_BYTES = 16
RECORD_BYTES = 4096  # the whole message is one record
_END = b"\x02"  # of the last record


def encode(data: bytes) -> str:
    """Write bytes as Web Push does: base64url without padding."""
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text: str) -> bytes:
    """Read what `encode` writes. Raises ValueError."""
    return b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)


def are_keys(p256dh: str, auth: str) -> bool:
    """Return whether these are the keys of a browser: a point on the curve, and a secret."""
    try:
        _load_point(decode(p256dh))
        return len(decode(auth)) == AUTH_BYTES
    except ValueError:
        return False


def _load_point(point: bytes) -> ec.EllipticCurvePublicKey:
    if len(point) != POINT_BYTES:
        raise ValueError("not an uncompressed point")
    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)


def dump_point(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def encrypt(
    text: bytes, p256dh: str, auth: str, *, key: ec.EllipticCurvePrivateKey | None = None, salt: bytes | None = None
) -> bytes:
    """Encrypt a message for the browser with these keys. Only a test gives `key` and `salt`, which are used once."""
    theirs = decode(p256dh)
    key = key or ec.generate_private_key(ec.SECP256R1())
    salt = salt or os.urandom(SALT_BYTES)
    shared = key.exchange(ec.ECDH(), _load_point(theirs))
    ours = dump_point(key)
    input_key = _derive(shared, decode(auth), b"WebPush: info\0" + theirs + ours, 32)
    content_key = _derive(input_key, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derive(input_key, salt, b"Content-Encoding: nonce\0", 12)
    header = salt + RECORD_BYTES.to_bytes(4, "big") + bytes([len(ours)]) + ours
    return header + AESGCM(content_key).encrypt(nonce, text + _END, None)


def _derive(secret: bytes, salt: bytes | None, info: bytes, length: int) -> bytes:
    return HKDF(SHA256(), length, salt, info).derive(secret)


# --- signing for a push service: VAPID, RFC 8292

# A site's key follows from the key that signs its cookies: with another one the phones have to join again in any case.
VALID_SECONDS = 12 * 3_600  # of a signature; services allow a day
_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551  # of P-256
_COORDINATE_BYTES = 32


@lru_cache(maxsize=4)
def _derive_key(secret: str) -> ec.EllipticCurvePrivateKey:
    derived = _derive(secret.encode(), None, b"scorekeeper web push", 48)
    return ec.derive_private_key(int.from_bytes(derived, "big") % (_ORDER - 1) + 1, ec.SECP256R1())


def get_public_key(secret: str) -> str:
    return encode(dump_point(_derive_key(secret)))


def authorize(secret: str, endpoint: str, site: str, moment: int) -> str:
    """Return the value of the header by which a push service knows who sends.

    `site` is where it finds the sender, an https address; `moment` is in seconds since 1970.
    """
    parts = urlsplit(endpoint)
    claims = {"aud": f"{parts.scheme}://{parts.netloc}", "exp": moment + VALID_SECONDS, "sub": site}
    signed = f"{_dump({'typ': 'JWT', 'alg': 'ES256'})}.{_dump(claims)}"
    numbers = decode_dss_signature(_derive_key(secret).sign(signed.encode(), ec.ECDSA(SHA256())))
    signature = b"".join(number.to_bytes(_COORDINATE_BYTES, "big") for number in numbers)
    return f"vapid t={signed}.{encode(signature)}, k={get_public_key(secret)}"


def _dump(value: dict[str, object]) -> str:
    return encode(json.dumps(value, separators=(",", ":")).encode())
