"""What an entry and the updates of four phones that follow take of the server's processor, pushed and asked for."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack, closing

from ..conftest import Server
from ..faults.following import Followers, following
from ..faults.phones import Phone
from .serving import Client, open_connection

PHONES = 4
WARM_UP = 20  # entries that are not counted
SECONDS = 0.01  # after which a server has done what an entry leaves to do


def read_processor(process: int) -> float:
    """Return the milliseconds of processor that a process has used, with all its threads."""
    return 1000 * time.clock_gettime((~process << 3) | 2)  # clock_getcpuclockid's of Linux


def measure_entry(server: Server, entries: int, *, pushed: bool, owned: bool) -> float:
    """Return the milliseconds for an entry with its updates. `owned`: each phone's owner sits at the table."""
    host, *others = phones = [Phone(server.url) for _ in range(PHONES)]
    table = host.open_table()
    for phone in others:
        host.let_in(table, phone)
    if owned:
        for seat, phone in enumerate(phones, start=1):
            phone.ask(table)
            phone.ask(f"{table}me", {"csrf_token": phone.csrf, "seat": str(seat)})
    with ExitStack() as opened:
        followers = opened.enter_context(following())
        for phone in phones:
            followers.add(phone, table, query="?updates" if pushed else "")
        followers.wait_for(0)
        connections = [opened.enter_context(closing(open_connection(server.port))) for _ in phones]
        clients = [Client(connection, _cookies(phone)) for connection, phone in zip(connections, phones, strict=True)]
        update = _take_pushed(followers) if pushed else _ask(table, followers, clients)
        for number in range(1, WARM_UP + entries + 1):
            if number == WARM_UP + 1:
                before = read_processor(server.process.pid)
            host.enter(table, host.score())
            update(number)
            time.sleep(SECONDS)
        return (read_processor(server.process.pid) - before) / entries


def _cookies(phone: Phone) -> dict[str, str]:
    return {cookie.name: cookie.value or "" for cookie in phone.cookies}


def _take_pushed(followers: Followers) -> Callable[[int], None]:
    def update(number: int) -> None:
        begun = f"event: update\ndata: {number - 1} {number} ".encode()
        followers.read_until(lambda: all(begun in each.sent and each.sent[-2:] == b"\n\n" for each in followers.all))

    return update


def _ask(table: str, followers: Followers, clients: list[Client]) -> Callable[[int], None]:
    tags = ["0"] * len(clients)

    def update(number: int) -> None:
        followers.wait_for(number)
        for index, client in enumerate(clients):
            answer = client.get(f"{table}now", {"Accept-Encoding": "br", "If-None-Match": tags[index]})
            assert answer.status == 200
            tags[index] = answer.headers["etag"]

    return update
