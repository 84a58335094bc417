"""The host names that are accepted, and the address in links."""

from __future__ import annotations

import logging
import re
import socket

import psutil
import pytest
from flask import Flask

from scorekeeper.errors import StartupError
from scorekeeper.server import network
from scorekeeper.web.circles import join_urls
from scorekeeper.web.support import trusted_hosts

from ...visitor import Visitor

LOCAL = [
    "localhost",
    "127.0.0.1:8765",
    "192.168.1.5",
    "[::1]:8765",
    "[fe80::1]",
    "raspberrypi:8765",
    "Pi.local",
    "a.lan.",
]
FORGED = ["evil.example", "evil.example:8765", "192.168.1.5.evil.example", "localhost.evil.example", "e_v/il", "[", ""]


def share_link(visitor: Visitor, at: str) -> str:
    """Return the link on the share page, requested with this scheme and host."""
    visitor.open_table("whist")
    cookie = visitor.client.get_cookie("scorekeeper")
    assert cookie is not None
    elsewhere = visitor.client.application.test_client(use_cookies=False)
    answer = elsewhere.get(f"{visitor.table}share", base_url=at, headers={"Cookie": f"scorekeeper={cookie.value}"})
    page = answer.get_data(as_text=True)
    found = re.search(r'id="link"[^>]*value="([^"]+)"', page)
    assert found is not None, page
    return found[1]


# --- host names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", LOCAL)
def test_local_host_names_are_accepted_without_a_setting(app: Flask, host: str) -> None:
    assert app.test_client().get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", FORGED)
def test_any_other_name_is_refused_with_a_page_that_names_the_setting(app: Flask, host: str) -> None:
    for method in ("get", "post"):
        answer = getattr(app.test_client(), method)("/language", headers={"Host": host})
        page = answer.get_data(as_text=True)
        assert answer.status_code == 400
        assert "SCOREKEEPER_HOSTS" in page
        assert not host or f"//{host}" not in page


def test_the_page_for_a_refused_name_is_translated(app: Flask) -> None:
    headers = {"Host": "scores.example.org", "Accept-Language": "fr"}
    page = app.test_client().get("/", headers=headers).get_data(as_text=True)
    assert "Adresse inconnue" in page
    assert "scores.example.org" in page


def test_with_the_setting_only_the_listed_names_are_accepted(app: Flask) -> None:
    names = "Scores.Example.org, .example.net,münchen.example,192.0.2.1"
    app.config["HOSTS"] = trusted_hosts.parse_hosts("SCOREKEEPER_HOSTS", names)

    def status(host: str) -> int:
        return app.test_client().get("/", headers={"Host": host}).status_code

    listed = ["scores.example.org", "SCORES.example.org:8443", "example.net", "a.b.example.net", "192.0.2.1:80"]
    listed += ["xn--mnchen-3ya.example"]
    assert {status(host) for host in listed} == {200}
    assert {status(host) for host in (*FORGED, "localhost", "example.org", "badexample.net", "192.0.2.2")} == {400}
    app.config["HOSTS"] = trusted_hosts.parse_hosts("SCOREKEEPER_HOSTS", "*")
    assert status("evil.example") == 200


@pytest.mark.parametrize("path", ["/health", "/ready"])
def test_the_health_check_accepts_any_name(app: Flask, path: str) -> None:
    assert app.test_client().get(path, headers={"Host": "10-0-0-7.pods.example"}).status_code == 200


@pytest.mark.parametrize("setting", ["https://scores.example.org", "a b", "a/b", "..", "a..b", "é" * 70])
def test_an_invalid_name_in_the_setting_prevents_the_start(setting: str) -> None:
    with pytest.raises(StartupError, match="SCOREKEEPER_HOSTS"):
        trusted_hosts.parse_hosts("SCOREKEEPER_HOSTS", setting)


