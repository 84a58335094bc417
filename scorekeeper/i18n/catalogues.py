"""Catalogues: all messages of a language by key, with those of its fallbacks."""

from __future__ import annotations

import gettext
from collections.abc import Callable
from functools import cache
from io import BytesIO

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

from ..games import games
from .checking import Texts, is_safe, parse, source_messages
from .sources import SOURCE, fallbacks, message_files, packaged_languages
from .typography import set_typography

LANGUAGES = packaged_languages()


class Catalogue(gettext.GNUTranslations):
    """The messages of a language; `keys` are those of its fallbacks too."""

    keys: frozenset[str]
    plural: Callable[[int], int]  # the number of the form for a count


@cache
def catalogue(tag: str) -> Catalogue:
    """Return all messages of a language. Keys of a game's messages are prefixed with its slug: `<slug>.called`.

    A message that is missing or could not be filled in falls back: from a region to its language, then to English.
    """
    *own_tags, source = fallbacks(tag)
    messages = _compiled(own_tags[::-1], tag) if own_tags else _compiled([source], tag)
    if own_tags:
        messages.add_fallback(catalogue(SOURCE))
        messages.keys |= catalogue(SOURCE).keys
    return messages


def _compiled(tags: list[str], locale: str) -> Catalogue:
    """Return the messages of these tags, of which a later one takes precedence, with the locale's typography."""
    merged: dict[str, tuple[Texts, bool]] = {}
    parsed_files = [parse(file) for tag in tags for file in message_files(tag)]
    for parsed in parsed_files:
        for key, texts in parsed.messages.items():
            if is_safe(key, texts):
                merged[key] = texts, key in parsed.plurals
    _add_words_of_variants(merged)
    catalog = Catalog()
    for key, (texts, is_plural) in merged.items():
        written = tuple(set_typography(text, locale) for text in texts)
        catalog.add((key, key) if is_plural else key, written if is_plural else written[0])
    compiled = BytesIO()
    write_mo(compiled, catalog)
    compiled.seek(0)
    messages = Catalogue(compiled)
    messages.keys = frozenset(merged)
    if parsed_files:  # Babel writes the plural forms only of locales that it knows.
        messages.plural = gettext.c2py(parsed_files[0].plural_expr)
    return messages


def _add_words_of_variants(messages: dict[str, tuple[Texts, bool]]) -> None:
    """Give each variant the messages of its game that it lacks, unless it words them itself in English."""
    for game in games().values():
        if game.variant_of not in games():
            continue
        theirs, own = f"{game.variant_of}.", f"{game.slug}."
        for key in [key for key in messages if key.startswith(theirs)]:
            name = own + key.removeprefix(theirs)
            if name not in source_messages():
                messages.setdefault(name, messages[key])
