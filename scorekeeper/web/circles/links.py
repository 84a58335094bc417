"""A circle's links as URLs and QR codes, and the browsers that have joined by them."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple
from urllib.parse import urlsplit

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from ...limits import MAX_BROWSER_NAME
from ...models import Browser, Circle, Link
from ...models.rights import HOST, RIGHTS, SCORE
from ...network import is_loopback
from ...scoring.values import clean_name
from ...services.access import links
from ...services.access.links import links_joined, list_browsers, live_links
from ..support import access
from ..support.addresses import qr_code
from ..support.forms import read_choice, require_shown
from .join import join_url, link_secrets

blueprint = Blueprint("links", __name__)


@blueprint.get("/circles/<name>/links")
def show(name: str) -> str:
    """Show the circle's links and the browsers that have joined."""
    return _links_page(access.get_circle_or_404(name).circle)


def _links_page(circle: Circle, stale: Link | None = None) -> str:
    """Render the page with the links whose secrets this device has; a host may renew the others, too.

    `stale`: a link that this request was to renew, and that another host has renewed already.
    """
    urls = {right: join_url(circle, secret) for right, secret in link_secrets().items()}
    return render_template(
        "circles/links.html",
        circle=circle,
        rights=RIGHTS,
        links={link.right: link for link in live_links(circle)},
        urls=urls,
        qr_codes={right: qr_code(url) for right, url in urls.items()},
        browsers=[_listed_browser(browser) for browser in list_browsers(circle)],
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


@blueprint.post("/circles/<name>/links/<right>/renew")
def renew(name: str, right: str) -> Response | tuple[str, int]:
    """Renew the link that the form names by its hash, unless it has been renewed since the page was shown."""
    host = access.get_circle_or_404(name, HOST)
    named = request.form.get("link")
    link = next((link for link in host.circle.links if link.secret_hash == named and link.right == right), None)
    if link is None:
        abort(400 if right in RIGHTS else 404)
    if not links.renew(link, host, access.device_secret()):
        circle = access.get_circle_or_404(name, HOST).circle
        return _links_page(circle, stale=next(link for link in circle.links if link.secret_hash == named)), 409
    if request.form.get("back") == "recovery":
        return redirect(url_for("recovery.show", name=name), 303)
    return redirect(url_for("links.show", name=name, _anchor=right), 303)


@blueprint.post("/circles/<name>/browsers/<int:number>/name")
def rename_browser(name: str, number: int) -> Response:
    """Rename one's own browser, or as a host any."""
    own_browser = access.get_circle_or_404(name)
    browser = next((browser for browser in list_browsers(own_browser.circle) if browser.number == number), None)
    if browser is None:
        abort(404)
    if browser.id != own_browser.id:
        access.get_circle_or_404(name, HOST)
    require_shown(browser)
    links.rename_browser(browser, clean_name(request.form.get("name"))[:MAX_BROWSER_NAME], own_browser)
    return redirect(url_for("links.show", name=name, _anchor="browsers"), 303)


@blueprint.post("/circles/<name>/browsers/<int:number>/end")
def revoke_browser(name: str, number: int) -> Response:
    """Revoke a browser's access; with `renew`, also renew the links that it has joined by."""
    host, renew_links = access.get_circle_or_404(name, HOST), read_choice("renew", "yes") is not None
    browser = next((browser for browser in host.circle.browsers if browser.number == number), None)
    if browser is None:
        abort(404)
    require_shown(browser)
    has_access = browser.revoked_at is None  # false if the form was sent twice
    if has_access and browser.id != host.id:  # a host who left might leave the circle without one
        links.remove_browser(browser, host, access.device_secret(), renew_links=renew_links)
    return redirect(url_for("links.show", name=name, _anchor="browsers"), 303)


@blueprint.get("/tables/<token>/share")
def share(token: str) -> str:
    """Show a link for another phone at this table: the scoring link, or the link with the browser's own right."""
    table = access.get_table_or_404(token, SCORE, needs_rules=False)
    circle = table.stored.circle
    secrets = link_secrets()
    right = next((right for right in (SCORE, g.browser.right) if right in secrets), None)
    url = join_url(circle, secrets[right], token) if right is not None else None
    return render_template(
        "circles/share.html",
        table=table,
        circle=circle,
        right=right,
        url=url,
        qr_code=qr_code(url) if url is not None else None,
    )


@blueprint.app_template_global()
def is_loopback_url(url: str) -> bool:
    """Return whether other phones cannot open a URL, because its host is a loopback name or address."""
    return is_loopback(urlsplit(url).hostname or "")
