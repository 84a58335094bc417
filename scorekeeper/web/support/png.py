"""Drawing of SVG as PNG, in a process of its own.

resvg keeps the interpreter's lock while it draws, so that no other request would be answered meanwhile. A process can
also be stopped when it takes too long.
"""

from __future__ import annotations

import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from threading import BoundedSemaphore

from . import fonts

TIMEOUT = 10  # seconds
MAX_CACHED = 16  # images, of 100 to 300 kB: the same one is looked at, saved and shared
_PROGRAM = Path(__file__).with_name("svg_to_png.py")
_PROCESSES = BoundedSemaphore(2)


class DrawingError(Exception):
    """The image could not be drawn, or not in time."""


@lru_cache(MAX_CACHED)
def draw_png(svg: str, with_system_fonts: bool) -> bytes:
    """Return an SVG that we have made as PNG. Raises `DrawingError`.

    The system's fonts are read only for characters that our font lacks. Without a font for them, boxes are drawn.
    """
    command = [sys.executable, "-I", str(_PROGRAM), "yes" if with_system_fonts else "no"]
    command += map(str, (fonts.REGULAR, fonts.SEMIBOLD))
    if not _PROCESSES.acquire(timeout=TIMEOUT):
        raise DrawingError("too many images are being drawn")
    try:
        return subprocess.run(command, input=svg.encode(), capture_output=True, check=True, timeout=TIMEOUT).stdout  # noqa: S603  # our own program; no shell
    except subprocess.SubprocessError as error:
        raise DrawingError(str(error)) from error
    finally:
        _PROCESSES.release()
