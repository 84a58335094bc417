"""Translations: messages by key, with names, numbers and punctuation as the reader's locale writes them."""

from __future__ import annotations

from pathlib import Path

from . import catalogues, checking, locales, sources
from .catalogues import LANGUAGES, catalogue
from .locales import (
    choose_locale,
    html_tag,
    is_offered,
    is_right_to_left,
    language_name,
    languages,
    list_locales,
    problem_lines,
    region_name,
)
from .messages import Names, digits, game_name, has_message, own_key, party_namer, problem_text, translate, unit_text
from .sorting import sorted_by_name
from .sources import EVENTS, find_language, is_overlay, rules_file

__all__ = [
    "EVENTS",
    "LANGUAGES",
    "Names",
    "catalogue",
    "choose_locale",
    "digits",
    "find_language",
    "game_name",
    "has_message",
    "html_tag",
    "is_offered",
    "is_overlay",
    "is_right_to_left",
    "language_name",
    "languages",
    "list_locales",
    "own_key",
    "party_namer",
    "problem_lines",
    "problem_text",
    "region_name",
    "rules_file",
    "sorted_by_name",
    "translate",
    "unit_text",
    "use_host_folder",
]


def use_host_folder(folder: Path) -> None:
    """Read a host's texts too, from this folder; there may be none."""
    if sources.use_host_folder(folder):
        for function in (catalogues.catalogue, checking.parse, checking.source_messages, checking.plural_source_keys):
            function.cache_clear()
        locales.forget()
