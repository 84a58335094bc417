"""Many phones that ask for an update at once do not keep an entry waiting."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from http import HTTPStatus
from pathlib import Path
from time import sleep

from ..benchmarks.serving import served

PHONES = 24  # more than the server has threads
CONDITION = {"If-None-Match": '"1"'}


def test_an_entry_is_answered_while_more_phones_ask_for_updates_than_there_are_threads(tmp_path: Path) -> None:
    with ExitStack() as stack:
        recorder = stack.enter_context(served(sys.executable, "tests.server.waiting_app:app", {}, tmp_path))
        stack.enter_context(closing(recorder.connection))
        phones = [recorder.another() for _ in range(PHONES)]
        for phone in phones:
            stack.enter_context(closing(phone.connection))
        pool = stack.enter_context(ThreadPoolExecutor(PHONES))
        asked = [pool.submit(phone.get, "/now", CONDITION) for phone in phones]
        sleep(0.5)  # until the threads for updates are taken
        assert recorder.post("/entry", {}).status == HTTPStatus.OK
        assert [answer.result().status for answer in asked] == [HTTPStatus.OK] * PHONES
