"""A process that sends requests to its own app: `python -m tests.races.worker ADDRESS`, started by `processes`.

It reads one JSON request per line, and answers each with one line. It has a single thread, so it may fork.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from io import BytesIO
from threading import get_ident
from typing import Any

from flask import Flask

from scorekeeper.services.events import people

from ..apps import dispose, open_app
from .interleaving import TIMEOUT, stopping
from .world import COOKIE

KILLED = "killed"


def main() -> None:
    with open_app(sys.argv[1], TESTING=False, RATELIMIT_ENABLED=False) as app:
        for line in sys.stdin:
            command = json.loads(line)
            answer = killed(app, command) if "kill_at" in command else carry_out(app, command)
            print(json.dumps(answer), flush=True)


def carry_out(app: Flask, command: dict[str, Any]) -> dict[str, Any]:
    if command["do"] == "disconnect":
        dispose(app)
        people._shared_people.clear()  # as `World.reset` does
        return {}
    return {"status": send(app, command)}


def send(app: Flask, command: dict[str, Any]) -> int:
    client = app.test_client()
    client.set_cookie(COOKIE, command["cookie"])
    data: dict[str, Any] | None = command["body"].get("data")
    if data is not None and "upload" in command["body"]:
        data[command["body"]["upload"]] = (BytesIO(data.pop("content").encode()), "circle.json")
    with client.open(command["path"], method=command["method"], data=data) as answer:
        answer.get_data()
    return answer.status_code


def killed(app: Flask, command: dict[str, Any]) -> dict[str, Any]:
    """Send a request from a fork that is killed at the requested point."""
    dispose(app)  # no connection may be in two processes
    child = os.fork()
    if child == 0:
        signal.alarm(TIMEOUT)
        with stopping(command["kill_at"], lambda: os.kill(os.getpid(), signal.SIGKILL)) as stop:
            stop.thread = get_ident()
            send(app, command)
        os._exit(0)
    _, ended = os.waitpid(child, 0)
    return {"status": KILLED if os.WIFSIGNALED(ended) and os.WTERMSIG(ended) == signal.SIGKILL else ended}


if __name__ == "__main__":
    main()
