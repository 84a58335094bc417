"""Live updates: scripts poll a table, and get 304 from one indexed query while nothing has changed."""

from __future__ import annotations

from flask import Blueprint, Response, abort, make_response, render_template, request
from werkzeug.http import parse_etags, quote_etag

from ... import services
from ..support import access
from ..support.forms import WriteForm, parse_id

blueprint = Blueprint("live", __name__)

DISPLAYED = "display"  # what a display asks for, in place of the table's page


@blueprint.get("/tables/<token>/now")
def now(token: str) -> Response:
    """Return the table's current HTML and the revisions since the client's ETag, which counts revisions; or 304."""
    seen = services.count_revisions(access.device_secret(), token)
    if seen is None:
        abort(404)
    # Where an answer was compressed, its tag says how: "7:br".
    known = {tag.partition(":")[0] for tag in parse_etags(request.headers.get("If-None-Match")).as_set()}
    if str(seen) in known:
        return _tagged(Response(status=304), seen)
    table = access.get_table_or_404(token, in_background=True)
    told = next((told for tag in known if (told := parse_id(tag)) is not None), table.version)
    since = table.revisions[told:]
    page = render_template(
        "tables/_display_update.html" if request.args.get("page") == DISPLAYED else "tables/_live_update.html",
        table=table,
        form=WriteForm(formdata=None, seen=table.version),
        since=since,
        recorded=table.deal(since[-1].deal) if since and since[-1].deal is not None else None,
    )
    return _tagged(make_response(page), table.version)


def _tagged(response: Response, seen: int) -> Response:
    response.headers["ETag"] = quote_etag(str(seen))
    return response
