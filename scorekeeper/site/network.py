"""The addresses at which this machine can be reached."""

from __future__ import annotations

import ipaddress
import socket


def lan_addresses() -> list[str]:
    """Return the addresses at which phones on the same network reach this machine, the most likely one first."""
    found = [*_address_of_route(socket.AF_INET, "192.0.2.1"), *_addresses_of_name()]
    return list(dict.fromkeys(found)) or _address_of_route(socket.AF_INET6, "2001:db8::1")


def _address_of_route(family: socket.AddressFamily, far: str) -> list[str]:
    """Return the machine's address on the way to a far one. Nothing is sent: only the system is asked for the route."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((far, 9))
            address: str = probe.getsockname()[0]
    except OSError:
        return []
    return [] if is_loopback(address) else [address]


def _addresses_of_name() -> list[str]:
    try:
        infos = socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
    except (OSError, UnicodeError):
        return []
    return [str(info[4][0]) for info in infos if not is_loopback(str(info[4][0]))]


def is_loopback(host: str) -> bool:
    """Return whether a host in a URL means the machine itself."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_wildcard(host: str) -> bool:
    """Return whether listening at this address means listening at all addresses of the machine."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def bracket_ipv6(host: str) -> str:
    return f"[{host}]" if ":" in host else host
