"""The page on which a phone chooses the notices that it wants, and what the service worker asks.

A kind is named there by the messages `notices.kind.<key>` and `notices.kind.<key>.explained`.
"""

from __future__ import annotations

from flask import Blueprint, current_app, g, redirect, render_template, request, url_for
from flask_wtf.csrf import generate_csrf
from werkzeug.wrappers import Response
from wtforms import HiddenField, SelectMultipleField, StringField

from ..circles import access
from ..circles.links import is_loopback_url
from ..i18n import in_name_order
from ..models import Circle
from ..people.reading import list_active_persons, read_ids_by_token
from ..scoring.problems import Problem
from ..site.forms import Form
from ..site.language import t
from ..site.occasions import read_kinds
from . import receivers
from .receivers import Address

blueprint = Blueprint("notices", __name__)


class AddressForm(Form):
    """The address that the phone's push service has given it, which a script fills in."""

    endpoint = HiddenField(default="")
    p256dh = HiddenField(default="")
    auth = HiddenField(default="")

    def read(self, site: str) -> Address | None:
        """Return the address, if any; `site` is where its push service finds us."""
        endpoint = self.endpoint.data
        return Address(endpoint, self.p256dh.data, self.auth.data, site) if endpoint else None


class NoticesForm(AddressForm):
    """The notices that a phone wants, and whose phone it is."""

    kinds = SelectMultipleField(validate_choice=False)  # a kind that is no longer there is left out
    who = StringField(default="")


@blueprint.get("/circles/<circle_token>/notices")
def show(circle_token: str) -> str:
    access.get_membership_or_404(circle_token)
    current = receivers.find_subscription(g.membership)
    return _render(NoticesForm(data={"kinds": current.kinds if current is not None else []}))


@blueprint.post("/circles/<circle_token>/notices")
def save(circle_token: str) -> Response | tuple[str, int]:
    membership = access.get_membership_or_404(circle_token)
    form = NoticesForm()
    kinds = [key for key in read_kinds() if key in form.kinds.data]
    player_id = read_ids_by_token(membership.circle).get(form.who.data or "")
    problem = receivers.save(membership, kinds, g.locale, form.read(f"https://{request.host}"), player_id)
    if problem is None:
        return redirect(url_for("notices.show", circle_token=circle_token, saved="yes"), 303)
    access.get_membership_or_404(circle_token)  # the write has expired what was loaded
    form.endpoint.data = ""  # the script asks for it again
    return _render(form, problem), 422


def _render(form: NoticesForm, *problems: Problem) -> str:
    circle = g.membership.circle
    current = receivers.find_subscription(g.membership)
    return render_template(
        "notices/notices.html",
        circle=circle,
        people=_list_owners(circle) if g.membership.player_id is None else [],
        kinds=read_kinds(),
        current=current,
        form=form,
        site_key=_site_key(),
        needs_https=not request.is_secure and not is_loopback_url(request.host_url),
        problems=problems,
    )


def _list_owners(circle: Circle) -> list[tuple[str, str]]:
    people = [(person.token, person.name) for person in in_name_order(list_active_persons(circle))]
    return [("", t("notices.who.nobody")), *people] if people else []


def _site_key() -> str:
    from .encryption import get_public_key  # noqa: PLC0415  # 7 MB: see encryption.py

    return get_public_key(current_app.config["SECRET_KEY"])


# --- an address that the push service has renewed, which the service worker stores in all its circles


@blueprint.get("/notices")
def prepare() -> dict[str, str]:
    return {"site_key": _site_key(), "csrf_token": generate_csrf()}


@blueprint.post("/notices")
def renew() -> tuple[str, int]:
    problems = []
    form = AddressForm()
    for membership in access.list_real_memberships():
        row = receivers.find_subscription(membership)
        if row is not None:
            problems.append(receivers.save(membership, row.kinds, row.language, form.read(row.site)))
    return "", 422 if any(problems) else 204
