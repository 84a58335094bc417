"""The calendar that a phone can follow: its secret address, and what programs get there."""

from __future__ import annotations

from flask import Blueprint, Response, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from ..circles import access
from ..circles.links import SharedLink, with_reachable_host
from ..circles.phones import unseal
from ..models import CalendarFeed
from ..site import rate_limits
from ..site.forms import WriteForm
from ..site.http import exclude_from_search_engines
from ..site.language import t
from . import calendars
from .meeting_texts import find_meeting_url

blueprint = Blueprint("calendar", __name__)


@blueprint.get("/circles/<circle_token>/calendar")
def show(circle_token: str) -> str:
    membership = access.get_membership_or_404(circle_token)
    feed = calendars.find_feed(membership)
    return render_template(
        "evenings/calendar.html",
        circle=membership.circle,
        feed=feed,
        link=_find_link(circle_token, feed) if feed is not None else None,
    )


def _find_link(circle_token: str, feed: CalendarFeed) -> SharedLink | None:
    """Return the link to a calendar, if this device can read its secret."""
    secret = unseal(access.device_secret(), feed.sealed_secret)
    if secret is None:
        return None
    url = url_for("calendar.follow", circle_token=circle_token, secret=secret, _external=True)
    return SharedLink(with_reachable_host(url))


@blueprint.post("/circles/<circle_token>/calendar")
def renew(circle_token: str) -> AnyResponse:
    membership = access.get_membership_or_404(circle_token)
    form = WriteForm()
    form.require_valid()
    calendars.renew_feed(membership, form.seen.data, access.device_secret())
    return redirect(url_for("calendar.show", circle_token=circle_token), 303)


@blueprint.get("/calendars/<circle_token>/<secret>.ics")
def follow(circle_token: str, secret: str) -> AnyResponse:
    membership = calendars.find_follower(circle_token, secret)
    if membership is None:
        rate_limits.count_wrong_link()
        abort(404)
    circle = membership.circle
    text = calendars.write_calendar(
        membership,
        circle.title or t("planned.calendar"),
        lambda meeting: with_reachable_host(find_meeting_url(circle, meeting, is_external=True)),
    )
    response = exclude_from_search_engines(Response(text, mimetype="text/calendar"))
    response.add_etag()
    response.cache_control.private = response.cache_control.no_cache = True
    return response.make_conditional(request)
