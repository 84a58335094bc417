"""The server is killed repeatedly while phones write: each confirmed entry is stored once, and tables replay."""

from __future__ import annotations

import time
from functools import partial
from threading import Event

from .conftest import Serve, on_both
from .phones import TIMES, Phone, audit, in_threads, keep_entering, wait_for

KILLS = 3 * TIMES
EACH = 12  # minimum number of entries acknowledged between two kills
TABLES = 3
PHONES = 6


@on_both
def test_entries_confirmed_by_a_killed_server_are_stored_once(url: str, serve: Serve) -> None:
    server = serve(url)
    host = Phone(server.url)
    tables = [host.open_table() for _ in range(TABLES)]
    phones = [Phone(server.url, seed=number) for number in range(PHONES)]
    for phone in phones:
        host.let_in(tables[0], phone)
    stop = Event()
    with in_threads([partial(keep_entering, phone, tables, stop) for phone in phones]):
        try:
            for kill in range(KILLS):
                wait_for(phones, EACH)
                time.sleep(0.013 * (kill % 7))
                server.kill()
                server.start()
        finally:
            stop.set()
    done = audit(server.app(), phones)
    print(f"killed {KILLS} times; {done}; sent again {sum(phone.sent_again for phone in phones)} times")
    assert done.acknowledged >= EACH * KILLS
    assert done.tables == TABLES
    assert sum(phone.sent_again for phone in phones) >= KILLS
