"""The front page, a new table, coming in by a link, and the switch of language."""

from __future__ import annotations

import re
from typing import Any

from babel.numbers import get_territory_currencies
from flask import Blueprint, abort, g, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response

from .. import book, history
from ..book import SCORE, Entry, Opening
from ..book.circles import enter
from ..games import games
from ..history import Change
from ..language import LANGUAGES
from ..scoring.game import Game
from ..scoring.remarks import Refusal, Remark
from ..table import Open
from . import access, limits
from .forms import CURRENCIES, LeavingForm, OpeningForm, opening_form, option_fields
from .rules import emblem

blueprint = Blueprint("front", __name__)

# A path of our own. Browsers take "//host" and "/\\host" for other hosts, and skip what controls they find between.
_OURS = re.compile(r"/(?:[^/\\\x00-\x20\x7f][^\\\x00-\x20\x7f]*)?")


@blueprint.app_context_processor
def _pictures() -> dict[str, Any]:
    return {"emblem": emblem, "games": games}


@blueprint.get("/")
def home() -> str:
    mine = access.everywhere()
    browser = access.here()
    circle = browser.circle if browser is not None else None
    return render_template(
        "home.html",
        browser=browser,
        mine=mine,
        open_tables=book.tables_of(circle, closed=False) if circle is not None else [],
        closed_tables=book.tables_of(circle, closed=True, most=5) if circle is not None else [],
    )


@blueprint.post("/language")
def switch_language() -> Response:
    told = request.form.get("language", "")
    if told in LANGUAGES:
        session["language"] = told
        session.permanent = True
    back = request.form.get("back", "")
    return redirect(back if _OURS.fullmatch(back) else url_for("front.home"), 303)


@blueprint.get("/join/<name>/<secret>")
def join(name: str, secret: str) -> Response:
    """Come in by a link: its secret goes into the cookie, and out of the address."""
    limits.refuse_who_guesses()
    entered = enter(name, secret)
    if entered is None:
        limits.count_guess()
        return redirect(url_for("front.ended", name=name), 303)  # what was nearly a secret leaves the address too
    access.keep(entered, {entered.browser.link.right: secret})
    token = request.args.get("table", "")
    return redirect(url_for("table.show", token=token) if token else url_for("front.home"), 303)


@blueprint.get("/join/<name>")
def ended(name: str) -> tuple[str, int]:  # noqa: ARG001  # it says nothing of the circle, not even whether there is one
    return render_template("error.html", page="ended-link"), 404


@blueprint.get("/tables/new")
def choose_game() -> str:
    return render_template("choose.html")


@blueprint.route("/tables/new/<slug>", methods=["GET", "POST"])
def new_table(slug: str) -> str | Response | tuple[str, int]:
    game = games().get(slug)
    if game is None:
        abort(404)
    form = opening_form(game, _usual_currency())()
    like = request.values.get("like")
    left = access.table_or_not_yours(like) if like else None
    if left is not None and left.table.circle.is_sample:
        return redirect(url_for("front.new_table", slug=slug), 303)  # who plays there is nobody at a table of one's own
    if not form.is_submitted():
        if left is not None:
            _fill(form, game, left)
        _seat(form, game)
        return _opening_page(game, form, left)
    opening = _told(game, form)
    checked = opening.checked()
    if isinstance(checked, Refusal):
        # Nothing is made, no circle either, before the table can stand.
        return _opening_page(game, form, left, checked.remarks), 422
    opened = book.open_table(access.here_or_new().circle, opening)
    if isinstance(opened, Refusal):
        return _opening_page(game, form, left, opened.remarks), 422
    if left is not None and _can_be_closed(left):
        _close(left)
    return redirect(url_for("table.show", token=opened.token), 303)


def _can_be_closed(left: Open) -> bool:
    """Whether this browser, by its right at the table left behind, may close it."""
    return not left.is_closed and book.may(g.browser.link.right, SCORE)


def _close(left: Open) -> None:
    """Close the table left behind, if that is wished; one at which something was recorded meanwhile stays open."""
    form = LeavingForm()
    if form.close.data:
        book.write(left, Entry(Change(history.CLOSE), form.has_seen, form.key.data or ""), g.browser)


def _usual_currency() -> str:
    """The currency of the country that the browser's language names, where it names one that is offered."""
    for tag in request.accept_languages.values():
        usual = get_territory_currencies(tag.replace("_", "-").partition("-")[2].upper())
        if usual and usual[0] in CURRENCIES:
            return str(usual[0])
    return CURRENCIES[0]


def _told(game: Game, form: OpeningForm) -> Opening:
    names = form.told_names()
    first = next(iter(names.values()), "")
    return Opening(
        game=game,
        names=tuple(names.values()),
        dealer=names.get(form.dealer.data or "", first),
        house_rules=form.told_house_rules(game),
        value=form.told_value(),
    )


def _fill(form: OpeningForm, game: Game, table: Open) -> None:
    """Set the table as it was: everybody keeps the chair, as far as there are seats, and the deal goes on round."""
    seats = list(table.names.items())
    if table.game.turn != game.turn:
        seats = [*seats[:1], *reversed(seats[1:])]
    for number, (seat, name) in enumerate(seats[: max(game.seatings)], start=1):
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
        form.amount.data = str(table.value.amount)


def _seat(form: OpeningForm, game: Game) -> None:
    """Seat everybody where the address says: a draw leads here."""
    seats = {str(number): f"seat-{number}" for number in range(1, max(game.seatings) + 1)}
    if not request.args.keys() & set(seats.values()):
        return
    for name in seats.values():
        form[name].data = request.args.get(name, "")
    if request.args.get("dealer") in seats:
        form.dealer.data = request.args["dealer"]


def _opening_page(game: Game, form: OpeningForm, left: Open | None = None, remarks: tuple[Remark, ...] = ()) -> str:
    g.names = lambda: left.names if left is not None else {}
    return render_template(
        "opening.html",
        game=game,
        form=form,
        options=option_fields(game),
        currencies=CURRENCIES,
        remarks=remarks,
        people=access.offered(),
        left=left,
        leaving=_leaving_form(left) if left is not None else None,
    )


def _leaving_form(left: Open) -> LeavingForm | None:
    """None where there is nothing to close."""
    if not _can_be_closed(left):
        return None
    return LeavingForm() if request.method == "POST" else LeavingForm(formdata=None, seen=left.seen)
