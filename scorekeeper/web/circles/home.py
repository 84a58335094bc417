"""The front page, the form for a new table, and the choice of language."""

from __future__ import annotations

import re
from typing import Any

from babel.numbers import get_territory_currencies
from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from ... import services
from ...games import games
from ...i18n import LANGUAGES
from ...scoring.game import AnyGame
from ...scoring.problems import Problem, Refusal
from ...services import SCORE, Opened, Opening
from ...tables import revisions
from ...tables.revisions import Change
from ...tables.state import TableState
from ..pages.rules import emblem
from ..support import access
from ..support.forms import CURRENCIES, LeavingForm, OpeningForm, new_key, opening_form, option_fields, validate_key
from ..support.language import remember_language
from ..support.numbers import format_for_input
from ..tables.writes import submit

blueprint = Blueprint("home", __name__)

# A path of our own. Browsers take "//host" and "/\\host" for other hosts, and skip what controls they find between.
_OURS = re.compile(r"/(?:[^/\\\x00-\x20\x7f][^\\\x00-\x20\x7f]*)?")


@blueprint.app_context_processor
def _pictures() -> dict[str, Any]:
    return {"emblem": emblem, "games": games}


@blueprint.get("/")
def home() -> str:
    """Show the tables of the home circle, and the device's other circles."""
    browsers = access.everywhere()
    browser = access.here(browsers)
    circle = browser.circle if browser is not None else None
    return render_template(
        "circles/home.html",
        browser=browser,
        browsers=browsers,
        open_tables=services.tables_of(circle, closed=False) if circle is not None else [],
        closed_tables=services.tables_of(circle, closed=True, limit=5) if circle is not None else [],
    )


@blueprint.post("/language")
def switch_language() -> Response:
    """Choose a language, and return to the page the form was sent from."""
    told = request.form.get("language", "")
    if told in LANGUAGES:
        remember_language(told)
    back = request.form.get("back", "")
    return redirect(back if _OURS.fullmatch(back) else url_for("home.home"), 303)


@blueprint.get("/tables/new")
def choose_game() -> str:
    """List the games."""
    return render_template("circles/choose_game.html")


@blueprint.route("/tables/new/<slug>", methods=["GET", "POST"])
def new_table(slug: str) -> str | Response | tuple[str, int]:
    """Show the form for a new table, filled from the table `?like=<token>`; or open the table."""
    game = games().get(slug)
    if game is None:
        abort(404)
    form = opening_form(game, _usual_currency())()
    like = request.values.get("like")
    left = access.get_table_or_404(like) if like else None
    if left is not None and left.table.circle.is_sample:
        return redirect(url_for("home.new_table", slug=slug), 303)  # who plays there is nobody at a table of one's own
    if not form.is_submitted():
        if left is not None:
            _fill(form, game, left)
        _seat(form, game)
        return _opening_page(game, form, left)
    opening = _told(game, form)
    checked = opening.checked()
    if isinstance(checked, Refusal):
        # Nothing is made, no circle either, before the table can stand.
        problems = tuple(form.specify(problem, game) for problem in checked.problems)
        return _opening_page(game, form, left, problems), 422
    browser = access.current_or_new_circle()
    opened = services.open_table(browser.circle, opening, validate_key(form.opening_key.data), browser)
    if isinstance(opened, Opened):
        if like:
            _close(like)
        return redirect(url_for("table.show", token=opened.token), 303)
    left = access.get_table_or_404(like) if like else None
    if isinstance(opened, Refusal):
        return _opening_page(game, form, left, opened.problems), 422
    form.opening_key.data = new_key()
    return _opening_page(game, form, left, opened=opened.token), 409


def _can_be_closed(left: TableState) -> bool:
    """Return whether the table that the players leave is open, and this browser may close it."""
    return not left.is_closed and services.may(g.browser.right, SCORE)


def _close(token: str) -> None:
    """Close the table left behind, if that is wished; one at which something was recorded meanwhile stays open."""
    form = LeavingForm()
    found = services.read_table(access.device_secret(), token) if form.close.data else None
    if found is not None:
        left, browser = found
        if not left.is_closed and services.may(browser.right, SCORE):
            submit(left, Change(revisions.CLOSE), form, browser)


def _usual_currency() -> str:
    """The currency of the country that the browser's language names, where it names one that is offered."""
    for tag in request.accept_languages.values():
        usual = get_territory_currencies(tag.replace("_", "-").partition("-")[2].upper())
        if usual and usual[0] in CURRENCIES:
            return str(usual[0])
    return CURRENCIES[0]


def _told(game: AnyGame, form: OpeningForm) -> Opening:
    names = form.names()
    first = next(iter(names.values()), "")
    return Opening(
        game=game,
        names=tuple(names.values()),
        dealer=names.get(form.dealer.data or "", first),
        house_rules=form.house_rules(game),
        value=form.counter_value(),
    )


def _fill(form: OpeningForm, game: AnyGame, table: TableState) -> None:
    """Set the table as it was: everybody keeps the chair, as far as there are seats, and the deal goes on round."""
    seats = list(table.names.items())
    if table.game.direction != game.direction:
        seats = [*seats[:1], *reversed(seats[1:])]
    for number, (seat, name) in enumerate(seats[: max(game.player_counts)], start=1):
        form[f"seat-{number}"].data = name
        if seat == table.standing.dealer:
            form.dealer.data = str(number)
    if table.game is not game:
        return
    for field in option_fields(game):
        told = getattr(table.standing.options, field.option)
        data = getattr(told, field.part, None) if field.part else told
        form[field.name].data = data if field.kind == "switch" or data is None else str(data)
    if table.value is not None:
        form.currency.data = table.value.currency
        form.unit.data = table.value.unit
        form.amount.data = format_for_input(table.value.amount)


def _seat(form: OpeningForm, game: AnyGame) -> None:
    """Seat everybody where the address says: a draw leads here."""
    seats = {str(number): f"seat-{number}" for number in range(1, max(game.player_counts) + 1)}
    if not request.args.keys() & set(seats.values()):
        return
    for name in seats.values():
        form[name].data = request.args.get(name, "")
    if request.args.get("dealer") in seats:
        form.dealer.data = request.args["dealer"]


def _opening_page(
    game: AnyGame,
    form: OpeningForm,
    left: TableState | None = None,
    problems: tuple[Problem, ...] = (),
    opened: str | None = None,
) -> str:
    """`opened` is the token of the table that the page has opened already, where it was sent again with changes."""
    g.names = lambda: left.names if left is not None else {}
    return render_template(
        "circles/new_table.html",
        game=game,
        form=form,
        options=option_fields(game),
        currencies=CURRENCIES,
        problems=problems,
        people=access.offered(),
        left=left,
        leaving=_leaving_form(left) if left is not None else None,
        opened=opened,
    )


def _leaving_form(left: TableState) -> LeavingForm | None:
    """Return the form that closes the table the players leave, or None if it cannot be closed."""
    if not _can_be_closed(left):
        return None
    return LeavingForm() if request.method == "POST" else LeavingForm(formdata=None, seen=left.version)
