"""The statistics of a player: a page with their results at each game, whom they met, and a chart of a balance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from itertools import chain
from typing import NamedTuple

from babel.numbers import format_decimal
from flask import Blueprint, abort, g, redirect, request, url_for
from flask.typing import ResponseReturnValue

from ..circles import access
from ..models import Player
from ..people.reading import may_read_everything, read_ids_by_token, read_persons
from ..scoring import currency
from ..scoring.currency import is_currency, to_money
from ..site.amounts import account_title, format_balance, format_signed_amount
from ..site.features import features
from ..site.language import game_text, has_message, name_of_key, number, signed, t, unit_text
from ..site.navigation import Tab
from ..tables import chart
from ..tables.chart import Tick
from ..tables.named_games import read_game_names
from . import statistics
from .pages import average_number, describe_activity, period_in_words, render_statistics
from .period import EveningPeriod, read_period
from .ratings import Rating
from .reading import PlayedEvent, read_ratings
from .statistics import BalancePoint, PlayerAtGame
from .totals import Totals

blueprint = Blueprint("player", __name__, url_prefix="/circles/<circle_token>/players/<player_token>")


@blueprint.get("")
def show(circle_token: str, player_token: str) -> ResponseReturnValue:
    """Show a player's statistics of a period; a merged player's URL redirects to the person."""
    circle = access.get_membership_or_404(circle_token).circle
    period = read_period()
    ids = read_ids_by_token(circle)
    person = read_persons(circle)[ids[player_token]] if player_token in ids else abort(404)
    if person.token != player_token:
        return redirect(url_for("player.show", circle_token=circle_token, player_token=person.token, **period.query))
    totals = period.read_totals(circle)
    names = read_game_names(circle)
    ratings = _read_ratings(person, period)
    played = statistics.list_games(person.id, totals)
    keys = {of_game.key for of_game in played}
    return render_statistics(
        "standings/player.html",
        circle,
        period,
        person=person,
        activity=describe_activity(totals.count_evenings(person.id), [of_game.totals for of_game in played]),
        games_played=[
            GameOfPlayer(
                name=name_of_key(of_game.key, names),
                played=of_game,
                rating=ratings.get(of_game.key),
                rows=_list_rows(of_game, is_current=period.is_current),
                figures=_list_figures(of_game),
            )
            for of_game in played
        ],
        names=names,
        partners=statistics.add_head_to_heads(of_game.partners for of_game in played),
        opponents=statistics.add_head_to_heads(of_game.opponents for of_game in played),
        balances=_read_balances(person, period, totals, names),
        events=[] if period.is_wrong else _list_events(person, period),
        rated_at_events=[(name_of_key(key, names), rating) for key, rating in ratings.items() if key not in keys],
        may_read_everything=person.erased_at is None and may_read_everything(g.membership, person),
    )


def _read_ratings(person: Player, period: EveningPeriod) -> dict[str, Rating]:
    """Return a person's ratings at the end of the period by game, if the circle shows ratings."""
    is_shown = person.circle.shows_ratings and not period.is_wrong
    ratings = read_ratings(person.circle, period.until) if is_shown else {}
    return {key: of_game[person.id] for key, of_game in ratings.items() if person.id in of_game}


def _list_events(person: Player, period: EveningPeriod) -> list[PlayedEvent]:
    played = (feature.list_played(person.circle, person.id, period.since, period.until) for feature in features())
    return list(chain.from_iterable(played))


class GameOfPlayer(NamedTuple):
    """What the page shows of a person at a game: what is counted at any game, and the game's own figures."""

    name: str
    played: PlayerAtGame
    rating: Rating | None
    rows: list[FigureRow]
    figures: list[FigureRow]


class FigureRow(NamedTuple):
    """How often something has happened. `style` is "part" in rows of a figure's parts, "whole" in the row above."""

    title: str
    total: str
    per_evening: str = ""
    per_deal: str = ""
    note: str = ""
    part: str = ""
    style: str = ""


