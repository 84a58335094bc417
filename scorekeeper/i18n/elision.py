"""Elision before names: a message may write `{party:de}` for "d’Anne" or "de Bruno"."""

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
