"""Standings and statistics of a circle, on a phone, on a screen across the room and on paper."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from babel.numbers import format_decimal
from flask import Blueprint, Response, abort, g, make_response, render_template, request, url_for

from .. import i18n
from ..circles import access
from ..games import games, slug_of
from ..models import Circle
from ..people.reading import read_persons
from ..scoring.currency import is_currency, list_currencies
from ..scoring.game import AnyGame
from ..scoring.sheet import settlement_unit
from ..site.amounts import account_title, format_signed_amount
from ..site.language import day_in_words, name_of_key, signed, t, unit_text
from ..site.navigation import Tab
from ..tables.named_games import read_game_names
from ..tables.reading import read_tokens
from . import statistics
from .period import EveningPeriod, read_period
from .reading import list_years, read_persons_at_events, read_ratings
from .statistics import MONTH, NET, PER_EVENING, RATING, WON, StandingsRow, divide_rounded
from .totals import GameTotals, PlayerGameTotals, Record, Totals

blueprint = Blueprint("standings", __name__, url_prefix="/circles/<circle_token>")

REFRESH = 60  # seconds after which the page for a screen loads itself again
MAX_ROWS_ON_SCREEN = 24
NONE = "–"


def render_statistics(template: str, circle: Circle, period: EveningPeriod, **shown: Any) -> tuple[str, int]:
    page = render_template(
        template,
        circle=circle,
        period=period,
        years=list_years(circle),
        people_by_id=read_persons(circle),
        period_in_words=period_in_words,
        **shown,
    )
    return page, 422 if period.is_wrong else 200


def most_tables_first(totals: Mapping[str, GameTotals]) -> list[str]:
    return sorted(totals, key=lambda key: (-totals[key].tables, key))


# --- in words ----------------------------------------------------------------------------


def average_number(total: int, count: int, sign: str = "") -> str:
    """Write the average, total / count, with two decimal places; a dash if the count is 0."""
    if not count:
        return NONE
    value = Decimal(divide_rounded(100 * total, count)).scaleb(-2)  # exact but for this rounding
    return f"{sign if value > 0 else ''}{format_decimal(value, '#,##0.00;−#,##0.00', g.locale)}"


def period_in_words(period: str, *, is_short: bool = False) -> str:
    """Return an evening or a month in words."""
    if len(period) > MONTH:
        day = date.fromisoformat(period)
        return i18n.part_of_date(day, g.locale, "MMMd") if is_short else day_in_words(day)
    return i18n.part_of_date(date.fromisoformat(f"{period}-01"), g.locale, "yMMM" if is_short else "yMMMM")


def describe_activity(evenings: int, totals: Sequence[GameTotals | PlayerGameTotals]) -> str:
    """Return in words how much was played of these games in so many evenings; "" if nothing was."""
    if not totals:
        return ""
    counts = {
        "evenings": evenings,
        "tables": sum(game.tables for game in totals),
        "deals": sum(game.deals for game in totals),
    }
    return " · ".join(t(f"players.count.{kind}", count=count) for kind, count in counts.items())


# --- standings: at one game or in one currency -------------------------------------------------------------


@dataclass(frozen=True)
class Standings:
    """The standings at `account`, a game's key or a currency, in the order of `by`, one of `orders`."""

    account: str
    title: str
    game: AnyGame | None
    orders: list[str]
    by: str
    rows: list[StandingsRow]

    @property
    def net_title(self) -> str:
        if self.game is None:
            return t("players.balance")
        return t("players.net-in", unit=unit_text(self.game, "unit.within", settlement_unit(self.game)))

    def format_net(self, amount: int) -> str:
        return format_signed_amount(self.account, amount) if self.game is None else signed(amount)

    def average_net(self, amount: int, count: int) -> str:
        """Write the average, net / count; a dash if the count is 0."""
        if self.game is not None:
            return average_number(amount, count, "+")
        return format_signed_amount(self.account, divide_rounded(amount, count)) if count else NONE


@blueprint.get("/standings")
def show(circle_token: str) -> tuple[str, int]:
    return _render_standings("standings/standings.html", circle_token)


@blueprint.get("/standings/screen")
def screen(circle_token: str) -> Response:
    """Show the standings in letters that are read across a room; the page loads itself again."""
    response = make_response(_render_standings("standings/screen.html", circle_token))
    response.headers["Refresh"] = str(REFRESH)
    return response


