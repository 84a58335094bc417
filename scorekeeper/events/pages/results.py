"""The results of an event: standings, rounds, everybody's card and the prizes, to read, to print and to download.

People with a link that only shows the event read them without joining.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from flask import Blueprint, Response, abort, g, request, url_for

from ...circles.links import SharedLink, with_reachable_host
from ...files.spreadsheets import CSV_TYPE, Cells, write_csv_rows
from ...models import Circle, Event
from ...scoring.prizes import Prize
from ...scoring.standing import SIDES
from ...site.http import exclude_from_search_engines, file_response
from ...site.language import t
from ...standings.reading import PlayedEvent
from .. import access as event_access
from ..drawing import DIRECTIONS
from ..event_game import find_event_game
from ..event_money import list_awards
from ..hooks import read_played
from ..phones import DIRECT, TO_WATCH, EventLink
from ..prizes import Award, read_prizes
from ..ranking import StandingRow, make_card, rounded, split_fields
from ..reading import EventState
from .event import find_own_number
from .rendering import render_event
from .words import EventPhrases, compute_percent, format_standing, name_game, prize_key

blueprint = Blueprint("event_results", __name__, url_prefix="/events/<token>/results")
blueprint.after_request(exclude_from_search_engines)
blueprint.url_defaults(event_access.keep_shared_link)


# --- the standings -----------------------------------------------------------------------------------------


@blueprint.get("")
def show(token: str) -> str:
    """Show the standings, so far or final, of the field `?of=` or of everybody, and the prizes."""
    state = event_access.get_state_or_404(token)
    fields, field = split_fields(state.standings, state.rounds), request.args.get("of", "")
    field = field if field in fields else ""
    rows, event = fields.get(field, state.standings), state.event
    awards = list_awards(state) if state.is_finished else ()
    return render_event(
        "events/results.html",
        state,
        fields=list(fields),
        field=field,
        rows=rows,
        own=find_own_number(state),
        missing=sum(row.result is None for row in state.tables.values()),
        sits_out=any(row.sat_out for row in rows),
        tie_breaks=[slug for slug in state.scoring.tie_breaks if any(row.tie_breaks[slug] for row in rows)],
        prizes=[(prize, _explain(state, prize, [prize.place])) for prize in read_prizes(event.prizes, [])],
        awards=[(award, _explain(state, award, award.places)) for award in awards],
        link=_find_link(event),
    )


def _explain(state: EventState, prize: Prize | Award, places: Sequence[int]) -> str:
    group = [t(f"event-results.group.{prize.group}")] if prize.group else []
    place = t("event-results.places", first=places[0], last=places[-1])
    if len(places) == 1:
        place = t("event-results.place", place=places[0])
    return " · ".join([t(prize_key(prize.rule, state.scoring)), *group, place])


def _find_link(event: Event) -> SharedLink | None:
    """Return the address of the results for everybody, to those who direct the event, or have it already."""
    access = event_access.current_access()
    if access is not None and not access.may(DIRECT):
        return None
    signed = EventLink(event, TO_WATCH).signed(event_access.signing_key())
    url = url_for("event_results.show", token=event.token, **{event_access.SHARED: signed}, _external=True)
    return SharedLink(with_reachable_host(url))


# --- rounds and cards --------------------------------------------------------------------------------------


@blueprint.get("/rounds/<int:round_number>")
def of_round(token: str, round_number: int) -> str:
    state = event_access.get_state_or_404(token)
    if not 1 <= round_number <= state.current_number:
        abort(404)
    return render_event(
        "events/results_round.html",
        state,
        round_number=round_number,
        tables=[(row, state.scored.get((row.round, row.number))) for row in state.tables_of(round_number)],
        sits_out=sorted(state.drawn[round_number - 1].sits_out),
        shows_worth=state.event.scoring not in ("tricks", "difference", "total"),
    )


@blueprint.get("/numbers/<int:entrant_number>")
def card(token: str, entrant_number: int) -> str:
    state = event_access.get_state_or_404(token)
    return render_event(
        "events/results_card.html",
        state,
        entrant=state.entrants.get(entrant_number) or abort(404),
        row=next(row for row in state.standings if entrant_number in row.numbers),
        lines=make_card(entrant_number, state.rounds, state.scoring, state.board_sets),
    )


def list_played(circle: Circle, person_id: int, since: date | None, until: date | None) -> Iterator[PlayedEvent]:
    for event, number, row, count in read_played(circle, person_id, since, until):
        url = url_for("event_results.card", token=event.token, entrant_number=number)
        rank = row.rank if row.is_ranked else None
        score = format_standing(event, row)
        yield PlayedEvent(event.title, url, event.day, name_game(find_event_game(event)), rank, count, score)


# --- spreadsheets ------------------------------------------------------------------------------------------


@blueprint.get("/standings.csv")
def standings_csv(token: str) -> Response:
    state = event_access.get_state_or_404(token)
    tie_breaks = [slug for slug in state.scoring.tie_breaks if slug != "slams"]
    names = "name" if state.format.team_size == 1 else "names"
    keys = ["rank", "numbers", names, "group", state.scoring.slug, *(["percent"] if state.scoring.is_share else [])]
    headings = [EventPhrases(state).head_column(key) for key in (*keys, *tie_breaks, "rounds", "sat-out", "slams")]
    return _csv("standings", headings, (_standing(state, row, tie_breaks) for row in state.standings))


def _standing(state: EventState, row: StandingRow, tie_breaks: list[str]) -> Cells:
    share: Cells = [compute_percent(row.share) if row.share is not None else None] if state.scoring.is_share else []
    return [
        row.rank,
        row.numbers[0] if len(row.numbers) == 1 else " ".join(map(str, row.numbers)),
        ", ".join(state.entrants[each].name for each in row.numbers),
        t(f"event-results.group.{row.group}") if row.group else "",
        rounded(row.score),
        *share,
        *(row.tie_breaks[slug] for slug in tie_breaks),
        *(row.rounds_played, row.sat_out, row.slams),
    ]


@blueprint.get("/tables.csv")
def tables_csv(token: str) -> Response:
    state = event_access.get_state_or_404(token)
    places = DIRECTIONS if state.plays_alone else ("north", "south", "east", "west")  # as pairs list them
    kinds = ("score", "worth") if state.plays_alone else ("score", "worth", "slams")
    headings = [t(f"event-results.column.{key}") for key in ("round", "table", *places)]
    headings += [_heading_of_party(state, kind, side) for kind in kinds for side in state.sides]
    return _csv("results", [*headings, t("event-results.column.is-confirmed")], _tables(state, kinds))


def _heading_of_party(state: EventState, kind: str, side: int) -> str:
    if state.plays_alone:
        return t(f"event-results.column.{kind}-of", name=t(f"event-results.column.{DIRECTIONS[side]}"))
    return t(f"event-results.column.{kind}-{SIDES[side]}")


def _tables(state: EventState, kinds: tuple[str, ...]) -> Iterator[Cells]:
    for place, row in state.tables.items():
        names = [state.name_of(each, row.round) for party in state.parties_of(row) for each in party]
        scored = state.scored.get(place)
        cells: Cells = [row.round, row.number, *names]
        if scored is None:
            yield [*cells, *[None] * len(kinds) * len(state.sides), ""]
        else:
            numbers = {"score": scored.result.scores, "worth": scored.scores, "slams": scored.result.slams}
            confirmed = t("yes" if row.is_confirmed else "no")
            yield [*cells, *(number for kind in kinds for number in numbers[kind]), confirmed]


def _csv(name: str, headings: list[str], rows: Iterator[Cells]) -> Response:
    locale = g.locale
    return file_response(f"{name}.csv", CSV_TYPE, lambda file: write_csv_rows(locale, headings, rows, file))
