"""Tonight: who is here, who plays next and who sits out; one tap opens the table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response
from wtforms import HiddenField, StringField

from ..circles import access
from ..db.outcome import Done, Stale
from ..games import games, slug_of
from ..i18n import in_name_order
from ..limits import MAX_SEATS
from ..models import SCORE, Circle, new_token
from ..people.reading import list_active_persons, read_ids_by_token
from ..scoring.game import AnyGame
from ..scoring.problems import Problem, Refusal
from ..scoring.values import clean_name
from ..site.forms import MEANING, Form, SentField, WriteForm
from ..site.language import name_of_key
from ..tables.named_games import find_last_table, read_game_names
from ..tables.table import name_turn_units, require_turn_unit
from . import tonight
from .answers import list_expected
from .tonight import Ticks

blueprint = Blueprint("tonight", __name__, url_prefix="/circles/<circle_token>/tonight")


@blueprint.get("")
def show(circle_token: str) -> str:
    """Show who is here, and who plays the game `?game=<key>` next; `?partners=new` changes the partners."""
    return _render(access.get_membership_or_404(circle_token).circle)


class PresenceForm(Form):
    """Who is ticked, and who was when the page was shown, by the people's tokens."""

    day = HiddenField(default="")
    game = HiddenField()
    partners = HiddenField()
    name = StringField(filters=[clean_name])
    here = SentField("here-")
    shown = SentField("shown-")
    meanings = SentField(MEANING)

    def read(self, ids: Mapping[str, int]) -> Ticks:
        return Ticks(
            day=self.day.data or "",
            ticked={ids[token] for token in self.here.data if token in ids},
            shown={ids[token] for token in self.shown.data if token in ids},
            name=self.name.data or "",
            meanings=self.meanings.data,
        )


@blueprint.post("")
def set_present(circle_token: str) -> Response | tuple[str, int]:
    membership = access.get_membership_or_404(circle_token, SCORE)
    form = PresenceForm()
    ticks = form.read(read_ids_by_token(membership.circle))
    problem = tonight.set_present(membership.circle, ticks, membership)
    if problem is not None:
        return _render(membership.circle, [problem], ticked=ticks.ticked, form=form), 422
    asked = {"game": form.game.data, "partners": form.partners.data}
    return redirect(url_for("tonight.show", circle_token=circle_token, **asked, _anchor="next"), 303)


class SeatingForm(WriteForm):
    game = HiddenField(default="")
    turns = StringField(default="")
    people = SentField("seat-")


@blueprint.post("/seat")
def seat(circle_token: str) -> Response | tuple[str, int]:
    membership = access.get_membership_or_404(circle_token, SCORE)
    form = SeatingForm()
    game_key = form.game.data or ""
    turns = form.turns.data or ""
    if game_key not in tonight.list_playable(membership.circle):
        abort(400)
    require_turn_unit(games()[slug_of(game_key)], turns)
    ids = read_ids_by_token(membership.circle)
    sent = form.people.data
    people = [ids.get(sent[f"{number}"], 0) for number in range(1, MAX_SEATS + 1) if f"{number}" in sent]
    result = tonight.seat(membership.circle, game_key, people, turns, form.read_key(), membership)
    if isinstance(result, Done):
        return redirect(url_for("table.show", token=result.value), 303)
    circle = access.get_membership_or_404(circle_token, SCORE).circle
    if isinstance(result, Refusal):
        return _render(circle, result.problems, turns=turns), 422
    return _render(circle, turns=turns, stale=result), 409


def _render(
    circle: Circle,
    problems: Sequence[Problem] = (),
    *,
    form: PresenceForm | None = None,
    ticked: Collection[int] | None = None,
    turns: str | None = None,
    stale: Stale[None] | Stale[str] | None = None,
) -> str:
    """Render the page; the rest is of a form that was refused.

    Ticked are those whom it had, or who are here; before anybody is, those who have said that they come.
    """
    evening = tonight.read(circle)
    playable = tonight.list_playable(circle)
    names = read_game_names(circle)
    expected = list_expected(circle) if not evening.arrivals else []
    game_key, game = _choose_game(circle, playable)
    candidates = evening.people | {each.id: each for each in list_active_persons(circle)}
    has_new_partners = request.values.get("partners") == "new"
    last = find_last_table(circle, game_key) if game_key is not None else None
    return render_template(
        "evenings/tonight.html",
        circle=circle,
        tonight=evening,
        candidates=in_name_order(candidates.values()),
        game=game,
        game_key=game_key,
        asked=({"game": game_key} if game_key else {}) | ({"partners": "new"} if has_new_partners else {}),
        playable=[(key, name_of_key(key, names)) for key in playable],
        lineup=evening.lineup(game, has_new_partners) if game is not None else None,
        turn_units=name_turn_units(game) if game is not None else {},
        turns=turns if turns is not None or last is None else last.turns,
        key=new_token(),
        form=form or PresenceForm(formdata=None),
        problems=problems,
        ticked=ticked if ticked is not None else evening.arrivals or expected,
        is_expected=bool(ticked is None and expected and not problems),
        stale=stale,
    )


def _choose_game(circle: Circle, playable: list[str]) -> tuple[str, AnyGame] | tuple[None, None]:
    """Return the game that is asked for with its key, else that of the circle's newest table, else the first one."""
    for key in (request.values.get("game"), tonight.find_last_game(circle), *playable):
        if key in playable and (game := tonight.find_game_as_last_played(circle, key)) is not None:
            return key, game
    return None, None
