"""Live updates: a page's script follows its table by a stream of events, and asks what is new when one arrives.

Without a stream it polls, and gets 304 from one indexed query while nothing has changed.
"""

from __future__ import annotations

import re
import zlib
from base64 import b64encode
from collections.abc import Collection, Sequence
from functools import partial
from typing import NamedTuple, cast

from flask import Blueprint, Flask, Response, abort, g, make_response, render_template, request
from flask.sansio.blueprints import BlueprintSetupState
from flask_wtf.csrf import generate_csrf
from werkzeug.http import parse_etags, quote_etag

from ...db.transactions import is_playing_at
from ...games import games
from ...live import nchan
from ...live.messages import MARKS, REVISION
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
from ...tables.revisions import UNDO, WITHDRAW
from ...tables.state import TableState
from ..support import access, live_updates
from ..support.forms import WriteForm, parse_id
from ..support.live_updates import Following, Recipient
from ..support.my_seat import ANY_OWNER, FOR_DISPLAY, owner_seat
from ..support.rendered_updates import Update, rendered_updates
from .seats import build_replacements

blueprint = Blueprint("live", __name__)

_KEY = re.compile(r'name="key" value="[^"]*"')


class Sources(NamedTuple):
    """All that an update depends on, besides a token, a key and where the owner sits.

    Attributes:
        is_display: it is asked for by the display page.
        seen: the number of the last revision that the page shows.
        changes: how often the table has changed, and the reader's right, but not the reader's browser.
        names: all that the update may show.
        language: the tag of the reader's locale.
        owner_seat: `ANY_OWNER` for phones whose owners sit at the table.
    """

    token: str
    is_display: bool
    seen: int
    changes: Changes
    names: frozenset[ShownName]
    language: str
    owner_seat: str | None = None


@blueprint.get("/tables/<token>/now")
def now(token: str) -> Response:
    """Return the table's current HTML and the revisions since the client's ETag; or 304.

    The ETag counts revisions, and has the mark of the table's facts; for a page that shows marks it also counts their
    changes, and has their token: "7.0c9f", "7-2.0c9f.x5Lr".
    """
    changes = _read_or_404(token)
    # Flask-Compress adds its algorithm to the ETag of a compressed response: "7:br".
    client_tags = {tag.partition(":")[0] for tag in parse_etags(request.headers.get("If-None-Match")).as_set()}
    numbers = [tag.partition(".")[0] for tag in client_tags]
    shows_marks = any("-" in number for number in numbers)
    tag = f"{changes.revisions}-{changes.marks}" if shows_marks else str(changes.revisions)
    tag += f".{find_mark(changes.edition, changes.at, changes.entry_key)}"
    tag += f".{changes.marks_edition}" if shows_marks else ""
    is_display = request.args.get("page") == FOR_DISPLAY
    is_missing = changes.game not in games()
    if is_missing and (shows_marks or is_display or not client_tags):
        abort(404)  # the page loads again, and says that the game is missing
    if is_missing or tag in client_tags:  # without the game, a pad keeps its taps until they are sent
        return _with_etag(Response(status=304), tag)
    seen_versions = (parse_id(number.partition("-")[0]) for number in numbers)
    seen = next((seen for seen in seen_versions if seen is not None), changes.revisions)
    owner = changes.player_id
    return _with_etag(make_response(_updates(token, is_display, seen, changes, [owner])[owner]), tag)


