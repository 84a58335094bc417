"""The page on which a table's title, date, place and note are changed, and the other settings in `Details`."""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, g, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from wtforms import HiddenField, StringField

from ...db.clock import now
from ...models import SCORE
from ...scoring.problems import Problem, Refusal
from ...scoring.values import clean_name
from ...services.outcome import Done
from ...services.tables.details import Details, change, list_places, read_details
from ...tables.state import TableState
from ...time_zones import local_time
from ..support import access
from .forms import DetailsFields
from .turns import check_unit

blueprint = Blueprint("details", __name__, url_prefix="/tables/<token>/details")


class DetailsForm(DetailsFields):
    """A table's details; `seen` is the mark of those that the page has shown."""

    seen = HiddenField()
    title = StringField()

    def details(self) -> Details:
        """Return what was entered, cleaned."""
        return replace(super().details(), title=clean_name(self.title.data))


@blueprint.route("", methods=["GET", "POST"])
def edit(token: str) -> ResponseReturnValue:
    """Show a table's details in a form, or change them."""
    table = access.get_table_or_404(token, SCORE)
    form = DetailsForm()
    if not form.is_submitted():
        current = read_details(table.stored)
        return _page(table, DetailsForm(data=vars(current) | {"seen": current.mark}))
    check_unit(table.game, form.turns.data)
    result = change(table.stored, form.details(), form.seen.data or "", g.browser)
    if isinstance(result, Done):
        return redirect(url_for("table.show", token=token), 303)
    table = access.get_table_or_404(token, SCORE)
    if isinstance(result, Refusal):
        return _page(table, form, result.problems), 422
    form.seen.data = result.current.mark
    return _page(table, form, current=result.current), 409


def _page(
    table: TableState,
    form: DetailsForm,
    problems: tuple[Problem, ...] = (),
    current: Details | None = None,
) -> str:
    circle = table.stored.circle
    return render_template(
        "tables/details.html",
        table=table,
        game=table.game,
        form=form,
        problems=problems,
        current=current,
        places=list_places(circle),
        today=local_time(now(), circle.time_zone).date(),
    )
