"""The page on which a phone chooses the notices that it wants, and what the service worker asks.

A kind is named there by the messages `notices.kind.<key>` and `notices.kind.<key>.explained`.
"""

from __future__ import annotations

from typing import Any

from flask import Blueprint, current_app, g, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf.csrf import generate_csrf
from wtforms import HiddenField

from ..circles import access
from ..circles.links import is_loopback_url
from ..i18n import in_name_order
from ..models import Circle, Membership
from ..people.reading import list_active_persons, read_ids_by_token
from ..site.fields import ChoiceField, ChoicesField
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

    kinds = ChoicesField()
    who = ChoiceField(default="")

    def __init__(self, circle: Circle, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        people = in_name_order(list_active_persons(circle))
        self.kinds.choices = [(key, t(f"notices.kind.{key}")) for key in read_kinds()]
        self.who.choices = [("", t("notices.who.nobody")), *((person.token, person.name) for person in people)]


@blueprint.get("/circles/<circle_token>/notices")
def show(circle_token: str) -> str:
    membership = access.get_membership_or_404(circle_token)
    current = receivers.find_subscription(membership)
    return _render(membership, NoticesForm(membership.circle, kinds=current.kinds if current is not None else []))


@blueprint.post("/circles/<circle_token>/notices")
def save(circle_token: str) -> ResponseReturnValue:
    membership = access.get_membership_or_404(circle_token)
    form = NoticesForm(membership.circle)
    if form.validate():
        player_id = read_ids_by_token(membership.circle).get(form.who.data)
        address = form.read(f"https://{request.host}")
        problem = receivers.save(membership, form.kinds.data or [], g.locale, address, player_id)
        if problem is None:
            return redirect(url_for("notices.show", circle_token=circle_token, saved="yes"), 303)
        form.add_problems([problem])
        membership = access.reload_membership_or_404(circle_token)
    form.endpoint.data = ""  # the script asks for it again
    return _render(membership, form), 422


def _render(membership: Membership, form: NoticesForm) -> str:
    return render_template(
        "notices/notices.html",
        circle=membership.circle,
        asks_who=membership.player_id is None and len(form.who.choices) > 1,
        current=receivers.find_subscription(membership),
        form=form,
        hints={key: t(f"notices.kind.{key}.explained") for key in read_kinds()},
        site_key=_site_key(),
        needs_https=not request.is_secure and not is_loopback_url(request.host_url),
    )


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
