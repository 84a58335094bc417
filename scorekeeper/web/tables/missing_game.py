"""Answers to requests that need the game of a table, if it is not installed or its own code fails."""

from __future__ import annotations

import sys

from flask import Blueprint, current_app, g, jsonify, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import InternalServerError

from ...scoring.failing import GameFailedError
from ...services.tables.table import refuse_without_game
from ...tables.state import TableState
from ..support.access import MissingGameError
from .recorded_facts import render_facts
from .writes import is_sent_by_script

blueprint = Blueprint("missing_game", __name__)


@blueprint.app_errorhandler(MissingGameError)
def _answer(error: MissingGameError) -> ResponseReturnValue:
    """Lead from a page that needs the game to the table's own; refuse a write, and lose nothing of it.

    A script keeps the entry on the phone, as one that was refused.
    """
    table = error.table
    if request.method != "POST":
        return redirect(url_for("table.show", token=table.token), 303)
    return _refuse(table)


@blueprint.app_errorhandler(GameFailedError)
def _answer_failure(error: GameFailedError) -> ResponseReturnValue:
    """Show what is recorded at the table instead of the page whose game failed; refuse a write."""
    current_app.log_exception(sys.exc_info())
    if "table" not in g:
        raise InternalServerError from error
    table = g.table.without_rules(str(error))
    return _refuse(table) if request.method == "POST" else (render_facts(table), 500)


def _refuse(table: TableState) -> ResponseReturnValue:
    refused = refuse_without_game(table)
    if is_sent_by_script():
        return jsonify(refused=render_template("tables/_refused.html", table=table, refused=refused)), 409
    sent = list(request.form.items(multi=True)) if not request.files else []
    return render_facts(table, refused, sent), 409
