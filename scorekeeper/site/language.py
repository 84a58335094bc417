"""The reader's locale, from a cookie or the browser's headers, and the functions of templates that write in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol
from unicodedata import bidirectional

from babel import Locale
from babel.dates import format_datetime, format_time
from babel.numbers import format_currency
from flask import Flask, g, request
from markupsafe import Markup

from .. import i18n
from ..games import slug_of
from ..models import Circle, may, now
from ..scoring.game import AnyGame
from ..scoring.problems import Problem, abbreviate_value
from ..scoring.standing import SIDES, AnyStanding
from .time_zones import local_time

LANGUAGE = "scorekeeper-language"  # the cookie of a reader who has chosen a language or a locale


def init_app(app: Flask) -> None:
    # Before the preprocessors that may refuse a request, because their pages need the locale.
    app.url_value_preprocessor(set_locale)
    words = (t, has_message, game_text, name_of_circle, name_of_game, unit_text, party_name, problem_message)
    numbers = (number, signed, scores_in_a_row, named_scores, money, moment, day_in_words)
    shown: tuple[Callable[..., Any], ...] = (*words, *numbers, utc_time, list_languages, list_regions)
    for function in shown:
        app.add_template_global(function)
    app.add_template_global(has_right, "may")


def set_locale(_endpoint: str | None, _values: dict[str, object] | None) -> None:
    """Set `g.locale`, such as fr_CA."""
    g.locale = i18n.choose_locale(list_wanted_tags())
    set_party_names({})


def set_party_names(names: Mapping[str, str], sides: Mapping[str, str] = MappingProxyType({})) -> None:
    """Set what messages call parties from now on: players by their labels, and on a player's own phone the sides.

    It is in `g` beside the locale: any message, problem or score may name a party, deep in templates and macros.
    """
    g.names, g.sides = names, sides


def list_wanted_tags() -> list[str]:
    """List the languages and locales that the reader wants, in order of preference; any text may be among them."""
    return [request.cookies.get(LANGUAGE, ""), *request.accept_languages.values()]


class LanguageChoice(NamedTuple):
    locale: str
    name: str
    is_current: bool


def list_languages() -> list[LanguageChoice]:
    current = i18n.get_language(g.locale)
    return [LanguageChoice(each, Locale(each).display_name or each, each == current) for each in i18n.LANGUAGES]


def list_regions() -> list[LanguageChoice]:
    """List the locales of the reader's language."""
    locales = i18n.LOCALES[i18n.get_language(g.locale)]
    return [LanguageChoice(each, Locale.parse(each).territory_name or "", each == g.locale) for each in locales]


def t(key: str, /, **params: Any) -> str:
    """Translate a message key into the reader's language; parties among the parameters become names."""
    return i18n.translate(g.locale, key, _party_within_text, **params)


def has_message(key: str) -> bool:
    return i18n.has_message(g.locale, key)


def game_text(slug: str, key: str, /, **params: Any) -> str:
    """Translate a key as a game words it: its own message of this key if it has one, else the shared one."""
    return t(own_key(slug, key), **params)


def own_key(slug: str, key: str) -> str:
    return i18n.own_key(g.locale, slug, key)


def unit_text(game: AnyGame, key: str, unit: str, /, **params: Any) -> str:
    """Translate a message about a game's counters: `count` of them, or their name for the key `unit`."""
    return i18n.unit_text(g.locale, game.slug, key, unit, _party_within_text, **params)


def value_text(game: AnyGame, key: str, name: str, **params: Any) -> str:
    """Translate a message about what one counter is worth, by the counter's name in a sheet's value."""
    if has_message(f"{key}.{name}"):
        return t(f"{key}.{name}", **params)
    return unit_text(game, key, game.unit_of_value(name), **params)


class Played(Protocol):
    """What names its game: a table, or a sheet that is not imported yet."""

    @property
    def game(self) -> str: ...
    @property
    def house_rules(self) -> Mapping[str, Any]: ...


def name_of_circle(circle: Circle) -> str:
    return circle.title or t("circle.title")


def name_of_game(table: Played) -> str:
    """Return what is played at a table: as its house rules call it, if they describe the game, or the game's name."""
    return isolate_rtl(i18n.game_name(g.locale, table.game, table.house_rules))


def name_of_key(key: str, names: Mapping[str, str]) -> str:
    """Return the name of the game with this key; `names` are those that the circle has given, by key."""
    return isolate_rtl(names[key]) if key in names else t(f"{slug_of(key)}.name")


def party_name(key: str) -> str:
    """Return a party's name as it stands by itself: a player's own phone may show "we" and "they".

    A row of a pad may also be a message of the game: `my-game.kings`.
    """
    if "." in key and has_message(key):
        return t(key)
    return g.sides[key] if key in g.sides else _party_within_text(key)


