"""Statistics of a circle and its players: tables, contests won, nets, runs, records and each game's figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from babel.numbers import format_decimal
from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from .. import i18n
from ..circles import access
from ..games import games, slug_of
from ..people.players import may_read_everything, read_ids_by_token, read_persons
from ..scoring import currency
from ..scoring.currency import is_currency, to_money
from ..scoring.game import AnyGame
from ..scoring.sheet import settlement_unit
from ..site.amounts import account_title
from ..site.language import day_in_words, game_text, has_message, name_of_key, number, signed, t, unit_text
from ..tables import chart, history
from ..tables.chart import Tick
from ..tables.opening import read_names
from ..tables.reading import read_tokens
from . import period_form, statistics
from .reading import EVENTS, list_years, read_ratings
from .statistics import MONTH, NET, PLACES, WON, BalancePoint, PlayerAtGame, StandingsRow, WinningStreak, average
from .totals import GameTotals, PlayerGameTotals, Record

blueprint = Blueprint("players", __name__, url_prefix="/circles/<name>")

# --- averages and days in words ----------------------------------------------------------------------------

NONE = "–"


def head_net(game: AnyGame) -> str:
    return t("players.net-in", unit=unit_text(game, "unit.within", settlement_unit(game)))


def average_number(total: int, count: int, sign: str = "") -> str:
    """Return how much of a total falls on each of `count`, with two decimal places; a dash if the count is 0."""
    value = average(total, count)
    if value is None:
        return NONE
    pattern = f"#,##0.{'0' * PLACES}"
    return f"{sign if value > 0 else ''}{format_decimal(value, f'{pattern};−{pattern}', g.language)}"


def period_in_words(period: str) -> str:
    if len(period) > MONTH:
        return day_in_words(date.fromisoformat(period))
    return i18n.part_of_date(date.fromisoformat(f"{period}-01"), g.language, "yMMMM")


def _shorten_period(period: str) -> str:
    if len(period) > MONTH:
        return i18n.part_of_date(date.fromisoformat(period), g.language, "MMMd")
    return i18n.part_of_date(date.fromisoformat(f"{period}-01"), g.language, "yMMM")


# --- pages ---------------------------------------------------------------------------------------------------


@blueprint.get("/players/<player_token>")
def show(name: str, player_token: str) -> str | Response | tuple[str, int]:
    """Show a player's statistics of a period; a merged player's URL redirects to the person."""
    circle, period = access.get_membership_or_404(name).circle, period_form.requested()
    totals = period.read(circle)
    persons, ids = read_persons(circle), read_ids_by_token(circle)
    if player_token not in ids:
        abort(404)
    person = persons[ids[player_token]]
    if person.token != player_token:
        return redirect(url_for("players.show", name=name, player_token=person.token, **period.query))
    player = str(person.id)
    games_played, names = statistics.list_games(player, totals, games()), read_names(circle)
    histories = statistics.list_balance_history(player, totals)
    requested_account = request.args.get("account")
    account = requested_account if requested_account in histories else next(iter(histories), None)
    rated = read_ratings(circle, period.until) if circle.shows_ratings and not period.problems else {}
    ratings = {key: of_game[player] for key, of_game in rated.items() if player in of_game}
    sources = EVENTS.values() if not period.problems else ()
    page = render_template(
        "standings/player.html",
        circle=circle,
        person=person,
        people_by_id={str(id_): person for id_, person in persons.items()},
        period=period,
        years=list_years(circle),
        activity=_describe_activity(totals.count_evenings(player), [of.totals for of in games_played]),
        games_played=[
            (of, name_of_key(of.key, names), _list_rows(of, is_current=period.is_current), list(_list_figures(of)))
            for of in games_played
        ],
        names=names,
        partners=statistics.add_head_to_heads(played.partners for played in games_played),
        opponents=statistics.add_head_to_heads(played.opponents for played in games_played),
        money=statistics.add_up_money(player, totals),
        balance_chart=_balance_chart(account, histories[account]) if account is not None else None,
        accounts=[
            (
                url_for("players.show", name=name, player_token=player_token, account=each, **period.query),
                account_title(each, names),
                each == account,
            )
            for each in histories
        ],
        chosen_account=account if account == requested_account else None,
        ratings=ratings,
        rated_at_events=[
            (name_of_key(key, names), ratings[key]) for key in ratings.keys() - {of.key for of in games_played}
        ],
        may_read_everything=person.erased_at is None and may_read_everything(g.membership, person),
        account_title=lambda account: account_title(account, names),
        events=[
            each for source in sources for each in source.list_played(circle, person.id, period.since, period.until)
        ],
        period_in_words=period_in_words,
    )
    return (page, 422) if period.problems else page


@blueprint.get("/figures")
def circle(name: str) -> str | tuple[str, int]:
    circle, period = access.get_membership_or_404(name).circle, period_form.requested()
    totals = period.read(circle)
    names = read_names(circle)
    played = [GameOfCircle(key, name_of_key(key, names), totals.games[key]) for key in most_tables_first(totals.games)]
    has_orders = any(of.contest for of in played) and any(of.totals.has_net for of in played)
    people = {str(id_): person for id_, person in read_persons(circle).items()}
    page = render_template(
        "standings/circle.html",
        circle=circle,
        people_by_id=people,
        period=period,
        years=list_years(circle),
        by=NET if has_orders and request.args.get("by") == NET else None,
        has_orders=has_orders,
        activity=_describe_activity(totals.count_evenings(), [of.totals for of in played]),
        games=played,
        names=names,
        tokens=read_tokens(circle, {at.table for of in played for _, record in of.records for at in record.origins}),
        list_names=lambda players: t("players.names", all=[people[player].name for player in players]),
        period_in_words=period_in_words,
    )
    return (page, 422) if period.problems else page


class FigureRow(NamedTuple):
    """How often something has happened: in all, with a note after it, by evening and by deal.

    `part` says of which part of the figure it is; `style` is "whole" if rows of the parts follow, "part" of those.
    """

    title: str
    total: str
    per_evening: str = ""
    per_deal: str = ""
    note: str = ""
    part: str = ""
    style: str = ""


def _list_rows(at_game: PlayerAtGame, *, is_current: bool) -> Iterator[FigureRow]:
    """Yield what any game counts; `is_current`: what is played next belongs to the page's period."""
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
    """Yield the figures of its own that the game has, and their parts."""
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


