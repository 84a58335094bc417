"""The signs of a language, set when texts are loaded: the spaces of French, the ss and quotation marks of the Swiss."""

from __future__ import annotations

import re

_NO_BREAK, _NARROW = "\u00a0", "\u202f"
# The space before ; ! ? and before : and before % and inside « ».
_SPACES = {"fr": (_NARROW,) * 4, "fr_CA": ("", _NO_BREAK, _NO_BREAK, _NO_BREAK)}
# Switzerland writes German without ß, and quotes as in French but without spaces.
_SWISS = str.maketrans({"ß": "ss", "„": "«", "“": "»", "‚": "‹", "‘": "›"})
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
    """Set a text's spaces before ; : ! ? » % and after « in French, and ß and quotation marks in Swiss German."""
    if locale == "de_CH":
        return text.translate(_SWISS)
    spaces = _SPACES.get(locale) or _SPACES.get(locale.partition("_")[0])
    if spaces is None:
        return text
    high, colon, percent, inside = spaces

    def set_space(match: re.Match[str]) -> str:
        if match["placeholder"]:
            return match[0]
        if match["opening"]:
            return f"«{inside}"
        before = {"closing": inside, "high": high, "colon": colon, "percent": percent}[match.lastgroup or ""]
        return f"{before}{match[match.lastgroup or '']}"

    return _SIGNS.sub(set_space, text)
