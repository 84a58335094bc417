"""The people of a circle, and how they want to be paid; for hosts, renaming, retiring, merging and erasing them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from flask import Blueprint, abort, g, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response
from wtforms.validators import DataRequired

from ..circles import access
from ..limits import MAX_NAME_LENGTH
from ..models import HOST, SCORE, Circle, Event, Player, Table, may
from ..scoring.problems import Problem
from ..site.features import features
from ..site.fields import ChoiceField, ChoicesField, MaxLength, ParsedField, TextField
from ..site.forms import MEANING, ConfirmForm, Form, SentField
from ..site.language import day_in_words, t
from . import erasure, payment_details, reading, writing
from .payment_details import EXAMPLE_LINK, PLACEHOLDER, PaymentDetails, group_iban, parse_iban, parse_payment_link
from .reading import PersonRow, find_person

blueprint = Blueprint("people", __name__, url_prefix="/circles/<circle_token>")

TEXT = "text:"  # how the fields of texts that hold an erased name begin


class PersonContext(NamedTuple):
    circle: Circle
    person: PersonRow
    everybody: list[PersonRow]

    @property
    def player(self) -> Player:
        return self.person.player

    @property
    def others(self) -> list[Player]:
        others = [other.player for other in self.everybody if other is not self.person]
        return [other for other in others if other.erased_at is None]


def _get_person_or_404(circle_token: str, player_token: str) -> PersonContext:
    """Return the person that a player is, or was merged into; 403 unless the phone is a host's."""
    circle = access.get_membership_or_404(circle_token, HOST).circle
    everybody = reading.list_people(circle)
    for row in everybody:
        if player_token in (row.player.token, *(merged.token for merged in row.merged)):
            return PersonContext(circle, row, everybody)
    return abort(404)


def _get_changeable_or_404(circle_token: str, player_token: str) -> PersonContext:
    """Return the person with this player's token; 404 also if they have been merged or their name erased."""
    context = _get_person_or_404(circle_token, player_token)
    _require_changeable(context, player_token)
    return context


def _require_changeable(context: PersonContext, player_token: str) -> None:
    if context.player.token != player_token or context.player.erased_at is not None:
        abort(404)


# --- the pages, and what a host changes --------------------------------------------------------------------


@blueprint.get("/people")
def show(circle_token: str) -> str:
    membership = access.get_membership_or_404(circle_token)
    circle = membership.circle
    everybody = reading.list_people(circle)
    return render_template(
        "people/people.html",
        circle=circle,
        playing=[(row, _describe_activity(row)) for row in everybody if row.player.retired_at is None],
        retired=[(row, _describe_activity(row)) for row in everybody if row.player.retired_at is not None],
        newcomers=NewcomersForm(reading.list_newcomers(circle)) if may(membership.right, HOST) else None,
    )


def _describe_activity(row: PersonRow) -> str:
    said = [t("people.tables", count=row.tables)]
    said += [t("people.events", count=row.events)] if row.events else []
    said += [t("people.last", day=day_in_words(row.last))] if row.last is not None else []
    return " · ".join(said)


class NewcomersForm(Form):
    # Not among the choices are those who were removed when the form was first sent, or have done more since.
    person = ChoicesField(validate_choice=False)

    def __init__(self, newcomers: Iterable[Player]) -> None:
        super().__init__()
        self.person.choices = [(newcomer.token, newcomer.name) for newcomer in newcomers]


@blueprint.post("/people/newcomers/remove")
def remove_newcomers(circle_token: str) -> Response:
    host = access.get_membership_or_404(circle_token, HOST)
    form = NewcomersForm(reading.list_newcomers(host.circle))
    form.require_valid()
    writing.remove_newcomers(host.circle, form.person.data or [], host)
    return redirect(url_for("people.show", circle_token=circle_token), 303)


@blueprint.get("/people/<player_token>")
def player(circle_token: str, player_token: str) -> str | Response:
    context = _get_person_or_404(circle_token, player_token)
    is_person = context.player.token == player_token
    return _render_person(context) if is_person else _redirect_to(circle_token, context.player.token)


