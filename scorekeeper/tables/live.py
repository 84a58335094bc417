"""What a table's pages show now, and live updates: they follow a stream of events, and ask when one arrives.

Without a stream it asks every few seconds, and gets 304 while nothing has changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from flask import Blueprint, Response, abort, g, make_response, render_template, request, url_for

from ..circles import access
from ..models import SCORE, Membership
from ..scoring.sheet import has_balances
from ..scoring.standing import AnyStanding
from ..site import live
from ..site.fields import parse_digits
from ..site.forms import WriteForm
from ..site.http import client_tags, with_etag
from ..site.language import game_text, has_right, join_parties, number, t
from ..site.live import TABLE, Key
from . import access as table_access
from . import opening, recap, turns
from .access import FOR_DISPLAY, OpenedFor
from .endings import ContestEnd, find_ending, find_leaders, is_broken_off
from .reading import read_edition, read_memberships
from .revisions import UNDO, WITHDRAW, RevisionRow, find_last_undoable
from .settling import list_paid_corrections
from .state import TableState
from .turns import SeatTurn

blueprint = Blueprint("live", __name__)


class ClosedTable(NamedTuple):
    winners: tuple[str, ...]  # labels; none if nobody is ahead
    is_broken_off: bool
    lines: list[str]  # say in full how it has ended


@dataclass(frozen=True)
class TablePage:
    """What the pages of a table show of it besides the facts.

    `memberships` are those of the circle by id: who has made the table's changes.
    """

    table: TableState
    memberships: Mapping[int, Membership]
    # Of the pages that follow the table:
    closed: ClosedTable | None = None  # how a closed table has ended; None if nothing was played at it
    paid_corrections: Sequence[RevisionRow] = ()
    turns: Sequence[SeatTurn] = ()  # who comes in for whom
    opened_for: OpenedFor | None = None
    drawn_table: str | None = None  # the token of the table that was opened by a draw after this one

    @property
    def is_guest(self) -> bool:
        return table_access.is_guest()

    @property
    def may_record(self) -> bool:
        return self.is_guest or has_right(SCORE)

    @property
    def may_manage(self) -> bool:
        """Whether this phone may also share the table, close it and reopen it."""
        return not self.is_guest and has_right(SCORE)

    def may_change(self, deal_id: int | None) -> bool:
        """Return whether this phone may change the deal; without one, undo and redo what concerns the whole table."""
        if deal_id is None:
            return self.may_manage
        return self.may_record and table_access.may_change(self.table, deal_id)

    @cached_property
    def form(self) -> WriteForm:
        return WriteForm(formdata=None, seen=self.table.seen)

    @property
    def last_undoable(self) -> RevisionRow | None:
        return find_last_undoable(self.table.revisions)

    @property
    def etag(self) -> str:
        """How many revisions the page shows, and the edition of the table."""
        return f"{self.table.version}.{self.table.stored.edition}"

    @cached_property
    def nearest(self) -> str | None:
        """Where the owner of this phone sits."""
        return table_access.find_owner_seat(self.table)

    @property
    def may_take_seat(self) -> bool:
        """Whether a tap on a seat says whose phone this is; one that may only watch says it once."""
        return self.nearest is None and not self.is_guest and (has_right(SCORE) or g.membership.player_id is None)

    def positions(self, standing: AnyStanding) -> list[tuple[str, int]]:
        """Return where each player sits, in order of seats: 0 is nearest to the reader, then counted to the right.

        If the reader has no seat, the first player is nearest.
        """
        players, step = standing.players, -1 if standing.clockwise else 1
        first = players.index(self.nearest) if self.nearest in players else 0
        return [(player, (index - first) * step % len(players)) for index, player in enumerate(players)]

    @cached_property
    def ending(self) -> ContestEnd | None:
        """The end of a contest that the last deal has brought, if the table goes on."""
        return find_ending(self.table.game, self.table.standing) if not self.table.is_closed else None

    @cached_property
    def shows_next_contest(self) -> bool:
        """Whether the scores of a closed table are those of a contest that nobody has begun, such as a rubber."""
        standing = self.table.standing
        is_over = not standing.rows or standing.is_finished
        return self.table.is_closed and not is_over and not any(standing.scores.values())

    @cached_property
    def has_balances(self) -> bool:
        return has_balances(self.table.game, self.table.standing)

    @cached_property
    def draws_anew(self) -> bool:
        return opening.is_draw_due(self.table)

    @cached_property
    def cards_url(self) -> str:
        """The address of the draw by those who sit here, who have drawn cards of their own."""
        names = [self.table.names[label] for label in self.table.standing.players]
        return url_for("seating_draw.draw", slug=self.table.game.slug, name=names, like=self.table.token, way="cards")

    @property
    def turn_fields(self) -> dict[str, str | None]:
        return self.form.hidden | {f"chair-{turn.chair}": turn.coming.token for turn in self.turns}

    @property
    def column_styles(self) -> str:
        """The styles of the columns of a display: by how many there are, and by the longest score."""
        count, scores = len(self.table.standing.parties), self.table.standing.scores.values()
        letters = max(len(number(points)) for points in scores)
        digits = next((room for room in (2, 3, 4, 6) if room >= letters), 12)
        tall = 1 if count <= 3 else 2 if count <= 8 else 3
        wide = count if count <= 6 else (count + 1) // 2
        return f"{'of-2 ' if count == 2 else ''}wide-{wide} tall-{tall} digits-{digits}"

    @property
    def own_party(self) -> str:
        """The side or player whose column is the reader's: the first without a seat."""
        if self.nearest is None:
            return self.table.standing.parties[0]
        return self.table.standing.side_of(self.nearest) if self.table.game.in_sides else self.nearest

    @cached_property
    def end_heading(self) -> str:
        """Who has won what has ended, or that nobody has."""
        end = self.ending or self.closed
        if end is not None and end.winners:
            return t("outcome.won", who=join_parties(end.winners))
        if self.ending is not None:
            return game_text(self.table.game.slug, "table.nobody")
        return t("ending.broken-off" if self.closed and self.closed.is_broken_off else "ending.level")

    def name_partners(self, side: str) -> str:
        return join_parties(self.table.standing.partners(side))