@dataclass(frozen=True)
class GameOfCircle:
    """What a circle has played of a game."""

    key: str
    name: str
    totals: GameTotals

    @property
    def game(self) -> AnyGame:
        return games()[slug_of(self.key)]

    @property
    def contest(self) -> str | None:
        return statistics.find_contest(self.game, self.totals)

    @property
    def ended(self) -> list[tuple[str, int]]:
        """How often a table has ended in each way, the largest first."""
        ended = self.totals.ended
        return [(kind, ended[kind]) for kind in reversed(self.game.ending.kinds) if ended.get(kind)]

    @property
    def longest(self) -> WinningStreak | None:
        return next(iter(statistics.list_streaks(self.totals, "best_streak")), None)

    @property
    def under_way(self) -> list[WinningStreak]:
        return statistics.list_streaks(self.totals, "streak")

    @property
    def records(self) -> list[tuple[str, Record]]:
        """The records by name of the feat, in the game's order."""
        records = self.totals.records
        return [(name, records[name]) for name in self.game.counted.feat_names if name in records]

    @property
    def has_ranks(self) -> bool:
        return self.contest is not None or self.totals.has_net

    @property
    def net_heading(self) -> str:
        return head_net(self.game)

    def rank(self, by: str | None) -> list[StandingsRow]:
        """Rank by contests won, or by net result; also as long as no contest has ended."""
        return statistics.of_game(self.game, self.totals, {}, NET if by == NET or self.contest is None else WON)


def most_tables_first(totals: Mapping[str, GameTotals]) -> list[str]:
    return sorted(totals, key=lambda key: (-totals[key].tables, key))


# --- the chart of a balance --------------------------------------------------------------------------------


@dataclass(frozen=True)
class BalanceChart:
    """A chart of a player's balance in an account. It begins at 0, so that `points[i - 1]` is drawn at x = i."""

    account: str
    points: Sequence[BalancePoint]
    chart: chart.Chart
    format_amount: Callable[[int], str]

    @property
    def labels(self) -> list[tuple[Tick, str]]:
        """The lines of time that are labelled: every second one if there are many."""
        ticks = [line for line in self.chart.xs if line.value]
        labelled = [line for line in ticks if line.value <= len(self.points)]
        if len(ticks) >= 5:
            labelled = labelled[::2]
        return [(line, _shorten_period(self.points[line.value - 1].when)) for line in labelled]


def _balance_chart(account: str, points: Sequence[BalancePoint]) -> BalanceChart:
    places = currency.places(account) if is_currency(account) else 0

    def to_units(subunits: int) -> int:
        """Convert to what the chart counts in: the currency's smallest unit, or counters."""
        return int(to_money(subunits, places).scaleb(places)) if is_currency(account) else subunits

    def format_amount(amount: int) -> str:
        if not places or amount % 10**places == 0:
            return history.tick(amount // 10**places, is_signed=True)
        return format_decimal(Decimal(amount).scaleb(-places), f"+0.{'0' * places};−0.{'0' * places}", g.language)

    amounts = [0, *(to_units(point.balance) for point in points)]
    segment = [chart.ScorePoint(x, {account: amount}) for x, amount in enumerate(amounts)]
    return BalanceChart(
        account, points, chart.draw(chart.ChartData((account,), [segment], {}), 0, format_amount), format_amount
    )
