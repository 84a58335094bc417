"""A circle's pages: its tables, its links as QR codes, the browsers that have joined, its recovery link and erasure."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

import segno
from babel.dates import format_date
from flask import Blueprint, abort, current_app, g, redirect, render_template, request, url_for
from markupsafe import Markup
from werkzeug.wrappers import Response

from ... import services
from ...models import Browser, Circle, Link
from ...scoring.problems import Problem
from ...server.network import in_url, is_loopback, lan_addresses
from ...services import HOST, RIGHTS, SCORE, circles
from ...services.access import links as circle_links
from ...services.access.devices import readable_link_secrets
from ...services.access.links import MAX_BROWSER_NAME, browsers_of, links_joined, live_links
from ...tables.state import evening_of
from ..support import access
from ..support.forms import is_typed, one_line, parse_id
from ..support.language import t

blueprint = Blueprint("circles", __name__)


@blueprint.get("/circles/<name>/")
def show(name: str) -> str:
    """Show a circle's tables and its title."""
    return _page(access.get_circle_or_404(name).circle)


def _page(circle: Circle, typed: str | None = None, problem: Problem | None = None) -> str:
    return render_template(
        "circles/circle.html",
        circle=circle,
        mine=access.everywhere(),
        open_tables=services.tables_of(circle, closed=False),
        closed_tables=services.tables_of(circle, closed=True, limit=10),
        typed=circle.title if typed is None else typed,
        problem=problem,
    )


@blueprint.post("/circles/<name>/title")
def set_title(name: str) -> Response | tuple[str, int]:
    """Change the circle's title."""
    me = access.get_circle_or_404(name, HOST)
    typed = one_line(request.form.get("title"))
    problem = circles.set_title(me.circle, typed, me)
    if problem is not None:
        return _page(me.circle, typed, problem), 422
    return redirect(url_for("circles.show", name=name), 303)


# --- links and browsers ------------------------------------------------------------------------------------


@blueprint.get("/circles/<name>/links")
def links(name: str) -> str:
    """Show the circle's links and the browsers that have joined."""
    return _links_page(access.get_circle_or_404(name).circle)


def _links_page(circle: Circle, stale: Link | None = None) -> str:
    """Render the page with the links whose secrets this device has; a host may renew the others, too.

    `stale`: a link that this request was to renew, and that another host has renewed already.
    """
    shown = {right: _address(circle, secret) for right, secret in _known().items()}
    return render_template(
        "circles/links.html",
        circle=circle,
        rights=RIGHTS,
        live={link.right: link for link in live_links(circle)},
        links=shown,
        codes={right: _code(link) for right, link in shown.items()},
        browsers=[_listed(browser) for browser in browsers_of(circle)],
        stale=stale,
    )


class ListedBrowser(NamedTuple):
    """A browser that has access to a circle."""

    browser: Browser
    rights: list[str]
    since: datetime


def _listed(browser: Browser) -> ListedBrowser:
    joined = links_joined(browser)
    since = min((held.joined_at for held in joined if held.joined_at), default=browser.first_at)
    return ListedBrowser(browser, [held.link.right for held in joined], since)


def _known() -> dict[str, str]:
    """Return the secrets, by right, of the links that this device knows and that open the circle."""
    return readable_link_secrets(g.browser, access.device_secret())


@blueprint.post("/circles/<name>/links/<right>/renew")
def renew(name: str, right: str) -> Response | tuple[str, int]:
    """Renew the link with the form's id, unless it has been renewed since the page was shown."""
    me = access.get_circle_or_404(name, HOST)
    link_id = parse_id(request.form.get("link"))
    link = next((link for link in me.circle.links if link.id == link_id and link.right == right), None)
    if link is None:
        abort(400 if right in RIGHTS else 404)
    if not circle_links.renew(link, me, access.device_secret()):
        circle = access.get_circle_or_404(name, HOST).circle
        return _links_page(circle, stale=next(link for link in circle.links if link.id == link_id)), 409
    if request.form.get("back") == "recovery":
        return redirect(url_for("circles.recovery", name=name), 303)
    return redirect(url_for("circles.links", name=name, _anchor=right), 303)


@blueprint.post("/circles/<name>/browsers/<int:number>/name")
def rename_browser(name: str, number: int) -> Response:
    """Rename one's own browser, or as a host any."""
    me = access.get_circle_or_404(name)
    browser = _browser(me.circle, number)
    if browser.id != me.id:
        access.get_circle_or_404(name, HOST)
    circle_links.rename_browser(browser, one_line(request.form.get("name"))[:MAX_BROWSER_NAME], me)
    return redirect(url_for("circles.links", name=name, _anchor="browsers"), 303)


@blueprint.post("/circles/<name>/browsers/<int:number>/end")
def revoke_browser(name: str, number: int) -> Response:
    """Revoke a browser's access; with `renew`, also renew the links that it has joined by."""
    me = access.get_circle_or_404(name, HOST)
    browser = next((browser for browser in me.circle.browsers if browser.number == number), None)
    if browser is None:
        abort(404)
    has_access = browser.ended_at is None  # false if the form was sent twice
    if has_access and browser.id != me.id:  # a host who left might leave the circle without one
        renew_links = request.form.get("renew") == "yes"
        circle_links.remove_browser(browser, me, access.device_secret(), renew_links=renew_links)
    return redirect(url_for("circles.links", name=name, _anchor="browsers"), 303)


