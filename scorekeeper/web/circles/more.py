"""*More*: what is wanted now and then, of a table and of its circle."""

from __future__ import annotations

from flask import Blueprint, render_template

from ...models import Circle
from ...scoring.problems import Problem
from ...services.circles.settings import TEXTS
from ...tables.state import TableState
from ..support import access
from .time_zones import zone_name

blueprint = Blueprint("more", __name__)


@blueprint.get("/tables/<token>/more")
def of_table(token: str) -> str:
    """Show what is wanted now and then of a table and its circle."""
    table = access.get_table_or_404(token, needs_rules=False)
    return render_page(table.stored.circle, table)


@blueprint.get("/circles/<name>/more")
def of_circle(name: str) -> str:
    """Show what is wanted now and then of a circle."""
    return render_page(access.get_circle_or_404(name).circle)


def render_page(circle: Circle, table: TableState | None = None, *problems: Problem) -> str:
    """Return the page; with `problems`, the form of the circle's settings is open."""
    return render_template(
        "circles/more.html",
        circle=circle,
        table=table,
        texts=TEXTS,
        problems=problems,
        zone_name=zone_name(circle.time_zone),
    )
