"""A program that draws the SVG of its standard input as PNG on its standard output. `png.py` runs it.

Its arguments are whether to use the system's fonts too ("yes" or "no"), and the paths of other fonts.
"""

from __future__ import annotations

import sys

import resvg_py


def main() -> None:
    """Draw the image."""
    with_system_fonts, *fonts = sys.argv[1:]
    svg = sys.stdin.buffer.read().decode("utf-8")
    png = resvg_py.svg_to_bytes(svg, font_files=fonts, skip_system_fonts=with_system_fonts == "no")
    sys.stdout.buffer.write(png)


if __name__ == "__main__":
    main()
