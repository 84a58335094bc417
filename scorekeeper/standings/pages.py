"""Standings and statistics of a circle, on a phone, on a screen across the room and on paper, and those of a player."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import chain
from typing import Any, NamedTuple

from babel.numbers import format_decimal
from flask import Blueprint, Response, abort, g, make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from .. import i18n
from ..circles import access
from ..games import games, slug_of
from ..models import Circle, Player
from ..people.reading import may_read_everything, read_ids_by_token, read_persons
from ..scoring import currency
from ..scoring.currency import is_currency, list_currencies, to_money
from ..scoring.game import AnyGame
from ..scoring.sheet import settlement_unit
from ..site.amounts import account_title, format_balance, format_signed_amount
from ..site.language import day_in_words, game_text, has_message, name_of_key, number, signed, t, unit_text
from ..tables import chart
from ..tables.chart import Tick
from ..tables.named_games import read_game_names
from ..tables.reading import read_tokens
from . import statistics
from .period_form import Period, read_period
from .ratings import Rating
from .reading import EVENTS, PlayedEvent, list_years, read_persons_at_events, read_ratings
from .statistics import MONTH, NET, PER_EVENING, RATING, WON, BalancePoint, PlayerAtGame, StandingsRow, divide_rounded
from .totals import GameTotals, PlayerGameTotals, Record, Totals

blueprint = Blueprint("standings", __name__, url_prefix="/circles/<circle_token>")

REFRESH = 60  # seconds after which the page for a screen loads itself again
MAX_ROWS_ON_SCREEN = 24
NONE = "–"


def _render(template: str, circle: Circle, period: Period, **shown: Any) -> tuple[str, int]:
    page = render_template(
        template,
        circle=circle,
        period=period,
        years=list_years(circle),
        people_by_id=read_persons(circle),
        period_in_words=period_in_words,
        **shown,
    )
    return page, 422 if period.problems else 200


def most_tables_first(totals: Mapping[str, GameTotals]) -> list[str]:
    return sorted(totals, key=lambda key: (-totals[key].tables, key))


# --- averages and days in words ----------------------------------------------------------------------------


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
    return _render_standings(
        "standings/standings.html", access.get_membership_or_404(circle_token).circle, read_period()
    )


@blueprint.get("/standings/screen")
def screen(circle_token: str) -> Response | AnyResponse:
    """Show the standings in letters that are read across a room; the page loads itself again."""
    circle = access.get_membership_or_404(circle_token).circle
    period = read_period()
    if period.problems:
        account, by = (request.args.get(key) for key in ("account", "by"))
        return redirect(
            url_for("standings.show", circle_token=circle_token, account=account, by=by, **period.query), 303
        )
    response = make_response(_render_standings("standings/screen.html", circle, period))
    response.headers["Refresh"] = str(REFRESH)
    return response


def _render_standings(template: str, circle: Circle, period: Period) -> tuple[str, int]:
    totals = period.read_totals(circle)
    names = read_game_names(circle)
    # Of events, standings show only ratings.
    has_events = circle.shows_ratings and not period.problems
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

    orders = standings.orders if standings is not None else []
    return _render(
        template,
        circle,
        period,
        accounts=[(link(each), account_title(each, names), each == account) for each in accounts],
        orders=[(link(account, by), t(f"standings.by.{by}"), standings and by == standings.by) for by in orders],
        standings=standings,
        query={**({"account": account, "by": standings.by} if standings is not None else {}), **period.query},
        most=MAX_ROWS_ON_SCREEN,
    )


def _read_standings(
    circle: Circle,
    period: Period,
    totals: Totals,
    account: str,
    names: Mapping[str, str],
    at_events: Mapping[str, Collection[int]],
) -> Standings:
    """Return the standings in the order that the query asks for, or the first that there is."""
    game = games().get(slug_of(account))
    played = totals.games.get(account, GameTotals())
    has_ratings = bool(game is not None and game.contest and circle.shows_ratings)
    orders = [NET, PER_EVENING] if game is None or played.has_net else []
    orders += [WON] if game is not None and played.ended.get(game.contest or "") else []
    orders += [RATING] if has_ratings else []
    orders = orders or [NET]
    by = request.args.get("by", "")
    by = by if by in orders else orders[0]
    if game is None:
        rows = statistics.rank_in_currency(account, totals, by)
    else:
        ratings = read_ratings(circle, period.until).get(account, {}) if has_ratings else {}
        rows = statistics.rank_at_game(game, played, ratings, by, at_events.get(account, ()))
    return Standings(account=account, title=account_title(account, names), game=game, orders=orders, by=by, rows=rows)


# --- statistics of a player --------------------------------------------------------------------------------


@blueprint.get("/players/<player_token>")
def show_player(circle_token: str, player_token: str) -> AnyResponse | tuple[str, int]:
    """Show a player's statistics of a period; a merged player's URL redirects to the person."""
    circle = access.get_membership_or_404(circle_token).circle
    period = read_period()
    ids = read_ids_by_token(circle)
    person = read_persons(circle)[ids[player_token]] if player_token in ids else abort(404)
    if person.token != player_token:
        return redirect(
            url_for("standings.show_player", circle_token=circle_token, player_token=person.token, **period.query)
        )
    totals = period.read_totals(circle)
    names = read_game_names(circle)
    ratings = _read_ratings(person, period)
    games_played = [
        GameOfPlayer(name_of_key(each.key, names), each, ratings.get(each.key), is_current=period.is_current)
        for each in statistics.list_games(person.id, totals, games())
    ]
    played = {of.played.key for of in games_played}
    return _render(
        "standings/player.html",
        circle,
        period,
        person=person,
        activity=_describe_activity(totals.count_evenings(person.id), [of.played.totals for of in games_played]),
        games_played=games_played,
        names=names,
        partners=statistics.add_head_to_heads(of.played.partners for of in games_played),
        opponents=statistics.add_head_to_heads(of.played.opponents for of in games_played),
        balances=_read_balances(person, period, totals, names),
        events=[] if period.problems else _list_events(person, period),
        rated_at_events=[(name_of_key(key, names), rating) for key, rating in ratings.items() if key not in played],
        may_read_everything=person.erased_at is None and may_read_everything(g.membership, person),
    )


def _read_ratings(person: Player, period: Period) -> dict[str, Rating]:
    """Return a person's ratings at the end of the period by game, if the circle shows ratings."""
    is_shown = person.circle.shows_ratings and not period.problems
    ratings = read_ratings(person.circle, period.until) if is_shown else {}
    return {key: of_game[person.id] for key, of_game in ratings.items() if person.id in of_game}


