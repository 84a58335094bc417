"""The signs of a language, set when texts are loaded: the spaces of French, the ss and quotation marks of the Swiss."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from unicodedata import category, normalize

_FIRST_WORD = re.compile(r"[^\W\d_]*")
_VOWELS = frozenset("aeiouœæøı")
# In lower case and without accents. Other names with an H, most of them from elsewhere, take "de".
_MUTE_H = frozenset((Path(__file__).parent / "french-names-with-mute-h.txt").read_text(encoding="utf-8").split())

# The words that may be elided before a name. A first letter in upper case is kept: {party:De}.
SPECS = {"de": ("de ", "d’"), "que": ("que ", "qu’")}


def _elides_in_french(name: str) -> bool:
    """Whether a name begins with a vowel as it is spoken: Anne, Hélène, Yves; but not Hans or Yann."""
    text = "".join(char for char in normalize("NFD", name) if category(char) not in ("Cf", "Mn")).lower()
    word = _FIRST_WORD.match(text)
    if word is None or not word[0]:
        return False
    first, rest = word[0][0], word[0][1:]
    if first == "h":
        return word[0] in _MUTE_H
    if first == "y":
        return rest[:1] not in _VOWELS and rest != ""
    return first in _VOWELS


_ELIDES: Mapping[str, Callable[[str], bool]] = {"fr": _elides_in_french}


class Name(str):
    """A text for a placeholder of a message: format specs `de` and `que` put that word before it, elided or not.

    A language without elision has only the plain name.
    """

    language: str

    @classmethod
    def of(cls, text: str, language: str) -> Name:
        """Return a text with the language of its message."""
        name = cls(text)
        name.language = language.partition("_")[0]
        return name

    def __format__(self, spec: str) -> str:
        if not spec:
            return str(self)
        full, elided = SPECS[spec.lower()]
        elides = _ELIDES.get(self.language)
        if elides is None:
            return str(self)
        word = elided if elides(self) else full
        return f"{word.capitalize() if spec[0].isupper() else word}{self!s}"


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
