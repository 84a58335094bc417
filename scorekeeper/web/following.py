"""Following a table: whether anything is new, answered from one indexed read, and what is."""

from __future__ import annotations

from flask import Blueprint, Response, abort, make_response, render_template, request
from werkzeug.http import parse_etags, quote_etag

from .. import book
from . import access
from .forms import WriteForm, told_number

blueprint = Blueprint("following", __name__)

DISPLAYED = "display"  # what a display asks for, in place of the table's page


@blueprint.get("/tables/<token>/now")
def now(token: str) -> Response:
    """304 where the asker has seen all; else the table as it stands and what is new. The tag counts revisions."""
    seen = book.count_revisions(access.held(), token)
    if seen is None:
        abort(404)
    # Where an answer was compressed, its tag says how: "7:br".
    known = {tag.partition(":")[0] for tag in parse_etags(request.headers.get("If-None-Match")).as_set()}
    if str(seen) in known:
        return _tagged(Response(status=304), seen)
    table = access.table_or_not_yours(token)
    told = next((told for tag in known if (told := told_number(tag)) is not None), table.seen)
    since = table.revisions[told:]
    page = render_template(
        "_displayed.html" if request.args.get("page") == DISPLAYED else "_following.html",
        table=table,
        form=WriteForm(formdata=None, seen=table.seen),
        since=since,
        recorded=table.deal(since[-1].deal) if since and since[-1].deal is not None else None,
    )
    return _tagged(make_response(page), table.seen)


def _tagged(response: Response, seen: int) -> Response:
    response.headers["ETag"] = quote_etag(str(seen))
    return response
