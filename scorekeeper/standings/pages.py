"""Standings of a circle: at one game or in one currency, on a phone, on a screen across the room and on paper."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from flask import Blueprint, Response, abort, make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from ..circles import access
from ..games import games, slug_of
from ..models import Circle
from ..people.players import read_persons
from ..scoring.currency import is_currency, list_currencies
from ..scoring.game import AnyGame
from ..site.amounts import account_title, format_signed_amount
from ..site.language import signed, t
from ..tables.opening import read_names
from . import period_form, statistics
from .period_form import Period
from .reading import list_years, persons_at_events, read_ratings
from .statistics import NET, PER_EVENING, RATING, WON, StandingsRow, divide_rounded, find_contest
from .statistics_pages import NONE, average_number, head_net, most_tables_first
from .totals import GameTotals, Totals

blueprint = Blueprint("standings", __name__, url_prefix="/circles/<name>")

REFRESH = 60  # seconds after which the page for a screen loads itself again
MAX_ROWS_ON_SCREEN = 24


@dataclass(frozen=True)
class Standings:
    """The standings at `account`, a game's key or a currency, in the order of `by`, one of `orders`."""

    account: str
    title: str
    game: AnyGame | None
    orders: list[str]
    by: str
    rows: list[StandingsRow]
    has_ratings: bool

    @property
    def query(self) -> dict[str, str]:
        return {"account": self.account, "by": self.by}

    @property
    def has_net(self) -> bool:
        return NET in self.orders and (self.game is None or any(row.net for row in self.rows))

    @property
    def contest(self) -> str | None:
        """The kind of end that is won."""
        return self.game.contest if self.game is not None and any(row.played for row in self.rows) else None

    @property
    def net_heading(self) -> str:
        return head_net(self.game) if self.game is not None else t("players.balance")

    def format_net(self, amount: int) -> str:
        return format_signed_amount(self.account, amount) if self.game is None else signed(amount)

    def average_net(self, amount: int, count: int) -> str:
        """Return how much of a net falls on each of `count`; a dash if the count is 0."""
        if self.game is not None:
            return average_number(amount, count, "+")
        return format_signed_amount(self.account, divide_rounded(amount, count)) if count else NONE


@blueprint.get("/standings")
def show(name: str) -> str | tuple[str, int]:
    circle, period = access.get_membership_or_404(name).circle, period_form.requested()
    page = _page("standings/standings.html", circle, period)
    return (page, 422) if period.problems else page


@blueprint.get("/standings/screen")
def screen(name: str) -> Response | AnyResponse:
    """Show the standings in letters that are read across a room; the page loads itself again."""
    circle, period = access.get_membership_or_404(name).circle, period_form.requested()
    if period.problems:
        account, by = (request.args.get(key) for key in ("account", "by"))
        return redirect(url_for("standings.show", name=name, account=account, by=by, **period.query), 303)
    response = make_response(_page("standings/screen.html", circle, period))
    response.headers["Refresh"] = str(REFRESH)
    return response


def _page(template: str, circle: Circle, period: Period) -> str:
    totals, names = period.read(circle), read_names(circle)
    # Nothing else here counts events.
    has_events = circle.shows_ratings and not period.problems
    at_events = persons_at_events(circle.id, period.since, period.until) if has_events else {}
    accounts = [*most_tables_first(totals.games), *sorted(at_events.keys() - totals.games.keys())]
    accounts += sorted(account for account in totals.net_results if is_currency(account))
    account = request.args.get("account") or next(iter(accounts), "")
    if account and slug_of(account) not in games() and account not in (*accounts, *list_currencies()):
        abort(404)
    standings = _read_standings(circle, period, totals, account, names, at_events) if account else None
    if account and account not in accounts:
        accounts.append(account)

    def link(account: str, by: str | None = None) -> str:
        return url_for("standings.show", name=circle.name, account=account, by=by, **period.query)

    orders = (
        [(link(account, by), t(f"standings.by.{by}"), by == standings.by) for by in standings.orders]
        if standings
        else []
    )
    return render_template(
        template,
        circle=circle,
        period=period,
        years=list_years(circle),
        people_by_id={str(id_): person for id_, person in read_persons(circle).items()},
        accounts=[(link(each), account_title(each, names), each == account) for each in accounts],
        orders=orders,
        standings=standings,
        query={**(standings.query if standings is not None else {}), **period.query},
        most=MAX_ROWS_ON_SCREEN,
    )


def _read_standings(
    circle: Circle,
    period: Period,
    totals: Totals,
    account: str,
    names: Mapping[str, str],
    at_events: Mapping[str, Collection[str]],
) -> Standings:
    """Return the standings in the order that the query asks for, or the first that there is."""
    game, played = games().get(slug_of(account)), totals.games.get(account, GameTotals())
    has_ratings = bool(game is not None and game.contest and circle.shows_ratings)
    if game is None:
        orders = [NET, PER_EVENING]
    elif account in at_events and account not in totals.games:
        orders = [RATING]
    else:
        orders = [NET, PER_EVENING] if played.has_net else []
        orders += [WON] if find_contest(game, played) else []
        orders += [RATING] if has_ratings else []
    orders = orders or [NET]
    by = request.args.get("by", "")
    by = by if by in orders else orders[0]
    if game is None:
        rows = statistics.in_currency(account, totals, by)
    else:
        ratings = read_ratings(circle, period.until).get(account, {}) if has_ratings else {}
        rows = statistics.of_game(game, played, ratings, by, at_events.get(account, ()))
    return Standings(account, account_title(account, names), game, orders, by, rows, has_ratings)
