"""Translations: messages by key, with names, numbers and punctuation as the reader's locale writes them."""

from .catalogues import EVENTS, LANGUAGES, catalogue, rules_file
from .messages import (
    LOCALES,
    Names,
    choose_locale,
    digits,
    find_language,
    game_name,
    has_message,
    html_tag,
    is_offered,
    language_name,
    list_locales,
    own_key,
    party_namer,
    problem_text,
    region_name,
    sorted_by_name,
    translate,
    unit_text,
)

__all__ = ["EVENTS", "LANGUAGES", "LOCALES", "Names", "catalogue", "choose_locale", "digits", "find_language"]
__all__ += ["game_name", "has_message", "html_tag", "is_offered", "language_name", "list_locales", "own_key"]
__all__ += ["party_namer", "problem_text", "region_name", "rules_file", "sorted_by_name", "translate", "unit_text"]