def _list_rows(at_game: PlayerAtGame, *, is_current: bool) -> list[FigureRow]:
    """List what is counted at any game; `is_current`: the page's period has not ended yet."""
    game = at_game.game
    totals = at_game.totals
    evenings = len(totals.evenings)
    rows = [
        FigureRow(t("players.evenings"), number(evenings)),
        FigureRow(t("players.tables"), number(totals.tables), average_number(totals.tables, evenings)),
        FigureRow(t("players.deals"), number(totals.deals), average_number(totals.deals, evenings)),
    ]
    for kind, wins in at_game.wins:
        title = game_text(game.slug, f"players.won.{kind}")
        total = t("players.won-of", won=wins.won, played=wins.played)
        share = t("players.share", share=wins.percent)
        rows.append(FigureRow(title, total, average_number(wins.won, evenings), note=share))
    streaks = {"longest-run": totals.best_streak, "run-under-way": totals.streak if is_current else 0}
    for key, length in streaks.items():
        if length >= statistics.MIN_STREAK:
            rows.append(FigureRow(game_text(game.slug, f"players.{key}.{game.contest}"), number(length)))
    if any(at_game.nets.values()):
        for unit, net in at_game.nets.items():
            title = t("players.net-in", unit=unit_text(game, "unit.within", unit))
            per_evening = average_number(net, evenings, "+")
            rows.append(FigureRow(title, signed(net), per_evening, average_number(net, totals.deals, "+")))
    return rows


def _list_figures(at_game: PlayerAtGame) -> list[FigureRow]:
    rows = []
    for figure in at_game.figures:
        key = f"{at_game.game.slug}.figure.{figure.name}"
        parts = [(_describe_part(key, part), times) for part, times in figure.parts]
        row = _count(at_game, t(key), figure.times)
        if len(parts) == 1:
            rows.append(row._replace(part=parts[0][0]))
            continue
        rows.append(row._replace(style="whole" if parts else ""))
        rows += (_count(at_game, part, times)._replace(style="part") for part, times in parts)
    return rows


def _describe_part(key: str, part: str) -> str:
    """Return the words for a part of the figure with this key; a number of tricks needs none."""
    return t(f"{key}.{part}") if has_message(f"{key}.{part}") else part


def _count(at_game: PlayerAtGame, title: str, times: int) -> FigureRow:
    per_evening = average_number(times, len(at_game.totals.evenings))
    return FigureRow(title, number(times), per_evening, average_number(times, at_game.totals.deals))


# --- the chart of a balance --------------------------------------------------------------------------------


class Balances(NamedTuple):
    """A person's balances in a period: those in money, and a chart of one account."""

    in_money: list[tuple[str, str]]  # title and amount of each currency
    accounts: list[Tab]  # of the chart
    chart: BalanceChart | None
    requested: str | None  # the account of the chart, if the query has chosen it


def _read_balances(person: Player, period: EveningPeriod, totals: Totals, names: Mapping[str, str]) -> Balances:
    histories = statistics.list_balance_history(person.id, totals)
    requested = request.args.get("account")
    account = requested if requested in histories else next(iter(histories), None)

    def link(account: str) -> str:
        query = {"account": account, **period.query}
        circle_token = person.circle.token
        return url_for("player.show", circle_token=circle_token, player_token=person.token, **query)

    titles = {key: account_title(key, names) for key in histories}
    in_money = sorted((key, points[-1].balance) for key, points in histories.items() if is_currency(key))
    return Balances(
        [(titles[key], format_signed_amount(key, subunits)) for key, subunits in in_money],
        [Tab(link(key), title, key == account) for key, title in titles.items()],
        _draw_balance_chart(account, titles[account], histories[account]) if account is not None else None,
        account if account == requested else None,
    )


class BalanceChart(NamedTuple):
    """A chart of a player's balance in an account, which begins at 0."""

    title: str
    chart: chart.Chart
    format_amount: Callable[[int], str]
    rows: list[tuple[str, str, str]]  # when it was, what was won or lost, and the balance after it
    labels: list[tuple[Tick, str]]  # when it was, below some of the points


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
    rows = []
    for when, change, balance in points:
        change_in_words = format_balance(account, change)
        rows.append((period_in_words(when), change_in_words, format_signed_amount(account, balance)))
    return BalanceChart(title, drawn, format_amount, rows, _list_labels(drawn, points))


def _list_labels(drawn: chart.Chart, points: Sequence[BalancePoint]) -> list[tuple[Tick, str]]:
    """List the ticks below points with when they were, every second one if there are many; x = 1 is the first point."""
    ticks = [tick for tick in drawn.xs if tick.value]
    labelled = [tick for tick in ticks if tick.value <= len(points)]
    if len(ticks) >= 5:
        labelled = labelled[::2]
    return [(tick, period_in_words(points[tick.value - 1].when, is_short=True)) for tick in labelled]
