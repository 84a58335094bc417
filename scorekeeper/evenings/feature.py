"""What the app registers of this feature, and its notices: of players who come in, and of evenings to come."""

from __future__ import annotations

from collections.abc import Iterator

from ..circles.links import Landing
from ..models import Circle
from ..site.features import Feature
from ..site.navigation import EVENING
from ..site.occasions import DAY, MINUTE, Kind, Notice
from ..tables.reading import find_table, read_revisions
from ..tables.state import TableState
from ..tables.turns import propose_turns
from ..tables.writing import TURN_NOTICE
from . import calendar_pages, planned_pages, search_pages, tonight, tonight_pages
from .meeting_texts import describe_meeting, find_meeting_url
from .planned import EVENING_NOTICE, find_meeting


def _find_turns(circle: Circle, token: str) -> Iterator[Notice]:
    """Yield a notice for each player who comes in at a table, after a turn there or when it is opened."""
    row = find_table(circle, token)
    if row is None:
        return
    table = TableState(row, read_revisions(row))
    coming = {turn.coming.id for turn in propose_turns(table)}
    turns = tonight.read(circle).turns if not table.revisions else ()
    if len(turns) > 1:
        coming |= turns[-1].players & turns[-2].waiting
    yield from (Notice({"token": token}, person_id) for person_id in sorted(coming))


def _find_evenings(circle: Circle, token: str, day: str) -> Iterator[Notice]:
    meeting = find_meeting(circle, token, day)
    if meeting is None:
        return
    variant = ".cancelled" if meeting.is_cancelled else ".changed" if meeting.evening.changes else ""
    page = {"circle_token": circle.token, "planned_token": token, "day": day}
    yield Notice(page, variant=variant, words=lambda: {"when": describe_meeting(meeting)})


def _find_landing(circle: Circle, sent: str) -> Landing | None:
    """Return the page of an evening to come, which a link names by its token and day, with a dot between them."""
    token, _, day = sent.partition(".")
    meeting = find_meeting(circle, token, day)
    if meeting is None:
        return None
    return Landing(find_meeting_url(circle, meeting), describe_meeting(meeting), f" · {meeting.evening.place}")


FEATURE = Feature(
    views=(calendar_pages, planned_pages, search_pages, tonight_pages),
    place=EVENING,
    notices=(
        Kind(TURN_NOTICE, "table.show", _find_turns, 10 * MINUTE),
        Kind(EVENING_NOTICE, "planned.show", _find_evenings, 2 * DAY),
    ),
    landing="planned",
    find_landing=_find_landing,
)
