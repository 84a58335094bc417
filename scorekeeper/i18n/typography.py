"""Typography of a region, set when texts are loaded: the spaces of French, the ss and quotation marks of the Swiss."""

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

# Switzerland and Liechtenstein write German without ß, and quote as in French but without spaces.
_SWISS = str.maketrans({"ß": "ss", "„": "«", "“": "»", "‚": "‹", "‘": "›"})
_CHARACTERS = {"de_CH": _SWISS, "de_LI": _SWISS}

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


def set_typography(text: str, locale: str) -> str:
    """Set a text as the locale's typography has it, whatever is written.

    This concerns the spaces before ; : ! ? » % and after « in French, and ß and quotation marks in Swiss German.
    """
    spaces = _SPACES.get(locale) or _SPACES.get(locale.partition("_")[0])
    text = text.translate(_CHARACTERS.get(locale, {}))
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
