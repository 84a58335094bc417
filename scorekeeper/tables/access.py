"""Access control of the pages of a table, and whose seat is that of the phone that asks."""

from __future__ import annotations

from typing import NamedTuple, NoReturn

from flask import abort, g, redirect, request

from ..circles import access as circle_access
from ..db.transactions import RightRevokedError, writing_to_circle
from ..models import WATCH
from ..people.writing import claim
from ..scoring.standing import DEAL, find_kind, other_side
from ..site.features import features
from ..site.language import has_message, set_party_names, t
from .reading import read_table
from .state import TableState


class OpenedFor(NamedTuple):
    """What a table was opened for: the page that it belongs to, and the template of a line about it, with `shown`.

    `main` is the address and the label of the main button once no further deals are recorded; before that, None.
    """

    url: str
    link: str
    template: str
    shown: object
    main: tuple[str, str] | None


def find_opened_for(table: TableState) -> OpenedFor | None:
    return next(filter(None, (feature.find_opened_for(table) for feature in features())), None)


# Endpoints of pages for all players, on which no side is "we"; nor is one in what such a page then asks for.
SHARED_PAGES = ("table.display", "history.printed", "history.recap")
FOR_DISPLAY = "display"  # the value of `?page=` with which the display page asks for updates


def find_owner_seat(table: TableState) -> str | None:
    """Return the label of this phone's owner; None if the owner is unknown or does not sit at this table now."""
    player = g.membership.player_id if "membership" in g else None
    seats = [seat for seat in table.stored.seats if seat.label in table.standing.players] if player is not None else ()
    return next((seat.label for seat in seats if player in (seat.player_id, seat.player.person.id)), None)


def claim_seat(table: TableState, seat: str) -> None:
    """Store the player in this seat as this phone's owner; nobody if there is no such seat."""
    membership = g.membership
    with writing_to_circle(membership.circle_id, membership=membership, right=WATCH):
        person = next((row.player.person for row in table.stored.seats if row.label == seat), None)
        if not claim(membership, person):
            raise RightRevokedError


def name_sides(table: TableState) -> dict[str, str]:
    """Return the words for the owner's own side and the other ("we" and "they"), by side, the own side first."""
    is_shared = request.endpoint in SHARED_PAGES or request.args.get("page") == FOR_DISPLAY
    seat = find_owner_seat(table) if table.game.in_sides and not is_shared else None
    if seat is None or not has_message(f"{table.game.slug}.side.ours"):
        return {}
    own = table.standing.side_of(seat)
    return {own: t(f"{table.game.slug}.side.ours"), other_side(own): t(f"{table.game.slug}.side.theirs")}


def get_table_or_404(
    token: str, needs: str = WATCH, *, in_background: bool = False, guests: bool = False
) -> TableState:
    """Return the table with this token; set `g.membership`, `g.is_guest`, and what messages call its parties.

    404 without access to it, as for a table that does not exist; 403 without the right that is needed. `in_background`:
    a script polls, so the session is not changed. `guests`: allow a phone that plays here in an event, then for the
    rest of the request too. Raises MissingGameError, which `tables/table.py` answers.
    """
    guests = guests or is_guest()
    found = read_table(circle_access.device_secret(), token, guests=guests)
    if found is None:
        return _leave_table(token, guests=guests)
    table, g.membership, g.is_guest = found
    set_party_names(table.names, name_sides(table))
    if not g.is_guest:
        circle_access.require_right(needs)
        if not in_background:
            circle_access.remember_circle(g.membership)
    return table


def _leave_table(token: str, *, guests: bool) -> NoReturn:
    """Answer 404; redirect guests whose round at the table is over to their event."""
    if guests and request.method == "GET" and request.endpoint in ("table.show", "deals.new"):
        for feature in features():
            if page := feature.find_page_afterwards(circle_access.device_secret(), token):
                abort(redirect(page, 303))
    abort(404)


def is_guest() -> bool:
    """Return whether the request comes from a phone that plays at its table in an event, and sees nothing else."""
    return bool(g.get("is_guest"))


def may_change(table: TableState, deal_id: int | None) -> bool:
    """Return whether this phone may change the deal: adjustments, substitutions and terms are not a guest's."""
    found = table.find_deal(deal_id) if deal_id is not None and is_guest() else None
    return found is None or find_kind(found.deal.last_body or {}) == DEAL
