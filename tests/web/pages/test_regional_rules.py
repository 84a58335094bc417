"""Rules of the games and of events in French and Québec French, which are one text with two words where they differ."""

from __future__ import annotations

import re

import pytest
from bs4 import BeautifulSoup

from scorekeeper.games import games
from scorekeeper.i18n import EVENTS
from scorekeeper.web.pages.rules import rules_text

# A clique is announced, not bid.
FRANCE_BIDS = re.compile(r"\bannonc", re.I)
QUEBEC = re.compile(r"\b(brass|gag(?!n)|pointage|cellulaire)", re.I)
NAMES = (*games(), EVENTS)
BIDDING = [slug for slug, game in games().items() if game.announced]
SAYS_SO = "au Québec, on gage"  # in French, of Joffre's own country


def text_of(name: str, language: str) -> str:
    """Return what is read in a text, without the values of options."""
    page = BeautifulSoup(rules_text(name, language).html, "html.parser")
    for code in page("code"):
        code.decompose()
    return page.get_text()


@pytest.mark.parametrize("language", ["fr", "fr_CA"])
@pytest.mark.parametrize("name", NAMES)
def test_no_mark_of_a_variant_is_left_over(name: str, language: str) -> None:
    assert "|" not in rules_text(name, language).html


@pytest.mark.parametrize("region", ["fr_FR", "fr_CH"])
@pytest.mark.parametrize("name", NAMES)
def test_a_region_without_words_of_its_own_has_those_of_the_language(name: str, region: str) -> None:
    assert rules_text(name, region).html == rules_text(name, "fr").html


@pytest.mark.parametrize("name", NAMES)
def test_quebec_has_words_of_its_own_and_france_has_its_own(name: str) -> None:
    french, quebec = text_of(name, "fr").replace(SAYS_SO, ""), text_of(name, "fr_CA")
    assert QUEBEC.findall(french) == []
    if name in BIDDING:
        assert FRANCE_BIDS.findall(quebec) == []
