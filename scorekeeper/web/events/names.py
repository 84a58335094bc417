"""Reading a list of names, as somebody has typed or pasted it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...scoring.values import clean_name

_BETWEEN_PEOPLE = re.compile(r"[\t,;]")
_BETWEEN_PARTNERS = re.compile(r"[&+/]")
_NUMBERING = re.compile(r"\(?\d+\s*[.):]\s*")  # 1. Anne, 2) Bruno


class NameList(NamedTuple):
    """The names of a list in order; `broken_pairs` are names that stand alone where partners were expected."""

    names: tuple[str, ...]
    broken_pairs: tuple[str, ...] = ()


def parse_names(text: str, in_pairs: bool = False) -> NameList:
    """Return the names in a text: one a line, or with commas, semicolons or tabs between them.

    Partners may stand in one line as "Anne & Bruno". Without that, every two names are partners. Numbers before the
    names, as lists have them, are left out.
    """
    units = list(_units(text, in_pairs))
    names = tuple(name for unit in units for name in unit)
    return NameList(names, tuple(_broken(units)) if in_pairs else ())


def _units(text: str, in_pairs: bool) -> Iterator[list[str]]:
    """Yield the names that stand together."""
    for line in text.splitlines():
        for part in _BETWEEN_PEOPLE.split(line):
            pieces = _BETWEEN_PARTNERS.split(part) if in_pairs else [part]
            names = [name for piece in pieces if (name := _name(piece))]
            if names:
                yield names


def _name(piece: str) -> str:
    name = clean_name(_NUMBERING.sub("", piece.strip(), count=1) if _NUMBERING.match(piece.strip()) else piece)
    return "" if name.isdecimal() else name


def _broken(units: list[list[str]]) -> Iterator[str]:
    """Yield those who have no partner: alone before two who stand together, alone at the end, or a third."""
    waiting = ""
    for unit in units:
        if len(unit) > 1:
            if waiting:
                yield waiting
                waiting = ""
            if len(unit) > 2:
                yield unit[2]
        else:
            waiting = "" if waiting else unit[0]
    if waiting:
        yield waiting
