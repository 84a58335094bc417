"""A push service on this machine, with TLS, and phones that read what it was sent."""

from __future__ import annotations

import json
import os
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from scorekeeper.notices import push_services
from scorekeeper.notices.encryption import decode, dump_point, encode

CURVE = ec.SECP256R1()
POLL_SECONDS = 0.01  # until the server notices that it is to end


class Phone:
    """A phone's keys and address. It reads what was encrypted for it by what RFC 8291 says of a receiver."""

    def __init__(self, endpoint: str, key: ec.EllipticCurvePrivateKey | None = None, auth: bytes | None = None) -> None:
        self.endpoint = endpoint
        self._key, self._auth = key or ec.generate_private_key(CURVE), auth or os.urandom(16)
        self.p256dh, self.auth = encode(dump_point(self._key)), encode(self._auth)

    @property
    def fields(self) -> dict[str, str]:
        """What the page's script puts into the form."""
        return {"endpoint": self.endpoint, "p256dh": self.p256dh, "auth": self.auth}

    def read(self, body: bytes) -> bytes:
        """Decrypt a message. Fails if it was not made for this phone."""
        salt, size, length = body[:16], int.from_bytes(body[16:20], "big"), body[20]
        sender, record = body[21 : 21 + length], body[21 + length :]
        assert len(record) <= size
        shared = self._key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(CURVE, sender))
        info = b"WebPush: info\0" + decode(self.p256dh) + sender
        secret = HKDF(SHA256(), 32, self._auth, info).derive(shared)
        key = HKDF(SHA256(), 16, salt, b"Content-Encoding: aes128gcm\0").derive(secret)
        nonce = HKDF(SHA256(), 12, salt, b"Content-Encoding: nonce\0").derive(secret)
        text, _, padding = AESGCM(key).decrypt(nonce, record, None).rpartition(b"\2")
        assert not padding.strip(b"\0")
        return text


class Sent(NamedTuple):
    """A message that the service was sent."""

    path: str
    headers: dict[str, str]
    body: bytes


class PushService:
    """Takes messages at https://localhost.

    Attributes:
        sent: the messages so far.
        answers: the statuses that it answers next, with headers; then 201.
    """

    def __init__(self, port: int) -> None:
        self.port = port
        self.sent: list[Sent] = []
        self.answers: list[tuple[int, dict[str, str]]] = []

    def new_phone(self) -> Phone:
        return Phone(f"https://localhost:{self.port}/{os.urandom(6).hex()}")

    def read(self, phone: Phone) -> list[dict[str, Any]]:
        """Return the notices that a phone has received, in order."""
        own = [sent for sent in self.sent if phone.endpoint.endswith(sent.path)]
        return [json.loads(phone.read(sent.body)) for sent in own]


@contextmanager
def running_service(folder: Path) -> Iterator[PushService]:
    """Run a push service whose certificate our side trusts meanwhile."""
    _write_certificate(folder)
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "certificate.pem", folder / "key.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    service = PushService(server.server_port)
    server.RequestHandlerClass = _handler_for(service)
    thread = Thread(target=server.serve_forever, args=(POLL_SECONDS,), daemon=True)
    thread.start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(folder / "certificate.pem"))
        push_services._tls_context.cache_clear()
        yield service
    push_services._tls_context.cache_clear()
    server.shutdown()
    server.server_close()
    thread.join()


def _handler_for(service: PushService) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            service.sent.append(Sent(self.path, dict(self.headers.items()), body))
            status, headers = service.answers.pop(0) if service.answers else (201, {})
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Be quiet."""

    return Handler


def _write_certificate(folder: Path) -> None:
    key, name = ec.generate_private_key(CURVE), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
    certificate = builder.sign(key, SHA256())
    (folder / "certificate.pem").write_bytes(certificate.public_bytes(Encoding.PEM))
    (folder / "key.pem").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
