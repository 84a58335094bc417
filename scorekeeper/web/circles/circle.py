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
from ...scoring.values import clean_name
from ...server.network import in_url, is_loopback, lan_addresses
from ...services import HOST, RIGHTS, SCORE, circles
from ...services.access import links as circle_links
from ...services.access.devices import readable_link_secrets
from ...services.access.links import MAX_BROWSER_NAME, browsers_of, links_joined, live_links
from ...tables.state import evening_of
from ..support import access
from ..support.forms import parse_id
from ..support.language import t
from .forms import ErasureForm, TitleForm

blueprint = Blueprint("circles", __name__)


@blueprint.get("/circles/<name>/")
def show(name: str) -> str:
    """Show a circle's tables and its title."""
    circle = access.get_circle_or_404(name).circle
    return _page(circle, TitleForm(formdata=None, obj=circle))


def _page(circle: Circle, title_form: TitleForm) -> str:
    return render_template(
        "circles/circle.html",
        circle=circle,
        browsers=access.device_browsers(),
        open_tables=services.tables_of(circle, closed=False),
        closed_tables=services.tables_of(circle, closed=True, limit=10),
        title_form=title_form,
    )


@blueprint.post("/circles/<name>/title")
def set_title(name: str) -> Response | tuple[str, int]:
    """Change the circle's title."""
    host = access.get_circle_or_404(name, HOST)
    form = TitleForm()
    problem = circles.set_title(host.circle, form.title.data, host)
    if problem is not None:
        form.add_problem(problem)
        return _page(host.circle, form), 422
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
    urls = {right: _join_url(circle, secret) for right, secret in _link_secrets().items()}
    return render_template(
        "circles/links.html",
        circle=circle,
        rights=RIGHTS,
        links={link.right: link for link in live_links(circle)},
        urls=urls,
        qr_codes={right: _qr_code(url) for right, url in urls.items()},
        browsers=[_listed_browser(browser) for browser in browsers_of(circle)],
        stale=stale,
    )


class ListedBrowser(NamedTuple):
    """A browser that has access to a circle, the rights of the links it joined by, and when it first joined."""

    browser: Browser
    rights: list[str]
    since: datetime


def _listed_browser(browser: Browser) -> ListedBrowser:
    joined = links_joined(browser)
    since = min(
        (browser_link.joined_at for browser_link in joined if browser_link.joined_at), default=browser.created_at
    )
    return ListedBrowser(browser, [browser_link.link.right for browser_link in joined], since)


def _link_secrets() -> dict[str, str]:
    """Return the secrets of the circle's live links that this device can show, by right."""
    return readable_link_secrets(g.browser, access.device_secret())


@blueprint.post("/circles/<name>/links/<right>/renew")
def renew(name: str, right: str) -> Response | tuple[str, int]:
    """Renew the link with the form's id, unless it has been renewed since the page was shown."""
    host = access.get_circle_or_404(name, HOST)
    link_id = parse_id(request.form.get("link"))
    link = next((link for link in host.circle.links if link.id == link_id and link.right == right), None)
    if link is None:
        abort(400 if right in RIGHTS else 404)
    if not circle_links.renew(link, host, access.device_secret()):
        circle = access.get_circle_or_404(name, HOST).circle
        return _links_page(circle, stale=next(link for link in circle.links if link.id == link_id)), 409
    if request.form.get("back") == "recovery":
        return redirect(url_for("circles.recovery", name=name), 303)
    return redirect(url_for("circles.links", name=name, _anchor=right), 303)


@blueprint.post("/circles/<name>/browsers/<int:number>/name")
def rename_browser(name: str, number: int) -> Response:
    """Rename one's own browser, or as a host any."""
    own_browser = access.get_circle_or_404(name)
    browser = next((browser for browser in browsers_of(own_browser.circle) if browser.number == number), None)
    if browser is None:
        abort(404)
    if browser.id != own_browser.id:
        access.get_circle_or_404(name, HOST)
    circle_links.rename_browser(browser, clean_name(request.form.get("name"))[:MAX_BROWSER_NAME], own_browser)
    return redirect(url_for("circles.links", name=name, _anchor="browsers"), 303)


@blueprint.post("/circles/<name>/browsers/<int:number>/end")
def revoke_browser(name: str, number: int) -> Response:
    """Revoke a browser's access; with `renew`, also renew the links that it has joined by."""
    host = access.get_circle_or_404(name, HOST)
    browser = next((browser for browser in host.circle.browsers if browser.number == number), None)
    if browser is None:
        abort(404)
    has_access = browser.revoked_at is None  # false if the form was sent twice
    if has_access and browser.id != host.id:  # a host who left might leave the circle without one
        renew_links = request.form.get("renew") == "yes"
        circle_links.remove_browser(browser, host, access.device_secret(), renew_links=renew_links)
    return redirect(url_for("circles.links", name=name, _anchor="browsers"), 303)


@blueprint.get("/tables/<token>/share")
def share(token: str) -> str:
    """Show a link for another phone at this table: the scoring link, or the link with the browser's own right."""
    table = access.get_table_or_404(token, SCORE)
    circle = table.table.circle
    secrets = _link_secrets()
    right = next((right for right in (SCORE, g.browser.right) if right in secrets), None)
    url = _join_url(circle, secrets[right], token) if right is not None else None
    qr_code = _qr_code(url) if url is not None else None
    return render_template("circles/share.html", table=table, circle=circle, right=right, url=url, qr_code=qr_code)


