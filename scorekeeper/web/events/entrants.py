"""Who takes part in an event: typed, pasted or ticked; leaving, coming back, substitutes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from ...events.drawing import GROUPS
from ...events.formats import MIN_PLAYERS
from ...models import Player, db
from ...scoring.problems import Problem, Refusal
from ...scoring.values import clean_name, without_accents
from ...services.circles.players import read_ids_by_token
from ...services.events import entrants
from ...services.events.entrants import Entered, list_names
from ...services.events.reading import EntrantRow, EventState, read
from ...services.outcome import Done
from ..support.event_access import DIRECT, get_event_or_404
from ..support.forms import parse_id, read_choice, read_meanings

blueprint = Blueprint("event_entrants", __name__, url_prefix="/events/<token>/entrants")

MAX_TYPED = 60_000  # characters of a list: more than a thousand of the longest names


@dataclass(frozen=True)
class EntryOutcome:
    """What a list was answered with: `typed` is what stays in the field; `added` are the new numbers.

    `twice` were in the list more than once, `already` take part already.
    """

    typed: str = ""
    group: str = ""
    problems: Sequence[Problem] = ()
    added: int = 0
    twice: Sequence[str] = ()
    already: Sequence[str] = ()
    ticked: Sequence[int] = ()


@blueprint.get("")
def show(token: str) -> str:
    """List who takes part, with the forms to enter more; `?find=` shows only those with this text in the name."""
    return _page(_state(token))


@blueprint.get("/names")
@blueprint.get("/people")
def reload(token: str) -> Response:
    """Lead on from the address of a list that was refused, which a browser loads again."""
    return redirect(url_for("event_entrants.show", token=get_event_or_404(token, DIRECT).token), 303)


@blueprint.post("/names")
def add_names(token: str) -> str | Response | tuple[str, int]:
    """Enter the people of a list. Those who are on it twice, or take part already, are named and stay in the field."""
    state = _state(token)
    typed, group = request.form.get("names", "")[:MAX_TYPED], request.form.get("group", "")
    size = state.format.members
    found = parse_names(typed, in_pairs=size > 1)
    problems = _problems_of_list(state, found)
    if problems:
        return _page(state, EntryOutcome(typed, group, problems)), 422
    result = entrants.add_names(state.event, found.names, g.browser, group, read_meanings())
    if isinstance(result, Refusal):
        return _page(_state(token), EntryOutcome(typed, group, result.problems)), 422
    numbers, already, twice = result.value
    if not twice and not already:
        return _redirect(token, added=len(numbers))
    left = "\n".join(dict.fromkeys([*twice, *already]))
    return _page(_state(token), EntryOutcome(left, group, (), len(numbers), twice, already))


@blueprint.post("/people")
def add_people(token: str) -> Response | tuple[str, int]:
    """Enter the people of the circle who are ticked."""
    state = _state(token)
    group = request.form.get("group", "")
    ids = read_ids_by_token(state.event.circle)
    ticked = [ids[token] for token in request.form.getlist("person") if token in ids]
    size = state.format.members
    if not ticked or len(ticked) % size:
        problem = Problem("people", "tick-somebody") if not ticked else Problem("people", "tick-all", {"count": size})
        return _page(state, EntryOutcome(group=group, problems=(problem,), ticked=ticked)), 422
    result: Done[Entered] | Refusal = entrants.add_people(state.event, ticked, g.browser, group)
    if isinstance(result, Refusal):
        return _page(_state(token), EntryOutcome(group=group, problems=result.problems, ticked=ticked)), 422
    return _redirect(token, added=len(result.value.numbers))


def _problems_of_list(state: EventState, found: NameList) -> list[Problem]:
    """Return what is wrong with a list, which pairs or forts are to be made of."""
    size = state.format.members
    if not found.names:
        return [Problem("names", "list-empty")]
    if size == 1:
        return []
    if found.broken_pairs:
        return [Problem("names", "pair-incomplete", {"found": list_names(found.broken_pairs)})]
    if len(found.names) % size:
        return [Problem("names", "fort-incomplete", {"count": size, "found": len(found.names)})]
    return []


# --- one entrant -------------------------------------------------------------------------------------------


@blueprint.get("/<int:number>")
def show_one(token: str, number: int) -> str:
    """Show an entrant, and what can be changed."""
    state = _state(token)
    return _entrant_page(state, _entrant_or_404(state, number))


@blueprint.post("/<int:number>")
def change(token: str, number: int) -> Response | tuple[str, int]:
    """Change an entrant as `do` says; the page names the person, in case the number is somebody else's by now."""
    state = _state(token)
    entrant = state.entrants.get(number)
    what = request.form.get("do", "")
    if what not in _CHANGES:
        abort(400)
    person = read_ids_by_token(state.event.circle).get(request.form.get("person", ""))
    if entrant is None or entrant.player_id != person:
        if what == "remove":
            return _redirect(token)  # sent again, or somebody else has removed them: the numbers have closed up
        abort(404)
    problem = _CHANGES[what](state, entrant)
    if problem is not None:
        state = _state(token)
        return _entrant_page(state, _entrant_or_404(state, number), problem), 422
    if what == "remove":
        return _redirect(token)
    return redirect(url_for("event_entrants.show_one", token=token, number=number, done="yes"), 303)


