"""The texts of each language: catalogues of messages by key, and the rules of games and events.

They stand in `translations/<tag>/` and in the games' folders. English has every text. Another language falls back to
it, and the French of Québec (fr_CA), which has only the texts that differ, to French.
"""

from __future__ import annotations

import gettext
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from io import BytesIO
from pathlib import Path
from unicodedata import category, normalize

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from ..games import find_folder, games

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


# Switzerland writes German without ß, and quotes as in French but without spaces.
_SWISS = str.maketrans({"ß": "ss", "„": "«", "“": "»", "‚": "‹", "‘": "›"})


def set_typography(text: str, locale: str) -> str:
    """Return a text as a region writes it: with the spaces of Québec before signs, with the signs of Switzerland."""
    if locale == "de_CH":
        return text.translate(_SWISS)
    return re.sub("\u202f(?=[;!?])", "", text).replace("\u202f", "\u00a0") if locale == "fr_CA" else text


SOURCE = "en"  # the language that has every text
LANGUAGES = (SOURCE, "fr", "de")
EVENTS = "events"  # names the rules of events, which are no game's

_PACKAGE = Path(__file__).parent.parent


class Catalogue(gettext.GNUTranslations):
    """The messages of a language; `keys` are those of its fallbacks too."""

    keys: frozenset[str]


def fallbacks(tag: str) -> list[str]:
    """Return the tags whose texts a tag uses, in order of precedence: fr_CA, fr, en."""
    return list(dict.fromkeys((tag, tag.partition("_")[0], SOURCE)))


@cache
def catalogue(tag: str) -> Catalogue:
    """Return all messages of a language. Keys of a game's messages are prefixed with its slug: `<slug>.called`.

    A variant has the messages of its game, unless English has some of its own.
    """
    texts: dict[str, tuple[str, ...]] = {}
    for own in reversed(fallbacks(tag)):
        if own != SOURCE or tag == SOURCE:
            texts |= read_messages(own)
    for game in games().values():
        for key, theirs in list(texts.items()):
            own = f"{game.slug}.{key.removeprefix(f'{game.variant_of}.')}"
            if key.startswith(f"{game.variant_of}.") and own not in read_messages(SOURCE):
                texts.setdefault(own, theirs)
    catalog, written = Catalog(locale=tag), BytesIO()
    for key, forms in texts.items():
        set_forms = tuple(set_typography(form, tag) for form in forms)
        catalog.add((key, key) if len(forms) > 1 else key, set_forms if len(forms) > 1 else set_forms[0])
    write_mo(written, catalog)
    messages = Catalogue(BytesIO(written.getvalue()))
    messages.keys = frozenset(texts)
    if tag != SOURCE:
        messages.add_fallback(catalogue(SOURCE))
        messages.keys |= catalogue(SOURCE).keys
    return messages


@cache
def read_messages(tag: str) -> Mapping[str, tuple[str, ...]]:
    """Read a tag's own messages by key, each with its text or its plural forms.

    Raises:
        PoFileError: a catalogue is damaged.
    """
    found: dict[str, tuple[str, ...]] = {}
    for prefix, path in message_files(tag):
        with path.open("rb") as file:
            for message in read_po(file, abort_invalid=True):
                key = message.id if isinstance(message.id, str) else message.id[0]
                if key:
                    texts = (message.string,) if isinstance(message.string, str) else tuple(message.string or ())
                    found[prefix + key] = texts
    return found


def message_files(tag: str) -> Iterator[tuple[str, Path]]:
    """Yield a tag's catalogues, each with what precedes its keys: a game's slug and a point, or nothing."""
    for path in sorted((_PACKAGE / "translations" / tag).glob("*.po")):
        yield "", path
    for slug, game in games().items():
        path = find_folder(game) / "translations" / f"{tag}.po"
        if path.is_file():
            yield f"{slug}.", path


def rules_file(name: str, tag: str) -> Path:
    """Return the rules of a game, by its slug, or of EVENTS, in this language or the nearest one that has them."""
    folder = _PACKAGE / "events" if name == EVENTS else find_folder(games()[name])
    return next(path for fallback in fallbacks(tag) if (path := folder / f"rules.{fallback}.md").is_file())