def read_page(table: TableState) -> TablePage:
    """Return what a page shows that does not follow the table."""
    return TablePage(table, read_memberships(table))


def read_followed_page(table: TableState) -> TablePage:
    """Return what a page shows that follows the table, with how it has ended, turns and corrections."""
    closed = None
    if table.is_closed and table.standing.rows:
        winners = tuple(find_leaders(table.game, table.standing, table.result.subunits))
        lines = recap.outcome(table.stored) + recap.list_best_balances(table.stored, winners)
        closed = ClosedTable(winners, is_broken_off(table.game, table.standing), lines)
    return TablePage(
        table,
        read_memberships(table),
        closed=closed,
        paid_corrections=list_paid_corrections(table) if not table_access.is_guest() else (),
        turns=turns.propose_turns(table),
        opened_for=table_access.find_opened_for(table),
        drawn_table=opening.find_drawn_table(table) if table.is_closed else None,
    )


@blueprint.get("/tables/<token>/update")
def show_update(token: str) -> Response:
    """Return the table's current HTML and the revisions since the client's ETag, such as "7.K9w_"; or 304."""
    edition = read_edition(access.device_hash(), token) or abort(404)
    shown, _, shown_edition = next(iter(client_tags()), "").partition(".")
    if shown_edition == edition:
        return Response(status=304)
    table = table_access.get_table_or_404(token, in_background=True, guests=True)
    version = parse_digits(shown)
    since = table.revisions[version:] if version is not None else []
    page = read_followed_page(table)
    recorded = since[-1].deal_id if since and since[-1].kind not in (WITHDRAW, UNDO) else None
    html = render_template(
        "tables/_live_update.html",
        table=table,
        table_page=page,
        is_display=request.args.get("page") == FOR_DISPLAY,
        since=since,
        recorded=table.find_deal(recorded),
    )
    return with_etag(make_response(html), page.etag)


@blueprint.get("/tables/<token>/stream")
def stream(token: str) -> Response:
    secret_hash = access.device_hash()

    def read() -> Mapping[Key, str] | None:
        edition = read_edition(secret_hash, token)
        return {(TABLE, token): edition} if edition is not None else None

    return live.stream(read)
