"""The rules of events: on their page, and the same sections in every language."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flask import Flask

from scorekeeper import events
from scorekeeper.events.formats import FORMATS
from scorekeeper.events.scorings import SCORINGS
from scorekeeper.i18n import EVENTS, LANGUAGES, translate
from scorekeeper.tables.rule_texts import rules_text

from ..support.visitor import Visitor

FOLDER = Path(events.__file__).parent
TEXTS = {path.name.split(".")[1]: path for path in sorted(FOLDER.glob("rules.*.md"))}
HEADING = re.compile(r"#{2,3} .*?\s*(?:\{#([^}]*)\})?\s*")


@pytest.mark.parametrize("language", ["en", "fr-CA", "de"])
def test_the_rules_of_events_are_shown_in_the_readers_language(app: Flask, language: str) -> None:
    reader = Visitor(app, language).visit("/rules/events")
    assert reader.status == 200
    titles = [heading.title for heading in rules_text(EVENTS, language.replace("-", "_")).headings.values()]
    assert [title.get_text() for title in reader.page.select(".rules :is(h2, h3)")] == titles
    links = {str(link["href"]) for link in reader.page.select(".rules a[href^='#']")}
    assert len(links) > len(FORMATS)
    assert all(reader.page.select_one(link) for link in links)
    assert ("cellulaire" in reader.text) == (language == "fr-CA")


@pytest.mark.parametrize("language", [*LANGUAGES, "fr_CA"])
def test_formats_and_scorings_are_called_in_the_rules_as_everywhere_else(language: str) -> None:
    headings = rules_text(EVENTS, language).headings
    names = {slug: f"event-format.{slug}" for slug in FORMATS}
    names |= {slug: f"scoring.{slug}.name" for slug in list(SCORINGS)}
    called = {slug: headings[slug.replace("-", "_")].title for slug in names}
    assert called == {slug: translate(language, key) for slug, key in names.items()}


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
    anchors = [anchor for anchor, _, _ in sections(tag)]
    assert len(set(anchors)) == len(anchors)