@blueprint.get("/tables/<token>/share")
def share(token: str) -> str:
    """Show a link for another phone at this table: to score, or with one's own right if that link is not known."""
    table = access.get_table_or_404(token, SCORE)
    circle = table.table.circle
    known = _known()
    right = next((right for right in (SCORE, g.browser.right) if right in known), None)
    link = _address(circle, known[right], token) if right is not None else None
    code = _code(link) if link is not None else None
    return render_template("circles/share.html", table=table, circle=circle, right=right, link=link, code=code)


def _browser(circle: Circle, number: int) -> Browser:
    found = next((browser for browser in browsers_of(circle) if browser.number == number), None)
    if found is None:
        abort(404)
    return found


# --- the way back in, and the end --------------------------------------------------------------------------


@blueprint.get("/circles/<name>/recovery")
def recovery(name: str) -> str:
    """Show the host's link, to be printed or saved in case the phone is lost; dismiss the reminder about it."""
    me = access.get_circle_or_404(name, HOST)
    link = _way_back(me.circle)
    if link is None:
        host_link = next(link for link in live_links(me.circle) if link.right == HOST)
        return render_template("circles/recovery.html", circle=me.circle, link=None, host_link=host_link)
    made = _made_on(me.circle)
    page = render_template("circles/recovery.html", circle=me.circle, link=link, code=_code(link), made=made)
    circles.dismiss_recovery_reminder(me.circle, me)
    return page


@blueprint.get("/circles/<name>/recovery/sheet.html")
def save_recovery(name: str) -> Response:
    """Download the host's link as a self-contained HTML file; dismiss the reminder about it."""
    me = access.get_circle_or_404(name, HOST)
    circle = me.circle
    link = _way_back(circle)
    if link is None:
        return redirect(url_for("circles.recovery", name=name), 303)
    sheet = render_template(
        "circles/recovery_sheet.html", circle=circle, link=link, code=_code(link, scale=6), made=_made_on(circle)
    )
    file = f"scorekeeper-{evening_of(circle.made_at)}.html"
    headers = {"Content-Disposition": f'attachment; filename="{file}"', "Cache-Control": "no-store"}
    circles.dismiss_recovery_reminder(circle, me)
    return Response(sheet, mimetype="text/html", headers=headers)


@blueprint.post("/circles/<name>/recovery/leave")
def dismiss_recovery_reminder(name: str) -> Response:
    """Dismiss the reminder to save the host's link; its page stays available."""
    me = access.get_circle_or_404(name, HOST)
    circles.dismiss_recovery_reminder(me.circle, me)
    is_home = request.form.get("back") == "home"
    return redirect(url_for("home.home") if is_home else url_for("circles.show", name=name), 303)


def _way_back(circle: Circle) -> str | None:
    """The host's link, where this browser knows it."""
    secret = _known().get(HOST)
    return _address(circle, secret) if secret is not None else None


def _made_on(circle: Circle) -> str:
    return format_date(evening_of(circle.made_at), "d MMMM y", locale=g.language)


@blueprint.route("/circles/<name>/erase", methods=["GET", "POST"])
def erase(name: str) -> str | Response | tuple[str, int]:
    """Erase the circle, once its title is typed as a confirmation, or a fixed phrase if it has none."""
    me = access.get_circle_or_404(name, HOST)
    typed = one_line(request.form.get("typed"))
    if request.method == "POST" and is_typed(typed, _words_to_erase(me.circle)):
        if circles.erase_circle(me.circle_id, me, lambda circle: is_typed(typed, _words_to_erase(circle))):
            access.forget(name)
            return redirect(url_for("home.home", erased="yes"), 303)
        me = access.get_circle_or_404(name, HOST)
    circle, words = me.circle, _words_to_erase(me.circle)
    page = render_template(
        "circles/erase.html",
        circle=circle,
        lost=circles.holdings_of(circle),
        words=words,
        typed=typed,
        problem=Problem("typed", "not-the-words", {"must": words}) if request.method == "POST" else None,
    )
    return (page, 422) if request.method == "POST" else page


def _words_to_erase(circle: Circle) -> str:
    return circle.title or t("erase.circle.words")


# --- codes and addresses -----------------------------------------------------------------------------------


def _code(link: str, scale: int | None = None) -> Markup:
    """Drawn `scale` pixels a module; as large as its place, where no scale is told."""
    drawn = segno.make(link, error="m").svg_inline(
        scale=scale or 1, omitsize=scale is None, svgclass="qr", lineclass=None
    )
    return Markup(drawn)  # noqa: S704  # drawn by segno


def _address(circle: Circle, secret: str, token: str | None = None) -> str:
    return _reachable(url_for("join.show", name=circle.name, secret=secret, table=token, _external=True))


def _reachable(link: str) -> str:
    """Return the link as another phone can open it: with the address at which the page was requested.

    Only where that is this machine's name for itself, it is the machine's address on its network, if it has one.
    """
    parts = urlsplit(link)
    address = _address_on_network() if is_loopback(parts.hostname or "") else None
    if address is None:
        return link
    port = f":{parts.port}" if parts.port else ""
    return urlunsplit(parts._replace(netloc=f"{in_url(address)}{port}"))


def _address_on_network() -> str | None:
    """Return the address at which other phones reach this server without a proxy; None if they cannot."""
    config = current_app.config
    if not config["LISTENS_EVERYWHERE"] or config["PROXIES"]:  # behind a proxy, its port would be another
        return None
    return next(iter(lan_addresses()), None)


@blueprint.app_template_global()
def works_only_here(link: str) -> bool:
    """Return whether other phones cannot open a link, because its host is a loopback name or address."""
    return is_loopback(urlsplit(link).hostname or "")
