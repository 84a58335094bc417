"""Words for keys, in the reader's language: catalogues of `words/` and of each game's folder, formats by Babel."""

from __future__ import annotations

import gettext
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from functools import cache, lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any

from babel import Locale, negotiate_locale
from babel.lists import format_list
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal

from .games import folder_of, games
from .scoring.remarks import Remark

LANGUAGES = ("en", "fr")

Names = Callable[[str], str]


def chosen(wanted: Iterable[str]) -> str:
    """The language for one who wants these, best first."""
    found = negotiate_locale([tag.replace("-", "_") for tag in wanted], LANGUAGES)
    return found if found in LANGUAGES else LANGUAGES[0]


@cache
def catalogue(language: str) -> gettext.GNUTranslations:
    """Every word of a language. A game's own words stand under its slug: `whist.called`."""
    whole = Catalog(locale=language)
    words = Path(__file__).parent / "words"
    for folder in (words, *sorted(path for path in words.iterdir() if path.is_dir())):
        _add(whole, folder, "")
    for slug, game in games().items():
        _add(whole, folder_of(game) / "words", f"{slug}.")
    compiled = BytesIO()
    write_mo(compiled, whole)
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


def _add(whole: Catalog, folder: Path, prefix: str) -> None:
    with (folder / f"{whole.locale}.po").open("rb") as file:
        for message in read_po(file, locale=whole.locale):
            if isinstance(message.id, tuple):
                whole.add(tuple(prefix + key for key in message.id), message.string)
            elif message.id:
                whole.add(f"{prefix}{message.id}", message.string)


def knows(language: str, key: str) -> bool:
    words = catalogue(language)
    return words.gettext(key) != key or words.ngettext(key, key, 1) != key


def say(language: str, key: str, /, names: Names | None = None, **params: Any) -> str:
    """The words of a key, filled in; plural by the parameter `count`. A key without words is said as it is."""
    words = catalogue(language)
    count = params.get("count")
    text = words.ngettext(key, key, count) if isinstance(count, int) else words.gettext(key)
    if text == key:
        text = words.gettext(key)
    if not params:
        return text
    return text.format_map({name: _shown(language, name, value, names) for name, value in params.items()})


def _shown(language: str, name: str, value: Any, names: Names | None) -> str:
    if isinstance(value, bool):
        return say(language, "yes" if value else "no")
    if isinstance(value, int | Decimal):
        return digits(language, value)
    if isinstance(value, tuple | list):
        if not value:
            return say(language, "choice.none")
        items = [_shown(language, "party" if name in ("parties", "all") else "", item, names) for item in value]
        return format_list(items, style="standard" if name == "all" else "or", locale=language)
    if name in ("party", "giver", "taker") and isinstance(value, str):
        return (names or party_words(language))(value)
    return str(value)


def party_words(language: str, names: Mapping[str, str] | None = None) -> Names:
    """Says sides in words and players by name, where the players go by other keys than their names."""
    known = names or {}

    def name(party: str) -> str:
        if party in ("ns", "ew"):
            return say(language, f"side.{party}")
        return known.get(party, party)

    return name


@lru_cache(maxsize=4096)
def digits(language: str, value: int | Decimal) -> str:
    """A number as it is written. Kept, since a page is full of the same small ones, and Babel takes its time."""
    return format_decimal(value, locale=language).replace("-", "−")


def sentence(remark: Remark, language: str, names: Names | None = None) -> str:
    """What a remark says: what is wrong, and what would be right."""
    key = remark.key if "." in remark.key else f"remark.{remark.key}"
    return say(language, key, names, field=remark.field, **remark.params)


def language_name(language: str) -> str:
    return Locale(language).get_display_name(language) or language
