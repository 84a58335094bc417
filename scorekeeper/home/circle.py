"""A circle's page with its tables, and *More*, also of a table, with the circle's texts."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from ..circles import access
from ..circles.lifecycle import TEXTS, change_setting
from ..circles.settings import zone_name
from ..evenings.meeting_texts import find_next_card
from ..limits import MAX_CIRCLE_TEXT_LENGTH
from ..models import HOST, Circle
from ..money.payments import count_waiting_for
from ..site.fields import MaxLength, TextField
from ..site.forms import Form, WriteForm
from ..site.version import get_version
from ..standings import seasons
from ..tables import access as table_access
from ..tables.details import may_be_removed
from ..tables.reading import list_tables
from ..tables.state import TableState

blueprint = Blueprint("circles", __name__)


class TextsForm(Form):
    """The circle's texts: a form of the page sends one of them, and the other stays."""

    title = TextField(id="circle-title", validators=[MaxLength(MAX_CIRCLE_TEXT_LENGTH)])
    motto = TextField(id="circle-motto", validators=[MaxLength(MAX_CIRCLE_TEXT_LENGTH)])


@blueprint.get("/circles/<circle_token>/")
def show(circle_token: str) -> str:
    membership = access.get_membership_or_404(circle_token)
    circle = membership.circle
    return render_template(
        "home/circle.html",
        circle=circle,
        memberships=access.list_own_circles(),
        to_confirm=count_waiting_for(membership),
        next_meeting=find_next_card(circle),
        season=seasons.find_current(circle),
        open_tables=list_tables(circle, closed=False),
        closed_tables=list_tables(circle, closed=True, limit=10),
    )


@blueprint.get("/circles/<circle_token>/more")
def more(circle_token: str) -> str:
    return _render_more(access.get_membership_or_404(circle_token).circle)


@blueprint.get("/tables/<token>/more")
def more_of_table(token: str) -> str:
    table = table_access.get_table_or_404(token)
    return _render_more(table.stored.circle, table)


def _render_more(circle: Circle, table: TableState | None = None, texts: TextsForm | None = None) -> str:
    """Return the page *More*; `texts` is a form that was sent and refused."""
    return render_template(
        "home/more.html",
        version=get_version(),
        circle=circle,
        table=table,
        form=WriteForm(formdata=None, seen=table.seen) if table is not None else None,
        may_be_removed=table is not None and may_be_removed(table.stored),
        texts=texts or TextsForm(formdata=None, obj=circle),
        names_of_texts=TEXTS,
        zone_name=zone_name(circle.time_zone),
    )


@blueprint.post(f"/circles/<circle_token>/<any({','.join(TEXTS)}):text>")
def set_text(circle_token: str, text: str) -> ResponseReturnValue:
    host = access.get_membership_or_404(circle_token, HOST)
    form = TextsForm()
    if form.validate():
        change_setting(host.circle, text, form[text].data or None, host)
        return redirect(url_for("circles.more", circle_token=circle_token), 303)
    for other in set(TEXTS) - {text}:
        form[other].data = getattr(host.circle, other)
    return _render_more(host.circle, texts=form), 422
