"""Tonight: who is here, who plays next and who sits out; one tap opens the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response
from wtforms import HiddenField

from ..circles import access
from ..db.outcome import Done, Stale
from ..i18n import in_name_order
from ..limits import MAX_NAME_LENGTH
from ..models import SCORE, Circle, new_token
from ..people.reading import list_active_persons, list_all_players, read_ids_by_token
from ..scoring.game import AnyGame
from ..site.fields import ChoiceField, ChoicesField, DayField, MaxLength, TextField
from ..site.forms import MEANING, Form, SentField, WriteForm
from ..site.language import name_of_key
from ..tables.named_games import find_last_table, read_game_names
from ..tables.table import name_turn_units
from . import tonight
from .answers import list_expected
from .tonight import Ticks

blueprint = Blueprint("tonight", __name__, url_prefix="/circles/<circle_token>/tonight")


@blueprint.get("")
def show(circle_token: str) -> str:
    """Show who is here, and who plays the game `?game=<key>` next; `?partners=new` changes the partners."""
    return _render(access.get_membership_or_404(circle_token).circle)


class PresenceForm(Form):
    """Who is ticked, and who was here when the page was shown, by the people's tokens."""

    day = DayField()
    game = HiddenField()
    partners = HiddenField()
    here = ChoicesField()
    was_here = ChoicesField()
    name = TextField(validators=[MaxLength(MAX_NAME_LENGTH, "long-name")])
    meanings = SentField(MEANING)

    def __init__(self, circle: Circle, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.here.choices = self.was_here.choices = _list_choices(circle)

    def read(self, ids: Mapping[str, int]) -> Ticks:
        return Ticks(
            day=self.day.data,
            ticked={ids[token] for token in self.here.data},
            was_here={ids[token] for token in self.was_here.data},
            name=self.name.data,
            meanings=self.meanings.data,
        )


def _list_choices(circle: Circle) -> list[tuple[str, str]]:
    """List whom a form may send: also who was merged or erased since its page was shown."""
    return [(player.token, player.name) for player in list_all_players(circle)]


@blueprint.post("")
def set_present(circle_token: str) -> Response | tuple[str, int]:
    membership = access.get_membership_or_404(circle_token, SCORE)
    circle = membership.circle
    form = PresenceForm(circle)
    if form.validate():
        problem = tonight.set_present(circle, form.read(read_ids_by_token(circle)), membership)
        if problem is None:
            asked = {"game": form.game.data, "partners": form.partners.data}
            return redirect(url_for("tonight.show", circle_token=circle_token, **asked, _anchor="next"), 303)
        form.add_problems([problem])
    if form.day.errors or form.was_here.errors:
        abort(400)
    return _render(circle, form), 422


class SeatingForm(WriteForm):
    """The game, after what people take turns, and the tokens of the people in order of their seats."""

    game = ChoiceField()
    turns = ChoiceField(default="")
    people = ChoicesField()

    def __init__(self, circle: Circle, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        names = read_game_names(circle)
        self.game.choices = [(key, name_of_key(key, names)) for key in tonight.list_playable(circle)]
        is_playable = self.game.data in dict(self.game.choices)
        game = tonight.find_game_as_last_played(circle, self.game.data) if is_playable else None
        self.turns.choices = list(name_turn_units(game).items()) if game is not None else []
        self.people.choices = _list_choices(circle)


@blueprint.post("/seat")
def seat(circle_token: str) -> Response | tuple[str, int]:
    membership = access.get_membership_or_404(circle_token, SCORE)
    form = SeatingForm(membership.circle)
    form.require_valid()
    ids = read_ids_by_token(membership.circle)
    people = [ids[token] for token in form.people.data]
    result = tonight.seat(membership.circle, form.game.data, people, form.turns.data, form.read_key(), membership)
    if isinstance(result, Done):
        return redirect(url_for("table.show", token=result.value), 303)
    circle = access.get_membership_or_404(circle_token, SCORE).circle
    if isinstance(result, Stale):
        return _render(circle, seating=form, stale=result), 409
    form.add_problems(result.problems)
    return _render(circle, seating=form), 422


def _render(
    circle: Circle,
    presence: PresenceForm | None = None,
    *,
    seating: SeatingForm | None = None,
    stale: Stale[None] | Stale[str] | None = None,
) -> str:
    """Render the page with a form that was refused.

    Ticked are those whom it had, or who are here; before anybody is, those who have said that they come.
    """
    evening = tonight.read(circle)
    expected = list_expected(circle) if not evening.arrivals and presence is None else []
    game_key, game = _choose_game(circle, tonight.list_playable(circle))
    candidates = evening.people | {person.id: person for person in list_active_persons(circle)}
    has_new_partners = request.values.get("partners") == "new"
    if presence is None:
        ticked = [person.token for person in candidates.values() if person.id in (evening.arrivals or expected)]
        presence = PresenceForm(circle, formdata=None, here=ticked)
    presence.here.choices = [(person.token, person.name) for person in in_name_order(candidates.values())]
    if seating is None:
        last = find_last_table(circle, game_key) if game_key is not None else None
        turns = last.turns or "" if last is not None else ""
        seating = SeatingForm(circle, formdata=None, game=game_key, turns=turns)
    seating.key.data = new_token()
    return render_template(
        "evenings/tonight.html",
        circle=circle,
        tonight=evening,
        game=game,
        asked=({"game": game_key} if game_key else {}) | ({"partners": "new"} if has_new_partners else {}),
        lineup=evening.lineup(game, has_new_partners) if game is not None else None,
        presence=presence,
        seating=seating,
        is_expected=bool(expected),
        stale=stale,
    )


def _choose_game(circle: Circle, playable: list[str]) -> tuple[str, AnyGame] | tuple[None, None]:
    """Return the game that is asked for with its key, else that of the circle's newest table, else the first one."""
    for key in (request.values.get("game"), tonight.find_last_game(circle), *playable):
        if key in playable and (game := tonight.find_game_as_last_played(circle, key)) is not None:
            return key, game
    return None, None