class RenameForm(Form):
    name = TextField(validators=[DataRequired(Problem("name", "name-blank")), MaxLength(MAX_NAME_LENGTH, "long-name")])
    meanings = SentField(MEANING)


@blueprint.post("/people/<player_token>/rename")
def rename(circle_token: str, player_token: str) -> ResponseReturnValue:
    player = _get_changeable_or_404(circle_token, player_token).player
    form = RenameForm()
    if form.validate():
        problem = writing.rename(player, form.name.data or "", g.membership, form.meanings.data)
        if problem is None:
            return _redirect_to(circle_token, player_token)
        form.add_problems([problem])
    return _render_person(_get_person_or_404(circle_token, player_token), form), 422


@blueprint.post("/people/<player_token>/<any(retire, return):way>")
def retire(circle_token: str, player_token: str, way: str) -> ResponseReturnValue:
    player = _get_changeable_or_404(circle_token, player_token).player
    problem = writing.set_retired(player, way == "retire", g.membership)
    if problem is None:
        return _redirect_to(circle_token, player_token)
    form = Form()
    form.add_problems([problem])
    return _render_person(_get_person_or_404(circle_token, player_token), form), 422


class MergeForm(Form):
    into = ChoiceField(validators=[DataRequired(Problem("into", "who-is-it"))])

    def __init__(self, others: Iterable[Player], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.into.choices = [("", t("player.merge.choose")), *((other.token, other.name) for other in others)]


@blueprint.post("/people/<player_token>/merge")
def merge(circle_token: str, player_token: str) -> ResponseReturnValue:
    context = _get_person_or_404(circle_token, player_token)
    form = MergeForm(context.others)
    is_sent_again = player_token != context.player.token == form.into.data
    if is_sent_again:
        return _redirect_to(circle_token, context.player.token)
    _require_changeable(context, player_token)
    shared = None
    if form.validate():
        into = next(other for other in context.others if other.token == form.into.data)
        result = writing.merge(context.player, into, g.membership)
        if result is None:
            return _redirect_to(circle_token, form.into.data)
        if isinstance(result, Problem):
            form.add_problems([result])
        else:
            shared = result
        context = _get_person_or_404(circle_token, player_token)  # the write has expired what was loaded
    return _render_person(context, form, shared), 422


@blueprint.post("/people/<player_token>/apart")
def unmerge(circle_token: str, player_token: str) -> Response:
    person = _get_person_or_404(circle_token, player_token).person
    person_token = person.player.token
    merged = next((other for other in person.merged if other.token == player_token), None)
    if merged is not None:
        writing.unmerge(merged, g.membership)
    return _redirect_to(circle_token, person_token)


def _render_person(context: PersonContext, refused: Form | None = None, shared: Table | Event | None = None) -> str:
    """Show a person; `refused` is a form that was sent, `shared` where both people of a refused merge played."""
    is_rename, is_merge = isinstance(refused, RenameForm), isinstance(refused, MergeForm)
    return render_template(
        "people/player.html",
        circle=context.circle,
        person=context.person,
        activity=_describe_activity(context.person),
        shared_table=shared if isinstance(shared, Table) else None,
        shared_event=shared if isinstance(shared, Event) else None,
        refused=refused,
        form=refused if is_rename else RenameForm(formdata=None, name=context.player.name),
        merge_form=refused if is_merge else MergeForm(context.others, formdata=None),
    )


def _redirect_to(circle_token: str, player_token: str) -> Response:
    return redirect(url_for("people.player", circle_token=circle_token, player_token=player_token), 303)


# --- erasing a name ----------------------------------------------------------------------------------------


class ErasureForm(ConfirmForm):
    earlier = TextField()  # names, with commas between them
    texts = SentField(TEXT)

    def list_earlier(self) -> list[str]:
        return [name.strip() for name in (self.earlier.data or "").split(",")]


@blueprint.route("/people/<player_token>/erase", methods=["GET", "POST"])
def erase(circle_token: str, player_token: str) -> ResponseReturnValue:
    """Erase a name, once it is typed; texts that hold it inside of another word are shown, to change or keep."""
    done = redirect(url_for("people.show", circle_token=circle_token, erased="yes"), 303)
    context = _get_person_or_404(circle_token, player_token)
    form = ErasureForm(context.player.name)
    is_sent_again = form.is_submitted() and context.player.erased_at is not None
    if is_sent_again:
        return done
    _require_changeable(context, player_token)
    if form.validate_on_submit():
        problem = erasure.erase(context.player, form.list_earlier(), g.membership, form.texts.data)
        if problem is None:
            return done
        form.add_problems([problem])
        context = _get_changeable_or_404(circle_token, player_token)  # the write has expired what was loaded
    page = _render_erasure(context, form)
    return (page, 422) if form.is_submitted() else page


def _render_erasure(context: PersonContext, form: ErasureForm) -> str:
    unclear = erasure.list_unclear_texts(context.player, form.list_earlier())
    players = (context.player, *context.person.merged)
    return render_template(
        "people/erase.html",
        circle=context.circle,
        person=context.person,
        has_payment_details=any(player.iban or player.payment_link for player in players),
        form=form,
        open_amounts=[
            words for feature in features() for words in feature.list_open_amounts(context.circle, context.player.name)
        ],
        texts=[(written, form.texts.data.get(written.key, written.text)) for written in unclear],
    )


# --- how somebody wants to be paid ------------------------------------------------------------------------


class PaymentDetailsForm(Form):
    iban = ParsedField(parse=parse_iban)
    payment_link = ParsedField(parse=parse_payment_link)


@blueprint.get("/players/<player_token>/paying")
def show_payment_details(circle_token: str, player_token: str) -> str | Response:
    circle = access.get_membership_or_404(circle_token).circle
    person = get_named_or_404(circle, player_token)
    if person.token != player_token:
        return redirect(url_for("people.show_payment_details", circle_token=circle_token, player_token=person.token))
    return _render_payment_details(circle, person)


@blueprint.post("/players/<player_token>/paying")
def set_payment_details(circle_token: str, player_token: str) -> ResponseReturnValue:
    membership = access.get_membership_or_404(circle_token, SCORE)
    circle = membership.circle
    person = get_named_or_404(circle, player_token)
    if person.token != player_token:  # merged since: what was entered is not the other person's
        abort(404)
    form = PaymentDetailsForm()
    if form.validate():
        details = PaymentDetails(form.iban.data, form.payment_link.data)
        problem = payment_details.set_payment_details(person, details, membership)
        if problem is None:
            page = url_for(
                "people.show_payment_details", circle_token=circle_token, player_token=player_token, saved="yes"
            )
            return redirect(page, 303)
        form.add_problems([problem])
        circle = access.reload_membership_or_404(circle_token).circle
        person = get_named_or_404(circle, player_token)
    return _render_payment_details(circle, person, form), 422


def get_named_or_404(circle: Circle, player_token: str) -> Player:
    """Return the person that a player is; 404 also if their name was erased."""
    person = find_person(circle, player_token)
    if person is None or person.erased_at is not None:
        abort(404)
    return person


def _render_payment_details(circle: Circle, person: Player, form: PaymentDetailsForm | None = None) -> str:
    details = payment_details.read_payment_details(circle).get(person.id, PaymentDetails(None, None))
    fields = {"iban": group_iban(details.iban) if details.iban else "", "payment_link": details.link or ""}
    return render_template(
        "people/payment_details.html",
        circle=circle,
        person=person,
        details=fields,
        form=form or PaymentDetailsForm(formdata=None, **fields),
        may_change=payment_details.may_change(g.membership, person),
        example_link=EXAMPLE_LINK,
        placeholder=PLACEHOLDER,
    )