def _remove(state: EventState, entrant: EntrantRow) -> Problem | None:
    return entrants.remove(state.event, entrant.number, entrant.player_id, g.browser)


def _leave(state: EventState, entrant: EntrantRow) -> Problem | None:
    last = parse_id(request.form.get("last_round"))
    return entrants.leave(state.event, entrant.number, -1 if last is None else last, g.browser)


def _return(state: EventState, entrant: EntrantRow) -> Problem | None:
    return entrants.come_back(state.event, entrant.number, g.browser)


def _set_first_round(state: EventState, entrant: EntrantRow) -> Problem | None:
    first = parse_id(request.form.get("first_round")) or 0
    return entrants.set_first_round(state.event, entrant.number, first, g.browser)


def _set_stationary(state: EventState, entrant: EntrantRow) -> Problem | None:
    is_stationary = read_choice("is_stationary", "yes") is not None
    return entrants.set_stationary(state.event, entrant.number, is_stationary, g.browser)


def _set_group(state: EventState, entrant: EntrantRow) -> Problem | None:
    return entrants.set_group(state.event, entrant.number, request.form.get("group", ""), g.browser)


def _substitute(state: EventState, entrant: EntrantRow) -> Problem | None:
    name = entrant.name if read_choice("themselves", "yes") else clean_name(request.form.get("name"))
    first_round = parse_id(request.form.get("round")) or 0
    return entrants.substitute(state.event, entrant.number, name, first_round, g.browser, read_meanings())


_CHANGES = {
    "remove": _remove,
    "leave": _leave,
    "return": _return,
    "first": _set_first_round,
    "stationary": _set_stationary,
    "group": _set_group,
    "substitute": _substitute,
}


def _state(token: str) -> EventState:
    return read(get_event_or_404(token, DIRECT))


def _entrant_or_404(state: EventState, number: int) -> EntrantRow:
    entrant = state.entrants.get(number)
    if entrant is None:
        abort(404)
    return entrant


def _redirect(token: str, added: int | None = None) -> Response:
    return redirect(url_for("event_entrants.show", token=token, added=added), 303)


# --- the pages ---------------------------------------------------------------------------------------------


def _page(state: EventState, outcome: EntryOutcome | None = None) -> str:
    g.names = dict
    find = clean_name(request.args.get("find"))
    return render_template(
        "events/entrants.html",
        state=state,
        event=state.event,
        size=state.format.members,
        groups=("", *GROUPS) if state.format.has_groups else (),
        listed=_grouped(state, find),
        find=find,
        has_enough=len(state.next_draw().present) >= MIN_PLAYERS,
        candidates=entrants.candidates(state.event.circle, state),
        added=outcome.added if outcome is not None else parse_id(request.args.get("added")),
        outcome=outcome or EntryOutcome(),
        left=_left(state, outcome.already if outcome is not None else ()),
    )


