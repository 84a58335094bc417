"""Bind the port, and describe the addresses at which the app can be opened."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Sequence
from contextlib import suppress
from io import StringIO
from typing import Any, NamedTuple, TextIO

import segno

from ..i18n import translate
from .network import in_url, is_any, is_loopback

BACKLOG = 2048  # connections waiting to be accepted; gunicorn's default
MAX_PORT = 65535
_FIRST_INHERITED = 3  # file descriptor of systemd's first socket


class Listener(NamedTuple):
    """The socket that the server listens on.

    Attributes:
        file: descriptor of the listening socket; None if systemd has passed sockets.
        host: the address it is bound to, never a name; "0.0.0.0" or "::" for all interfaces.
    """

    file: int | None
    host: str
    port: int

    def close(self) -> None:
        """Close the socket, unless the server has closed it already."""
        if self.file is not None:
            with suppress(OSError):
                os.close(self.file)


class CannotListenError(Exception):
    """The host and port cannot be used. `key` names the message in the catalogues, `params` fill it in."""

    def __init__(self, key: str, **params: str) -> None:
        super().__init__(key)
        self.key = key
        self.params: dict[str, Any] = params


def parse_port(text: str) -> int:
    """Read a port; 0 lets the system choose a free one.

    Raises:
        CannotListenError: it is no number from 0 to 65535.
    """
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(MAX_PORT)) and int(text) <= MAX_PORT):
        raise CannotListenError("server.bad-port", port=text, highest=str(MAX_PORT))
    return int(text)


def listen(host: str, port: int) -> Listener:
    """Listen at the host and port. `::` means all addresses of IPv4 and IPv6.

    Raises:
        CannotListenError: there is no such host, it is another machine, or the port is not free.
    """
    family, address = _resolve(host, port)
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, not is_any(host))
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise _reason(error, host, port) from error
    host, port = listener.getsockname()[:2]
    return Listener(listener.detach(), host, port)


def _resolve(host: str, port: int) -> tuple[socket.AddressFamily, Any]:
    try:
        infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise CannotListenError("server.no-such-host", host=host) from error
    family, _, _, _, address = min(infos, key=lambda info: info[0] != socket.AF_INET)
    return family, address


def _reason(error: OSError, host: str, port: int) -> CannotListenError:
    another = port + 1 if port < MAX_PORT else port - 1
    if error.errno == errno.EADDRINUSE:
        return CannotListenError("server.port-in-use", port=str(port), another=str(another))
    if error.errno in (errno.EACCES, errno.EPERM):
        return CannotListenError("server.port-reserved", port=str(port))
    if error.errno in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
        return CannotListenError("server.not-this-machine", host=host)
    return CannotListenError("server.cannot-listen", host=host, port=str(port), reason=error.strerror or str(error))


def inherited_listener() -> Listener | None:
    """Return the sockets that systemd holds for this process (LISTEN_FDS), which gunicorn takes over; None without.

    Of several, the one that listens on all interfaces, else the first, says where the app can be opened.
    """
    if os.environ.get("LISTEN_PID") != str(os.getpid()):
        return None
    addresses = [_read_address(_FIRST_INHERITED + n) for n in range(int(os.environ.get("LISTEN_FDS") or 0))]
    if not addresses:
        return None
    host, port = next((address for address in addresses if is_any(address[0])), addresses[0])
    return Listener(None, host, port)


def _read_address(file: int) -> tuple[str, int]:
    """Return the host and port of a listening socket; those of a Unix socket are "" and 0."""
    with socket.socket(fileno=os.dup(file)) as listener:
        if listener.family not in (socket.AF_INET, socket.AF_INET6):
            return "", 0
        host, port = listener.getsockname()[:2]
        return host, port


def announcement(
    host: str, port: int, addresses: Sequence[str], language: str, path: str = ""
) -> tuple[str, str | None]:
    """Return the text that says where the app can be opened, and the URL for phones, if there is one.

    Args:
        host: the address at which the server listens, not a name.
        addresses: the machine's addresses on its networks, the most likely one first.
        path: below which the app is, without a slash at its end.
    """
    if is_loopback(host):
        lines = [
            translate(language, "server.here", url=_url(host, port, path)),
            translate(language, "server.only-here"),
        ]
        return "\n".join(lines), None
    if not is_any(host):
        url = _url(host, port, path)
        return translate(language, "server.at", url=url), url
    lines = [translate(language, "server.here", url=_url("localhost", port, path))]
    urls = [_url(address, port, path) for address in addresses if ":" not in address or host == "::"]
    if not urls:
        return "\n".join([*lines, translate(language, "server.no-network", port=str(port))]), None
    lines.append(translate(language, "server.phones", url=urls[0]))
    if urls[1:]:
        lines.append(translate(language, "server.phones-elsewhere", urls=", ".join(urls[1:])))
    return "\n".join(lines), urls[0]


def _url(host: str, port: int, path: str) -> str:
    return f"http://{in_url(host)}:{port}{path}/"


def qr_code(url: str, stream: TextIO) -> str:
    """Return a QR code drawn with what the stream can print: block characters, else colours of a terminal, else ''."""
    code = segno.make(url, micro=False)
    blocks = StringIO()
    code.terminal(blocks, compact=True)
    try:
        blocks.getvalue().encode(stream.encoding or "ascii")
    except UnicodeEncodeError:
        pass
    else:
        return blocks.getvalue()
    if not stream.isatty():
        return ""
    colours = StringIO()
    code.terminal(colours)
    return colours.getvalue()
