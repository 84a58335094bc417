"""Catalogues: the messages of `translations/` and of each game's `translations/`, by key."""

from __future__ import annotations

import gettext
from functools import cache
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from ..games import folder_of, games
from .typography import set_spaces

LANGUAGES = ("en", "fr")

_FOLDER = Path(__file__).parent.parent / "translations"


@cache
def catalogue(language: str) -> gettext.GNUTranslations:
    """Return all messages of a language. Keys of a game's messages are prefixed with its slug: `whist.called`."""
    merged = Catalog(locale=language)
    for area in sorted((_FOLDER / language).glob("*.po")):
        _add(merged, area, "")
    for slug, game in games().items():
        _add(merged, folder_of(game) / "translations" / f"{language}.po", f"{slug}.")
    compiled = BytesIO()
    write_mo(compiled, merged)
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


def _add(merged: Catalog, path: Path, prefix: str) -> None:
    language = str(merged.locale)
    with path.open("rb") as file:
        for message in read_po(file, locale=merged.locale):
            if isinstance(message.id, tuple):
                texts = tuple(set_spaces(text, language) for text in message.string or ())
                merged.add(tuple(prefix + key for key in message.id), texts)
            elif message.id:
                merged.add(f"{prefix}{message.id}", set_spaces(str(message.string), language))