def _updates(
    token: str, is_display: bool, seen: int, changes: Changes, owners: Collection[int | None]
) -> dict[int | None, str]:
    """Return what has changed since the revision `seen` as phones of these owners show it.

    It is as it was rendered for another phone, if there is that. Their phones differ in nothing else.
    """
    # The display page is turned towards its phone's owner by more than classes; who comes in for whom depends on who is
    # here, and on other tables.
    if (is_display and changes.player_id is not None) or changes.turns is not None:
        update = _render(token, is_display, seen, WriteForm(formdata=None, seen=changes.seen))
        return dict.fromkeys(owners, update.html)
    if may(changes.right, SCORE):
        changes = changes._replace(right=SCORE)  # nothing depends on more
    names = read_names(changes)
    if changes.right == WATCH and is_playing_at(changes.circle_id, changes.browser_id, changes.table_id):
        changes = changes._replace(right=None)  # shown what a guest is
    shared = changes._replace(browser_id=0, player_id=None)
    sources = Sources(token, is_display, seen, shared, names, g.language)
    with_label = {name.player_id for name in names} | {name.person_id for name in names}
    updates = {}
    for owner in owners:
        sits = owner is not None and owner in with_label
        update = _find_or_render(sources._replace(owner_seat=ANY_OWNER if sits else None))
        if sits and owner not in update.replacements:  # somebody has come in for them
            update = _find_or_render(sources)
        updates[owner] = update.turn_to(owner)
    return updates


def _find_or_render(sources: Sources) -> Update:
    def render(key: str) -> Update:
        g.owner_seat = sources.owner_seat
        form = WriteForm(formdata=None, seen=sources.changes.seen, key=key)
        try:
            return _render(sources.token, sources.is_display, sources.seen, form)
        finally:
            del g.owner_seat  # an error's page is the reader's own

    return rendered_updates.find_or_render(sources, render)


def _render(token: str, is_display: bool, seen: int, form: WriteForm) -> Update:
    table = access.get_table_or_404(token, in_background=True, guests=True)
    since = table.revisions[seen:]
    recorded = since[-1].deal if since and since[-1].kind not in (WITHDRAW, UNDO) else None
    html = render_template(
        "tables/_display_update.html" if is_display else "tables/_live_update.html",
        table=table,
        form=form,
        since=since,
        recorded=table.deal(recorded) if recorded is not None else None,
    )
    return Update(html, build_replacements(table) if owner_seat(table) == ANY_OWNER else {})


@blueprint.get("/tables/<token>/stream")
def stream(token: str) -> Response:
    """Stream the table's numbers of revisions and of changes of marks, as server-sent events."""

    def read() -> Following:
        changes = _read_or_404(token)
        read = {REVISION: changes.revisions, MARKS: changes.marks}
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
    alike: dict[tuple[str, bool], list[Recipient]] = {}
    with app.app_context():
        members = read_members(token, {each.secret_hash for each in recipients})
    for each in recipients:
        if each.secret_hash in members:
            alike.setdefault((each.language, members[each.secret_hash].may_score), []).append(each)
    found: dict[Recipient, str] = {}
    for group in alike.values():
        owners = {each: members[each.secret_hash].player_id for each in group}
        updates = _render_to_push(app, token, seen, group[0], members[group[0].secret_hash], {*owners.values()})
        found |= {each: updates[owner] for each, owner in owners.items() if owner in updates}
    return found


def _render_to_push(
    app: Flask, token: str, seen: int, recipient: Recipient, member: FollowingMember, owners: Collection[int | None]
) -> dict[int | None, str]:
    """Render and pack an update for each of these owners, as `now` does for a recipient who is such a member.

    Empty if it has to be asked for.
    """
    with app.test_request_context(f"/tables/{token}/now"):
        g.reader_hash, g.language = recipient
        changes = count_changes_for(recipient.secret_hash, token)
        if changes is None or member != FollowingMember(may(changes.right, SCORE), changes.player_id):
            return {}
        if changes.game not in games() or changes.turns is not None:
            return {}
        return {owner: _pack(html) for owner, html in _updates(token, False, seen, changes, owners).items()}


def _pack(update: str) -> str:
    """Pack an update without what is a page's own: it has a CSRF token, and makes idempotency keys."""
    update = _KEY.sub('name="key" value=""', update.replace(generate_csrf(), ""))
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
