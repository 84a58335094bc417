"""Live updates of a table: its page follows a stream of events, and asks what is new when one arrives.

Without a stream it asks every few seconds, and gets 304 while nothing has changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from flask import Blueprint, Response, abort, current_app, make_response, render_template, request

from ... import live
from ...live import MARKS, REVISION, Key
from ...services.tables.reading import Changes, count_changes, find_mark
from ...tables.revisions import UNDO, WITHDRAW
from ...tables.state import TableState
from ..support import access
from ..support.access import FOR_DISPLAY
from ..support.forms import WriteForm, parse_id
from ..support.http import client_tags, with_etag

blueprint = Blueprint("live", __name__)


@blueprint.get("/tables/<token>/now")
def now(token: str) -> Response:
    """Return the table's current HTML and the revisions since the client's ETag; or 304.

    The ETag is the mark of what the page shows: of the table's facts ("7.0c9f"), or of its marks too ("7.0c9f-x5Lr").
    """
    hub, tags = live.live_of(current_app).hub, client_tags()
    question = (access.reader_hash(), request.full_path, *tags)
    if hub.has_answer(question):
        return Response(status=304)
    hub.follow(_keys(token))
    changes = count_changes(access.reader_hash(), token) or abort(404)
    facts = f"{changes.revisions}.{find_mark(changes.edition, changes.at, changes.entry_key)}"
    mark = f"{facts}-{changes.marks_edition}"
    shows_marks = any("-" in tag for tag in tags)
    is_display = request.args.get("page") == FOR_DISPLAY
    if tags & {facts, mark}:
        hub.keep_answer(question, _states(token, changes))
        return Response(status=304)
    seen_versions = (parse_id(tag.partition(".")[0]) for tag in tags)
    seen = next((seen for seen in seen_versions if seen is not None), changes.revisions)
    table = access.get_table_or_404(token, in_background=True, guests=True)
    since = table.revisions[seen:]
    recorded = since[-1].deal if since and since[-1].kind not in (WITHDRAW, UNDO) else None
    html = render_template(
        "tables/_display_update.html" if is_display else "tables/_live_update.html",
        table=table,
        form=WriteForm(formdata=None, seen=changes.seen),
        since=since,
        recorded=table.deal(recorded) if recorded is not None else None,
    )
    return with_etag(make_response(html), mark if shows_marks else facts)


@blueprint.get("/tables/<token>/stream")
def stream(token: str) -> Response:
    return live.stream(_keys(token), partial(_read, access.reader_hash(), token))


def _read(reader_hash: str, token: str) -> Mapping[Key, str] | None:
    changes = count_changes(reader_hash, token)
    return None if changes is None else _states(token, changes)


def _keys(token: str) -> list[Key]:
    return [(REVISION, token), (MARKS, token)]


def _states(token: str, changes: Changes) -> Mapping[Key, str]:
    return {(REVISION, token): str(changes.revisions), (MARKS, token): changes.marks_edition}


@blueprint.app_template_global()
def mark_of_facts(table: TableState) -> str:
    last = table.revisions[-1] if table.revisions else None
    return f"{table.version}.{find_mark(table.stored.edition, last and last.at, last and last.entry_key)}"


@blueprint.app_template_global()
def mark_of_table(table: TableState) -> str:
    """Return the mark of a page that shows the table's marks, too."""
    return f"{mark_of_facts(table)}-{table.stored.marks_edition}"
