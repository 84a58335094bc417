"""The locales that are offered, and the choice of one for a reader."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from babel import Locale
from babel.core import get_global

from . import checking, compiled, sources
from .messages import problem_text
from .sources import find_language, find_locale, regions

_MAX_TAG = 40  # characters


@cache
def languages() -> tuple[str, ...]:
    """Return the languages whose texts can be read, with those that the host has added; English first."""
    return tuple(tag for tag in sources.tags() if find_language(tag) == tag and not _is_damaged(tag))


@cache
def locales() -> tuple[str, ...]:
    """Return the tags that a reader can choose: a language with each of its regions, the usual one first."""
    return tuple(dict.fromkeys(tag for language in languages() for tag in _find_locales(language)))


def _is_damaged(tag: str) -> bool:
    return not compiled.is_current(tag) and any(checking.damage(tag))


def list_locales(tag: str) -> tuple[str, ...]:
    """Return the locales of a tag's language."""
    return tuple(other for other in locales() if find_language(other) == find_language(tag))


def _find_locales(language: str) -> Iterator[str]:
    of_list = [f"{language}_{region}" for region in regions(language)]
    overlays = [tag for tag in sources.tags() if tag != language and find_language(tag) == language]
    damaged = {tag for tag in overlays if _is_damaged(tag)}
    yield from (tag for tag in of_list or [language] if tag not in damaged)
    yield from (tag for tag in overlays if tag not in damaged)


@cache
def problem_lines() -> tuple[str, ...]:
    """Return a line in English for each language whose texts are not complete."""
    found = [checking.summary(tag) for tag in sources.tags() if not compiled.is_current(tag)]
    return tuple(problem_text(problem, sources.SOURCE, names=str) for problem in found if problem is not None)


def forget() -> None:
    """Look for languages anew."""
    for function in (languages, locales, problem_lines, _choose):
        function.cache_clear()


def is_offered(tag: str | None) -> bool:
    """Return whether a tag can be chosen; a language without a region stands for its nearest one."""
    return tag in locales() or tag in languages()


def choose_locale(wanted: Iterable[str]) -> str:
    """Return the best locale for these language tags, which are ordered by preference. Default: English.

    The language is that of the first tag that has one. The region is the first one wanted with this language; if it
    is not offered, a region that CLDR counts to the same group, so that Australia has the spelling of Britain.
    """
    return _choose(tuple(tag for tag in wanted if len(tag) <= _MAX_TAG))


@lru_cache(maxsize=1024)
def _choose(wanted: tuple[str, ...]) -> str:
    tags = [locale for tag in wanted if (locale := _parse(tag)) is not None]
    for tag in tags:
        offered = [offer for offer in locales() if Locale.parse(offer).language == tag.language]
        same_script = [offer for offer in offered if Locale.parse(offer).script == tag.script]
        if offered:
            return _nearest([other for other in tags if other.language == tag.language], same_script or offered)
    return locales()[0]


def _parse(tag: str) -> Locale | None:
    """Return the locale of an HTTP language tag (fr-CA) or of a terminal's setting (fr_CA.UTF-8)."""
    return find_locale(tag.partition(".")[0].partition("@")[0].replace("-", "_"))


def _nearest(wanted: list[Locale], offered: list[str]) -> str:
    for tag in wanted:
        if str(tag) in offered and tag.territory:
            return str(tag)
    for tag in wanted:
        group = [offer for offer in offered if _parent(offer) == _parent(str(tag))]
        if group and tag.territory:
            return group[0]
    return offered[0]


def _parent(tag: str) -> str | None:
    parent: str | None = get_global("parent_exceptions").get(tag)
    return parent


def is_right_to_left(tag: str) -> bool:
    """Return whether the language is written from right to left."""
    return Locale.parse(tag).text_direction == "rtl"


def html_tag(tag: str) -> str:
    """Return the tag as HTML and HTTP write it: fr-CA."""
    return tag.replace("_", "-")


def language_name(tag: str) -> str:
    """Return a language's name in that language, without its region."""
    locale = Locale.parse(tag)
    language = Locale(locale.language, script=locale.script) if locale.territory else locale
    return language.get_display_name(tag) or tag


def region_name(tag: str) -> str:
    """Return the name of a tag's region in its language; empty if it has none."""
    locale = Locale.parse(tag)
    return locale.get_territory_name(locale) or "" if locale.territory else ""
