"""Translations: messages by key, with names, numbers and punctuation as the reader's locale writes them."""

from .catalogues import EVENTS, LANGUAGES, catalogue, rules_file
from .locales import (
    LOCALES,
    choose_locale,
    find_language,
    html_tag,
    is_offered,
    language_name,
    list_locales,
    region_name,
    sorted_by_name,
)
from .messages import Names, digits, game_name, has_message, own_key, party_namer, problem_text, translate, unit_text

__all__ = [
    "EVENTS",
    "LANGUAGES",
    "LOCALES",
    "Names",
    "catalogue",
    "choose_locale",
    "digits",
    "find_language",
    "game_name",
    "has_message",
    "html_tag",
    "is_offered",
    "language_name",
    "list_locales",
    "own_key",
    "party_namer",
    "problem_text",
    "region_name",
    "rules_file",
    "sorted_by_name",
    "translate",
    "unit_text",
]
