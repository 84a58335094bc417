"""Answers to requests that need the game of a table, if it is not installed."""

from __future__ import annotations

from flask import Blueprint, jsonify, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from ...services.tables.table import refuse_without_game
from ...tables.state import TableState
from ..support.access import MissingGameError
from .changes import render_facts
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


def _refuse(table: TableState) -> ResponseReturnValue:
    refused = refuse_without_game(table)
    if is_sent_by_script():
        return jsonify(refused=render_template("tables/_refused.html", table=table, refused=refused)), 409
    sent = list(request.form.items(multi=True)) if not request.files else []
    return render_facts(table, refused, sent), 409
