"""The recovery link: the host's link, to be printed or saved in case the phone is lost."""

from __future__ import annotations

from flask import Blueprint, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from ...i18n import dates
from ...models import Circle
from ...models.rights import HOST
from ...services.access.links import live_links
from ...services.circles import lifecycle
from ...time_zones import find_evening
from ..support import access
from ..support.addresses import qr_code
from .join import join_url, link_secrets

blueprint = Blueprint("recovery", __name__, url_prefix="/circles/<name>/recovery")


@blueprint.get("")
def show(name: str) -> str:
    """Show the host's link, to be printed or saved in case the phone is lost; dismiss the reminder about it."""
    host = access.get_circle_or_404(name, HOST)
    url = _recovery_url(host.circle)
    if url is None:
        host_link = next(link for link in live_links(host.circle) if link.right == HOST)
        return render_template("circles/recovery.html", circle=host.circle, url=None, host_link=host_link)
    created_on = _creation_date(host.circle)
    page = render_template(
        "circles/recovery.html", circle=host.circle, url=url, qr_code=qr_code(url), created_on=created_on
    )
    lifecycle.dismiss_recovery_reminder(host.circle, host)
    return page


@blueprint.get("/sheet.html")
def download(name: str) -> Response:
    """Download the host's link as a self-contained HTML file; dismiss the reminder about it."""
    host = access.get_circle_or_404(name, HOST)
    circle = host.circle
    url = _recovery_url(circle)
    if url is None:
        return redirect(url_for("recovery.show", name=name), 303)
    sheet = render_template(
        "circles/recovery_sheet.html",
        circle=circle,
        url=url,
        qr_code=qr_code(url, module_size=6),
        created_on=_creation_date(circle),
    )
    filename = f"scorekeeper-{find_evening(circle.created_at, circle.time_zone)}.html"
    headers = {"Content-Disposition": f'attachment; filename="{filename}"', "Cache-Control": "no-store"}
    lifecycle.dismiss_recovery_reminder(circle, host)
    return Response(sheet, mimetype="text/html", headers=headers)


@blueprint.post("/leave")
def dismiss_reminder(name: str) -> Response:
    """Dismiss the reminder to save the host's link; its page stays available."""
    host = access.get_circle_or_404(name, HOST)
    lifecycle.dismiss_recovery_reminder(host.circle, host)
    came_from_home = request.form.get("back") == "home"
    return redirect(url_for("home.home") if came_from_home else url_for("circles.show", name=name), 303)


def _recovery_url(circle: Circle) -> str | None:
    """Return the URL of the host's link, or None if this device does not have its secret."""
    secret = link_secrets().get(HOST)
    return join_url(circle, secret) if secret is not None else None


def _creation_date(circle: Circle) -> str:
    return dates.long_day(find_evening(circle.created_at, circle.time_zone), g.language)
