"""Encryption and signatures of Web Push: the example of RFC 8291, and what a push service checks."""

from __future__ import annotations

import json

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.notices.encryption import VALID_SECONDS, are_keys, authorize, decode, encode, encrypt, get_public_key

from .push_service import CURVE, Phone

# RFC 8291, appendix A
TEXT = b"When I grow up, I want to be a watermelon"
SENDER, SALT = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw", "DGv6ra1nlYgDCS1FRnbzlw"
RECEIVER, AUTH = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94", "BTBZMqHH6r4Tts7J_aSIgg"
P256DH = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
ENCRYPTED = (
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_"
    "yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
)


def private_key(text: str) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(int.from_bytes(decode(text), "big"), CURVE)


def test_the_example_of_rfc_8291_is_encrypted_as_there() -> None:
    body = encrypt(TEXT, P256DH, AUTH, key=private_key(SENDER), salt=decode(SALT))
    assert encode(body) == ENCRYPTED
    assert Phone("", private_key(RECEIVER), decode(AUTH)).read(body) == TEXT


@given(st.binary(max_size=3_000))
def test_a_phone_reads_what_was_encrypted_for_it_and_each_message_has_keys_of_its_own(text: bytes) -> None:
    phone = Phone("")
    first, second = (encrypt(text, phone.p256dh, phone.auth) for _ in range(2))
    assert phone.read(first) == phone.read(second) == text
    assert first[:86] != second[:86]


@pytest.mark.parametrize(
    ("p256dh", "auth"),
    [
        ("", AUTH),
        (P256DH, ""),
        (P256DH, AUTH[:-2]),
        (P256DH[:-4], AUTH),
        (P256DH[:-1] + "A", AUTH),  # not on the curve
        (P256DH, "é" * 22),
        ("A" * 87, AUTH),
        ("*" * 87, AUTH),
        (P256DH + "!" * 200_000, AUTH),
        (P256DH, AUTH + "!" * 200_000),
    ],
)
def test_what_is_no_key_of_a_phone_is_refused(p256dh: str, auth: str) -> None:
    assert not are_keys(p256dh, auth)
    assert are_keys(P256DH, AUTH)


def test_a_push_service_can_check_who_sends() -> None:
    header = authorize("a secret of the site", "https://push.example:8443/phone/1?x", "https://scores.example", 1_000)
    scheme, token, key = header.replace(",", "").split()
    assert scheme == "vapid"
    point = decode(key.removeprefix("k="))
    assert encode(point) == get_public_key("a secret of the site") != get_public_key("another secret")
    signed, _, signature = token.removeprefix("t=").rpartition(".")
    head, claims = (json.loads(decode(part)) for part in signed.split("."))
    assert head == {"typ": "JWT", "alg": "ES256"}
    assert claims == {"aud": "https://push.example:8443", "exp": 1_000 + VALID_SECONDS, "sub": "https://scores.example"}
    raw = decode(signature)
    numbers = (int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    public = ec.EllipticCurvePublicKey.from_encoded_point(CURVE, point)
    public.verify(encode_dss_signature(*numbers), signed.encode(), ec.ECDSA(SHA256()))  # raises, if it is not
