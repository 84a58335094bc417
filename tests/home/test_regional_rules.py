"""Rules of the games and of events in French and Québec French, which are one text with two words where they differ."""

from __future__ import annotations

import re

from bs4 import BeautifulSoup

from scorekeeper.app import FEATURES
from scorekeeper.games import games
from scorekeeper.i18n import EVENTS
from scorekeeper.tables.rule_texts import rules_text

# A clique is announced, not bid.
FRANCE_BIDS = re.compile(r"\bannonc", re.I)
QUEBEC = re.compile(r"\b(brass|gag(?!n)|pointage|cellulaire)", re.I)
NAMES = (*games(), *(name for name in FEATURES if name == EVENTS))
BIDDING = [slug for slug, game in games().items() if game.announced]
SAYS_SO = "au Québec, on gage"  # in French, of Joffre's own country


def text_of(name: str, language: str) -> str:
    """Return what is read in a text, without the values of options."""
    page = BeautifulSoup(rules_text(name, language).html, "html.parser")
    for code in page("code"):
        code.decompose()
    return page.get_text()


def test_quebec_has_words_of_its_own_and_france_has_its_own() -> None:
    for name in NAMES:
        french, quebec = text_of(name, "fr").replace(SAYS_SO, ""), text_of(name, "fr_CA")
        assert "|" not in rules_text(name, "fr").html + rules_text(name, "fr_CA").html  # the mark of a variant
        assert rules_text(name, "fr_CH").html == rules_text(name, "fr").html
        assert QUEBEC.findall(french) == []
        if name in BIDDING:
            assert FRANCE_BIDS.findall(quebec) == []
