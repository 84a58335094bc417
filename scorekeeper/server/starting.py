"""Steps of `scorekeeper run` before serving: bind the port, and print where the app can be opened."""

from __future__ import annotations

import sys
from typing import TextIO

import click

from ..i18n import translate
from .listening import CannotListenError, Listener, announcement, inherited_listener, listen, parse_port, qr_code
from .network import lan_addresses

CANNOT_LISTEN = 2  # exit status


def bind(host: str, port: str, language: str) -> Listener:
    """Listen at the host and port, or at systemd's sockets; if that fails, print the reason and exit."""
    inherited = inherited_listener()
    if inherited is not None:
        return inherited
    try:
        return listen(host, parse_port(port))
    except CannotListenError as error:
        _print(translate(language, error.key, **error.params), sys.stderr)
        sys.exit(CANNOT_LISTEN)


def announce(listener: Listener, language: str, path: str) -> None:
    """Print where the app can be opened, for phones with a QR code where the terminal can show one."""
    text, url = announcement(listener.host, listener.port, lan_addresses(), language, path)
    _print(text, sys.stdout)
    if url is not None:
        click.echo(qr_code(url, sys.stdout))


def _print(text: str, stream: TextIO) -> None:
    """Print a text, with "?" for characters that the stream's encoding lacks."""
    encoding = stream.encoding or "ascii"
    click.echo(text.encode(encoding, "replace").decode(encoding), file=stream)