def _left(state: EventState, names: Sequence[str]) -> list[EntrantRow]:
    """Return those of these who have left."""
    return [row for row in state.entrants.values() if row.name in names and row.has_left(state.current_number)]


def _grouped(state: EventState, find: str) -> list[list[EntrantRow]]:
    """Return the entrants, those who are ranked together in one list; only those with this text in a name."""
    together: dict[int, list[EntrantRow]] = {}
    for entrant in state.entrants.values():
        together.setdefault((entrant.number - 1) // state.format.members, []).append(entrant)
    wanted = without_accents(find)
    return [rows for rows in together.values() if any(wanted in without_accents(row.name) for row in rows)]


def _entrant_page(state: EventState, entrant: EntrantRow, problem: Problem | None = None) -> str:
    g.names = dict
    current, planned = state.current_number, state.event.rounds
    return render_template(
        "events/entrant.html",
        state=state,
        event=state.event,
        entrant=entrant,
        person_token=db.session.get_one(Player, entrant.player_id).token,
        substitute=state.substitute_of(entrant.number),
        later=[row for row in state.substitutes if row.number == entrant.number and row.round > state.current_number],
        has_left=entrant.has_left(current),
        groups=("", *GROUPS) if state.format.has_groups else (),
        leaving_rounds=range(max(current, entrant.first_round - 1, 1), planned),
        substitute_rounds=range(max(current, 1), min(max(current, 1) + 1, planned) + 1),
        starting_rounds=range(current + 1, (entrant.last_round or planned) + 1),
        candidates=entrants.candidates(state.event.circle, state),
        partners=[row for row in _together(state, entrant) if row is not entrant],
        problem=problem,
        done=request.args.get("done") == "yes",
    )


def _together(state: EventState, entrant: EntrantRow) -> list[EntrantRow]:
    size = state.format.members
    return [row for row in state.entrants.values() if (row.number - 1) // size == (entrant.number - 1) // size]


_BETWEEN_PEOPLE = re.compile(r"[\t,;]")
_BETWEEN_PARTNERS = re.compile(r"[&+/]")
_NUMBERING = re.compile(r"\(?\d+\s*[.):]\s*")  # 1. Anne, 2) Bruno


class NameList(NamedTuple):
    """The names of a list in order; `broken_pairs` are names that stand alone where partners were expected."""

    names: tuple[str, ...]
    broken_pairs: tuple[str, ...] = ()


def parse_names(text: str, in_pairs: bool = False) -> NameList:
    """Return the names in a text: one a line, or with commas, semicolons or tabs between them.

    Partners may stand in one line as "Anne & Bruno". Without that, every two names are partners. Numbers before the
    names, as lists have them, are left out.
    """
    units = list(_units(text, in_pairs))
    names = tuple(name for unit in units for name in unit)
    return NameList(names, tuple(_broken(units)) if in_pairs else ())


def _units(text: str, in_pairs: bool) -> Iterator[list[str]]:
    """Yield the names that stand together."""
    for line in text.splitlines():
        for part in _BETWEEN_PEOPLE.split(line):
            pieces = _BETWEEN_PARTNERS.split(part) if in_pairs else [part]
            names = [name for piece in pieces if (name := _name(piece))]
            if names:
                yield names


def _name(piece: str) -> str:
    name = clean_name(_NUMBERING.sub("", piece.strip(), count=1) if _NUMBERING.match(piece.strip()) else piece)
    return "" if name.isdecimal() else name


def _broken(units: list[list[str]]) -> Iterator[str]:
    """Yield those who have no partner: alone before two who stand together, alone at the end, or a third."""
    waiting = ""
    for unit in units:
        if len(unit) > 1:
            if waiting:
                yield waiting
                waiting = ""
            if len(unit) > 2:
                yield unit[2]
        else:
            waiting = "" if waiting else unit[0]
    if waiting:
        yield waiting
