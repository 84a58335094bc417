"""Notices: the page on which a phone chooses those that it wants, and what the service worker asks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flask import Blueprint, current_app, g, jsonify, redirect, render_template, request, url_for
from flask_wtf.csrf import generate_csrf
from werkzeug.wrappers import Response

from ...push.encryption import get_public_key
from ...push.services import read_unreachable
from ...scoring.problems import Refusal
from ...services.circles.players import list_players, read_ids_by_token
from ...services.notices import subscriptions
from ...services.notices.kinds import KINDS
from ...services.notices.subscriptions import Wanted
from ...services.outcome import Done
from ..support import access
from ..support.forms import read_choice
from ..support.language import in_name_order
from .sending import IS_TEST

blueprint = Blueprint("notices", __name__)


@blueprint.get("/circles/<name>/notices")
def show(name: str) -> str:
    """Show the notices that this phone has chosen."""
    access.get_circle_or_404(name)
    return _page()


@blueprint.post("/circles/<name>/notices")
def save(name: str) -> Response | tuple[str, int]:
    """Store the notices that this phone has chosen."""
    browser = access.get_circle_or_404(name)
    wanted = Wanted(
        tuple(key for key in KINDS if read_choice(f"kind-{key}", "yes") is not None),
        request.form.get("endpoint", ""),
        request.form.get("p256dh", ""),
        request.form.get("auth", ""),
        site=f"https://{request.host}",
        language=g.language,
        player_id=read_ids_by_token(browser.circle).get(request.form.get("who", "")),
        is_test=current_app.config[IS_TEST],
    )
    result = subscriptions.save(browser, wanted, request.form.get("seen", ""))
    if isinstance(result, Done):
        return redirect(url_for("notices.show", name=name, saved="yes"), 303)
    access.get_circle_or_404(name)
    if isinstance(result, Refusal):
        return _page(wanted, problems=result.problems), 422
    return _page(wanted, is_stale=True), 409


def _page(wanted: Wanted | None = None, **more: Any) -> str:
    """Render the page. `wanted` was not stored; `more` says why."""
    circle = g.browser.circle
    current = subscriptions.find_subscription(g.browser)
    stored = current.kinds if current is not None else ()
    return render_template(
        "notices/notices.html",
        circle=circle,
        people=in_name_order(list_players(circle)) if g.browser.player_id is None else (),
        kinds=KINDS,
        current=current,
        chosen=wanted.kinds if wanted is not None else stored,
        seen=subscriptions.find_mark(current),
        site_key=get_public_key(current_app.config["SECRET_KEY"]),
        unreachable=read_unreachable(Path(current_app.instance_path)),
        **more,
    )


# --- an address that the push service has renewed, which the service worker stores in all its circles


@blueprint.get("/notices")
def prepare() -> Response:
    """Return what the service worker needs to subscribe anew and say so, as JSON."""
    return jsonify(site_key=get_public_key(current_app.config["SECRET_KEY"]), csrf_token=generate_csrf())


@blueprint.post("/notices")
def renew() -> tuple[str, int]:
    """Store the browser's new address in each circle in which it wants notices; its choices stay."""
    results = []
    for browser in access.device_browsers():
        row = subscriptions.find_subscription(browser)
        if row is not None:
            wanted = Wanted(
                tuple(row.kinds),
                request.form.get("endpoint", ""),
                request.form.get("p256dh", ""),
                request.form.get("auth", ""),
                site=row.site,
                language=row.language,
                is_test=current_app.config[IS_TEST],
            )
            results.append(subscriptions.save(browser, wanted, subscriptions.find_mark(row)))
    return "", 422 if any(isinstance(result, Refusal) for result in results) else 204