def test_a_refused_name_is_logged_once(app: Flask, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            app.test_client().get("/", headers={"Host": "logged-once.example"})
    assert caplog.text.count("logged-once.example") == 1


# --- addresses in links ---------------------------------------------------------------------------


@pytest.fixture
def at_home(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Flask:
    """An app that listens on all interfaces of a machine with a network."""
    app.config["LISTENS_EVERYWHERE"] = True
    monkeypatch.setattr(join_urls, "lan_addresses", lambda: ["192.168.1.5", "10.0.0.5"])
    return app


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]"])
def test_a_link_shown_at_localhost_has_the_address_on_the_network(visitor: Visitor, name: str) -> None:
    assert share_link(visitor, f"http://{name}:8765").startswith("http://192.168.1.5:8765/join/")


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("host", ["http://10.0.0.5:8765", "http://pi.local:8765", "https://192.168.7.7"])
def test_a_link_shown_at_another_address_keeps_it(visitor: Visitor, host: str) -> None:
    assert share_link(visitor, host).startswith(f"{host}/join/")


def test_a_server_on_loopback_says_that_its_links_work_only_here(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(join_urls, "lan_addresses", lambda: ["192.168.1.5"])
    assert share_link(visitor, "http://127.0.0.1:8765").startswith("http://127.0.0.1:8765/join/")
    assert "this computer only" in visitor.visit(f"{visitor.table}share").text
    assert "this computer only" in visitor.visit(f"/circles/{circle_of(visitor)}/links").text


@pytest.mark.usefixtures("at_home")
def test_a_machine_without_a_network_says_that_its_links_work_only_here(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(join_urls, "lan_addresses", list)
    assert share_link(visitor, "http://localhost:8765").startswith("http://localhost:8765/join/")
    assert "this computer only" in visitor.visit(f"{visitor.table}share").text
    monkeypatch.setattr(join_urls, "lan_addresses", lambda: ["192.168.1.5"])
    assert "this computer only" not in visitor.visit(f"{visitor.table}share").text


def test_behind_a_proxy_a_link_keeps_the_name_and_port_of_the_proxy(at_home: Flask, visitor: Visitor) -> None:
    at_home.config["PROXIES"] = 1
    assert share_link(visitor, "http://localhost:8080").startswith("http://localhost:8080/join/")


def circle_of(visitor: Visitor) -> str:
    found = re.search(r'href="/circles/([^/"]+)', visitor.client.get("/").get_data(as_text=True))
    assert found is not None
    return found[1]


# --- addresses of the machine ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("addresses", "route", "expected"),
    [
        ({}, None, []),
        ({"lo": ["127.0.0.1", "::1"]}, None, []),
        ({"wlan0": ["10.42.0.1"]}, None, ["10.42.0.1"]),  # a hotspot: there is no default route
        ({"eth0": ["192.168.1.5"], "wlan0": ["10.42.0.1"]}, "10.42.0.1", ["10.42.0.1", "192.168.1.5"]),
        ({"ppp0": ["100.64.0.9", "203.0.113.9"], "wlan0": ["192.168.1.5"]}, "203.0.113.9", None),
        ({"docker0": ["172.17.0.1"], "tun0": ["10.8.0.2"], "wlan0": ["192.168.1.5"]}, "10.8.0.2", ["192.168.1.5"]),
        ({"eth0": ["169.254.3.3"], "wlan0": ["192.168.1.5"]}, None, ["192.168.1.5", "169.254.3.3"]),
        ({"eth0": ["fe80::1%eth0", "fd00::5"]}, None, ["fd00::5"]),
        ({"eth0": ["fd00::5", "192.168.1.5"]}, None, ["192.168.1.5"]),
        ({"down0": ["192.168.9.9"], "bare0": ["192.168.8.8"], "eth0": ["192.168.1.5"]}, None, ["192.168.1.5"]),
    ],
)
def test_the_most_reachable_address_comes_first(
    monkeypatch: pytest.MonkeyPatch, addresses: dict[str, list[str]], route: str | None, expected: list[str] | None
) -> None:
    pretend(monkeypatch, addresses, route)
    found = network.lan_addresses()
    if expected is None:
        assert found[0] == "192.168.1.5"
    else:
        assert found == expected


def pretend(monkeypatch: pytest.MonkeyPatch, addresses: dict[str, list[str]], route: str | None) -> None:
    """Simulate interfaces with these addresses. down0 is down, and bare0 has no cable."""

    class Address:
        def __init__(self, address: str) -> None:
            self.address = address
            self.family = socket.AF_INET6 if ":" in address else socket.AF_INET

    class State:
        def __init__(self, name: str) -> None:
            self.isup = name != "down0"
            self.flags = "up,broadcast" if name == "bare0" else "up,broadcast,running"

    interfaces = {name: [Address(address) for address in of_it] for name, of_it in addresses.items()}
    monkeypatch.setattr(psutil, "net_if_addrs", lambda: interfaces)
    monkeypatch.setattr(psutil, "net_if_stats", lambda: {name: State(name) for name in interfaces})
    monkeypatch.setattr(network, "_address_of_default_route", lambda: route)


def test_without_permission_to_list_interfaces_there_are_no_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden() -> None:
        raise OSError("Address family not supported by protocol")

    monkeypatch.setattr(psutil, "net_if_addrs", forbidden)
    assert network.lan_addresses() == []
