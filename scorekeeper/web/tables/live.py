"""Live updates: scripts poll a table, and get 304 from one indexed query while nothing has changed."""

from __future__ import annotations

from flask import Blueprint, Response, abort, make_response, render_template, request
from werkzeug.http import parse_etags, quote_etag

from ... import services
from ..support import access
from ..support.forms import WriteForm, parse_id

blueprint = Blueprint("live", __name__)

DISPLAY = "display"  # the value of `?page=` that the display page sends


@blueprint.get("/tables/<token>/now")
def now(token: str) -> Response:
    """Return the table's current HTML and the revisions since the client's ETag, which counts revisions; or 304."""
    version = services.count_revisions(access.device_secret(), token)
    if version is None:
        abort(404)
    # Flask-Compress adds its algorithm to the ETag of a compressed response: "7:br".
    client_tags = {tag.partition(":")[0] for tag in parse_etags(request.headers.get("If-None-Match")).as_set()}
    if str(version) in client_tags:
        return _with_etag(Response(status=304), version)
    table = access.get_table_or_404(token, in_background=True)
    seen_version = next((seen for tag in client_tags if (seen := parse_id(tag)) is not None), table.version)
    since = table.revisions[seen_version:]
    page = render_template(
        "tables/_display_update.html" if request.args.get("page") == DISPLAY else "tables/_live_update.html",
        table=table,
        form=WriteForm(formdata=None, seen=table.version),
        since=since,
        recorded=table.deal(since[-1].deal) if since and since[-1].deal is not None else None,
    )
    return _with_etag(make_response(page), table.version)


def _with_etag(response: Response, version: int) -> Response:
    response.headers["ETag"] = quote_etag(str(version))
    return response
