"""Send requests that no browser would send: raw paths, queries, headers, cookies and bodies."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from itertools import cycle, islice
from random import Random

import pytest
from flask import Flask
from werkzeug.test import EnvironBuilder, run_wsgi_app

from ..visitor import Visitor, filled_in
from . import hostile_input
from .test_forms import ENDS_ACCESS, SEED, addresses, at_the_rubber

# Nothing here depends on the database.
pytestmark = pytest.mark.sqlite

INPUTS_PER_ADDRESS = 2  # hostile inputs per address


class Sender:
    """Sends raw requests, which Flask's test client would clean up."""

    def __init__(self, app: Flask, visitor: Visitor) -> None:
        self.app, self.visitor = app, visitor
        self.csrf = filled_in(visitor.form("/language"))["csrf_token"]
        self.table = visitor.table
        self.sent = 0

    def send(
        self,
        method: str,
        path: str,
        *,
        query: str = "",
        header: tuple[str, str] | None = None,
        body: hostile_input.Body | None = None,
    ) -> int:
        """Send a request and return the status. `path` and `query` stand for bytes, as Latin-1."""
        environ = EnvironBuilder(path="/", headers=[("X-CSRFToken", self.csrf)]).get_environ()
        cookie = self.visitor.client.get_cookie("scorekeeper")
        assert cookie is not None
        environ |= {"REQUEST_METHOD": method, "PATH_INFO": path, "QUERY_STRING": query}
        environ["HTTP_COOKIE"] = f"scorekeeper={cookie.value}"
        if header is not None:
            name = header[0].upper().replace("-", "_")
            environ[name if name.startswith("CONTENT_") and name != "CONTENT_ENCODING" else f"HTTP_{name}"] = header[1]
        if body is not None:
            environ |= {"CONTENT_TYPE": body.type, "CONTENT_LENGTH": str(len(body.content))}
            environ["wsgi.input"] = io.BytesIO(body.content)
        self.sent += 1
        _, status, _ = run_wsgi_app(self.app, environ, buffered=True)
        assert int(status[:3]) < 500, (method, path[:200], query[:200], str(header)[:200], str(body)[:200])
        return int(status[:3])


@pytest.fixture
def sender(app: Flask, filled: Visitor) -> Sender:
    app.config["PROPAGATE_EXCEPTIONS"] = False
    return Sender(app, at_the_rubber(filled))


def shared_out(rng: Random, inputs: tuple[object, ...]) -> Iterator[list[int]]:
    """Yield indexes of a few inputs for each address in turn, so that all inputs are used equally often."""
    indexes = list(range(len(inputs)))
    rng.shuffle(indexes)
    endless = cycle(indexes)
    while True:
        yield list(islice(endless, INPUTS_PER_ADDRESS))


def test_hostile_paths_cause_no_server_error(app: Flask, sender: Sender) -> None:
    parts = re.compile(r"<[^>]*>")
    for rule in sorted({rule.rule for rule in app.url_map.iter_rules()}):
        for index in range(len(parts.findall(rule))):
            for bad in hostile_input.IN_PATHS:
                values = [bad if number == index else "x" for number in range(rule.count("<"))]
                sender.send("GET", parts.sub("{}", rule).format(*values))
    for bad in hostile_input.IN_PATHS:
        sender.send("GET", bad)
        sender.send("POST", f"/{bad}")
    print(f"{sender.sent} paths: 0 faults")


def test_hostile_queries_cause_no_server_error(app: Flask, sender: Sender) -> None:
    shares = shared_out(Random(SEED), hostile_input.QUERIES)  # noqa: S311  # nothing secret
    for path in addresses(app, sender.visitor, "GET").values():
        for number in next(shares):
            sender.send("GET", path, query=hostile_input.QUERIES[number])
    print(f"{sender.sent} queries: 0 faults")


def test_hostile_headers_cause_no_server_error(app: Flask, sender: Sender) -> None:
    shares = shared_out(Random(SEED), hostile_input.HEADERS)  # noqa: S311  # as above
    style = sender.visitor.find("link[rel=stylesheet]")
    for path in (str(style["href"]), "/", *addresses(app, sender.visitor, "GET").values()):
        for number in next(shares):
            sender.send("GET", path, header=hostile_input.HEADERS[number])
    for header in hostile_input.HEADERS:
        sender.send("POST", "/language", header=header)
    print(f"{sender.sent} headers: 0 faults")
    assert sender.sent > 2 * len(hostile_input.HEADERS)


def test_unusual_methods_cause_no_server_error(app: Flask, sender: Sender) -> None:
    for path in addresses(app, sender.visitor, "GET").values():
        for method in hostile_input.METHODS:
            sender.send(method, path)


def test_hostile_bodies_cause_no_server_error(app: Flask, sender: Sender, fields_read: dict[str, set[str]]) -> None:
    rng = Random(SEED)  # noqa: S311  # as above
    for endpoint, path in addresses(app, sender.visitor, "POST").items():
        if endpoint in ENDS_ACCESS:
            continue
        sender.send("POST", path)
        bodies = hostile_input.bodies(fields_read[endpoint])
        for body in rng.sample(bodies, len(bodies) // 3):
            sender.send("POST", path, body=body)
    print(f"{sender.sent} bodies: 0 faults")


def test_a_query_that_is_not_utf_8_is_accepted(sender: Sender) -> None:
    assert sender.send("GET", "/", query="erased=\xff") == 200
    assert sender.send("GET", "/tables/new/whist", query="seat-1=Ann\xc3\xa9e&seat-2=%C3%A9&\xff=1") == 200


def test_an_invalid_host_is_refused(sender: Sender) -> None:
    assert sender.send("GET", "/", header=("Host", "x" * 3_000)) == 400
    assert sender.send("GET", "/nowhere", header=("Host", "a b")) in (400, 404)


@pytest.mark.parametrize("query", ["%00", "a=%00", "a%00=b"])
def test_nul_characters_are_refused_everywhere(sender: Sender, query: str) -> None:
    assert sender.send("GET", "/", query=query) == 400
    assert sender.send("POST", "/language", body=hostile_input.Body(hostile_input.FORM, query.encode())) == 400
    assert sender.send("GET", "/tables/\0/") == 400


def test_a_file_in_place_of_a_text_is_refused(sender: Sender) -> None:
    files = hostile_input.part("seat-1", b"Anne", "a.txt") + hostile_input.part("seat-2", b"Bruno", "")
    body = hostile_input.part("opening_key", b"key") + files + hostile_input.END
    sent = hostile_input.Body(hostile_input.MULTIPART, body)
    assert sender.send("POST", "/tables/new/whist", body=sent) == 422


@pytest.mark.parametrize("text", [b"[1]", b'{"seen": 5, "key": [1]}', b"{"])
def test_json_in_place_of_a_form_is_refused(sender: Sender, text: bytes) -> None:
    close = f"{sender.table}close"
    assert sender.send("POST", close, body=hostile_input.Body("application/json", text)) == 400
