"""What one phone downloads keeps no entry waiting, at a real server."""

from __future__ import annotations

import socket
import time

import pytest

from scorekeeper.files import imports
from scorekeeper.limits import MAX_DEALS
from scorekeeper.models import Circle, db

from ..files.importing import uploads
from ..support.phones import Phone
from ..support.server import Server
from ..support.visitor import NAMES, Visitor

SHEET = {"format": "scorekeeper-sheet/1", "game": "whist", "players": NAMES[:4], "dealer": NAMES[0]}
QUICK = 3  # seconds, also on a machine that does much else


@pytest.fixture
def host(server: Server) -> Visitor:
    """The host of a circle which has as many deals as a table may have."""
    visitor = Visitor(server.app()).open_table("whist")
    with visitor.client.application.app_context():
        circle = db.session.scalars(db.select(Circle).where(Circle.token == visitor.circle.split("/")[2])).one()
        sheet = SHEET | {"deals": [{"tricks": {"ns": 7, "ew": 6}}] * MAX_DEALS}
        assert len(imports.record(circle, circle.memberships[0], uploads(sheet), {}).new) == 1
    return visitor


@pytest.fixture
def reader(server: Server, host: Visitor) -> Phone:
    return Phone(server.url, host)


def send_request(phone: Phone, path: str) -> socket.socket:
    """Send a request as a phone that neither reads the answer nor hangs up."""
    host, port = phone.url.removeprefix("http://").split(":")
    headers = [f"{name}: {value}" for name, value in phone.headers.items()]
    lines = [f"GET {path} HTTP/1.1", f"Host: {host}", *headers, "Connection: close", "", ""]
    connection = socket.create_connection((host, int(port)), timeout=60)
    connection.sendall("\r\n".join(lines).encode())
    return connection


def read_answer(connection: socket.socket) -> tuple[int, str]:
    """Return the status and the head of the answer."""
    with connection:
        head = connection.recv(10_000).decode(errors="replace")
    return int(head.split()[1]), head


def seconds_of_entry(phone: Phone, table: str) -> float:
    began = time.monotonic()
    phone.enter(table, {"tricks": "ns-1", "do": "record"})
    return time.monotonic() - began


def test_a_phone_downloads_one_thing_at_a_time_and_entries_stay_quick(
    server: Server, host: Visitor, reader: Phone
) -> None:
    visitor = Visitor(server.app()).open_table("whist")
    stranger = Phone(server.url, visitor)
    requests = [send_request(reader, f"{host.circle}spreadsheet.xlsx") for _ in range(8)]
    assert max(seconds_of_entry(stranger, visitor.table) for _ in range(8)) < QUICK
    answers = [read_answer(request) for request in requests]
    assert sorted(status for status, _ in answers) == [200, *[429] * 7]
    assert sum("Retry-After: 10" in head for _, head in answers) == 7


def test_a_download_ends_when_its_reader_hangs_up(host: Visitor, reader: Phone) -> None:
    send_request(reader, f"{host.circle}spreadsheet.xlsx").close()
    began = time.monotonic()
    while read_answer(send_request(reader, f"{host.circle}export.zip"))[0] == 429:
        assert time.monotonic() - began < QUICK
        time.sleep(0.05)
