"""Downloads of files that are written while the request is answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from tempfile import TemporaryFile
from typing import IO

from flask import Response
from werkzeug.datastructures import Headers

CHUNK_SIZE = 1 << 16  # bytes of a file read at a time


def file_response(name: str, content_type: str, write: Callable[[IO[bytes]], None]) -> Response:
    """Return a download of what `write` writes.

    It is written to a temporary file first, so that an error in the middle results in an error page instead of half a
    file.
    """
    file = TemporaryFile()  # noqa: SIM115  # closed with the response
    try:
        write(file)
    except BaseException:
        file.close()
        raise
    headers = Headers({"Content-Type": content_type, "Content-Length": str(file.tell()), "Cache-Control": "no-store"})
    headers.set("Content-Disposition", "attachment", filename=name)
    file.seek(0)
    response = Response(_chunks(file), headers=headers)
    response.call_on_close(file.close)  # if none of it is read: a HEAD request, or a client that has disconnected
    return response


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while chunk := file.read(CHUNK_SIZE):
            yield chunk
