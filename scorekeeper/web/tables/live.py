"""Live updates: a page's script follows its table by a stream of events, and asks what is new when one arrives.

Without a stream it polls, and gets 304 from one indexed query while nothing has changed.
"""

from __future__ import annotations

import re
import zlib
from base64 import b64encode
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple, cast

from flask import Blueprint, Flask, Response, abort, g, make_response, render_template, request
from flask.sansio.blueprints import BlueprintSetupState
from flask_wtf.csrf import generate_csrf
from werkzeug.http import parse_etags, quote_etag

from ...db.transactions import is_playing_at
from ...games import games
from ...live import nchan
from ...live.messages import FLAGS, REVISION
from ...models.rights import SCORE, WATCH, may
from ...services.live import (
    Changes,
    FollowingMember,
    ShownName,
    count_changes_for,
    find_mark,
    read_members,
    read_names,
)
from ...services.tables import flags
from ...tables.revisions import UNDO, WITHDRAW
from ...tables.state import TableState
from ..support import access, live_updates
from ..support.forms import WriteForm, parse_id
from ..support.live_updates import Following, Recipient
from ..support.rendered_updates import rendered_updates

blueprint = Blueprint("live", __name__)

_KEY = re.compile(r'name="key" value="[^"]*"')
DISPLAY = "display"  # the value of `?page=` that the display page sends


class Sources(NamedTuple):
    """All that an update depends on for a phone without an owner, besides its token and key.

    Attributes:
        is_display: it is asked for by the display page.
        seen: the number of the last revision that the page shows.
        changes: how often the table has changed, and the reader's right, but not the reader's browser.
        names: all that the update may show.
        flagged: the deals with an open flag.
        language: the tag of the reader's locale.
    """

    token: str
    is_display: bool
    seen: int
    changes: Changes
    names: frozenset[ShownName]
    flagged: frozenset[int | None]
    language: str


@blueprint.get("/tables/<token>/now")
def now(token: str) -> Response:
    """Return the table's current HTML and the revisions since the client's ETag; or 304.

    The ETag counts revisions, and has the mark of the table's facts; for a page that shows flags it also counts their
    changes, and has their token: "7.0c9f", "7-2.0c9f.x5Lr".
    """
    changes = _read_or_404(token)
    # Flask-Compress adds its algorithm to the ETag of a compressed response: "7:br".
    client_tags = {tag.partition(":")[0] for tag in parse_etags(request.headers.get("If-None-Match")).as_set()}
    numbers = [tag.partition(".")[0] for tag in client_tags]
    shows_flags = any("-" in number for number in numbers)
    tag = f"{changes.revisions}-{changes.flags}" if shows_flags else str(changes.revisions)
    tag += f".{find_mark(changes.edition, changes.at, changes.entry_key)}"
    tag += f".{changes.marks_edition}" if shows_flags else ""
    is_display = request.args.get("page") == DISPLAY
    is_missing = changes.game not in games()
    if is_missing and (shows_flags or is_display or not client_tags):
        abort(404)  # the page loads again, and says that the game is missing
    if is_missing or tag in client_tags:  # without the game, a pad keeps its taps until they are sent
        return _with_etag(Response(status=304), tag)
    seen_versions = (parse_id(number.partition("-")[0]) for number in numbers)
    seen = next((seen for seen in seen_versions if seen is not None), changes.revisions)
    return _with_etag(make_response(_update(token, is_display, seen, changes)), tag)


