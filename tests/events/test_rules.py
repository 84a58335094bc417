"""The rules of events: the same sections in every language, and one for each format and each scoring of the app."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scorekeeper import events
from scorekeeper.events.formats import FORMATS
from scorekeeper.events.scoring import SCORINGS

FOLDER = Path(events.__file__).parent
TEXTS = {path.name.split(".")[1]: path for path in sorted(FOLDER.glob("rules.*.md"))}
HEADING = re.compile(r"#{2,3} .*?\s*(?:\{#([^}]*)\})?\s*")
LINK = re.compile(r"\]\(#([^)]*)\)")


def sections(tag: str) -> list[tuple[str | None, int, int]]:
    """Return the anchor of each section, and how many paragraphs or lists and how many rows of tables it has."""
    lines = TEXTS[tag].read_text(encoding="utf-8").splitlines()
    found = [(number, match[1]) for number, line in enumerate(lines) if (match := HEADING.fullmatch(line))]
    ends = [number for number, _ in found[1:]] + [len(lines)]
    bodies = [(anchor, lines[number + 1 : end]) for (number, anchor), end in zip(found, ends, strict=True)]
    return [(anchor, body.count(""), sum(line.startswith(("| ", "- ")) for line in body)) for anchor, body in bodies]


@pytest.mark.parametrize("tag", TEXTS)
def test_every_language_has_the_same_sections_with_as_many_paragraphs_and_rows(tag: str) -> None:
    assert sections(tag) == sections("en")


@pytest.mark.parametrize("tag", TEXTS)
def test_every_format_and_every_scoring_of_the_app_is_explained(tag: str) -> None:
    anchors = [anchor for anchor, _, _ in sections(tag)]
    assert len(set(anchors)) == len(anchors)
    slugs = {*FORMATS, *list(SCORINGS)}
    assert {slug.replace("-", "_") for slug in slugs} <= set(anchors)


@pytest.mark.parametrize("tag", TEXTS)
def test_every_link_leads_to_a_section(tag: str) -> None:
    anchors = {anchor for anchor, _, _ in sections(tag)}
    targets = LINK.findall(TEXTS[tag].read_text(encoding="utf-8"))
    assert len(targets) > len(FORMATS)
    assert set(targets) <= anchors
