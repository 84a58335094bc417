"""Spaces at punctuation, and brackets around numbers below 0."""

from __future__ import annotations

import pytest

from scorekeeper.i18n import catalogue, translate
from scorekeeper.i18n.typography import set_typography

NARROW, NO_BREAK = "\u202f", "\u00a0"


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("Qui donne ?", "Qui donne_?"),
        ("Qui donne?", "Qui donne_?"),
        ("Qui donne\u00a0?", "Qui donne_?"),
        ("Qui donne\u202f?", "Qui donne_?"),
        ("Quoi ?!", "Quoi_?!"),
        ("« Anne » : 3 ; non !", "«_Anne_»_: 3_; non_!"),
        ("«{found}» : {count} !", "«_{found}_»_: {count}_!"),
        ("Victoire {party:de} : {points}", "Victoire {party:de}_: {points}"),
        ("25 % ou {share}%", "25_% ou {share}_%"),
        ("https://example.org:80/?a=b%20c à 14:05", "https://example.org:80/?a=b%20c à 14:05"),
        ("| :--- | ---: |", "| :--- | ---: |"),
        (": définition", ": définition"),
        ("**Ce qui se paie :** tout", "**Ce qui se paie_:** tout"),
        ("les *quatre* !", "les *quatre*_!"),
        ("a\n? b", "a\n? b"),
        ("", ""),
    ],
)
def test_french_has_narrow_spaces_that_do_not_break(typed: str, written: str) -> None:
    assert set_typography(typed, "fr") == written.replace("_", NARROW)
    assert set_typography(set_typography(typed, "fr"), "fr") == set_typography(typed, "fr")
    assert set_typography(typed, "en") == typed


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("Qui donne ?", "Qui donne?"),
        ("Non\u202f! Si\u202f; oui", "Non! Si; oui"),
        ("«\u202fAnne\u202f»\u202f: 25 %", "«_Anne_»_: 25_%"),
    ],
)
def test_french_of_canada_has_spaces_only_at_colons_quotation_marks_and_percent(typed: str, written: str) -> None:
    assert set_typography(typed, "fr_CA") == written.replace("_", NO_BREAK)


@pytest.mark.parametrize("text", ["problem.amount", "restore.ask"])
def test_no_french_message_has_a_breaking_space_before_a_sign(text: str) -> None:
    message = catalogue("fr").gettext(text)
    assert message != text
    assert NARROW in message
    assert not {f" {sign}" for sign in ";:!?»%"} & {message[at : at + 2] for at in range(len(message))}


def test_swiss_german_has_no_eszett_and_quotes_with_guillemets() -> None:
    text = "Außerhalb: „Straße“ heißt {name}."
    assert set_typography(text, "de_CH") == "Ausserhalb: «Strasse» heisst {name}."
    assert set_typography(text, "de_DE") == set_typography(text, "de") == text


@pytest.mark.parametrize("language", ["en", "fr", "de"])
def test_a_number_below_0_stands_in_brackets_after_a_sign(language: str) -> None:
    key = "any-game.explanation.game"
    assert translate(language, key, more=12, less=-5, count=1) == "12 − (−5)"
    assert translate(language, key, more=-2, less=-5, count=3) == "(−2 − (−5)) × 3"
    assert translate(language, key, more=12, less=5, count=1) == "12 − 5"
