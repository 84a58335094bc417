"""Check a game's rules texts: their headings, the anchors that pages link to, and the sources."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import NamedTuple

from ..i18n import find_language
from ..i18n.sources import SOURCE, find_locale
from .findings import Finding, GameFolder, Place, find_end, similar
from .template import find_terms

_HEADING = re.compile(r"(?P<level>#+) (?P<title>.*?)\s*(?:\{#(?P<anchor>[^}]*)\})?\s*")
_ANCHOR = re.compile(r"[a-z][a-z_]*")
_LINK = re.compile(r"\]\(#([^)]*)\)")
_SOURCE_LINE = re.compile(r"\*[^*]+\.\*\s.*")  # "*Source.* Wikipédia …": the word is the language's own
_SOURCE_CLASS = "{: .source }"
SOURCES = "sources"  # the anchor of the section that lists the sources


class RulesHeading(NamedTuple):
    """A heading of level 2 or 3; `anchor` is None if it has none. `has_source`: a source is given below it."""

    title: str
    anchor: str | None
    line: int
    has_source: bool


def check(folder: GameFolder) -> Iterator[Finding]:
    """Yield what is missing or wrong in the rules of every language."""
    source = folder.file(f"rules.{SOURCE}.md")
    if not source.is_file():
        yield Finding(Place(source), "the file is missing; English is the language that every game has")
        return
    expected = headings(source)
    yield from _check_text(source, expected)
    yield from _check_needed(folder, source, expected)
    for path in sorted(folder.path.glob("rules.*.md")):
        tag = path.name.split(".")[1]
        if path == source:
            continue
        if find_locale(tag) is None:
            yield Finding(Place(path), f"there is no language {tag!r}")
        else:
            yield from _check_text(path, headings(path))
            yield from _check_order(path, headings(path), expected, is_overlay=find_language(tag) != tag)


def headings(path: Path) -> list[RulesHeading]:
    """Return the headings of levels 2 and 3, in order."""
    lines = path.read_text(encoding="utf-8").splitlines()
    found = [(number, match) for number, line in enumerate(lines, 1) if (match := _HEADING.fullmatch(line))]
    ends = [number - 1 for number, _ in found[1:]] + [len(lines)]
    return [
        RulesHeading(match["title"], match["anchor"], number, _has_source(lines[number:end]))
        for (number, match), end in zip(found, ends, strict=True)
        if match["level"] in ("##", "###")
    ]


def _has_source(lines: list[str]) -> bool:
    marked = [number for number, line in enumerate(lines) if line.strip() == _SOURCE_CLASS]
    return bool(marked) and any(_SOURCE_LINE.fullmatch(line) for line in lines[: marked[-1]])


def _check_text(path: Path, found: list[RulesHeading]) -> Iterator[Finding]:
    anchors = [heading.anchor for heading in found]
    for index, heading in enumerate(found):
        place = Place(path, heading.line)
        if heading.anchor is None:
            yield Finding(place, f"heading {heading.title!r} has no anchor: add {{#name}} at its end")
        elif not _ANCHOR.fullmatch(heading.anchor):
            yield Finding(place, f"anchor {heading.anchor!r} must be of lower-case letters and underscores")
        elif heading.anchor in anchors[:index]:
            yield Finding(place, f"anchor {heading.anchor!r} is used twice")
        if not heading.has_source and heading.anchor != SOURCES:
            text = (
                f"heading {heading.title!r} has no source below it: *Source.* …, and {_SOURCE_CLASS} in the next line"
            )
            yield Finding(place, text)
    known = [anchor for anchor in anchors if anchor is not None]
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        for target in _LINK.findall(line):
            if target not in known:
                yield Finding(Place(path, number), f"no heading has the anchor {target!r}.{similar(target, known)}")


def _check_needed(folder: GameFolder, path: Path, found: list[RulesHeading]) -> Iterator[Finding]:
    """Every reason and every house rule is explained under a heading, and so is what any game has."""
    game = folder.game
    known = {heading.anchor for heading in found if heading.anchor}
    needed = dict.fromkeys(game.reasons, "reason")
    needed |= {field.name: "house rule" for field in fields(game.options)}
    needed |= {"adjustment": "page of adjustments", "misdeal": "page of misdeals"}
    if game.incidents:
        needed["incidents"] = "page of what went wrong while dealing"
    for anchor, kind in needed.items():
        if anchor not in known:
            text = (
                f"no heading has the anchor {anchor!r}, which the {kind} needs.{similar(anchor, known - needed.keys())}"
            )
            yield Finding(find_end(path), text)
    for term, place in find_terms(folder):
        kind, _, anchor = term.partition(".")
        if kind == "anchor" and anchor not in known:
            yield Finding(place, f"no heading of the rules has the anchor {anchor!r}.{similar(anchor, known)}")


def _check_order(
    path: Path, found: list[RulesHeading], expected: list[RulesHeading], *, is_overlay: bool
) -> Iterator[Finding]:
    anchors, wanted = [heading.anchor for heading in found], [heading.anchor for heading in expected]
    for heading in found:
        if heading.anchor is not None and heading.anchor not in wanted:
            text = f"anchor {heading.anchor!r} is not in rules.{SOURCE}.md."
            yield Finding(Place(path, heading.line), text + similar(heading.anchor, {a for a in wanted if a}))
    missing = [anchor for anchor in wanted if anchor not in anchors]
    for anchor in missing:
        yield Finding(find_end(path), f"no heading has the anchor {anchor!r}, which is in rules.{SOURCE}.md")
    if not missing and not is_overlay and sorted(map(str, anchors)) == sorted(map(str, wanted)) and anchors != wanted:
        place = next(heading for heading, anchor in zip(found, wanted, strict=True) if heading.anchor != anchor)
        text = f"headings are in another order than in rules.{SOURCE}.md from {place.anchor!r} on"
        yield Finding(Place(path, place.line), text)
