"""What one phone downloads keeps no entry waiting, at a real server."""

from __future__ import annotations

import socket
import time

import pytest

from scorekeeper.files import imports
from scorekeeper.limits import MAX_DEALS
from scorekeeper.models import Circle, Table, db

from ..files.importing import uploads
from ..phones import PLAYERS, Phone
from ..server import Server

SHEET = {"format": "scorekeeper-sheet/1", "game": "whist", "players": [*PLAYERS], "dealer": PLAYERS[0]}
QUICK = 3  # seconds, also on a machine that does much else


@pytest.fixture
def reader(server: Server) -> Phone:
    return Phone(server.url)


@pytest.fixture
def circle(server: Server, reader: Phone) -> str:
    """The path of the reader's circle, which has as many deals as a table may have."""
    token = reader.open_table().split("/")[2]
    with server.app().app_context():
        circle = db.session.scalars(db.select(Circle).join(Table).where(Table.token == token)).one()
        sheet = SHEET | {"deals": [{"tricks": {"ns": 7, "ew": 6}}] * MAX_DEALS}
        report = imports.record(circle, circle.memberships[0], uploads(sheet), {})
        assert len(report.new) == 1
        return f"/circles/{circle.name}/"


def send_request(phone: Phone, path: str) -> socket.socket:
    """Send a request as a phone that neither reads the answer nor hangs up."""
    host, port = phone.url.removeprefix("http://").split(":")
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in phone.cookies)
    lines = [f"GET {path} HTTP/1.1", f"Host: {host}", f"Cookie: {cookies}", "Connection: close", "", ""]
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
    phone.enter(table, phone.score())
    return time.monotonic() - began


def test_a_phone_downloads_one_thing_at_a_time_and_entries_stay_quick(
    server: Server, reader: Phone, circle: str
) -> None:
    stranger = Phone(server.url)
    table = stranger.open_table()
    requests = [send_request(reader, f"{circle}spreadsheet.xlsx") for _ in range(8)]
    assert max(seconds_of_entry(stranger, table) for _ in range(8)) < QUICK
    answers = [read_answer(request) for request in requests]
    assert sorted(status for status, _ in answers) == [200, *[429] * 7]
    assert sum("Retry-After: 10" in head for _, head in answers) == 7


def test_a_download_ends_when_its_reader_hangs_up(reader: Phone, circle: str) -> None:
    send_request(reader, f"{circle}spreadsheet.xlsx").close()
    began = time.monotonic()
    while read_answer(send_request(reader, f"{circle}export.zip"))[0] == 429:
        assert time.monotonic() - began < QUICK
        time.sleep(0.05)
