"""Messages by key, with names, numbers, dates and punctuation as the reader's locale writes them; the rules' files.

The texts stand in `translations/<tag>/` and in the games' folders. English has every text. Another language falls back
to it, and the French of Québec (fr_CA), which has only the texts that differ, to French.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from decimal import Decimal
from functools import cache, lru_cache
from gettext import c2py
from itertools import takewhile
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar
from unicodedata import category, combining, normalize

from babel import Locale
from babel.dates import format_date, format_skeleton
from babel.lists import format_list
from babel.messages.plurals import get_plural
from babel.messages.pofile import read_po
from babel.numbers import format_decimal

from .games import find_folder, find_game, games
from .scoring.problems import Problem
from .scoring.standing import SIDES

T = TypeVar("T")
Names = Callable[[str], str]  # names a side or a player

SOURCE = "en"  # the language that has every text
LANGUAGES = (SOURCE, "fr", "de")
# A language with each of its regions, the usual one first. Numbers and dates are those of the region.
LOCALES = ("en_GB", "en_US", "en_CA", "fr_FR", "fr_CH", "fr_CA", "de_DE", "de_AT", "de_CH")
EVENTS = "events"  # names the rules of events, which are no game's
_PACKAGE = Path(__file__).parent
_TRANSLATIONS = _PACKAGE / "translations"


# --- the choice of a locale ----------------------------------------------------------------------------------


def find_language(tag: str) -> str:
    return tag.partition("_")[0]


def list_locales(tag: str) -> tuple[str, ...]:
    return tuple(other for other in LOCALES if find_language(other) == find_language(tag))


def is_offered(tag: str) -> bool:
    return tag in LOCALES or tag in LANGUAGES


def choose_locale(wanted: Iterable[str]) -> str:
    """Choose by tags of HTTP (fr-CA) or settings of a terminal (fr_CA.UTF-8), which come in order of preference."""
    tags = [_normalise(tag) for tag in wanted]
    language = next((find_language(tag) for tag in tags if find_language(tag) in LANGUAGES), SOURCE)
    locales = list_locales(language)
    return next((tag for tag in tags if tag in locales), locales[0])


def _normalise(tag: str) -> str:
    language, *rest = re.split("[-_.@]", tag)
    region = next((part for part in rest if len(part) == len("CA")), "")
    return f"{language.lower()}_{region.upper()}"


# --- the texts -----------------------------------------------------------------------------------------------


def _fallbacks(tag: str) -> list[str]:
    return list(dict.fromkeys((tag, find_language(tag), SOURCE)))  # fr_CA, fr, en


@cache
def catalogue(tag: str) -> Mapping[str, tuple[str, ...]]:
    """Return all messages of a locale by key, each with its text or its plural forms.

    Keys of a game's messages are prefixed with its slug: `<slug>.called`. A variant has the messages of its game,
    unless English has some of its own.
    """
    english = read_messages(SOURCE)
    texts = dict(english)
    for own in reversed(_fallbacks(tag)[:-1]):
        texts |= {key: tuple(set_typography(form, tag) for form in forms) for key, forms in read_messages(own).items()}
    for game in games().values():
        prefix = f"{game.variant_of}."
        for key, forms in list(texts.items()):
            own = f"{game.slug}.{key.removeprefix(prefix)}"
            if key.startswith(prefix) and own not in english:
                texts.setdefault(own, forms)
    return texts


@cache
def read_messages(tag: str) -> Mapping[str, tuple[str, ...]]:
    """Read a tag's own messages, as far as they are translated. Raises PoFileError."""
    # Each catalogue with what precedes its keys: a game's slug and a point, or nothing.
    catalogues = [("", path) for path in sorted((_TRANSLATIONS / tag).glob("*.po"))]
    of_games = [(f"{slug}.", find_folder(game) / "translations" / f"{tag}.po") for slug, game in games().items()]
    catalogues += [(prefix, path) for prefix, path in of_games if path.is_file()]
    found: dict[str, tuple[str, ...]] = {}
    for prefix, path in catalogues:
        with path.open("rb") as file:
            for message in read_po(file, abort_invalid=True):
                key = message.id if isinstance(message.id, str) else message.id[0]
                texts = (message.string,) if isinstance(message.string, str) else tuple(message.string or ())
                if key and any(texts):
                    found[prefix + key] = texts
    return found


