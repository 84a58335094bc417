"""The choice of a locale."""

from __future__ import annotations

import pytest
from flask import Flask

from scorekeeper.i18n import LANGUAGES, choose_locale, language_name, locales, region_name, translate

from ..visitor import Visitor


@pytest.mark.parametrize(
    ("wanted", "chosen"),
    [
        ("en", "en_GB"),
        ("en-GB", "en_GB"),
        ("en-US", "en_US"),
        ("en-CA", "en_CA"),
        ("en-AU", "en_GB"),
        ("en-IN", "en_GB"),
        ("en-PR", "en_US"),
        ("en, en-US", "en_US"),
        ("fr", "fr_FR"),
        ("fr-CA", "fr_CA"),
        ("fr, fr-CA", "fr_CA"),
        ("fr-BE", "fr_FR"),
        ("fr-BE, fr-CH", "fr_CH"),
        ("tlh, fr-CH, en", "fr_CH"),
        ("fr_CA.UTF-8", "fr_CA"),
        ("fr_CH@euro", "fr_CH"),
        ("C", "en_GB"),
        ("C.UTF-8", "en_GB"),
        ("*", "en_GB"),
        ("../../fr", "en_GB"),
        ("", "en_GB"),
        ("x" * 10_000 + ", fr", "fr_FR"),
    ],
)
def test_the_nearest_locale_is_chosen(wanted: str, chosen: str) -> None:
    assert choose_locale(wanted.split(", ")) == chosen


def test_every_language_offers_its_regions_by_name() -> None:
    offered = locales.locales()
    for language in LANGUAGES:
        tags = [tag for tag in offered if tag.partition("_")[0] == language.partition("_")[0]]
        assert tags
        assert len({language_name(tag) for tag in tags}) == 1
        names = [region_name(tag) for tag in tags]
        assert len(names) == len(set(names))
        assert all(names) or len(names) == 1


@pytest.mark.once_on_postgresql
@pytest.mark.parametrize(
    ("accepted", "cookie", "lang"),
    [
        ("en", "fr", "fr-FR"),
        ("fr-CA, en", "fr", "fr-CA"),
        ("fr-CA", "fr_CH", "fr-CH"),
        ("fr-CA", "en_US", "en-US"),
        ("fr-CA", "fr-CH", "fr-CH"),
        ("fr-CA", "xx", "fr-CA"),
        ("fr-CA", "../x", "fr-CA"),
        ("en-US", "", "en-US"),
    ],
)
def test_the_cookie_comes_before_the_browsers_languages(app: Flask, accepted: str, cookie: str, lang: str) -> None:
    visitor = Visitor(app, accepted)
    visitor.client.set_cookie(f"{app.session_interface.get_cookie_name(app)}-language", cookie)
    assert visitor.visit("/").find("html")["lang"] == lang


def test_a_region_is_chosen_on_the_page_and_kept(app: Flask) -> None:
    visitor = Visitor(app, "en-GB").visit("/").send({"language": "fr"}, "/language")
    assert visitor.find("html")["lang"] == "fr-FR"
    visitor.send({"language": "fr_CA"}, "/language").visit("/")
    assert visitor.find("html")["lang"] == "fr-CA"
    assert [button["value"] for button in visitor.page.select(".languages [aria-current]")] == ["fr", "fr_CA"]
    visitor.send({"language": "fr_XX"}, "/language").visit("/")
    assert visitor.find("html")["lang"] == "fr-CA"


@pytest.mark.parametrize(
    ("locale", "counted"),
    [
        ("fr_FR", ["0 fiche", "1 fiche", "2 fiches"]),
        ("fr_CA", ["0 fiche", "1 fiche", "2 fiches"]),
        ("en_GB", ["0 fiches", "1 fiche", "2 fiches"]),
    ],
)
def test_each_language_counts_by_its_own_plural_forms(locale: str, counted: list[str]) -> None:
    assert [translate(locale, "count.fiches", count=count) for count in range(3)] == counted
