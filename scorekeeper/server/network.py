"""This machine's addresses on the networks it has joined."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterator

import psutil

# Bridges and tunnels of containers, virtual machines and VPNs: no phone at the table is on them.
_VIRTUAL = ("docker", "br-", "veth", "virbr", "vmnet", "vboxnet", "lxc", "lxd", "podman", "cni", "tun", "tap", "wg")

# Python's own is_private is true of addresses for documentation and tests as well.
_PRIVATE = [ipaddress.ip_network(network) for network in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")]

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address


def lan_addresses() -> list[str]:
    """Return the addresses at which others on the same network reach this machine, the most likely one first.

    Addresses of private networks come before public ones, and IPv4 before IPv6: if the machine has any IPv4 address,
    IPv6 addresses are left out. Empty if the machine is on no network.
    """
    addresses = list(_addresses())
    usable = [address for address in addresses if address.version == 4] or addresses
    route = _address_of_default_route()
    usable.sort(key=lambda address: (not _is_private(address), address.is_link_local, str(address) != route))
    return list(dict.fromkeys(map(str, usable)))


def _addresses() -> Iterator[IPAddress]:
    """Yield the addresses of the interfaces that are up and connected."""
    try:
        interfaces, states = psutil.net_if_addrs(), psutil.net_if_stats()
    except OSError:  # a sandbox may forbid asking
        return
    for name, addresses in interfaces.items():
        state = states.get(name)
        if state is None or not state.isup or "running" not in (state.flags or "running") or name.startswith(_VIRTUAL):
            continue
        for address in addresses:
            if address.family in (socket.AF_INET, socket.AF_INET6):
                parsed = ipaddress.ip_address(address.address.partition("%")[0])
                # A link-local address of IPv6 means nothing without the name of the interface.
                if not parsed.is_loopback and not (parsed.version == 6 and parsed.is_link_local):
                    yield parsed


def _is_private(address: IPAddress) -> bool:
    return any(address in network for network in _PRIVATE if network.version == address.version)


def _address_of_default_route() -> str | None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Nothing is sent: connecting a datagram socket only asks the system for the route.
            probe.connect(("192.0.2.1", 9))
            address: str = probe.getsockname()[0]
        except OSError:
            return None
    return address


def is_loopback(host: str) -> bool:
    """Return whether a host in a URL means the machine itself."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_any(host: str) -> bool:
    """Return whether listening at this address means listening on all interfaces."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def in_url(host: str) -> str:
    """Return the host as it is written in a URL: an IPv6 address in brackets."""
    return f"[{host}]" if ":" in host else host