def rules_file(name: str, tag: str) -> Path:
    """Return the rules of a game, by its slug, or of EVENTS, in this language or the nearest one that has them."""
    folder = _PACKAGE / "events" if name == EVENTS else find_folder(games()[name])
    return next(path for fallback in _fallbacks(tag) if (path := folder / f"rules.{fallback}.md").is_file())


# Switzerland writes German without ß, and quotes as in French but without spaces.
_SWISS = str.maketrans({"ß": "ss", "„": "«", "“": "»", "‚": "‹", "‘": "›"})


def set_typography(text: str, locale: str) -> str:
    """Return a text as a region writes it: with the spaces of Québec before signs, with the signs of Switzerland."""
    if locale == "de_CH":
        return text.translate(_SWISS)
    return re.sub("\u202f(?=[;!?])", "", text).replace("\u202f", "\u00a0") if locale == "fr_CA" else text


# --- names within messages -----------------------------------------------------------------------------------

_VOWELS = frozenset("aeiouœæøı")
# In lower case and without accents. Other names with an H, most of them from elsewhere, take "de".
_MUTE_H = frozenset((_TRANSLATIONS / "french-names-with-mute-h.txt").read_text(encoding="utf-8").split())

# The words that may be elided before a name. A first letter in upper case is kept: {party:De}.
SPECS = {"de": ("de ", "d’"), "que": ("que ", "qu’")}


class FrenchName(str):
    """A text for a placeholder of a French message: format specs `de` and `que` put that word before it."""

    def __format__(self, spec: str) -> str:
        if not spec:
            return str(self)
        full, elided = SPECS[spec.lower()]
        word = elided if _is_elided(self) else full
        return f"{word.capitalize() if spec[0].isupper() else word}{self!s}"


def _is_elided(name: str) -> bool:
    """Whether a name begins with a vowel as it is spoken: Anne, Hélène, Yves; but not Hans or Yann."""
    text = "".join(char for char in normalize("NFD", name) if category(char) not in ("Cf", "Mn")).lower()
    word = "".join(takewhile(str.isalpha, text))
    if word.startswith("h"):
        return word in _MUTE_H
    if word.startswith("y"):
        return word != "y" and word[1] not in _VOWELS
    return word[:1] in _VOWELS


def name_party(language: str, party: str) -> str:
    """Return a side in words; a player's name as it is."""
    return translate(language, f"side.{party}") if party in SIDES else party


# --- messages ------------------------------------------------------------------------------------------------

_OPERAND = re.compile(r"(?<=[+−×]\s)\{(\w+)\}")  # a placeholder after a sign
_MAX_LISTED = 3  # consecutive numbers, of which more are written as a range
_plural_rule = cache(c2py)


def has_message(language: str, key: str) -> bool:
    return key in catalogue(language)


def translate(language: str, key: str, /, names: Names | None = None, **params: Any) -> str:
    """Return the message of a key with its parameters filled in; the key itself if there is no message.

    The name of a game that is not installed is its slug. `names` names the sides and players among the parameters. An
    integer `count` selects the plural form, whatever its sign.
    """
    text, *others = catalogue(language).get(key, [key.removesuffix(".name")])
    count = params.get("count")
    if others and isinstance(count, int):
        text = [text, *others][_plural_rule(get_plural(language).plural_expr)(abs(count))]
    if not params:
        return text
    named = {name: value for name, value in params.items() if f"{{{name}" in text}
    make_name = FrenchName if find_language(language) == "fr" else str
    words = {name: make_name(_format_param(language, name, value, names)) for name, value in named.items()}
    below_zero = {name for name, value in named.items() if isinstance(value, int | Decimal) and value < 0}
    text = _OPERAND.sub(lambda found: f"({found[0]})" if found[1] in below_zero else found[0], text)  # 12 − (−5)
    return text.format_map(words)


def own_key(language: str, slug: str, key: str) -> str:
    """Return the key of a game's own message for a shared key, if it has one; else the shared key."""
    own = f"{slug}.{key}"
    return own if has_message(language, own) else key


def game_name(language: str, slug: str, house_rules: Mapping[str, Any]) -> str:
    """Return what is played under these house rules: the name they give it, if they describe the game, or its own."""
    return find_game(slug).find_name(house_rules) or translate(language, f"{slug}.name")


