"""Push services: which addresses may be one, and handing over a message.

An endpoint is user input. So only public addresses are ever connected to, by https, and the address that was checked is
the one that is used.
"""

from __future__ import annotations

import logging
import re
import socket
import ssl
from collections.abc import Mapping
from contextlib import closing, suppress
from functools import lru_cache
from http.client import HTTPException, HTTPSConnection
from ipaddress import IPv6Address, IPv6Network, ip_address
from threading import Timer
from typing import Any
from urllib.parse import urlsplit

from ..limits import MAX_ENDPOINT_LENGTH

TIMEOUT = 5  # seconds, for each step
MAX_SECONDS = 10  # for all of them: a service may send a byte now and then, and hold up what waits behind it
HTTPS_PORT = 443
_TRANSLATED = IPv6Network("64:ff9b::/96")  # IPv4 addresses as a network without IPv4 writes them: RFC 6052
_READ_BYTES = 1_000  # of an answer, of which only the status counts
_REFUSED = 400
_GONE = (404, 410)

_log = logging.getLogger(__name__)


def is_endpoint(text: str) -> bool:
    """Return whether a text may be the address of a push service: https, a name, and nothing but a path behind it."""
    if len(text) > MAX_ENDPOINT_LENGTH or not re.fullmatch(r"https://[!-~]+", text):
        return False
    try:
        parts = urlsplit(text)
        is_plain = parts.hostname is not None and "@" not in parts.netloc and "#" not in text and "\\" not in text
        return is_plain and parts.port in (None, HTTPS_PORT)
    except ValueError:
        return False


class NotPublicError(Exception):
    """A name leads to private networks or this machine only."""


def find_addresses(host: str, port: int) -> list[Any]:
    """Return public addresses only. Raises NotPublicError if the name leads to others only, OSError if to none."""
    found = [info[4] for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    allowed = [address for address in found if is_public(str(address[0]))]
    if not allowed:
        raise NotPublicError(host)
    return allowed


def is_public(text: str) -> bool:
    """Return whether an address is one of the internet, also behind the ways to write an IPv4 address as IPv6."""
    address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv6Address):
        if address in _TRANSLATED:
            return is_public(str(ip_address(int(address) & 0xFFFFFFFF)))
        inside = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
        if inside is not None:
            return is_public(str(inside))
    return address.is_global and not address.is_multicast


class PushConnection(HTTPSConnection):
    def connect(self) -> None:
        error: OSError = OSError("no address")
        for address in find_addresses(self.host, self.port):
            try:
                plain = socket.create_connection(address[:2], TIMEOUT)
            except OSError as failed:
                error = failed
            else:
                tls = _tls_context().wrap_socket(plain, server_hostname=self.host, do_handshake_on_connect=False)
                self.sock = tls  # before the handshake, so that `abort` ends it too
                tls.do_handshake()
                return
        raise error

    def abort(self) -> None:
        """End the connection, also for a thread that waits for it."""
        with suppress(OSError):
            if self.sock is not None:
                self.sock.shutdown(socket.SHUT_RDWR)


@lru_cache(maxsize=1)
def _tls_context() -> ssl.SSLContext:
    return ssl.create_default_context()


def post(endpoint: str, body: bytes, headers: Mapping[str, str]) -> bool:
    """Hand a message over, once; return False if the service says that the browser no longer exists."""
    parts = urlsplit(endpoint)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    connection = PushConnection(parts.hostname or "", parts.port or HTTPS_PORT, timeout=TIMEOUT)
    guard = Timer(MAX_SECONDS, connection.abort)
    guard.daemon = True
    guard.start()
    with closing(connection):
        try:
            connection.request("POST", path, body, dict(headers))
            response = connection.getresponse()
            response.read(_READ_BYTES)
        except NotPublicError:
            return True
        except (OSError, HTTPException, ValueError) as error:
            _log.warning("The push service %s cannot be reached: %s", parts.hostname, error)
            return True
        finally:
            guard.cancel()
    if response.status in _GONE:
        return False
    if response.status >= _REFUSED:
        _log.warning("The push service %s answers %s", parts.hostname, response.status)
    return True
