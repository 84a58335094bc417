"""A circle's own pages: its tables, its links as QR codes, the browsers that came in by them."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit, urlunsplit

import segno
from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from markupsafe import Markup
from werkzeug.wrappers import Response

from .. import book
from ..book import HOST, RIGHTS, SCORE, circles
from ..book.circles import browsers_of, live_links
from ..serve import address_on_the_network
from ..store import Browser, Circle
from . import access
from .forms import one_line

blueprint = Blueprint("circles", __name__)

MOST_IN_NAME = 40  # letters in what a browser is called


@blueprint.get("/circles/<name>/")
def show(name: str) -> str:
    circle = access.circle_or_not_yours(name).circle
    return render_template(
        "circles/circle.html",
        circle=circle,
        open_tables=book.tables_of(circle, closed=False),
        closed_tables=book.tables_of(circle, closed=True),
        browsers=browsers_of(circle),
    )


@blueprint.get("/circles/<name>/links")
def links(name: str) -> str:
    """The links whose secrets this browser knows; a host may renew any of them."""
    circle = access.circle_or_not_yours(name).circle
    known = access.known_links(circle)
    shown = {link.right: _address(circle, known[link.right]) for link in live_links(circle) if link.right in known}
    return render_template(
        "circles/links.html", circle=circle, rights=RIGHTS, links=shown, codes={r: _code(a) for r, a in shown.items()}
    )


@blueprint.post("/circles/<name>/links/<right>/renew")
def renew(name: str, right: str) -> Response:
    me = access.circle_or_not_yours(name, HOST)
    link = next((link for link in live_links(me.circle) if link.right == right), None)
    if link is None:
        abort(404)
    access.learn(name, {right: circles.renew(link, me)})
    return redirect(url_for("circles.links", name=name, _anchor=right), 303)


@blueprint.post("/circles/<name>/browsers/<int:number>/name")
def rename_browser(name: str, number: int) -> Response:
    """One may name one's own browser; a host may name any."""
    me = access.circle_or_not_yours(name)
    browser = _browser(me.circle, number)
    if browser.id != me.id:
        access.circle_or_not_yours(name, HOST)
    circles.rename_browser(browser, one_line(request.form.get("name"))[:MOST_IN_NAME])
    return redirect(url_for("circles.show", name=name, _anchor="browsers"), 303)


@blueprint.post("/circles/<name>/browsers/<int:number>/end")
def show_out(name: str, number: int) -> Response:
    me = access.circle_or_not_yours(name, HOST)
    browser = _browser(me.circle, number)
    if browser.id != me.id:  # a host who leaves would leave nobody to let them in again
        circles.show_out(browser)
    return redirect(url_for("circles.show", name=name, _anchor="browsers"), 303)


@blueprint.get("/tables/<token>/share")
def share(token: str) -> str:
    """The way in for another phone at this table: the link to score by, for who may hand it on."""
    table = access.table_or_not_yours(token, SCORE)
    circle = table.table.circle
    known = access.known_links(circle)
    right = next((right for right in (SCORE, g.browser.link.right) if right in known), None)
    link = _address(circle, known[right], token) if right is not None else None
    code = _code(link) if link is not None else None
    return render_template("circles/share.html", table=table, circle=circle, right=right, link=link, code=code)


def _browser(circle: Circle, number: int) -> Browser:
    found = next((browser for browser in browsers_of(circle) if browser.number == number), None)
    if found is None:
        abort(404)
    return found


def _code(link: str) -> Markup:
    drawn = segno.make(link, error="m").svg_inline(scale=1, omitsize=True, svgclass="qr", lineclass=None)
    return Markup(drawn)  # noqa: S704  # drawn by segno


def _address(circle: Circle, secret: str, token: str | None = None) -> str:
    return _reachable(url_for("front.join", name=circle.name, secret=secret, table=token, _external=True))


def _reachable(link: str) -> str:
    """The link as another phone can open it: this machine calls itself localhost, the network does not."""
    parts = urlsplit(link)
    if not _is_this_machine(parts.hostname or ""):
        return link
    port = f":{parts.port}" if parts.port else ""
    return urlunsplit(parts._replace(netloc=f"{address_on_the_network()}{port}"))


def _is_this_machine(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
