"""The calendars that a phone can follow: their addresses, and the files behind them."""

from __future__ import annotations

from flask import Blueprint, Response, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from ...exchange.calendars import write_calendar
from ...services.access.devices import unseal
from ...services.planned import feeds
from ...services.planned.evenings import Meeting
from ..circles.join import with_reachable_host
from ..support import access, rate_limits
from ..support.language import t
from ..support.security_headers import exclude_from_search_engines

blueprint = Blueprint("calendars", __name__)

KINDS = {"circle": False, "own": True}  # whether it is personal


@blueprint.get("/circles/<name>/calendars")
def show(name: str) -> str:
    """Show the addresses of this phone's calendars, or the buttons that make them."""
    browser = access.get_circle_or_404(name)
    found = {feed.is_personal: feed for feed in feeds.list_feeds(browser)}
    secrets = {which: unseal(access.device_secret(), feed.sealed_secret) for which, feed in found.items()}
    urls = {
        which: with_reachable_host(url_for("calendars.follow", name=name, secret=secret, _external=True))
        for which, secret in secrets.items()
        if secret is not None
    }
    return render_template("planned/calendars.html", circle=browser.circle, kinds=KINDS, feeds=found, urls=urls)


@blueprint.post(f"/circles/<name>/calendars/<any{tuple(KINDS)}:calendar>")
def renew(name: str, calendar: str) -> AnyResponse:
    """Make the address of a calendar, or another one in its place."""
    browser = access.get_circle_or_404(name)
    feeds.renew_feed(browser, KINDS[calendar], request.form.get("seen", ""), access.device_secret())
    return redirect(url_for("calendars.show", name=name, _anchor=calendar), 303)


@blueprint.get("/calendars/<name>/<secret>.ics")
def follow(name: str, secret: str) -> AnyResponse:
    """Return the calendar at a secret address, or 304 if it has not changed.

    Raises:
        RateLimitExceeded: too many wrong addresses came from this network address, or in total.
    """
    found = feeds.find_feed(name, secret)
    if found is None:
        rate_limits.count_wrong_link()
        abort(404)
    feed, browser = found

    def find_url(meeting: Meeting) -> str:
        token, day = meeting.evening.token, meeting.day
        return with_reachable_host(url_for("planned.show", name=name, planned_token=token, day=day, _external=True))

    entries = feeds.list_entries(feed, browser, find_url)
    text = write_calendar(browser.circle.title or t("planned.calendar"), feeds.find_zone(browser.circle), entries)
    response = exclude_from_search_engines(Response(text, mimetype="text/calendar"))
    response.add_etag()
    response.cache_control.private = response.cache_control.no_cache = True
    return response.make_conditional(request)
