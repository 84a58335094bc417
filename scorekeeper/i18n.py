"""Messages by key, with names, numbers, dates and punctuation as the reader's locale writes them; the rules' files.

The texts stand in `translations/<locale>/` and in the games' folders. English has every text. Another language falls
back to it, and the French of Québec (fr_CA), which has only the texts that differ, to French.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from .scoring.problems import Problem, QuotedText
from .scoring.standing import SIDES

T = TypeVar("T")
Names = Callable[[str], str]  # names a side or a player

# A locale is a language (fr) or a language with its region (fr_CA), as Babel names them. Numbers and dates are those of
# the region, by default of the first one of its language.
LOCALES = {
    "en": ("en_GB", "en_US", "en_CA"),
    "fr": ("fr_FR", "fr_CH", "fr_CA"),
    "de": ("de_DE", "de_AT", "de_CH"),
}
LANGUAGES = tuple(LOCALES)
SOURCE = "en"  # the language that has every text
EVENTS = "events"  # names the rules of events, which are no game's
_PACKAGE = Path(__file__).parent
_TRANSLATIONS = _PACKAGE / "translations"


# --- the choice of a locale ----------------------------------------------------------------------------------


def get_language(locale: str) -> str:
    return locale.partition("_")[0]


def choose_locale(wanted: Iterable[str]) -> str:
    """Choose by tags of HTTP (fr-CA) or settings of a terminal (fr_CA.UTF-8), which come in order of preference."""
    tags = [re.split("[.@]", tag)[0].replace("-", "_").lower() for tag in wanted]
    languages = [language for language in map(get_language, tags) if language in LOCALES]
    locales = LOCALES[languages[0] if languages else SOURCE]
    return next((locale for tag in tags for locale in locales if locale.lower() == tag), locales[0])


# --- the texts -----------------------------------------------------------------------------------------------


def _fallbacks(locale: str) -> list[str]:
    return list(dict.fromkeys((locale, get_language(locale), SOURCE)))  # fr_CA, fr, en


@cache
def catalogue(locale: str) -> Mapping[str, tuple[str, ...]]:
    """Return all messages of a locale by key, each with its text or its plural forms.

    Keys of a game's messages are prefixed with its slug: `<slug>.called`. A variant has the messages of its game,
    unless English has some of its own.
    """
    english = read_messages(SOURCE)
    texts = dict(english)
    for own in reversed(_fallbacks(locale)[:-1]):
        for key, forms in read_messages(own).items():
            texts[key] = tuple(set_typography(form, locale) for form in forms)
    for game in games().values():
        prefix = f"{game.variant_of}."
        for key, forms in list(texts.items()):
            own = f"{game.slug}.{key.removeprefix(prefix)}"
            if key.startswith(prefix) and own not in english:
                texts.setdefault(own, forms)
    return texts


@cache
def read_messages(locale: str) -> Mapping[str, tuple[str, ...]]:
    """Read a locale's own messages, as far as they are translated. Raises PoFileError."""
    found: dict[str, tuple[str, ...]] = {}
    for prefix, path in _list_catalogues(locale):
        with path.open("rb") as file:
            for message in read_po(file, abort_invalid=True):
                key = message.id if isinstance(message.id, str) else message.id[0]
                texts = (message.string,) if isinstance(message.string, str) else tuple(message.string or ())
                if key and any(texts):
                    found[prefix + key] = texts
    return found


def _list_catalogues(locale: str) -> Iterator[tuple[str, Path]]:
    """Yield each catalogue with the prefix of its keys: a game's slug and a point, or nothing."""
    for path in sorted((_TRANSLATIONS / locale).glob("*.po")):
        yield "", path
    for slug, game in games().items():
        path = find_folder(game) / "translations" / f"{locale}.po"
        if path.is_file():
            yield f"{slug}.", path


