"""Translations: messages by key, with names, numbers and punctuation as the reader's language writes them."""

from .catalogues import LANGUAGES, catalogue
from .messages import (
    Names,
    choose_language,
    digits,
    has_message,
    language_name,
    party_namer,
    problem_text,
    translate,
)

__all__ = [
    "LANGUAGES",
    "Names",
    "catalogue",
    "choose_language",
    "digits",
    "has_message",
    "language_name",
    "party_namer",
    "problem_text",
    "translate",
]
