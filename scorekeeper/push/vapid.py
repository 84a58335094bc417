"""Signing for a push service: VAPID, RFC 8292.

A site's key follows from the key that signs its cookies: it is made with that at the first start, kept and backed up
with it, and is the same for all processes and servers. With another one the phones have to join again in any case.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from .encryption import dump_point, encode

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

VALID_SECONDS = 12 * 3_600  # of a signature; services allow a day
_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551  # of P-256
_COORDINATE_BYTES = 32


@lru_cache(maxsize=4)
def derive_key(secret: str) -> EllipticCurvePrivateKey:
    """Return the site's key, which follows from the secret that signs cookies."""
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415  # see encryption.py
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415  # see encryption.py
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF  # noqa: PLC0415  # see encryption.py

    derived = HKDF(SHA256(), 48, None, b"scorekeeper web push").derive(secret.encode())
    return ec.derive_private_key(int.from_bytes(derived, "big") % (_ORDER - 1) + 1, ec.SECP256R1())


def get_public_key(secret: str) -> str:
    """Return the public part of the site's key, which a browser needs to subscribe."""
    return encode(dump_point(derive_key(secret)))


def authorize(secret: str, endpoint: str, site: str, moment: int) -> str:
    """Return the header that tells the push service of an endpoint who sends; `moment` is in seconds since 1970.

    `site` is where the service finds the sender, which has to be an https address.
    """
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415  # see encryption.py
    from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature  # noqa: PLC0415  # see encryption.py
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415  # see encryption.py

    parts = urlsplit(endpoint)
    claims = {"aud": f"{parts.scheme}://{parts.netloc}", "exp": moment + VALID_SECONDS, "sub": site}
    signed = f"{_dump({'typ': 'JWT', 'alg': 'ES256'})}.{_dump(claims)}"
    numbers = decode_dss_signature(derive_key(secret).sign(signed.encode(), ec.ECDSA(SHA256())))
    signature = b"".join(number.to_bytes(_COORDINATE_BYTES, "big") for number in numbers)
    return f"vapid t={signed}.{encode(signature)}, k={get_public_key(secret)}"


def _dump(value: dict[str, object]) -> str:
    return encode(json.dumps(value, separators=(",", ":")).encode())