def _list_events(person: Player, period: Period) -> list[PlayedEvent]:
    played = (events.list_played(person.circle, person.id, period.since, period.until) for events in EVENTS.values())
    return list(chain.from_iterable(played))


@dataclass(frozen=True)
class GameOfPlayer:
    """A person's results at a game in a period; `is_current`: the period has not ended yet."""

    name: str
    played: PlayerAtGame
    rating: Rating | None
    is_current: bool

    @property
    def rows(self) -> list[FigureRow]:
        return [*_list_rows(self.played, is_current=self.is_current)]

    @property
    def figures(self) -> list[FigureRow]:
        return [*_list_figures(self.played)]


class FigureRow(NamedTuple):
    """How often something has happened. `style` is "part" in rows of a figure's parts, "whole" in the row above."""

    title: str
    total: str
    per_evening: str = ""
    per_deal: str = ""
    note: str = ""
    part: str = ""
    style: str = ""


def _list_rows(at_game: PlayerAtGame, *, is_current: bool) -> Iterator[FigureRow]:
    """Yield what is counted at any game; `is_current`: the page's period has not ended yet."""
    game, totals, evenings = at_game.game, at_game.totals, len(at_game.totals.evenings)
    yield FigureRow(t("players.evenings"), number(evenings))
    yield FigureRow(t("players.tables"), number(totals.tables), average_number(totals.tables, evenings))
    yield FigureRow(t("players.deals"), number(totals.deals), average_number(totals.deals, evenings))
    for kind, wins in at_game.wins:
        title = game_text(game.slug, f"players.won.{kind}")
        total = t("players.won-of", won=wins.won, played=wins.played)
        yield FigureRow(title, total, average_number(wins.won, evenings), note=t("players.share", share=wins.percent))
    runs = {"longest-run": totals.best_streak, "run-under-way": totals.streak if is_current else 0}
    for key, length in runs.items():
        if length > 1:
            yield FigureRow(game_text(game.slug, f"players.{key}.{game.contest}"), number(length))
    for unit, net in at_game.nets.items() if any(at_game.nets.values()) else ():
        averages = average_number(net, evenings, "+"), average_number(net, totals.deals, "+")
        yield FigureRow(t("players.net-in", unit=unit_text(game, "unit.within", unit)), signed(net), *averages)


