"""Rules of the games and of events in French and Québec French, which are one text with two words where they differ."""

from __future__ import annotations

import pytest

from scorekeeper.i18n.sources import rules_texts
from scorekeeper.web.pages.rules import rules_text

# Nothing here depends on the database.
pytestmark = pytest.mark.sqlite


@pytest.mark.parametrize("language", ["fr", "fr_CA"])
@pytest.mark.parametrize("name", rules_texts())
def test_no_mark_of_a_variant_is_left_over(name: str, language: str) -> None:
    assert "|" not in rules_text(name, language).html
