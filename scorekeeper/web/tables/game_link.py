"""Sharing what is played at a table: a link to a form for a new table that is filled in with its house rules."""

from __future__ import annotations

from flask import Blueprint, render_template

from ..circles.links import with_reachable_host
from ..support import access
from ..support.option_fields import MAX_LINK, make_link
from ..support.qr_codes import MAX_CODE, qr_code

blueprint = Blueprint("game_link", __name__)


@blueprint.get("/tables/<token>/game")
def share(token: str) -> str:
    """Show the link, which says nothing of the players and of their circle."""
    table = access.get_table_or_404(token)
    url = with_reachable_host(make_link(table.game, table.standing.options, is_external=True))
    return render_template(
        "tables/game_link.html",
        table=table,
        url=url if len(url) <= MAX_LINK else None,
        qr_code=qr_code(url) if len(url) <= MAX_CODE else None,
    )
