"""The address of a browser that its push service has renewed, which the service worker stores in all its circles."""

from __future__ import annotations

from flask import Blueprint, Response, current_app, jsonify, request
from flask_wtf.csrf import generate_csrf

from ...push.encryption import get_public_key
from ...scoring.problems import Refusal
from ...services.notices import subscriptions
from ...services.notices.subscriptions import Wanted
from ..support import access
from .sending import IS_TEST

blueprint = Blueprint("renewed_notices", __name__, url_prefix="/notices")


@blueprint.get("")
def prepare() -> Response:
    """Return what the service worker needs to subscribe anew and say so, as JSON."""
    return jsonify(site_key=get_public_key(current_app.config["SECRET_KEY"]), csrf_token=generate_csrf())


@blueprint.post("")
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