def _render_standings(template: str, circle_token: str) -> tuple[str, int]:
    circle = access.get_membership_or_404(circle_token).circle
    period = read_period()
    totals = period.read_totals(circle)
    names = read_game_names(circle)
    # Of events, standings show only ratings.
    has_events = circle.shows_ratings and not period.is_wrong
    at_events = read_persons_at_events(circle.id, period.since, period.until) if has_events else {}
    accounts = [*most_tables_first(totals.games), *sorted(at_events.keys() - totals.games.keys())]
    accounts += sorted(account for account in totals.net_results if is_currency(account))
    account = request.args.get("account") or next(iter(accounts), "")
    if account and slug_of(account) not in games() and account not in (*accounts, *list_currencies()):
        abort(404)
    standings = _read_standings(circle, period, totals, account, names, at_events) if account else None
    if account and account not in accounts:
        accounts.append(account)

    def link(account: str, by: str | None = None) -> str:
        return url_for("standings.show", circle_token=circle.token, account=account, by=by, **period.query)

    orders: list[Tab] = []
    if standings is not None:
        orders = [Tab(link(account, by), t(f"standings.by.{by}"), by == standings.by) for by in standings.orders]
    return render_statistics(
        template,
        circle,
        period,
        accounts=[Tab(link(key), account_title(key, names), key == account) for key in accounts],
        orders=orders,
        standings=standings,
        query={**({"account": account, "by": standings.by} if standings is not None else {}), **period.query},
        most=MAX_ROWS_ON_SCREEN,
    )


def _read_standings(
    circle: Circle,
    period: EveningPeriod,
    totals: Totals,
    account: str,
    names: Mapping[str, str],
    at_events: Mapping[str, Collection[int]],
) -> Standings:
    """Return the standings in the order that the query asks for, or the first that there is."""
    game = games().get(slug_of(account))
    played = totals.games.get(account, GameTotals())
    orders = _list_orders(circle, game, played)
    by = request.args.get("by", "")
    if by not in orders:
        by = orders[0]
    if game is None:
        rows = statistics.rank_in_currency(account, totals, by)
    else:
        ratings = read_ratings(circle, period.until).get(account, {}) if RATING in orders else {}
        rows = statistics.rank_at_game(game, played, ratings, by, at_events.get(account, ()))
    return Standings(account=account, title=account_title(account, names), game=game, orders=orders, by=by, rows=rows)


def _list_orders(circle: Circle, game: AnyGame | None, played: GameTotals) -> list[str]:
    """List by what a game's standings, or those of a currency, can be ordered."""
    orders = []
    if game is None or played.has_net:
        orders += [NET, PER_EVENING]
    if game is not None and game.contest:
        if played.ended.get(game.contest):
            orders.append(WON)
        if circle.shows_ratings:
            orders.append(RATING)
    return orders or [NET]


# --- statistics of a circle --------------------------------------------------------------------------------


@dataclass(frozen=True)
class GameOfCircle:
    key: str
    name: str
    totals: GameTotals

    @property
    def game(self) -> AnyGame:
        return games()[slug_of(self.key)]

    @property
    def ended(self) -> list[tuple[str, int]]:
        """How often a table has ended in each way, the largest first."""
        ended = self.totals.ended
        return [(kind, ended[kind]) for kind in reversed(self.game.ending.kinds) if ended.get(kind)]

    @property
    def records(self) -> list[tuple[str, Record]]:
        """The records by name of the feat, in the game's order."""
        records = self.totals.records
        return [(name, records[name]) for name in self.game.counted.feat_names if name in records]


@blueprint.get("/figures")
def figures(circle_token: str) -> tuple[str, int]:
    circle = access.get_membership_or_404(circle_token).circle
    period = read_period()
    totals = period.read_totals(circle)
    names = read_game_names(circle)
    persons = read_persons(circle)
    played = [GameOfCircle(key, name_of_key(key, names), totals.games[key]) for key in most_tables_first(totals.games)]
    return render_statistics(
        "standings/figures.html",
        circle,
        period,
        activity=describe_activity(totals.count_evenings(), [of.totals for of in played]),
        games=played,
        list_streaks=statistics.list_streaks,
        names=names,
        tokens=read_tokens(circle, {at.table for of in played for _, record in of.records for at in record.origins}),
        list_names=lambda players: t("players.names", all=[persons[player].name for player in players]),
    )