def unit_text(language: str, slug: str, key: str, unit: str, /, names: Names | None = None, **params: Any) -> str:
    """Return a message about a game's counters: `count` of them, or their name for the key `unit`.

    That is the game's own message for the unit, or the shared one, or the shared one for any unit, in which the
    counters are the parameter `counters`.
    """
    for own in (f"{slug}.{key}.{unit}", f"{key}.{unit}"):
        if has_message(language, own):
            return translate(language, own, names, **params)
    if key == "unit":
        return unit
    if key in ("unit.within", "why"):  # a unit within a sentence, or after its amount
        return unit_text(language, slug, "unit.within" if key == "why" else "unit", unit)
    params["unit"] = unit_text(language, slug, "unit.within", unit)
    if key != "count":
        params["counters"] = unit_text(language, slug, "count", unit, count=params.pop("count", 1))
    return translate(language, f"{key}.any", names, **params)


def _format_param(language: str, name: str, value: Any, names: Names | None) -> str:
    if isinstance(value, bool):
        return translate(language, "yes" if value else "no")
    if isinstance(value, int | Decimal):
        return format_number(language, value)
    if isinstance(value, tuple | list):
        if not value:
            return translate(language, "choice.none")
        is_run = isinstance(value[0], int) and [*value] == [*range(value[0], value[0] + len(value))]
        if is_run and len(value) > _MAX_LISTED:
            return f"{format_number(language, value[0])}–{format_number(language, value[-1])}"
        items = [_format_param(language, "party" if name in ("parties", "all") else "", item, names) for item in value]
        return format_list(items, style="standard" if name == "all" else "or", locale=language)
    if name in ("party", "giver", "taker") and isinstance(value, str):
        return names(value) if names else name_party(language, value)
    return str(value)


def problem_text(problem: Problem, language: str, names: Names | None = None) -> str:
    key = problem.key if "." in problem.key else f"problem.{problem.key}"
    params = {"field": problem.field, **problem.params}
    for name, value in problem.params.items():
        if isinstance(value, str) and len(value) > 1 and value[0] == value[-1] == '"':  # a text as JSON
            params[name] = translate(language, "quotation", text=value[1:-1])
    return translate(language, key, names, **params)


# --- numbers, dates, the order of names ----------------------------------------------------------------------

_DIGITS = re.compile(r"(\d+)")
_LETTERS = str.maketrans({"ł": "l", "ø": "o", "æ": "ae", "œ": "oe", "đ": "d", "ı": "i"})


@lru_cache(maxsize=4096)
def format_number(language: str, value: int | Decimal) -> str:
    """Format a number. Cached, since Babel is slow and pages repeat the same small numbers."""
    return format_decimal(value, locale=language).replace("-", "−")


def day_in_words(day: date, tag: str, *, has_year: bool) -> str:
    """Format a day with its weekday: Sunday 22 November, Sunday, November 22, dimanche 22 novembre."""
    pattern = re.sub("(?<=EEEE),(?= d M)", "", Locale.parse(tag).date_formats["full"].pattern)  # as most write it
    return _write_first(format_date(day, pattern if has_year else re.sub(",? y$", "", pattern), locale=tag), day, tag)


def long_day(day: date, tag: str) -> str:
    return _write_first(format_date(day, "long", locale=tag), day, tag)


def part_of_date(day: date, tag: str, skeleton: str) -> str:
    """Format the parts of a day that CLDR's skeleton names: `MMMd` 22 Nov, `yMMMM` November 2026, `yMMM` Nov 2026."""
    return _write_first(format_skeleton(skeleton, day, locale=tag), day, tag)


def _write_first(text: str, day: date, tag: str) -> str:
    """Write the first of a month as French does, which CLDR does not."""
    return re.sub(r"\b1\b", "1er", text, count=1) if tag.startswith("fr") and day.day == 1 else text


def in_name_order(items: Iterable[T], name_of: Callable[[T], str] = attrgetter("name")) -> list[T]:
    """Sort items by their names: by the letters without accents, Player 9 before Player 10."""
    return sorted(items, key=lambda item: _sort_key(name_of(item)))


def _sort_key(name: str) -> tuple[list[str | int], str]:
    folded = normalize("NFKD", name).casefold()
    letters = "".join(char for char in folded.translate(_LETTERS) if not combining(char))
    return [int(part) if part.isdecimal() else part for part in _DIGITS.split(letters)], folded
