"""The page with the rules of events, for everybody."""

from __future__ import annotations

import pytest
from flask import Flask

from scorekeeper.events.formats import FORMATS
from scorekeeper.events.scoring import SCORINGS
from scorekeeper.i18n import EVENTS, LANGUAGES, translate
from scorekeeper.tables.rule_texts import rules_text

from ..visitor import Visitor


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
