"""The help page: how to share, correct, settle, go on without a signal, stop and back up."""

from __future__ import annotations

from flask import Blueprint, render_template

from ...services.tables.table import list_tables
from ..support.places import show_home_circle

blueprint = Blueprint("help", __name__)


@blueprint.get("/help")
def show() -> str:
    """Show the page, with links to the pages of the home circle and to its newest open table."""
    browser = show_home_circle()
    tables = list_tables(browser.circle, closed=False, limit=1) if browser is not None else []
    return render_template(
        "pages/help.html", circle=browser.circle if browser is not None else None, newest=tables[0] if tables else None
    )
