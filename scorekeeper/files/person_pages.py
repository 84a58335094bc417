"""Everything that a circle holds about a person: for them, and for hosts."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, abort, g, redirect, render_template, url_for
from werkzeug.wrappers import Response

from ..circles import access
from ..games import find_game
from ..models import Player
from ..money.reading import read_ledger
from ..money.statements import make_statements, read_period
from ..people.pages import get_named_or_404
from ..people.reading import find_person, may_read_everything
from ..site.amounts import account_title
from ..site.http import file_response
from ..site.language import has_message, t
from ..site.rate_limits import costly
from ..tables.named_games import read_game_names
from .personal_data import read_everything, write_everything
from .spreadsheets import CSV_TYPE, amount_in, write_csv_rows

blueprint = Blueprint("person_files", __name__, url_prefix="/circles/<circle_token>")


@blueprint.get("/players/<player_token>/everything")
@costly
def show(circle_token: str, player_token: str) -> Any:
    person = _get_readable(circle_token, player_token)
    if person.token != player_token:
        return redirect(url_for("person_files.show", circle_token=circle_token, player_token=person.token))
    names = read_game_names(person.circle)
    sections = {section: [*items] for section, items in read_everything(person).items()}
    return render_template(
        "files/person.html",
        circle=g.membership.circle,
        person=person,
        sections=sections,
        find_game=find_game,
        account_title=lambda account: account_title(account, names),
        say=lambda key, other: t(key) if has_message(key) else other,
    )


@blueprint.get("/players/<player_token>/everything.json")
@costly
def download(circle_token: str, player_token: str) -> Response:
    person = _get_readable(circle_token, player_token)
    return file_response("scorekeeper-person.json", "application/json", lambda file: write_everything(person, file))


@blueprint.get("/players/<player_token>/statement.csv")
@costly
def statement(circle_token: str, player_token: str) -> Response:
    circle = access.get_membership_or_404(circle_token).circle
    locale = g.locale
    person = find_person(circle, player_token) or abort(404)
    period = read_period()
    rows: list[tuple[Any, ...]] = []
    for each in make_statements(read_ledger(circle), person, period):
        if each.before is not None:
            rows.append((period.first, t("statement.before"), each.unit, None, amount_in(each.account, each.before)))
        for line in each.lines:
            amounts = amount_in(line.account, line.amount), amount_in(line.account, line.balance)
            rows.append((line.on, line.text, each.unit, *amounts))
    headings = [t(f"statement.{key}") for key in ("day", "what", "unit", "amount", "balance")]
    return file_response("statement.csv", CSV_TYPE, lambda file: write_csv_rows(locale, headings, rows, file))


def _get_readable(circle_token: str, player_token: str) -> Player:
    membership = access.get_membership_or_404(circle_token)
    person = get_named_or_404(membership.circle, player_token)
    return person if may_read_everything(membership, person) else abort(403)
