"""The reader's language: chosen by the browser, or by a switch that sticks; and what templates say words with."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any
from unicodedata import bidirectional

from babel.dates import format_date, format_datetime
from babel.numbers import format_currency
from flask import Flask, g, request, session
from markupsafe import Markup
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

from .. import language as words
from ..book import may as words_may
from ..scoring.remarks import Remark


def init_app(app: Flask) -> None:
    # Before the pages look at an address: what they find there may have to be told in words.
    app.url_value_preprocessor(choose)
    app.jinja_env.globals.update(
        t=t,
        known=lambda key: words.knows(g.language, key),
        number=number,
        signed=signed,
        money=money,
        moment=moment,
        day_in_words=day_in_words,
        served_at=lambda: datetime.now(UTC).isoformat(timespec="seconds"),
        languages={tag: words.language_name(tag) for tag in words.LANGUAGES},
        party=called,
        sentence=sentence,
        may=lambda needs: "browser" in g and words_may(g.browser.link.right, needs),
    )
    app.jinja_env.tests["under"] = lambda field, key: field == key or field.startswith(f"{key}.")


def choose(_endpoint: str | None, _values: dict[str, object] | None) -> None:
    told = session.get("language")
    g.language = told if told in words.LANGUAGES else _wanted(request.headers.get("Accept-Language", ""))
    g.names = dict  # what the players of a table are called, for whoever asks: most writes never do
    g.sides = {}


@lru_cache(maxsize=256)
def _wanted(header: str) -> str:
    """Kept, since a browser says the same with everything it asks for."""
    return words.chosen(parse_accept_header(header, LanguageAccept).values())


def t(key: str, /, **params: Any) -> str:
    """The words of a key in the reader's language, the players called by their names at this table."""
    return words.say(g.language, key, party, **params)


def party(key: str) -> str:
    """A side in words, a player by name."""
    return _by_itself(words.party_words(g.language, g.names())(key))


@lru_cache(maxsize=1024)
def _by_itself(name: str) -> str:
    """A name written from right to left keeps that to itself. Kept, since a page says a few names again and again."""
    return f"\u2068{name}\u2069" if any(bidirectional(sign) in ("R", "AL") for sign in name) else name


def called(key: str) -> str:
    """The same where it stands by itself: there a side may have another name on the phone of one of its players."""
    return t(g.sides[key]) if key in g.sides else party(key)


def sentence(remark: Remark) -> str:
    return words.sentence(remark, g.language, party)


def number(value: int | Decimal) -> str:
    return words.digits(g.language, value)


def signed(value: int) -> str:
    """With its sign, and a real minus: +3, −2, 0."""
    if value == 0:
        return "0"
    return f"{'+' if value > 0 else '−'}{words.digits(g.language, abs(value))}"


def money(amount: Decimal, currency: str) -> str:
    return format_currency(amount, currency, locale=g.language)


def moment(at: datetime) -> Markup:
    """A moment kept in UTC, in the server's zone; a script puts it in the reader's."""
    aware = at.replace(tzinfo=UTC)
    shown = format_datetime(aware.astimezone(), "short", locale=g.language)
    return Markup('<time datetime="{}">{}</time>').format(aware.isoformat(timespec="seconds"), shown)


def day_in_words(day: date) -> str:
    """Saturday 21 November; with its year, where that is not the one under way."""
    pattern = "EEEE d MMMM" if day.year == datetime.now(UTC).year else "EEEE d MMMM y"
    return format_date(day, pattern, locale=g.language)
