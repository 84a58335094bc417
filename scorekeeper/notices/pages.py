"""Notices: the page on which a phone chooses those that it wants, what the service worker asks, and sending them.

They are sent in the background: to whom is found after a commit, and each has its phone's language. A text names no
amount and nobody but the reader: a phone may lie where others see it. The messages of a kind are `notices.kind.<key>`,
`notices.kind.<key>.explained` and `notices.said.<key>`.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from flask import Blueprint, Flask, current_app, g, has_app_context, redirect, render_template, request, url_for
from flask_wtf.csrf import generate_csrf
from sqlalchemy import event
from werkzeug.wrappers import Response
from wtforms import BooleanField, HiddenField, StringField

from .. import i18n
from ..circles import access
from ..circles.links import is_loopback_url
from ..i18n import in_name_order
from ..models import Circle, NoticeSubscription, db
from ..people.reading import list_active_persons, read_ids_by_token
from ..scoring.problems import Problem
from ..site import rate_limits
from ..site.forms import Form
from ..site.language import t
from ..site.live import live_of
from ..site.occasions import DAY, KINDS, Kind, Notice
from . import receivers
from .push_services import post
from .queue import Job, Queue
from .receivers import Occasion

blueprint = Blueprint("notices", __name__)


class AddressForm(Form):
    """The address that the phone's push service has given it, which a script fills in."""

    endpoint = HiddenField(default="")
    p256dh = HiddenField(default="")
    auth = HiddenField(default="")

    def read(self, site: str) -> dict[str, str]:
        """Return the address, if any; `site` is where its push service finds us."""
        sent = {name: str(self[name].data) for name in ("endpoint", "p256dh", "auth")}
        return sent | {"site": site} if sent["endpoint"] else {}


class NoticesForm(AddressForm):
    """The notices that a phone wants: a field `kind-…` for each kind, and whose phone it is."""

    who = StringField(default="")


@blueprint.get("/circles/<name>/notices")
def show(name: str) -> str:
    access.get_membership_or_404(name)
    current = receivers.find_subscription(g.membership)
    kinds = current.kinds if current is not None else ()
    return _page(NoticesForm(data={f"kind-{key}": True for key in kinds}))


@blueprint.post("/circles/<name>/notices")
def save(name: str) -> Response | tuple[str, int]:
    membership = access.get_membership_or_404(name)
    form = NoticesForm()
    kinds = [key for key in KINDS if form[f"kind-{key}"].data]
    player_id = read_ids_by_token(membership.circle).get(form.who.data or "")
    fields = {"language": g.locale} | form.read(f"https://{request.host}")
    problem = receivers.save(membership, kinds, fields, player_id)
    if problem is None:
        return redirect(url_for("notices.show", name=name, saved="yes"), 303)
    access.get_membership_or_404(name)
    form.endpoint.data = ""  # the script asks for it again
    return _page(form, problem), 422


def _page(form: NoticesForm, *problems: Problem) -> str:
    circle, current = g.membership.circle, receivers.find_subscription(g.membership)
    return render_template(
        "notices/notices.html",
        circle=circle,
        people=_list_owners(circle) if g.membership.player_id is None else [],
        kinds=KINDS,
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
    problems, form = [], AddressForm()
    for membership in access.list_real_memberships():
        row = receivers.find_subscription(membership)
        if row is not None:
            problems.append(receivers.save(membership, row.kinds, form.read(row.site)))
    return "", 422 if any(problems) else 204


# --- sending -----------------------------------------------------------------------------------------------

_EXTENSION = "notices"


def init_app(app: Flask) -> None:
    for key in KINDS:
        setattr(NoticesForm, f"kind-{key}", BooleanField())
    queue = app.extensions[_EXTENSION] = Queue(app)
    live_of(app).at_end.append(queue.stop)


def queue_of(app: Flask) -> Queue:
    queue: Queue = app.extensions[_EXTENSION]
    return queue


@event.listens_for(db.session, "after_commit")
def _add(session: Any) -> None:
    occasions: list[Occasion] = session.info.pop(receivers.QUEUED, [])
    if occasions and has_app_context():
        queue_of(current_app).add(
            Job(each.circle, (each.circle, each.kind, each.subject), partial(_take_up, each)) for each in occasions
        )


def _take_up(occasion: Occasion) -> None:
    kind, jobs = KINDS[occasion.kind], list[Job]()
    expires = time.monotonic() + kind.lifetime
    for circle, subscription, notice in receivers.find_receivers(occasion):
        if rate_limits.may_notify(subscription.token):
            text = _write_text(kind, notice, circle, subscription.language)
            deliver = partial(_deliver, kind, subscription.token, text, expires)
            host = urlsplit(subscription.endpoint).hostname or ""
            jobs.append(Job(circle.name, (circle.name, subscription.token, text["tag"]), deliver, host))
    queue_of(current_app).add(jobs)


def _deliver(kind: Kind, token: str, text: Mapping[str, str], expires: float) -> int | None:
    """Hand a notice over until `expires` by `time.monotonic`; return after how many seconds to try again, if at all."""
    from .encryption import encrypt  # noqa: PLC0415  # 7 MB: see encryption.py

    subscription = receivers.find_wanting(token, kind.key)
    left = int(expires - time.monotonic())
    if subscription is None or left <= 0:
        return None
    endpoint = subscription.endpoint
    body = encrypt(json.dumps(text).encode(), subscription.p256dh, subscription.auth)
    headers = _write_headers(kind, subscription, text["tag"], left)
    db.session.rollback()  # nothing is held while a service is asked
    answer = post(endpoint, body, headers)
    if answer.is_gone:
        receivers.forget_gone(token, endpoint)
    return answer.wait


def _write_headers(kind: Kind, subscription: NoticeSubscription, tag: str, left: int) -> dict[str, str]:
    from .encryption import authorize  # noqa: PLC0415  # 7 MB: see encryption.py

    secret, moment = current_app.config["SECRET_KEY"], int(time.time())
    return {
        "Authorization": authorize(secret, subscription.endpoint, subscription.site, moment),
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "TTL": str(left),
        "Urgency": "high" if kind.lifetime < DAY else "normal",
        "Topic": tag,  # an earlier notice of the same that still waits at the service is replaced
    }


def _write_text(kind: Kind, notice: Notice, circle: Circle, language: str) -> dict[str, str]:
    g.locale, g.names, g.sides, g.circle = i18n.choose_locale([language]), {}, {}, circle
    title, _, more = t(f"notices.said.{kind.key}{notice.variant}", **notice.words()).partition("\n")
    url = current_app.url_map.bind("").build(kind.endpoint, notice.page).removeprefix("/")  # below the site's path
    tag = hashlib.sha256(f"{kind.key} {url}".encode()).hexdigest()[:16]
    return {"title": title, "body": more, "url": url, "tag": tag, "lang": g.locale.replace("_", "-")}