# --- recovery and erasure ----------------------------------------------------------------------------------


@blueprint.get("/circles/<name>/recovery")
def recovery(name: str) -> str:
    """Show the host's link, to be printed or saved in case the phone is lost; dismiss the reminder about it."""
    host = access.get_circle_or_404(name, HOST)
    url = _recovery_url(host.circle)
    if url is None:
        host_link = next(link for link in live_links(host.circle) if link.right == HOST)
        return render_template("circles/recovery.html", circle=host.circle, url=None, host_link=host_link)
    created_on = _creation_date(host.circle)
    page = render_template(
        "circles/recovery.html", circle=host.circle, url=url, qr_code=_qr_code(url), created_on=created_on
    )
    circles.dismiss_recovery_reminder(host.circle, host)
    return page


@blueprint.get("/circles/<name>/recovery/sheet.html")
def save_recovery(name: str) -> Response:
    """Download the host's link as a self-contained HTML file; dismiss the reminder about it."""
    host = access.get_circle_or_404(name, HOST)
    circle = host.circle
    url = _recovery_url(circle)
    if url is None:
        return redirect(url_for("circles.recovery", name=name), 303)
    sheet = render_template(
        "circles/recovery_sheet.html",
        circle=circle,
        url=url,
        qr_code=_qr_code(url, module_size=6),
        created_on=_creation_date(circle),
    )
    filename = f"scorekeeper-{evening_of(circle.created_at)}.html"
    headers = {"Content-Disposition": f'attachment; filename="{filename}"', "Cache-Control": "no-store"}
    circles.dismiss_recovery_reminder(circle, host)
    return Response(sheet, mimetype="text/html", headers=headers)


@blueprint.post("/circles/<name>/recovery/leave")
def dismiss_recovery_reminder(name: str) -> Response:
    """Dismiss the reminder to save the host's link; its page stays available."""
    host = access.get_circle_or_404(name, HOST)
    circles.dismiss_recovery_reminder(host.circle, host)
    came_from_home = request.form.get("back") == "home"
    return redirect(url_for("home.home") if came_from_home else url_for("circles.show", name=name), 303)


def _recovery_url(circle: Circle) -> str | None:
    """Return the URL of the host's link, or None if this device does not have its secret."""
    secret = _link_secrets().get(HOST)
    return _join_url(circle, secret) if secret is not None else None


def _creation_date(circle: Circle) -> str:
    return format_date(evening_of(circle.created_at), "d MMMM y", locale=g.language)


@blueprint.route("/circles/<name>/erase", methods=["GET", "POST"])
def erase(name: str) -> str | Response | tuple[str, int]:
    """Erase the circle, once its title is typed as a confirmation, or a fixed phrase if it has none."""
    host = access.get_circle_or_404(name, HOST)
    form = ErasureForm.to_confirm(_confirmation_phrase(host.circle))
    if form.validate_on_submit():
        if circles.erase_circle(host.circle_id, host, lambda circle: form.confirms(_confirmation_phrase(circle))):
            access.forget_home(name)
            return redirect(url_for("home.home", erased="yes"), 303)
        host = access.get_circle_or_404(name, HOST)  # the title was changed meanwhile
        form = ErasureForm.to_confirm(_confirmation_phrase(host.circle))
        form.validate()
    page = render_template(
        "circles/erase.html", circle=host.circle, holdings=circles.holdings_of(host.circle), form=form
    )
    return (page, 422) if form.is_submitted() else page


def _confirmation_phrase(circle: Circle) -> str:
    """Return what has to be typed to erase the circle: its title, or a fixed phrase if it has none."""
    return circle.title or t("erase.circle.words")


# --- QR codes and URLs -------------------------------------------------------------------------------------


def _qr_code(url: str, module_size: int | None = None) -> Markup:
    """Draw a QR code as SVG: `module_size` pixels a module, or by default as large as its container."""
    svg = segno.make(url, error="m").svg_inline(
        scale=module_size or 1, omitsize=module_size is None, svgclass="qr", lineclass=None
    )
    return Markup(svg)  # noqa: S704  # drawn by segno


def _join_url(circle: Circle, secret: str, token: str | None = None) -> str:
    return _with_reachable_host(url_for("join.show", name=circle.name, secret=secret, table=token, _external=True))


def _with_reachable_host(url: str) -> str:
    """Replace a loopback host by this machine's address on its network, if it has one that phones can reach.

    Any other host stays: it is the one by which the page was requested.
    """
    parts = urlsplit(url)
    address = _address_on_network() if is_loopback(parts.hostname or "") else None
    if address is None:
        return url
    port = f":{parts.port}" if parts.port else ""
    return urlunsplit(parts._replace(netloc=f"{in_url(address)}{port}"))


def _address_on_network() -> str | None:
    """Return the address at which other phones reach this server without a proxy; None if they cannot."""
    config = current_app.config
    if not config["LISTENS_EVERYWHERE"] or config["PROXIES"]:  # behind a proxy, its port would be another
        return None
    return next(iter(lan_addresses()), None)


@blueprint.app_template_global()
def is_loopback_url(url: str) -> bool:
    """Return whether other phones cannot open a URL, because its host is a loopback name or address."""
    return is_loopback(urlsplit(url).hostname or "")
