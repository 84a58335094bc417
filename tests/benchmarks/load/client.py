"""A phone as the server sees it: one persistent connection for requests, and one for a stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from secrets import randbelow
from urllib.parse import urlencode, urlsplit


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    text: str


class RefusedError(OSError):
    """The server does not open a stream now."""


@dataclass
class Phone:
    """A persistent connection, and the cookie of a browser.

    Attributes:
        url: the server, such as http://127.0.0.1:8765.
        is_behind_proxy: whether a proxy says that requests came by HTTPS; the app then wants a Referer for writes.
        address: where it says to be, if there is no proxy: new circles are limited for each address.
    """

    url: str
    cookie: str = ""
    is_behind_proxy: bool = False
    address: str = field(default_factory=lambda: f"10.{randbelow(256)}.{randbelow(256)}.{randbelow(256)}")
    reader: asyncio.StreamReader | None = None
    writer: asyncio.StreamWriter | None = None

    async def ask(self, path: str, form: dict[str, str] | None = None, **headers: str) -> Answer:
        """Send a request; retry with a new connection if the server has closed the old one."""
        for last in (False, True):
            try:
                return await self._ask(path, form, headers)
            except (OSError, asyncio.IncompleteReadError):
                self.disconnect()
                if last:
                    raise
        raise AssertionError

    def disconnect(self) -> None:
        """Close the connection for requests, if there is one."""
        if self.writer is not None:
            self.writer.close()
        self.writer = None

    async def stream(self, path: str) -> AsyncIterator[tuple[str, int]]:
        """Open a stream, and yield the name and the number of each event that has one.

        Raises:
            OSError: it is refused, or the connection is lost.
        """
        reader, writer = await self._connect()
        try:
            writer.write(self._head("GET", path, {"Accept": "text/event-stream"}))
            status, _ = await self._read_head(reader)
            if status != 200:
                raise RefusedError(f"{path}: {status}")
            yield "open", 0
            name = ""
            while line := await reader.readline():
                # The lengths of chunks are lines without a colon.
                field, _, value = line.decode().strip().partition(": ")
                if field == "event":
                    name = value
                elif field == "data" and name == "update":
                    yield name, int(value.split(" ")[1])
                elif field == "data" and value.isdigit():
                    yield name, int(value)
        finally:
            writer.close()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        where = urlsplit(self.url)
        return await asyncio.open_connection(where.hostname, where.port)

    async def _ask(self, path: str, form: dict[str, str] | None, headers: dict[str, str]) -> Answer:
        if self.writer is None or self.reader is None:
            self.reader, self.writer = await self._connect()
        body = urlencode(form).encode() if form is not None else b""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if form is not None:
            sent |= {"Content-Type": "application/x-www-form-urlencoded", "Content-Length": str(len(body))}
        self.writer.write(self._head("GET" if form is None else "POST", path, sent) + body)
        return await self._answer(self.reader)

    def _head(self, method: str, path: str, headers: dict[str, str]) -> bytes:
        host = urlsplit(self.url).netloc
        sent = {"Host": host, "Accept-Encoding": "gzip", "Accept-Language": "en", "Cookie": self.cookie}
        if self.is_behind_proxy:
            sent["Referer"] = f"https://{host}/"
        else:
            sent["X-Forwarded-For"] = self.address
        lines = "".join(f"{name}: {value}\r\n" for name, value in (sent | headers).items())
        return f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode()

    async def _answer(self, reader: asyncio.StreamReader) -> Answer:
        status, headers = await self._read_head(reader)
        body = b""
        if status not in (304, 204):
            body = await reader.readexactly(int(headers.get("content-length", 0)))
        if headers.get("connection") == "close":
            self.disconnect()
        return Answer(status, headers, body.decode("utf-8", "replace"))

    async def _read_head(self, reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").rstrip().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        if "set-cookie" in headers:
            self.cookie = headers["set-cookie"].partition(";")[0]
        return int(first.split()[1]), headers
