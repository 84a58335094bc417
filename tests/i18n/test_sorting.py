"""The order of names."""

from __future__ import annotations

import pytest
from babel import Locale

from scorekeeper.i18n import LANGUAGES, sorted_by_name
from scorekeeper.i18n.sorting import plain_key

NAMES = ["Zoé", "Dora", "Çelik", "eve", "Élodie", "Åsa", "Œdipe", "Anne", "אסתר", "Joueur 10", "Joueur 9", "Öykü", "Oz"]


@pytest.mark.parametrize(
    ("tag", "written"),
    [
        ("fr_FR", "Anne Åsa Çelik Dora Élodie eve Joueur_9 Joueur_10 Œdipe Öykü Oz Zoé אסתר"),
        ("en_GB", "Anne Åsa Çelik Dora Élodie eve Joueur_9 Joueur_10 Œdipe Öykü Oz Zoé אסתר"),
        ("de_AT", "Anne Åsa Çelik Dora Élodie eve Joueur_9 Joueur_10 Œdipe Öykü Oz Zoé אסתר"),
        ("sv", "Anne Çelik Dora Élodie eve Joueur_9 Joueur_10 Oz Zoé Åsa Œdipe Öykü אסתר"),
        ("tr", "Anne Åsa Çelik Dora Élodie eve Joueur_9 Joueur_10 Œdipe Oz Öykü Zoé אסתר"),
    ],
)
def test_names_sort_by_the_rules_of_the_language(tag: str, written: str) -> None:
    found = [name.strip("\u2068\u2069").replace(" ", "_") for name in sorted_by_name(NAMES, str, tag)]
    assert " ".join(found) == written


@pytest.mark.parametrize("tag", LANGUAGES)
def test_without_icu_names_in_the_apps_languages_sort_alike(tag: str) -> None:
    names = [
        *NAMES,
        "Côté",
        "cote",
        "Coté",
        "Noël",
        "Noel",
        "Anne-Marie",
        "Anne Marie",
        "Anne2",
        "O’Brien",
        "Łukasz",
        "Lea",
    ]
    names += [*Locale.parse(tag).territories.values(), *Locale.parse(tag).languages.values()]
    assert sorted(names, key=plain_key) == sorted_by_name(names, str, tag)


def test_equal_names_keep_their_order() -> None:
    items = [("Anne", 2), ("Anne", 1), ("Abel", 3)]
    assert sorted_by_name(items, lambda item: item[0], "en_GB") == [("Abel", 3), ("Anne", 2), ("Anne", 1)]