def _list_figures(at_game: PlayerAtGame) -> Iterator[FigureRow]:
    counts = len(at_game.totals.evenings), at_game.totals.deals

    def count(title: str, times: int, **more: str) -> FigureRow:
        return FigureRow(title, number(times), *(average_number(times, each) for each in counts), **more)

    for figure in at_game.figures:
        key = f"{at_game.game.slug}.figure.{figure.name}"
        parts = [(t(own) if has_message(own := f"{key}.{part}") else part, times) for part, times in figure.parts]
        if len(parts) == 1:
            yield count(t(key), figure.times, part=parts[0][0])
        else:
            yield count(t(key), figure.times, style="whole" if parts else "")
            for part, times in parts:
                yield count(part, times, style="part")


def _describe_activity(evenings: int, totals: Sequence[GameTotals | PlayerGameTotals]) -> str:
    """Return in words how much was played of these games in so many evenings; "" if nothing was."""
    if not totals:
        return ""
    tables, deals = sum(each.tables for each in totals), sum(each.deals for each in totals)
    counts = {"evenings": evenings, "tables": tables, "deals": deals}
    return " · ".join(t(f"players.count.{each}", count=count) for each, count in counts.items())


# --- the chart of a balance --------------------------------------------------------------------------------


class Balances(NamedTuple):
    """A person's balances in a period: those in money, and a chart of one account."""

    in_money: list[tuple[str, str]]  # title and amount of each currency
    accounts: list[tuple[str, str, bool]]  # the choices of the chart: address, title, whether it is the chosen one
    chart: BalanceChart | None
    requested: str | None  # the account of the chart, if the query has chosen it


def _read_balances(person: Player, period: Period, totals: Totals, names: Mapping[str, str]) -> Balances:
    histories = statistics.list_balance_history(person.id, totals)
    requested = request.args.get("account")
    account = requested if requested in histories else next(iter(histories), None)

    def link(account: str) -> str:
        query = {"account": account, **period.query}
        circle_token = person.circle.token
        return url_for("standings.show_player", circle_token=circle_token, player_token=person.token, **query)

    titles = {each: account_title(each, names) for each in histories}
    in_money = sorted((each, points[-1].balance) for each, points in histories.items() if is_currency(each))
    return Balances(
        [(titles[each], format_signed_amount(each, subunits)) for each, subunits in in_money],
        [(link(each), title, each == account) for each, title in titles.items()],
        _draw_balance_chart(account, titles[account], histories[account]) if account is not None else None,
        account if account == requested else None,
    )


@dataclass(frozen=True)
class BalanceChart:
    """A chart of a player's balance in an account. It begins at 0, so that `points[i - 1]` is drawn at x = i."""

    account: str
    title: str
    points: Sequence[BalancePoint]
    chart: chart.Chart
    format_amount: Callable[[int], str]

    @property
    def rows(self) -> list[tuple[str, str, str]]:
        """Of each point, when it was, what was won or lost, and the balance after it."""
        account = self.account
        return [
            (
                period_in_words(point.when),
                format_balance(account, point.change),
                format_signed_amount(account, point.balance),
            )
            for point in self.points
        ]

    @property
    def labels(self) -> list[tuple[Tick, str]]:
        """The lines of time that are labelled: every second one if there are many."""
        ticks = [line for line in self.chart.xs if line.value]
        labelled = [line for line in ticks if line.value <= len(self.points)]
        if len(ticks) >= 5:
            labelled = labelled[::2]
        return [(line, period_in_words(self.points[line.value - 1].when, is_short=True)) for line in labelled]


def _draw_balance_chart(account: str, title: str, points: Sequence[BalancePoint]) -> BalanceChart:
    places = currency.decimal_places(account) if is_currency(account) else 0

    def to_units(subunits: int) -> int:
        return int(to_money(subunits, places).scaleb(places)) if is_currency(account) else subunits

    def format_amount(amount: int) -> str:
        if not places or amount % 10**places == 0:
            return signed(amount // 10**places)
        return format_decimal(Decimal(amount).scaleb(-places), f"+0.{'0' * places};−0.{'0' * places}", g.locale)

    amounts = [0, *(to_units(point.balance) for point in points)]
    segment = [chart.ScorePoint(x, {account: amount}) for x, amount in enumerate(amounts)]
    drawn = chart.draw(chart.ChartData((account,), [segment], {}), 0, format_amount)
    return BalanceChart(account=account, title=title, points=points, chart=drawn, format_amount=format_amount)


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
    return _render(
        "standings/figures.html",
        circle,
        period,
        activity=_describe_activity(totals.count_evenings(), [of.totals for of in played]),
        games=played,
        list_streaks=statistics.list_streaks,
        names=names,
        tokens=read_tokens(circle, {at.table for of in played for _, record in of.records for at in record.origins}),
        list_names=lambda players: t("players.names", all=[persons[player].name for player in players]),
    )