def party_people(key: str, standing: AnyStanding) -> str:
    """Return the names of a side's players; else, and where sides are "we" and "they", what `party_name` returns."""
    if key in SIDES and key not in g.sides:
        return join_parties(standing.partners(key))
    return party_name(key)


def _party_within_text(key: str) -> str:
    return isolate_rtl(g.names[key] if key in g.names else i18n.name_party(g.locale, key))


def isolate_rtl(name: str) -> str:
    """Enclose a right-to-left name in Unicode's isolate marks, so that the text around it keeps its order."""
    return f"\u2068{name}\u2069" if any(bidirectional(char) in ("R", "AL") for char in name) else name


def problem_message(problem: Problem) -> str:
    is_left_empty = problem.params.get("found") == abbreviate_value("")
    if is_left_empty:
        problem = problem._replace(params={**problem.params, "found": t("problem.empty-field")})
    return i18n.problem_text(problem, g.locale, _party_within_text)


def has_right(right: str) -> bool:
    """Return whether the reader may do what needs this right; false on pages outside a circle."""
    return "membership" in g and may(g.membership.right, right)


def number(value: int | Decimal) -> str:
    return i18n.format_number(g.locale, value)


def value_in_words(value: Any) -> str:
    if isinstance(value, bool):
        return t("yes" if value else "no")
    if isinstance(value, int):
        return number(value)
    if isinstance(value, list | tuple):
        return ", ".join(map(value_in_words, value)) or "–"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}{t('colon')} {value_in_words(item)}" for key, item in value.items()) or "–"
    return str(value) if value is not None and value != "" else "–"


def signed(value: int | Decimal) -> str:
    """Format a number with its sign: +3, −2, 0."""
    if value == 0:
        return "0"
    return f"{'+' if value > 0 else '−'}{i18n.format_number(g.locale, abs(value))}"


def join_names(names: Iterable[str]) -> str:
    """Return names in a row: Anne, Bruno & Chloé."""
    *others, last = names
    return t("names.and").join([", ".join(others), last] if others else [last])


def join_parties(keys: Iterable[str]) -> str:
    return join_names(map(_party_within_text, keys))


def scores_in_a_row(scores: Iterable[int]) -> str:
    """Return scores beside each other: 154–131, but 27 : −2, as a dash and a minus are hard to tell apart.

    A line may break between three scores, not between two.
    """
    listed = list(scores)
    colon = "\u00a0:\u00a0" if len(listed) == 2 else "\u00a0: "
    return (colon if min(listed) < 0 else "–").join(map(number, listed))


def named_scores(scores: Mapping[str, int]) -> str:
    """Return scores in one line: those of players with their names, those of two sides as in 8–4."""
    if scores.keys() <= set(SIDES):
        return scores_in_a_row(scores.values())
    return ", ".join(name_score(_party_within_text(party), points) for party, points in scores.items())


def name_score(name: str, points: int) -> str:
    """Return a score after a player's name, without a line break between them."""
    return f"{name}\u00a0{number(points)}"


def money(amount: Decimal, currency: str) -> str:
    """Format an amount of money with all its decimals: a counter may be worth less than a cent."""
    text = format_currency(amount, currency, locale=g.locale, decimal_quantization=False)
    text = re.sub(r"(?<=[^\W\d_])(?=\d)", "\xa0", text)  # CHF 5.05, as CLDR spaces letters; Babel leaves that out
    return text.replace("£GB", "£")  # as French players write it; CLDR tells it from pounds that nobody here plays for


# --- times and dates, in the circle's time zone --------------------------------------------------------------


def find_zone(circle: Circle | None = None) -> str | None:
    """Return the time zone of a circle, by default the page's; None is the server's, as on pages outside a circle.

    Everybody at a table sees the same times.
    """
    if circle is None:
        circle = g.membership.circle if "membership" in g else g.get("circle")
    return circle.time_zone if circle is not None else None


def moment(at: datetime, circle: Circle | None = None, *, has_date: bool = False) -> Markup:
    """Return a <time> element for a naive UTC time, in the circle's time zone; of today, as a rule only the time."""
    local = local_time(at, find_zone(circle))
    today = local_time(now(), find_zone(circle)).date()
    form = format_time if local.date() == today and not has_date else format_datetime
    text = form(local, "short", locale=g.locale)
    return Markup('<time datetime="{}">{}</time>').format(local.isoformat(timespec="seconds"), text)


def utc_time() -> str:
    """Return the current time in ISO format, for scripts."""
    return f"{now().isoformat(timespec='seconds')}Z"


def current_time() -> str:
    return str(format_time(local_time(now(), find_zone()), "short", locale=g.locale))


def day_in_words(day: date) -> str:
    """Format a date: Saturday 21 November; with its year if it is not the current one."""
    return i18n.day_in_words(day, g.locale, has_year=day.year != local_time(now(), find_zone()).year)
