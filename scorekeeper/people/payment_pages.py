"""The page of how somebody wants to be paid."""

from __future__ import annotations

from flask import Blueprint, abort, g, redirect, render_template, url_for
from werkzeug.wrappers import Response
from wtforms import StringField

from ..circles import access
from ..models import SCORE, Circle, Player
from ..scoring.problems import Problem
from ..site.forms import Form
from .payment_details import (
    EXAMPLE_LINK,
    PLACEHOLDER,
    PaymentDetails,
    group_iban,
    may_change,
    parse_iban,
    parse_payment_link,
    read_payment_details,
    set_payment_details,
)
from .players import read_ids_by_token, read_persons

blueprint = Blueprint("paying", __name__, url_prefix="/circles/<name>")


class PaymentDetailsForm(Form):
    """How a person wants to be paid, as it is typed; blank for what they leave open."""

    iban = StringField()
    payment_link = StringField()


@blueprint.get("/players/<player_token>/paying")
def details(name: str, player_token: str) -> str | Response:
    """Show how a person wants to be paid; a merged player's URL redirects to the person."""
    circle = access.get_circle_or_404(name).circle
    person = _get_person_or_404(circle, player_token)
    if person.token != player_token:
        return redirect(url_for("paying.details", name=name, player_token=person.token))
    return _details_page(circle, person)


@blueprint.post("/players/<player_token>/paying")
def change(name: str, player_token: str) -> Response | tuple[str, int]:
    """Set how a person wants to be paid."""
    membership = access.get_circle_or_404(name, SCORE)
    person = _get_person_or_404(membership.circle, player_token)
    if person.token != player_token:  # merged since: what was entered is not the other person's
        abort(404)
    form = PaymentDetailsForm()
    iban, link = parse_iban(form.iban.data), parse_payment_link(form.payment_link.data)
    if isinstance(iban, Problem) or isinstance(link, Problem):
        problems = [each for each in (iban, link) if isinstance(each, Problem)]
        return _details_page(membership.circle, person, form, *problems), 422
    problem = set_payment_details(person, PaymentDetails(iban or None, link or None), membership)
    if problem is None:
        return redirect(url_for("paying.details", name=name, player_token=player_token, saved="yes"), 303)
    circle = access.get_circle_or_404(name).circle
    return _details_page(circle, _get_person_or_404(circle, player_token), None, problem), 422


def _get_person_or_404(circle: Circle, player_token: str) -> Player:
    """Return the person that a player is; 404 if their name is erased."""
    person = read_persons(circle).get(read_ids_by_token(circle).get(player_token, 0))
    if person is None or person.erased_at is not None:
        abort(404)
    return person


def _details_page(circle: Circle, person: Player, form: PaymentDetailsForm | None = None, *problems: Problem) -> str:
    """Render a person's details: `form` as it was sent and refused, or what is stored."""
    found = read_payment_details(circle).get(person.id, PaymentDetails(None, None))
    shown = {"iban": group_iban(found.iban) if found.iban else "", "payment_link": found.link or ""}
    return render_template(
        "people/payment_details.html",
        circle=circle,
        person=person,
        iban=shown["iban"],
        link=shown["payment_link"],
        form=form or PaymentDetailsForm(formdata=None, **shown),
        problems=problems,
        may_change=may_change(g.membership, person),
        example_link=EXAMPLE_LINK,
        placeholder=PLACEHOLDER,
    )
