"""The choice of a locale, and what it changes: typography, elision, dates, numbers, the order of names."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from scorekeeper.i18n import (
    FrenchName,
    choose_locale,
    day_in_words,
    format_number,
    in_name_order,
    set_typography,
    translate,
)


@pytest.mark.parametrize(
    ("wanted", "chosen"),
    [
        (["fr-CA", "en"], "fr_CA"),
        (["fr"], "fr_FR"),
        (["fr-BE", "fr", "en-US"], "fr_FR"),
        (["de", "de-CH"], "de_CH"),
        (["en-AU", "en"], "en_GB"),
        (["en-us"], "en_US"),
        (["es", "de-AT"], "de_AT"),
        (["fr_CA.UTF-8"], "fr_CA"),
        (["xx", "*", "", "é" * 50], "en_GB"),
    ],
)
def test_the_first_language_that_there_is_is_chosen_with_its_region(wanted: list[str], chosen: str) -> None:
    assert choose_locale(wanted) == chosen


def test_a_text_that_quebec_says_otherwise_is_its_own_and_others_are_french() -> None:
    assert translate("fr_CA", "right.score") == "Tenir le pointage"
    assert translate("fr_CA", "home.new-table") == translate("fr_FR", "home.new-table")


def test_spaces_stand_before_signs_as_the_region_has_them() -> None:
    text = "Vraiment\u202f? «\u202fOui\u202f»\u202f: 5\u202f%"
    assert set_typography(text, "fr_FR") == text
    assert set_typography(text, "fr_CA") == "Vraiment? «\u00a0Oui\u00a0»\u00a0: 5\u00a0%"
    assert set_typography("„groß“", "de_CH") == "«gross»"


def test_de_and_que_are_elided_before_names_that_begin_with_a_vowel() -> None:
    names = ["Anne", "Élise", "Hélène", "Yves", "Œdipe", "Bruno", "Hans", "Yann", "Zoé", "1765"]
    written = [f"{FrenchName(name):de}" for name in names]
    assert written[:5] == ["d’Anne", "d’Élise", "d’Hélène", "d’Yves", "d’Œdipe"]
    assert written[5:] == ["de Bruno", "de Hans", "de Yann", "de Zoé", "de 1765"]
    assert f"{FrenchName('Anne'):Que}" == "Qu’Anne"


def test_dates_and_numbers_are_written_as_in_the_region() -> None:
    day = date(2026, 11, 1)
    written = {tag: day_in_words(day, tag, has_year=False) for tag in ("en_GB", "en_US", "fr_FR", "de_DE")}
    assert written == {
        "en_GB": "Sunday 1 November",
        "en_US": "Sunday, November 1",
        "fr_FR": "dimanche 1er novembre",
        "de_DE": "Sonntag, 1. November",
    }
    assert [format_number(tag, Decimal("-1234.5")) for tag in ("en_US", "fr_FR", "de_CH")] == [
        "−1,234.5",
        "−1\u202f234,5",
        "−1’234.5",
    ]


def test_names_sort_by_their_letters_and_numbers() -> None:
    names = ["Zoé", "eve", "Élodie", "Player 10", "Player 9", "Œdipe", "Anne", "Łukasz", "Dora", "Åsa"]
    written = ["Anne", "Åsa", "Dora", "Élodie", "eve", "Łukasz", "Œdipe", "Player 9", "Player 10", "Zoé"]
    assert in_name_order(names, str) == written
