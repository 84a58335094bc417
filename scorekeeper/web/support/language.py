"""The reader's language, from the browser's headers or a cookie, and the formatting functions of the templates."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any, cast
from unicodedata import bidirectional

from babel.dates import format_date, format_datetime
from babel.numbers import format_currency
from flask import Flask, Response, after_this_request, current_app, g, request, session
from markupsafe import Markup
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

from ... import i18n as words
from ...scoring.problems import Problem
from ...services import may as words_may
from .sessions import DeviceSessionInterface

LANGUAGE = "language"  # the preference that the switch sets


def init_app(app: Flask) -> None:
    """Register the template globals, and choose the language before any blueprint sees the URL."""
    # Before the pages look at an address: what they find there may have to be told in words.
    app.url_value_preprocessor(choose)
    app.jinja_env.globals.update(
        t=t,
        known=lambda key: words.has_message(g.language, key),
        number=number,
        signed=signed,
        money=money,
        moment=moment,
        day_in_words=day_in_words,
        served_at=lambda: datetime.now(UTC).isoformat(timespec="seconds"),
        languages={tag: words.language_name(tag) for tag in words.LANGUAGES},
        party=called,
        sentence=sentence,
        may=lambda needs: "browser" in g and words_may(g.browser.right, needs),
    )
    app.jinja_env.tests["under"] = lambda field, key: field == key or field.startswith(f"{key}.")


def choose(_endpoint: str | None, _values: dict[str, object] | None) -> None:
    """Set `g.language`, and empty `g.names` and `g.sides` for pages without a table.

    `g.names` is a function, because most writes never need the names.
    """
    chosen = _chosen()
    g.language = chosen if chosen in words.LANGUAGES else _wanted(request.headers.get("Accept-Language", ""))
    g.names = dict  # what the players of a table are called, for whoever asks: most writes never do
    g.sides = {}


def _chosen() -> str | None:
    """Return the language of the switch. It was part of the session once, which two responses at once could undo."""
    chosen: str | None = request.cookies.get(_cookies().preference_name(current_app, LANGUAGE), session.get(LANGUAGE))
    return chosen


def remember_language(language: str | None = None) -> None:
    """Send the language's cookie for another year, with this language or else with the one chosen before, if any."""
    chosen = language or _chosen()

    @after_this_request
    def _set(response: Response) -> Response:
        if chosen in words.LANGUAGES:
            _cookies().set_preference(current_app, response, LANGUAGE, chosen)
        return response


def _cookies() -> DeviceSessionInterface:
    return cast(DeviceSessionInterface, current_app.session_interface)


@lru_cache(maxsize=256)
def _wanted(header: str) -> str:
    """Kept, since a browser says the same with everything it asks for."""
    return words.choose_language(parse_accept_header(header, LanguageAccept).values())


def t(key: str, /, **params: Any) -> str:
    """Translate a message key into the reader's language; parties among the parameters become names."""
    return words.translate(g.language, key, party, **params)


def party(key: str) -> str:
    """Return a side's or a player's name, for use within a sentence."""
    return isolated(words.party_namer(g.language, g.names())(key))


@lru_cache(maxsize=1024)
def isolated(name: str) -> str:
    """A name; one written from right to left in Unicode's isolate marks, so that the text around it keeps its order.

    Cached, since a page has the same few names again and again.
    """
    return f"\u2068{name}\u2069" if any(bidirectional(sign) in ("R", "AL") for sign in name) else name


def called(key: str) -> str:
    """The same where it stands by itself: there a side may have another name on the phone of one of its players."""
    return t(g.sides[key]) if key in g.sides else party(key)


def sentence(problem: Problem) -> str:
    """Return a problem's message."""
    return words.problem_text(problem, g.language, party)


def number(value: int | Decimal) -> str:
    """Format a number."""
    return words.digits(g.language, value)


def signed(value: int) -> str:
    """Format a number with its sign: +3, −2, 0."""
    if value == 0:
        return "0"
    return f"{'+' if value > 0 else '−'}{words.digits(g.language, abs(value))}"


def money(amount: Decimal, currency: str) -> str:
    """Format an amount of money with all its decimals: a counter may be worth less than a cent."""
    return format_currency(amount, currency, locale=g.language, decimal_quantization=False)


def moment(at: datetime) -> Markup:
    """Return a <time> element for a naive UTC time, in the server's time zone; a script converts it to the reader's."""
    aware = at.replace(tzinfo=UTC)
    shown = format_datetime(aware.astimezone(), "short", locale=g.language)
    return Markup('<time datetime="{}">{}</time>').format(aware.isoformat(timespec="seconds"), shown)


def day_in_words(day: date) -> str:
    """Format a date: Saturday 21 November; with its year if it is not the current one."""
    pattern = "EEEE d MMMM" if day.year == datetime.now(UTC).year else "EEEE d MMMM y"
    return format_date(day, pattern, locale=g.language)