def _update(token: str, is_display: bool, seen: int, changes: Changes) -> str:
    """Return what has changed since the revision `seen`: as it was rendered for another phone, if there is that."""
    # A phone with an owner has its own seat nearest; who may confirm a deal depends on the owners of all phones; who
    # comes in for whom depends on who is here, and on other tables.
    if changes.player_id is not None or changes.confirms_deals or changes.turns is not None:
        return _render(token, is_display, seen, WriteForm(formdata=None, seen=changes.seen))
    if may(changes.right, SCORE):
        changes = changes._replace(right=SCORE)  # nothing depends on more
    names = read_names(changes)
    flagged = flags.flagged_deals(changes.circle_id, changes.table_id) if changes.flags else frozenset()
    if changes.right == WATCH and is_playing_at(changes.circle_id, changes.browser_id, changes.table_id):
        changes = changes._replace(right=None)  # shown what a guest is
    sources = Sources(token, is_display, seen, changes._replace(browser_id=0), names, flagged, g.language)
    return rendered_updates.find_or_render(
        sources,
        lambda key: _render(token, is_display, seen, WriteForm(formdata=None, seen=changes.seen, key=key)),
    )


def _render(token: str, is_display: bool, seen: int, form: WriteForm) -> str:
    table = access.get_table_or_404(token, in_background=True, guests=True)
    since = table.revisions[seen:]
    recorded = since[-1].deal if since and since[-1].kind not in (WITHDRAW, UNDO) else None
    return render_template(
        "tables/_display_update.html" if is_display else "tables/_live_update.html",
        table=table,
        form=form,
        since=since,
        recorded=table.deal(recorded) if recorded is not None else None,
    )


@blueprint.get("/tables/<token>/stream")
def stream(token: str) -> Response:
    """Stream the table's numbers of revisions and of changes of flags, as server-sent events."""

    def read() -> Following:
        changes = _read_or_404(token)
        read = {REVISION: changes.revisions, FLAGS: changes.flags}
        circle, follower = changes.circle, access.reader_hash()
        recipient = Recipient(follower, g.language) if "updates" in request.args else None
        return Following(circle, follower, read, nchan.redirect_to(token, circle), recipient)

    return live_updates.stream(token, read)


@blueprint.record_once
def _push_updates(state: BlueprintSetupState) -> None:
    app = cast(Flask, state.app)
    live_updates.push_updates(app, partial(_render_for, app))


def _render_for(app: Flask, token: str, seen: int, recipients: Sequence[Recipient]) -> dict[Recipient, str]:
    """Render an update since the revision `seen` once for all recipients for whom it is the same, and pack it.

    Left out are those who may not have it, and those who have to ask since it depends on more than is looked at here.
    """
    alike: dict[tuple[str, FollowingMember], list[Recipient]] = {}
    with app.app_context():
        members = read_members(token, {each.secret_hash for each in recipients})
    for each in recipients:
        if each.secret_hash in members:
            alike.setdefault((each.language, members[each.secret_hash]), []).append(each)
    found: dict[Recipient, str] = {}
    for (_, member), group in alike.items():
        update = _render_to_push(app, token, seen, group[0], member)
        found |= {} if update is None else dict.fromkeys(group, update)
    return found


def _render_to_push(app: Flask, token: str, seen: int, recipient: Recipient, member: FollowingMember) -> str | None:
    """Render an update as `now` does, for a recipient who is such a member; None if it has to be asked for.

    Left out is what is a page's own: it has a CSRF token, and makes idempotency keys.
    """
    with app.test_request_context(f"/tables/{token}/now"):
        g.reader_hash, g.language = recipient
        changes = count_changes_for(recipient.secret_hash, token)
        if changes is None or member != FollowingMember(may(changes.right, SCORE), changes.player_id):
            return None
        if changes.game not in games() or changes.confirms_deals or changes.turns is not None:
            return None
        update = _KEY.sub('name="key" value=""', _update(token, False, seen, changes).replace(generate_csrf(), ""))
    return b64encode(zlib.compress(update.encode())).decode()


def _read_or_404(token: str) -> Changes:
    changes = count_changes_for(access.reader_hash(), token)
    if changes is None:
        abort(404)
    return changes


@blueprint.app_template_global()
def mark_of_facts(table: TableState) -> str:
    """Return the mark of the facts that a page shows."""
    last = table.revisions[-1] if table.revisions else None
    return find_mark(table.stored.edition, last and last.at, last and last.entry_key)


def _with_etag(response: Response, tag: str) -> Response:
    response.headers["ETag"] = quote_etag(tag)
    return response