def rules_file(name: str, locale: str) -> Path:
    """Return the rules of a game, by its slug, or of EVENTS, in this locale or the nearest one that has them."""
    folder = _PACKAGE / "events" if name == EVENTS else find_folder(games()[name])
    return next(path for fallback in _fallbacks(locale) if (path := folder / f"rules.{fallback}.md").is_file())


# Switzerland writes German without ß, and quotes as in French but without spaces.
_SWISS = str.maketrans({"ß": "ss", "„": "«", "“": "»", "‚": "‹", "‘": "›"})


def set_typography(text: str, locale: str) -> str:
    """Return a text as a region writes it: with the spaces of Québec before signs, with the signs of Switzerland."""
    if locale == "de_CH":
        return text.translate(_SWISS)
    if locale == "fr_CA":
        return re.sub("\u202f(?=[;!?])", "", text).replace("\u202f", "\u00a0")
    return text


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


def name_party(locale: str, party: str) -> str:
    """Return a side in words; a player's name as it is."""
    return translate(locale, f"side.{party}") if party in SIDES else party


# --- messages ------------------------------------------------------------------------------------------------

_OPERAND = re.compile(r"(?<=[+−×]\s)\{(\w+)\}")  # a placeholder after a sign
_MAX_LISTED = 3  # consecutive numbers, of which more are written as a range
# The names of parameters that are a party, or several, of which a message means each or one: "A, B and C", "A, B or C".
_PARTY_PARAMS = ("party", "giver", "taker")
_ALL, _ANY = "all", "parties"
# Without a message for a unit within a sentence, or after its amount, the shorter one is shown.
_SHORTER_KEYS = {"why": "unit.within", "unit.within": "unit"}
_plural_rule = cache(c2py)


def has_message(locale: str, key: str) -> bool:
    return key in catalogue(locale)


def translate(locale: str, key: str, /, names: Names | None = None, **params: Any) -> str:
    """Return the message of a key with its parameters filled in; the key itself if there is no message.

    The name of a game that is not installed is its slug. `names` names the sides and players among the parameters. An
    integer `count` selects the plural form, whatever its sign.
    """
    text, *others = catalogue(locale).get(key, [key.removesuffix(".name")])
    count = params.get("count")
    if others and isinstance(count, int):
        text = [text, *others][_plural_rule(get_plural(locale).plural_expr)(abs(count))]
    if not params:
        return text
    named = {name: value for name, value in params.items() if f"{{{name}" in text}
    make_name = FrenchName if get_language(locale) == "fr" else str
    words = {name: make_name(_format_param(locale, name, value, names)) for name, value in named.items()}
    below_zero = {name for name, value in named.items() if isinstance(value, int | Decimal) and value < 0}
    text = _OPERAND.sub(lambda found: f"({found[0]})" if found[1] in below_zero else found[0], text)  # 12 − (−5)
    return text.format_map(words)


def own_key(locale: str, slug: str, key: str) -> str:
    """Return the key of a game's own message for a shared key, if it has one; else the shared key."""
    own = f"{slug}.{key}"
    return own if has_message(locale, own) else key


def game_name(locale: str, slug: str, house_rules: Mapping[str, Any]) -> str:
    """Return what is played under these house rules: the name they give it, if they describe the game, or its own."""
    return find_game(slug).find_name(house_rules) or translate(locale, f"{slug}.name")


def unit_text(locale: str, slug: str, key: str, unit: str, /, names: Names | None = None, **params: Any) -> str:
    """Return a message about a game's counters: `count` of them, or their name for the key `unit`.

    That is the game's own message for the unit, or the shared one, or the shared one for any unit, in which the
    counters are the parameter `counters`.
    """
    for own in (f"{slug}.{key}.{unit}", f"{key}.{unit}"):
        if has_message(locale, own):
            return translate(locale, own, names, **params)
    if key == "unit":
        return unit
    if key in _SHORTER_KEYS:
        return unit_text(locale, slug, _SHORTER_KEYS[key], unit)
    params["unit"] = unit_text(locale, slug, "unit.within", unit)
    if key != "count":
        params["counters"] = unit_text(locale, slug, "count", unit, count=params.get("count", 1))
    return translate(locale, f"{key}.any", names, **params)


