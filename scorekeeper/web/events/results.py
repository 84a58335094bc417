"""The results of an event: standings, rounds, everybody's card and the prizes, to read, to print and to download.

Who has a link that only shows the event reads them without joining.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from babel.numbers import format_decimal
from flask import Blueprint, Response, abort, g, render_template, request, url_for

from ...events.cards import CardLine, make_card
from ...events.prizes import Prize, read_prizes
from ...events.scoring import AS_AVERAGE, AS_WIN, Score, find_scoring
from ...events.scoring import DIRECT as DIRECT_MEETING
from ...events.standings import ScoredTable, StandingRow, rounded, scored_tables, split_fields
from ...exchange.spreadsheets import write_csv_rows
from ...models import Event
from ...services.events.money import list_awards
from ...services.events.phones import DIRECT, TO_WATCH, EventLink
from ...services.events.reading import FINISHED, EventState, RoundTableRow, read
from ..circles.links import with_reachable_host
from ..support import event_access
from ..support.forms import parse_id
from ..support.http import exclude_from_search_engines, file_response
from ..support.language import isolate_rtl, join_names, name_score, number, signed, t
from ..support.qr_codes import qr_code
from . import results_in_rows
from .event import own_number, say_of_parties
from .results_in_rows import compute_percent

blueprint = Blueprint("event_results", __name__, url_prefix="/events/<token>/results")
blueprint.after_request(exclude_from_search_engines)

PAGE_SIZE = 200  # rows of the standings
WINNERS = "winners"  # the message on a win, where what it counts is no fixed number
CSV_TYPE = "text/csv; charset=utf-8"


class StandingsPage(NamedTuple):
    """Rows of the standings to show; `number` is None if all of them are, with `pages` to choose from otherwise."""

    rows: tuple[StandingRow, ...]
    number: int | None
    pages: int

    @classmethod
    def of(cls, rows: tuple[StandingRow, ...], wanted: int | None, is_whole: bool) -> StandingsPage:
        """Return one of the pages: the first, if the wanted one does not exist."""
        pages = max(1, -(-len(rows) // PAGE_SIZE))
        if pages == 1 or is_whole:
            return cls(rows, None, pages)
        page = wanted if wanted is not None and 1 <= wanted <= pages else 1
        return cls(rows[(page - 1) * PAGE_SIZE : page * PAGE_SIZE], page, pages)


@blueprint.get("")
def show(token: str) -> str:
    """Show the standings, so far or final, the prizes, and the ways to everything else."""
    state = _read(token)
    fields = split_fields(state.standings, state.rounds)
    field = request.args.get("of", "")
    rows = fields.get(field, state.standings)
    page = StandingsPage.of(rows, parse_id(request.args.get("page")), "all" in request.args)
    link = shared_url(state.event)
    return render_template(
        "events/results.html",
        state=state,
        fields=tuple(fields),
        field=field if field in fields else "",
        page=page,
        own=own_number(state),
        sits_out=any(row.sat_out for row in rows),
        tie_breaks=_columns_of_tie_breaks(state, rows),
        is_final=state.phase == FINISHED,
        missing=sum(row.scores is None for row in state.tables.values()),
        prizes=list_prizes(state),
        awards=list_awards(state) if state.phase == FINISHED else (),
        link=link,
        code=qr_code(link) if link else None,
    )


@blueprint.get("/rounds/<int:round_number>")
def of_round(token: str, round_number: int) -> str:
    """Show all tables of a round with their results."""
    state = _read(token)
    if not 1 <= round_number <= state.current_number:
        abort(404)
    return render_template(
        "events/results_round.html",
        state=state,
        round_number=round_number,
        tables=state.tables_of(round_number),
        scored=_scored(state, round_number),
        sits_out=sorted(state.drawn[round_number - 1].sits_out),
        shows_worth=state.event.scoring not in ("tricks", "difference", "total"),
    )


@blueprint.get("/numbers/<int:entrant_number>")
def card(token: str, entrant_number: int) -> str:
    """Show what an entrant did in each round."""
    state = _read(token)
    if entrant_number not in state.entrants:
        abort(404)
    numbers = list(state.entrants)
    at = numbers.index(entrant_number)
    return render_template(
        "events/results_card.html",
        state=state,
        entrant=state.entrants[entrant_number],
        row=next(row for row in state.standings if entrant_number in row.numbers),
        card=make_card(entrant_number, state.rounds, state.scoring, state.boards_of),
        before=numbers[at - 1] if at else None,
        after=numbers[at + 1] if at + 1 < len(numbers) else None,
    )


@blueprint.get("/standings.csv")
def standings_csv(token: str) -> Response:
    """Download the standings as a CSV file."""
    state = _read(token)
    return _csv("standings", results_in_rows.standings(state))


@blueprint.get("/tables.csv")
def tables_csv(token: str) -> Response:
    """Download the results of all tables of all rounds as a CSV file."""
    state = _read(token)
    return _csv("results", results_in_rows.tables(state))


def _csv(name: str, sheet: results_in_rows.ResultRows) -> Response:
    language = g.language
    return file_response(
        f"{name}.csv", CSV_TYPE, lambda file: write_csv_rows(language, sheet.headings, sheet.rows, file)
    )


def _read(token: str) -> EventState:
    return read(event_access.get_event_or_404(token))


def shared_url(event: Event) -> str | None:
    """Return the address of the results for everybody, to who directs the event, or has it already."""
    access = event_access.current_access()
    if access is not None and not access.may(DIRECT):
        return None
    link = EventLink.to(event, TO_WATCH).signed(event_access.signing_key())
    url = url_for("event_results.show", token=event.token, **{event_access.SHARED: link}, _external=True)
    return with_reachable_host(url)


def list_prizes(state: EventState) -> tuple[Prize, ...]:
    """Return the prizes of an event."""
    return read_prizes(state.event.prizes, [])


def _columns_of_tie_breaks(state: EventState, rows: tuple[StandingRow, ...]) -> list[str]:
    """List the tie-breaks that tell some rows apart; slams only if there are any."""
    return [
        slug
        for slug in state.scoring.tie_breaks
        if slug != DIRECT_MEETING and any(row.tie_breaks[slug] for row in rows)
    ]


def _scored(state: EventState, round_number: int) -> dict[int, ScoredTable]:
    """Return the tables of a round that have a result, with what they are worth."""
    tables = scored_tables(state.rounds, state.scoring, state.boards_of)
    return {scored.table.number: scored for scored in tables if scored.round == round_number}


# --- in words ----------------------------------------------------------------------------------------------

blueprint.add_app_template_global(results_in_rows.heading, "results_heading")
blueprint.add_app_template_global(results_in_rows.results_noun)


@blueprint.app_template_global()
def entrant_name(state: EventState, entrant_number: int) -> str:
    """Return the name of the entrant with a number, also if a substitute played for them."""
    return isolate_rtl(state.entrants[entrant_number].name)


@blueprint.app_template_global()
def score_in_words(score: Score, scoring: str = "") -> str:
    """Format a score; a difference has its sign."""
    return signed(rounded(score)) if scoring == "difference" else number(rounded(score))


@blueprint.app_template_global()
def score_of_row(event: Event, row: StandingRow) -> str:
    """Return what ranks a row: its score, or the share of what could be scored."""
    is_share = find_scoring(event.scoring).is_share
    return share_in_words(row.share) if is_share else score_in_words(row.score, event.scoring)


@blueprint.app_template_global()
def sitting_out_in_words(state: EventState) -> str:
    """Say what a round counts that somebody sits out."""
    choice, scoring = state.event.sitting_out, state.scoring
    if scoring.is_share and choice == AS_AVERAGE:
        return t("event-results.how.sitting-out-share")
    key = f"event-results.how.sitting-out.{WINNERS if choice == AS_WIN and scoring.win is None else choice}"
    return say_of_parties(state.plays_alone, key)


@blueprint.app_template_global()
def tie_break_in_words(slug: str, value: int) -> str:
    """Format a tie-break; a difference has its sign."""
    return signed(value) if slug == "difference" else number(value)


@blueprint.app_template_global()
def share_in_words(share: Fraction | None) -> str:
    """Format a share of matchpoints: 58.33%."""
    if share is None:
        return "–"
    return t("event-results.percent", share=format_decimal(compute_percent(share), "0.00", g.language))


@blueprint.app_template_global()
def others_at(state: EventState, line: CardLine) -> str:
    """Return the names of all others at the table of somebody who plays alone, with what each has scored."""
    names = [isolate_rtl(state.name_of(each, line.round)) for each in line.opponents or ()]
    return join_names(map(name_score, names, line.conceded) if line.conceded else names)


@blueprint.app_template_global()
def names_at(state: EventState, row: RoundTableRow, side: int) -> str:
    """Return the names of a party at a table, of those who played there."""
    return t("names.and").join(isolate_rtl(state.name_of(each, row.round)) for each in state.parties_of(row)[side])
