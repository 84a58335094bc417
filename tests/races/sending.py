"""Requests that write, and the kinds of writes that they are built for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from io import BytesIO
from typing import Any

from werkzeug.test import TestResponse

from ..visitor import Visitor, filled_in
from .world import CO_HOST, COOKIE, HOST, World

# The phone that sends each variant of a write. Variants differ in their fields.
SENDERS = {1: HOST, 2: CO_HOST}

Data = dict[str, str]
READS = {"GET", "HEAD", "OPTIONS"}


@dataclass(frozen=True)
class Request:
    phone: str
    path: str
    data: Data
    method: str = "POST"
    upload: str = ""  # the field of a file, whose content is in `data`
    headers: Data = field(default_factory=dict)

    def send(self, world: World, **changed: str) -> TestResponse:
        """Send the request from its phone, with some fields changed."""
        data: dict[str, Any] | None = self.data | changed if self.method == "POST" else None
        if data is not None and self.upload:
            data[self.upload] = (BytesIO(data.pop("content").encode()), "circle.json")
        answer = world.client(self.phone).open(self.path, method=self.method, data=data, headers=self.headers)
        with answer:
            answer.get_data()
        return answer


@dataclass(frozen=True)
class Write:
    """A kind of write.

    Attributes:
        make: builds the request from the world, a visitor and the variant, 1 or 2.
        trace: reads a value that the write changes; None if it does not write to the database.
        changed: for a write with an entry key, fields with other content to send under the same key.
        may_be_repeated: if its request is sent twice at the same moment, it may be done twice.
    """

    endpoint: str
    make: Callable[[World, Visitor, int], Request]
    trace: Callable[[Any, World, Request], object] | None
    name: str = ""
    changed: Data = field(default_factory=dict)
    may_be_repeated: bool = False

    @property
    def title(self) -> str:
        return self.name or self.endpoint


class Requests:
    """The requests of a world, each built once from the world's pages."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._made: dict[tuple[str, int], Request] = {}

    def of(self, write: Write, variant: int) -> Request:
        key = (write.title, variant)
        if key not in self._made:
            self.world.reset()
            visitor = Visitor(self.world.app)
            visitor.client.set_cookie(COOKIE, self.world.cookies[SENDERS[variant]])
            self._made[key] = write.make(self.world, visitor, variant)
        return self._made[key]


def form(page: str, action: str, variants: tuple[Data, Data] | None = None) -> Callable[[World, Visitor, int], Request]:
    """Return a builder of requests that send a page's form. `page` is a format string for names of the world."""

    def make(world: World, visitor: Visitor, variant: int) -> Request:
        path = page.format(
            home=world.home, people=f"{world.home}people/", **world.tables, **world.events, **world.players
        )
        found = visitor.visit(path).form(action)
        filled = filled_in(found) | (variants[variant - 1] if variants is not None else {})
        data = {name: value.format(**world.players) for name, value in filled.items()}
        return Request(SENDERS[variant], str(found.get("action", visitor.path)), data)

    return make


def sent_by(phones: tuple[str, str], make: Callable[[World, Visitor, int], Request]) -> Callable[..., Request]:
    """Return a builder of requests that these phones send, one for each variant."""

    def made(world: World, visitor: Visitor, variant: int) -> Request:
        phone = phones[variant - 1]
        visitor.client.set_cookie(COOKIE, world.cookies[phone])
        return replace(make(world, visitor, variant), phone=phone)

    return made