def _format_param(locale: str, name: str, value: Any, names: Names | None) -> str:
    if isinstance(value, bool):
        return translate(locale, "yes" if value else "no")
    if isinstance(value, int | Decimal):
        return format_number(locale, value)
    if isinstance(value, tuple | list):
        return _format_sequence(locale, name, value, names)
    if name in _PARTY_PARAMS and isinstance(value, str):
        return names(value) if names else name_party(locale, value)
    return str(value)


def _format_sequence(locale: str, name: str, values: Sequence[Any], names: Names | None) -> str:
    if not values:
        return translate(locale, "choice.none")
    is_run = isinstance(values[0], int) and [*values] == [*range(values[0], values[0] + len(values))]
    if is_run and len(values) > _MAX_LISTED:
        return f"{format_number(locale, values[0])}–{format_number(locale, values[-1])}"
    name_of_item = "party" if name in (_ALL, _ANY) else ""
    items = [_format_param(locale, name_of_item, value, names) for value in values]
    return format_list(items, style="standard" if name == _ALL else "or", locale=locale)


def problem_text(problem: Problem, locale: str, names: Names | None = None) -> str:
    key = problem.key if "." in problem.key else f"problem.{problem.key}"
    texts = {name: value[1:-1] for name, value in problem.params.items() if isinstance(value, QuotedText)}
    quoted = {name: translate(locale, "quotation", text=text) for name, text in texts.items()}
    return translate(locale, key, names, **{"field": problem.field, **problem.params, **quoted})


# --- numbers, dates, the order of names ----------------------------------------------------------------------

_DIGITS = re.compile(r"(\d+)")
_LETTERS = str.maketrans({"ł": "l", "ø": "o", "æ": "ae", "œ": "oe", "đ": "d", "ı": "i"})


@lru_cache(maxsize=4096)
def format_number(locale: str, value: int | Decimal) -> str:
    """Format a number. Cached, since Babel is slow and pages repeat the same small numbers."""
    return format_decimal(value, locale=locale).replace("-", "−")


def day_in_words(day: date, locale: str, *, has_year: bool) -> str:
    """Format a day with its weekday: Sunday 22 November, Sunday, November 22, dimanche 22 novembre."""
    pattern = re.sub("(?<=EEEE),(?= d M)", "", Locale.parse(locale).date_formats["full"].pattern)  # as most write it
    if not has_year:
        pattern = re.sub(",? y$", "", pattern)
    return _write_first_of_month(format_date(day, pattern, locale=locale), day, locale)


def long_day(day: date, locale: str) -> str:
    return _write_first_of_month(format_date(day, "long", locale=locale), day, locale)


def part_of_date(day: date, locale: str, skeleton: str) -> str:
    """Format the parts of a day that CLDR's skeleton names: `MMMd` 22 Nov, `yMMMM` November 2026, `yMMM` Nov 2026."""
    return _write_first_of_month(format_skeleton(skeleton, day, locale=locale), day, locale)


def _write_first_of_month(text: str, day: date, locale: str) -> str:
    """Write the first of a month as French does, which CLDR does not."""
    return re.sub(r"\b1\b", "1er", text, count=1) if locale.startswith("fr") and day.day == 1 else text


def in_name_order(items: Iterable[T], name_of: Callable[[T], str] = attrgetter("name")) -> list[T]:
    """Sort items by their names: by the letters without accents, Player 9 before Player 10."""
    return sorted(items, key=lambda item: _sort_key(name_of(item)))


def _sort_key(name: str) -> tuple[list[str | int], str]:
    folded = normalize("NFKD", name).casefold()
    letters = "".join(char for char in folded.translate(_LETTERS) if not combining(char))
    return [int(part) if part.isdecimal() else part for part in _DIGITS.split(letters)], folded
