"""Standard output and standard error of commands that print much."""

from __future__ import annotations

import codecs
import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from . import FAILED


def print_line(line: str, stream: TextIO | None) -> None:
    """Print a line at once, so that lines on standard output and standard error stay in order."""
    if stream is not None:
        stream.write(line + "\n")
        stream.flush()


@contextmanager
def writable_output() -> Iterator[None]:
    """Write "?" for characters that the terminal's encoding lacks, and report write errors on one line.

    ASCII is what Python assumes of a terminal it knows nothing of; UTF-8 is a better guess. A broken pipe (`| head`) is
    left to the caller, who exits silently.
    """
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            is_known = codecs.lookup(stream.encoding).name != "ascii"
            stream.reconfigure(errors="replace", encoding=None if is_known else "utf-8")  # type: ignore[union-attr]  # both are text streams
    try:
        if sys.stdout is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        yield
        sys.stdout.flush()
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise
        _report_write_error(error)
        sys.exit(FAILED)


def discard(stream: TextIO | None) -> None:
    """Throw away what is left in a stream's buffer, which must not fail again when Python exits."""
    if stream is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _report_write_error(error: OSError) -> None:
    from . import output  # noqa: PLC0415  # imports Babel, which a writable output does not need

    print_line(output.write_error_line(error, output.terminal_language()), sys.stderr)
    discard(sys.stdout)
