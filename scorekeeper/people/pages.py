"""The people of a circle, and how they want to be paid; for hosts, renaming, retiring, merging and erasing them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response
from wtforms import SelectMultipleField, StringField

from ..circles import access
from ..models import HOST, SCORE, Circle, Event, Player, Table, may
from ..scoring.problems import Problem
from ..scoring.values import clean_name
from ..site.features import features
from ..site.forms import MEANING, ConfirmForm, Form, SentField
from ..site.language import day_in_words, t
from . import erasure, payment_details, reading, writing
from .erasure import WrittenText
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
    def others(self) -> dict[str, Player]:
        others = [other.player for other in self.everybody if other is not self.person]
        return {other.token: other for other in others if other.erased_at is None}


def _get_person_or_404(circle_token: str, player_token: str) -> PersonContext:
    """Return the person that a player is, or was merged into; 403 unless the phone is a host's."""
    circle = access.get_membership_or_404(circle_token, HOST).circle
    everybody = reading.list_people(circle)
    found = (row for row in everybody if player_token in (row.player.token, *(other.token for other in row.merged)))
    person = next(found, None)
    return PersonContext(circle, person, everybody) if person is not None else abort(404)


def _get_changeable_or_404(circle_token: str, player_token: str) -> PersonContext:
    """Return the person with this player's token; 404 also if they have been merged or their name erased."""
    context = _get_person_or_404(circle_token, player_token)
    if context.player.token != player_token or context.player.erased_at is not None:
        abort(404)
    return context


# --- the pages, and what a host changes --------------------------------------------------------------------


@blueprint.get("/people")
def show(circle_token: str) -> str:
    circle = access.get_membership_or_404(circle_token).circle
    everybody = reading.list_people(circle)
    return render_template(
        "people/people.html",
        circle=circle,
        playing=[(row, _describe_activity(row)) for row in everybody if row.player.retired_at is None],
        retired=[(row, _describe_activity(row)) for row in everybody if row.player.retired_at is not None],
        newcomers=reading.list_newcomers(circle) if may(g.membership.right, HOST) else [],
    )


def _describe_activity(row: PersonRow) -> str:
    said = [t("people.tables", count=row.tables)]
    said += [t("people.events", count=row.events)] if row.events else []
    said += [t("people.last", day=day_in_words(row.last))] if row.last is not None else []
    return " · ".join(said)


class NewcomersForm(Form):
    person = SelectMultipleField(validate_choice=False)  # people who are no longer newcomers are skipped


@blueprint.post("/people/newcomers/remove")
def remove_newcomers(circle_token: str) -> Response:
    host = access.get_membership_or_404(circle_token, HOST)
    writing.remove_newcomers(host.circle, NewcomersForm().person.data or [], host)
    return redirect(url_for("people.show", circle_token=circle_token), 303)


@blueprint.get("/people/<player_token>")
def player(circle_token: str, player_token: str) -> str | Response:
    context = _get_person_or_404(circle_token, player_token)
    return _page(context) if context.player.token == player_token else _redirect_to(circle_token, context.player.token)


class RenameForm(Form):
    name = StringField()
    meanings = SentField(MEANING)


@blueprint.post("/people/<player_token>/rename")
def rename(circle_token: str, player_token: str) -> Response | tuple[str, int]:
    player = _get_changeable_or_404(circle_token, player_token).player
    form = RenameForm()
    problem = writing.rename(player, clean_name(form.name.data), g.membership, form.meanings.data)
    return _respond(circle_token, player_token, problem)


@blueprint.post("/people/<player_token>/<any(retire, return):way>")
def retire(circle_token: str, player_token: str, way: str) -> Response | tuple[str, int]:
    player = _get_changeable_or_404(circle_token, player_token).player
    return _respond(circle_token, player_token, writing.set_retired(player, way == "retire", g.membership))


class MergeForm(Form):
    into = StringField(default="")


@blueprint.post("/people/<player_token>/merge")
def merge(circle_token: str, player_token: str) -> Response | tuple[str, int]:
    chosen = MergeForm().into.data
    person_token = _get_person_or_404(circle_token, player_token).player.token
    is_sent_again = person_token != player_token and person_token == chosen
    if is_sent_again:
        return _redirect_to(circle_token, chosen)
    context = _get_changeable_or_404(circle_token, player_token)
    into = context.others.get(chosen)
    if into is None:
        return _page(context, [Problem("into", "who-is-it")]), 422
    result = writing.merge(context.player, into, g.membership)
    if isinstance(result, Table | Event):
        return _page(_get_person_or_404(circle_token, player_token), shared=result), 422
    return _respond(circle_token, chosen if result is None else player_token, result)


@blueprint.post("/people/<player_token>/apart")
def unmerge(circle_token: str, player_token: str) -> Response:
    person = _get_person_or_404(circle_token, player_token).person
    person_token = person.player.token
    merged = next((other for other in person.merged if other.token == player_token), None)
    if merged is not None:
        writing.unmerge(merged, g.membership)
    return _redirect_to(circle_token, person_token)


def _respond(circle_token: str, player_token: str, problem: Problem | None) -> Response | tuple[str, int]:
    if problem is None:
        return _redirect_to(circle_token, player_token)
    return _page(_get_person_or_404(circle_token, player_token), [problem]), 422


