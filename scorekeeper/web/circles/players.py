"""Statistics of a circle and its players: tables, contests won, nets, runs, records and each game's figures."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from babel.dates import format_date
from babel.numbers import format_decimal
from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from ... import currency
from ...games import games
from ...models import Circle
from ...scoring.accounts import is_currency, to_money
from ...scoring.game import AnyGame
from ...scoring.statement import settlement_unit
from ...services.caches import period_totals
from ...services.people import persons_by_player_id
from ...stats import chart
from ...stats import player as statistics
from ...stats.player import BalancePoint
from ...stats.totals import EVERYBODY, EveningSpan, GameTotals
from ..support import access
from ..support.language import day_in_words, t
from ..tables import history

blueprint = Blueprint("players", __name__, url_prefix="/circles/<name>")

NET = "net"  # what the circle's figures are ordered by, where not by contests won


@blueprint.get("/players/<int:player_id>")
def show(name: str, player_id: int) -> str | Response:
    """Show a player's statistics, of one year or overall; a merged player's URL redirects to the person."""
    circle, year = access.get_circle_or_404(name).circle, _year()
    totals, years = period_totals.read(circle, year)
    known = persons_by_player_id(circle)
    if player_id not in known:
        abort(404)
    person = known[player_id]
    if person.id != player_id:
        return redirect(url_for("players.show", name=name, player_id=person.id, year=year or None))
    player = str(person.id)
    seen = statistics.games_of(player, totals, games())
    return render_template(
        "circles/players/player.html",
        circle=circle,
        person=person,
        people={str(id_): one.name for id_, one in known.items()},
        year=year,
        years=years,
        evenings=totals.evenings.get(player, EveningSpan()).number,
        seen=seen,
        partners=statistics.add_head_to_heads(one.partners for one in seen),
        opponents=statistics.add_head_to_heads(one.opponents for one in seen),
        money=statistics.money_of(player, totals),
        **_courses(statistics.balance_history_of(player, totals)),
    )


@blueprint.get("/figures")
def circle(name: str) -> str:
    """Show a circle's statistics, of one year or overall: rankings, runs and records."""
    circle, year = access.get_circle_or_404(name).circle, _year()
    totals, years = period_totals.read(circle, year)
    by_net = request.args.get("by") == NET
    return render_template(
        "circles/players/circle.html",
        circle=circle,
        people={str(id_): person.name for id_, person in persons_by_player_id(circle).items()},
        year=year,
        years=years,
        by=NET if by_net else None,
        evenings=totals.evenings.get(EVERYBODY, EveningSpan()).number,
        tables=sum(at.tables for at in totals.games.values()),
        deals=sum(at.deals for at in totals.games.values()),
        at_games=_by_tables(totals.games),
        ranking=lambda game, at: statistics.rank_players(game, at, by_net=by_net),
        tokens=_tokens(circle, totals.games),
    )


def _year() -> str:
    """The year that is asked for, nothing where all are."""
    year = request.args.get("year", "")
    if year and not re.fullmatch(r"[0-9]{4}", year):
        abort(404)
    return year


def _by_tables(at_games: Mapping[str, GameTotals]) -> list[tuple[AnyGame, GameTotals]]:
    """Return the games with their totals, the game with most tables first."""
    order = sorted(at_games, key=lambda slug: (-at_games[slug].tables, slug))
    return [(games()[slug], at_games[slug]) for slug in order]


def _tokens(circle: Circle, at_games: Mapping[str, GameTotals]) -> Mapping[int, str]:
    """The addresses of the tables at which records were set."""
    records = [record for at in at_games.values() for record in at.records.values()]
    return period_totals.tokens_of(circle, {origin.table for record in records for origin in record.origins})


# --- how a balance has run ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Drawn:
    """A course as it is drawn: the point before the first is 0, so that what is drawn at `i` is `points[i - 1]`."""

    account: str
    points: Sequence[BalancePoint]
    chart: chart.Chart
    tell: Callable[[int], str]


def _courses(courses: Mapping[str, Sequence[BalancePoint]]) -> dict[str, object]:
    """The course of the account that is asked for, else of the first, and all accounts there are."""
    asked = request.args.get("account", "")
    account = asked if asked in courses else next(iter(courses), "")
    drawn = _drawn(account, courses[account]) if account else None
    return {"course": drawn, "accounts": list(courses), "account": account if account == asked else None}


def _drawn(account: str, points: Sequence[BalancePoint]) -> Drawn:
    places = currency.places(account) if is_currency(account) else 0

    def coins(grains: int) -> int:
        return int(to_money(grains, places).scaleb(places)) if is_currency(account) else grains

    def tell(amount: int) -> str:
        if not places or amount % 10**places == 0:
            return history.tick(amount // 10**places, is_signed=True)
        return format_decimal(Decimal(amount).scaleb(-places), f"+0.{'0' * places};−0.{'0' * places}", g.language)

    amounts = [0, *(coins(point.balance) for point in points)]
    run = [chart.ScorePoint(at, {account: amount}) for at, amount in enumerate(amounts)]
    return Drawn(account, points, chart.draw(chart.ChartData((account,), [run], []), 0, tell), tell)


@blueprint.app_template_global()
def in_full(when: str) -> str:
    """An evening (an ISO date), a month or a year, in words."""
    return day_in_words(_first(when)) if len(when) > period_totals.MONTH else _formatted(when, "MMMM y")


@blueprint.app_template_global()
def in_short(when: str) -> str:
    return _formatted(when, "d MMM" if len(when) > period_totals.MONTH else "MMM yy")


def _formatted(when: str, pattern: str) -> str:
    return format_date(_first(when), pattern, locale=g.language) if len(when) > period_totals.YEAR else when


def _first(when: str) -> date:
    return date.fromisoformat(f"{when}-01-01"[: len("2026-11-21")])


@blueprint.app_template_global()
def account_in_short(account: str) -> str:
    """A currency by its name alone, a game by its."""
    name = currency.name(account, g.language) if is_currency(account) else t(f"{account}.name")
    return name[:1].upper() + name[1:]


@blueprint.app_template_global()
def unit_won(game: AnyGame) -> str:
    """What the net of a game is counted in."""
    return settlement_unit(game)


blueprint.app_template_global()(statistics.percent_won)
blueprint.app_template_global()(statistics.longest_streak)
blueprint.app_template_global()(statistics.current_streaks)
blueprint.app_template_global()(statistics.records_of)
