"""The font of images: which characters it has, how wide a text is, and where to break it into lines.

Widths are measured on the server, where no browser lays out the text.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from struct import iter_unpack, unpack_from

FAMILY = "Source Serif Pro"
REGULAR, SEMIBOLD = (
    Path(str(files("font_source_serif_pro") / "files" / f"SourceSerifPro-{style}.ttf"))
    for style in ("Regular", "Semibold")
)
# Of characters that only another font has, in thousandths of the text's size.
_WIDE, _OTHER = 1000, 700
_ISOLATE, _END = "\u2068", "\u2069"  # around a name from right to left
_INVISIBLE = ("Cf", "Mn", "Me")
_SPACES = {"\u202f": 0x20, "\u2009": 0x20}  # drawn as a space, if the font has none of their own


@dataclass(frozen=True)
class _Widths:
    units: int
    advances: dict[int, int]


@cache
def _widths(font: Path) -> _Widths:
    """Read a TrueType font's widths: https://learn.microsoft.com/typography/opentype/spec/otff."""
    data = font.read_bytes()
    tables = {tag: start for tag, _, start, _ in iter_unpack(">4sLLL", data[12 : 12 + 16 * _short(data, 4)])}
    glyphs = _short(data, tables[b"hhea"] + 34)  # each has a width and a bearing; further ones have the last width
    widths = unpack_from(">" + "Hh" * glyphs, data, tables[b"hmtx"])[::2]
    advances = {code: widths[min(glyph, glyphs - 1)] for code, glyph in _characters(data, tables[b"cmap"])}
    return _Widths(_short(data, tables[b"head"] + 18), advances)


def _short(data: bytes, start: int) -> int:
    return int.from_bytes(data[start : start + 2])


def _characters(data: bytes, cmap: int) -> Iterator[tuple[int, int]]:
    """Yield each character's code and glyph, from the font's map of all of Unicode, which has format 12."""
    maps = iter_unpack(">HHL", data[cmap + 4 : cmap + 4 + 8 * _short(data, cmap + 2)])
    start = next(cmap + offset for platform, encoding, offset in maps if (platform, encoding) == (3, 10))
    (ranges,) = unpack_from(">L", data, start + 12)
    for first, last, glyph in iter_unpack(">LLL", data[start + 16 : start + 16 + 12 * ranges]):
        yield from ((code, glyph + code - first) for code in range(first, last + 1))


def has_all_characters(text: str) -> bool:
    """Return whether the font has all visible characters of a text; fonts of the system are asked for the others."""
    advances = _widths(REGULAR).advances
    return all(_is_invisible(char) or _SPACES.get(char, ord(char)) in advances for char in text)


def text_width(text: str, size: int, font: Path = REGULAR) -> int:
    """Return the width of a text in pixels, without kerning; an estimate if the font lacks some of its characters.

    All of such a text may be drawn with another font, mostly a wider one.
    """
    widths = _widths(font)
    thousandths = sum(_char_width(char, widths) for char in text)
    percent = 100 if has_all_characters(text) else 118
    return -(-thousandths * size * percent // 100_000)


def _char_width(char: str, widths: _Widths) -> int:
    advance = widths.advances.get(_SPACES.get(char, ord(char)))
    if advance is not None:
        return advance * 1000 // widths.units
    if _is_invisible(char):
        return 0
    return _WIDE if unicodedata.east_asian_width(char) in "WF" else _OTHER


def _is_invisible(char: str) -> bool:
    return unicodedata.category(char) in _INVISIBLE


def wrap(text: str, width: int, size: int, font: Path = REGULAR) -> list[str]:
    """Break a text into lines of at most `width` pixels, at spaces; within a word only if it is wider than a line."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if text_width(longer, size, font) <= width:
            lines[-1] = longer
        else:
            lines += _pieces(word, width, size, font)
    return list(_isolated([line for line in lines if line]))


def _isolated(lines: list[str]) -> Iterator[str]:
    """Yield lines with the isolate marks of names from right to left closed at their ends, and opened again."""
    names = 0  # begun and not yet ended
    for line in lines:
        isolated = _ISOLATE * names + line
        names = isolated.count(_ISOLATE) - isolated.count(_END)
        yield isolated + _END * names


def _pieces(word: str, width: int, size: int, font: Path) -> Iterator[str]:
    """Yield a word in pieces of at most `width` pixels, with combining marks on their letters."""
    piece = ""
    for char in word:
        if piece and not _is_invisible(char) and text_width(piece + char, size, font) > width:
            yield piece
            piece = ""
        piece += char
    yield piece
