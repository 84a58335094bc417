"""Catalogues: all messages of a language by key, with those of its fallbacks."""

from __future__ import annotations

import gettext
from collections.abc import Callable
from functools import cache
from io import BytesIO

from ..games import games
from . import compiled
from .checking import Texts, is_safe, parse, source_messages
from .compiled import Compiled
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
    found = compiled.read(tag) or compile_messages(tag)
    messages = Catalogue(BytesIO(found.messages))
    messages.keys, messages.plural = frozenset(found.keys), gettext.c2py(found.plural)
    if tag != SOURCE:
        messages.add_fallback(catalogue(SOURCE))
        messages.keys |= catalogue(SOURCE).keys
    return messages


def compile_messages(tag: str) -> Compiled:
    """Return the messages of a tag and its language, with the tag's typography."""
    from babel.messages.catalog import Catalog  # noqa: PLC0415  # what is compiled already needs none of this
    from babel.messages.mofile import write_mo  # noqa: PLC0415  # see above

    used = [own for own in fallbacks(tag) if own != SOURCE or tag == SOURCE]
    merged: dict[str, tuple[Texts, bool]] = {}
    parsed_files = [parse(file) for own in reversed(used) for file in message_files(own)]
    for parsed in parsed_files:
        for key, texts in parsed.messages.items():
            if is_safe(key, texts):
                merged[key] = texts, key in parsed.plurals
    _add_words_of_variants(merged)
    catalog = Catalog()
    for key, (texts, is_plural) in merged.items():
        written = tuple(set_typography(text, tag) for text in texts)
        catalog.add((key, key) if is_plural else key, written if is_plural else written[0])
    messages = BytesIO()
    write_mo(messages, catalog)
    # Babel writes the plural forms only of locales that it knows.
    plural = parsed_files[0].plural_expr if parsed_files else "n != 1"
    return Compiled(messages.getvalue(), list(merged), plural)


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
