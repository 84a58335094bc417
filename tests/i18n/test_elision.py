"""Elision before names in French messages."""

from __future__ import annotations

import gettext

import pytest

from scorekeeper.i18n import messages, translate
from scorekeeper.i18n.elision import Name


class Written(gettext.NullTranslations):
    """Messages whose texts are their keys."""


@pytest.fixture(autouse=True)
def texts_as_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "catalogue", lambda _language: Written())


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("Anne", "d’Anne"),
        ("Aurélie", "d’Aurélie"),
        ("Élodie", "d’Élodie"),
        ("E\u0301lodie", "d’E\u0301lodie"),
        ("anne", "d’anne"),
        ("Bruno", "de Bruno"),
        ("Hélène", "d’Hélène"),
        ("HUGUES", "d’HUGUES"),
        ("Henri-Paul", "d’Henri-Paul"),
        ("Hans", "de Hans"),
        ("Harry", "de Harry"),
        ("Hélios1", "d’Hélios1"),
        ("Yves", "d’Yves"),
        ("Yann", "de Yann"),
        ("Yüksel", "de Yüksel"),
        ("Y", "de Y"),
        ("Œdipe", "d’Œdipe"),
        ("Øystein", "d’Øystein"),
        ("İbrahim", "d’İbrahim"),
        ("Est-Ouest", "d’Est-Ouest"),
        ("Nord-Sud", "de Nord-Sud"),
        ("3", "de 3"),
        ("8 sur 8", "de 8 sur 8"),
        ("Анна", "de Анна"),
        ("\u2068אסתר\u2069", "de \u2068אסתר\u2069"),
        ("\u2068Anne\u2069", "d’\u2068Anne\u2069"),
        ("🂡 Anne", "de 🂡 Anne"),
        ("", "de "),
    ],
)
def test_de_is_elided_before_a_vowel_that_is_spoken(name: str, written: str) -> None:
    assert translate("fr", "{party:de}", names=str, party=name) == written
    assert translate("fr", "{other:de}", other=name) == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("{party:que}", "qu’Anne"),
        ("{party:De} à vous", "D’Anne à vous"),
        ("{party:Que} cela", "Qu’Anne cela"),
        ("{party}", "Anne"),
    ],
)
def test_que_is_elided_too_and_a_capital_is_kept(text: str, written: str) -> None:
    assert translate("fr", text, names=str, party="Anne") == written


def test_a_list_is_elided_by_its_first_name() -> None:
    names = {"1": "Anne", "2": "Bruno"}.get
    assert translate("fr", "{all:de}", names=lambda key: names(key, key), all=["1", "2"]) == "d’Anne et Bruno"
    assert translate("fr", "{all:de}", names=lambda key: names(key, key), all=["2", "1"]) == "de Bruno et Anne"


@pytest.mark.parametrize("language", ["fr", "fr_CA", "fr_CH"])
def test_every_region_of_french_elides(language: str) -> None:
    assert translate(language, "{party:de}", names=str, party="Anne") == "d’Anne"


def test_a_language_without_elision_has_the_plain_name() -> None:
    assert translate("en", "{party:de} {party:que}", names=str, party="Anne") == "Anne Anne"


@pytest.mark.parametrize("language", ["fr", "en"])
def test_an_unknown_spec_is_an_error(language: str) -> None:
    with pytest.raises(KeyError):
        format(Name.of("Anne", language), "du")
