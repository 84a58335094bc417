"""Tonight: who is here, who plays next and who sits out; one tap opens the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from wtforms import BooleanField

from ..circles import access
from ..db.outcome import Done, Stale
from ..i18n import in_name_order
from ..limits import MAX_NAME_LENGTH
from ..models import SCORE, Circle, new_token
from ..people.reading import list_active_persons, list_all_players, read_ids_by_token
from ..scoring.game import AnyGame
from ..site.fields import ChoiceField, ChoicesField, DayField, MaxLength, TextField
from ..site.forms import MEANING, Form, QueryForm, SentField, WriteForm
from ..site.language import name_of_key
from ..tables.named_games import find_last_table, read_game_names
from ..tables.table import name_turn_units
from . import tonight
from .answers import list_expected
from .tonight import Ticks

blueprint = Blueprint("tonight", __name__, url_prefix="/circles/<circle_token>/tonight")


@blueprint.get("")
def show(circle_token: str) -> str:
    """Show who is here, and who plays the game `?game=<key>` next; `?partners=yes` changes the partners."""
    return _render(access.get_membership_or_404(circle_token).circle)


class LineupForm(QueryForm):
    """Which game is played next, and whether with new partners."""

    game = ChoiceField()
    partners = BooleanField()

    class Meta(QueryForm.Meta):
        def wrap_formdata(self, _form: LineupForm, _formdata: Any) -> Any:
            return request.values  # in the address, or sent along by the page's other forms

    def __init__(self, circle: Circle) -> None:
        super().__init__()
        names = read_game_names(circle)
        self.game.choices = [(key, name_of_key(key, names)) for key in tonight.list_playable(circle)]

    def choose_game(self, circle: Circle) -> AnyGame | None:
        """Choose and return the game that is asked for, else that of the circle's newest table, else the first one."""
        playable = dict(self.game.choices)
        for key in (self.game.data, tonight.find_last_game(circle), *playable):
            if key in playable and (game := tonight.find_game_as_last_played(circle, key)) is not None:
                self.game.data = key
                return game
        self.game.data = None
        return None

    @property
    def chosen(self) -> dict[str, str]:
        """What the page's other forms send along."""
        partners = "yes" if self.partners.data else ""
        return {name: value for name, value in (("game", self.game.data), ("partners", partners)) if value}


class PresenceForm(Form):
    """Who is ticked, and who was here when the page was shown, by the people's tokens."""

    day = DayField()
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
def set_present(circle_token: str) -> ResponseReturnValue:
    membership = access.get_membership_or_404(circle_token, SCORE)
    circle = membership.circle
    form = PresenceForm(circle)
    if form.validate():
        problem = tonight.set_present(circle, form.read(read_ids_by_token(circle)), membership)
        if problem is None:
            query = LineupForm(circle).query
            return redirect(url_for("tonight.show", circle_token=circle_token, **query, _anchor="next"), 303)
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
        playable = tonight.list_playable(circle)
        self.game.choices = [(key, key) for key in playable]
        game = tonight.find_game_as_last_played(circle, self.game.data) if self.game.data in playable else None
        self.turns.choices = list(name_turn_units(game).items()) if game is not None else []
        self.people.choices = _list_choices(circle)


@blueprint.post("/seat")
def seat(circle_token: str) -> ResponseReturnValue:
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
    lineup_form = LineupForm(circle)
    game = lineup_form.choose_game(circle)
    candidates = evening.people | {person.id: person for person in list_active_persons(circle)}
    if presence is None:
        ticked = [person.token for person in candidates.values() if person.id in (evening.arrivals or expected)]
        presence = PresenceForm(circle, formdata=None, here=ticked)
    presence.here.choices = [(person.token, person.name) for person in in_name_order(candidates.values())]
    if seating is None:
        last = find_last_table(circle, lineup_form.game.data) if game is not None else None
        turns = last.turns or "" if last is not None else ""
        seating = SeatingForm(circle, formdata=None, game=lineup_form.game.data, turns=turns)
    seating.key.data = new_token()
    return render_template(
        "evenings/tonight.html",
        circle=circle,
        tonight=evening,
        game=game,
        lineup_form=lineup_form,
        lineup=evening.lineup(game, lineup_form.partners.data) if game is not None else None,
        presence=presence,
        seating=seating,
        is_expected=bool(expected),
        stale=stale,
    )