def _page(context: PersonContext, problems: Sequence[Problem] = (), shared: Table | Event | None = None) -> str:
    """Show a person, with what was sent and refused. `shared`: where both people of a refused merge played."""
    return render_template(
        "people/player.html",
        circle=context.circle,
        person=context.person,
        activity=_describe_activity(context.person),
        others=context.others,
        problems=problems,
        shared_table=shared if isinstance(shared, Table) else None,
        shared_event=shared if isinstance(shared, Event) else None,
        form=RenameForm(name=context.player.name),
        chosen=MergeForm().into.data,
    )


def _redirect_to(circle_token: str, player_token: str) -> Response:
    return redirect(url_for("people.player", circle_token=circle_token, player_token=player_token), 303)


# --- erasing a name ----------------------------------------------------------------------------------------


class ErasureForm(ConfirmForm):
    earlier = StringField(filters=[clean_name])
    texts = SentField(TEXT)


@blueprint.route("/people/<player_token>/erase", methods=["GET", "POST"])
def erase(circle_token: str, player_token: str) -> str | Response | tuple[str, int]:
    """Erase a name, once it is typed; texts that hold it inside of another word are shown, to change or keep."""
    done = redirect(url_for("people.show", circle_token=circle_token, erased="yes"), 303)
    if request.method == "POST" and _get_person_or_404(circle_token, player_token).player.erased_at is not None:
        return done  # sent again
    context = _get_changeable_or_404(circle_token, player_token)
    form = ErasureForm()
    earlier = [former.strip() for former in (form.earlier.data or "").split(",")]
    if request.method != "POST":
        return _erasure_page(context, form, erasure.list_unclear_texts(context.player))
    result = form.find_problem(context.player.name) or erasure.erase(
        context.player, earlier, g.membership, form.texts.data
    )
    if result is None:
        return done
    context = _get_changeable_or_404(circle_token, player_token)
    if isinstance(result, Problem):
        return _erasure_page(context, form, erasure.list_unclear_texts(context.player, earlier), result), 422
    return _erasure_page(context, form, result), 422


def _erasure_page(context: PersonContext, form: ErasureForm, unclear: list[WrittenText], *problems: Problem) -> str:
    typed: dict[str, str] = form.texts.data
    return render_template(
        "people/erase.html",
        circle=context.circle,
        person=context.person,
        has_payment_details=any(
            player.iban or player.payment_link for player in (context.player, *context.person.merged)
        ),
        form=form,
        open_amounts=[
            words for feature in features() for words in feature.list_open_amounts(context.circle, context.player.name)
        ],
        texts=[(written, typed.get(written.key, written.text)) for written in unclear],
        was_incomplete=request.method == "POST" and any(written.key not in typed for written in unclear),
        problems=problems,
    )


# --- how somebody wants to be paid ------------------------------------------------------------------------


class PaymentDetailsForm(Form):
    iban = StringField()
    payment_link = StringField()


@blueprint.get("/players/<player_token>/paying")
def show_payment_details(circle_token: str, player_token: str) -> str | Response:
    circle = access.get_membership_or_404(circle_token).circle
    person = get_named_or_404(circle, player_token)
    if person.token != player_token:
        return redirect(url_for("people.show_payment_details", circle_token=circle_token, player_token=person.token))
    return _payment_details_page(circle, person)


@blueprint.post("/players/<player_token>/paying")
def set_payment_details(circle_token: str, player_token: str) -> Response | tuple[str, int]:
    membership = access.get_membership_or_404(circle_token, SCORE)
    person = get_named_or_404(membership.circle, player_token)
    if person.token != player_token:  # merged since: what was entered is not the other person's
        abort(404)
    form = PaymentDetailsForm()
    iban, link = parse_iban(form.iban.data), parse_payment_link(form.payment_link.data)
    if isinstance(iban, Problem) or isinstance(link, Problem):
        problems = [each for each in (iban, link) if isinstance(each, Problem)]
        return _payment_details_page(membership.circle, person, form, *problems), 422
    problem = payment_details.set_payment_details(person, PaymentDetails(iban or None, link or None), membership)
    if problem is None:
        return redirect(
            url_for("people.show_payment_details", circle_token=circle_token, player_token=player_token, saved="yes"),
            303,
        )
    circle = access.get_membership_or_404(circle_token).circle
    return _payment_details_page(circle, get_named_or_404(circle, player_token), None, problem), 422


def get_named_or_404(circle: Circle, player_token: str) -> Player:
    """Return the person that a player is; 404 also if their name was erased."""
    person = find_person(circle, player_token)
    if person is None or person.erased_at is not None:
        abort(404)
    return person


def _payment_details_page(
    circle: Circle, person: Player, form: PaymentDetailsForm | None = None, *problems: Problem
) -> str:
    found = payment_details.read_payment_details(circle).get(person.id, PaymentDetails(None, None))
    shown = {"iban": group_iban(found.iban) if found.iban else "", "payment_link": found.link or ""}
    return render_template(
        "people/payment_details.html",
        circle=circle,
        person=person,
        details=shown,
        form=form or PaymentDetailsForm(formdata=None, **shown),
        problems=problems,
        may_change=payment_details.may_change(g.membership, person),
        example_link=EXAMPLE_LINK,
        placeholder=PLACEHOLDER,
    )
