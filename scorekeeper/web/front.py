"""The front page, a new table, coming in by a link, and the switch of language."""

from __future__ import annotations

from typing import Any

from babel.numbers import get_territory_currencies
from flask import Blueprint, abort, g, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response

from .. import book
from ..book import Opening
from ..book.circles import enter
from ..games import games
from ..language import LANGUAGES
from ..scoring.game import Game
from ..scoring.remarks import Refusal, Remark
from ..table import Open
from . import access
from .forms import CURRENCIES, OpeningForm, opening_form, option_fields
from .rules import emblem

blueprint = Blueprint("front", __name__)


@blueprint.app_context_processor
def _pictures() -> dict[str, Any]:
    return {"emblem": emblem, "games": games}


@blueprint.get("/")
def home() -> str:
    browser = access.here()
    circle = browser.circle if browser is not None else None
    return render_template(
        "home.html",
        browser=browser,
        open_tables=book.tables_of(circle, closed=False) if circle is not None else [],
        closed_tables=book.tables_of(circle, closed=True) if circle is not None else [],
    )


@blueprint.post("/language")
def switch_language() -> Response:
    told = request.form.get("language", "")
    if told in LANGUAGES:
        session["language"] = told
        session.permanent = True
    back = request.form.get("back", "")
    # Only ever a path of our own: "//host" and "/\host" lead elsewhere.
    is_ours = back.startswith("/") and not back.startswith(("//", "/\\"))
    return redirect(back if is_ours else url_for("front.home"), 303)


@blueprint.get("/join/<name>/<secret>")
def join(name: str, secret: str) -> Response:
    """Come in by a link: its secret goes into the cookie, and out of the address."""
    entered = enter(name, secret)
    if entered is None:
        abort(404)
    access.keep(entered, {entered.browser.link.right: secret})
    token = request.args.get("table", "")
    return redirect(url_for("table.show", token=token) if token else url_for("front.home"), 303)


@blueprint.get("/tables/new")
def choose_game() -> str:
    return render_template("choose.html")


@blueprint.route("/tables/new/<slug>", methods=["GET", "POST"])
def new_table(slug: str) -> str | Response | tuple[str, int]:
    game = games().get(slug)
    if game is None:
        abort(404)
    form = opening_form(game, _usual_currency())()
    if not form.is_submitted():
        like = request.args.get("like")
        if like:
            _fill(form, game, access.table_or_not_yours(like))
        return _opening_page(game, form)
    opening = _told(game, form)
    checked = opening.checked()
    if isinstance(checked, Refusal):
        # Nothing is made, no circle either, before the table can stand.
        return _opening_page(game, form, checked.remarks), 422
    opened = book.open_table(access.here_or_new().circle, opening)
    if isinstance(opened, Refusal):
        return _opening_page(game, form, opened.remarks), 422
    return redirect(url_for("table.show", token=opened.token), 303)


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
    """Set the table as it was: the same seats, and the deal goes on round."""
    for seat, name in table.names.items():
        form[f"seat-{seat}"].data = name
    form.dealer.data = table.standing.dealer
    if table.game is not game:
        return
    for field in option_fields(game):
        told = getattr(table.options, field.option)
        data = getattr(told, field.part, None) if field.part else told
        form[field.name].data = data if field.kind == "switch" or data is None else str(data)
    if table.value is not None:
        form.currency.data = table.value.currency
        form.unit.data = table.value.unit
        form.amount.data = str(table.value.amount)


def _opening_page(game: Game, form: OpeningForm, remarks: tuple[Remark, ...] = ()) -> str:
    browser = access.here()
    g.names = {}
    return render_template(
        "opening.html",
        game=game,
        form=form,
        options=option_fields(game),
        currencies=CURRENCIES,
        remarks=remarks,
        people=[player.name for player in browser.circle.players] if browser is not None else [],
    )
