"""Spaces at punctuation, set when texts are loaded: French has one before some signs and inside quotation marks."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple


class Spaces(NamedTuple):
    """The space before each kind of sign, and inside quotation marks."""

    high_signs: str  # ; ! ?
    colon: str
    percent: str
    quotation_marks: str


_NO_BREAK, _NARROW = "\u00a0", "\u202f"
_SPACES = {
    "fr": Spaces(_NARROW, _NARROW, _NARROW, _NARROW),
    "fr_CA": Spaces("", _NO_BREAK, _NO_BREAK, _NO_BREAK),
}

_SPACE = "[ \u00a0\u202f]"
_SIGNS = re.compile(
    rf"""
    (?P<placeholder>\{{[^{{}}]*\}})                # {{party:de}} has a colon of its own
    | (?P<opening>«){_SPACE}*
    | {_SPACE}*(?P<closing>»)
    | (?:(?<=\S){_SPACE}+|(?<=[\w)\]}}»’…*]))      # not at the beginning of a line, which means something in Markdown
      (?:(?P<high>[;!?]+)|(?P<colon>:))
      (?=$|[\s*_)\]»”"<])                          # not in a URL, a time or the rule of a table
    | (?<=[\d}}]){_SPACE}?(?P<percent>%)(?!\w)
    """,
    re.X | re.M,
)


def set_spaces(text: str, locale: str) -> str:
    """Set the spaces before ; : ! ? » % and after « as the locale's typography has them, whatever is written."""
    spaces = _SPACES.get(locale) or _SPACES.get(locale.partition("_")[0])
    return _SIGNS.sub(_setter(spaces), text) if spaces else text


def _setter(spaces: Spaces) -> Callable[[re.Match[str]], str]:
    def set_space(match: re.Match[str]) -> str:
        sign = match[match.lastgroup or 0]
        if match["placeholder"]:
            return match[0]
        if match["opening"]:
            return f"{sign}{spaces.quotation_marks}"
        before = {
            "closing": spaces.quotation_marks,
            "high": spaces.high_signs,
            "colon": spaces.colon,
            "percent": spaces.percent,
        }
        return f"{before[match.lastgroup or '']}{sign}"

    return set_space
