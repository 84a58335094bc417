"""A circle's own pages: its tables, its links as QR codes, the browsers that came in by them, its recovery and end."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit, urlunsplit

import segno
from babel.dates import format_date
from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from markupsafe import Markup
from werkzeug.wrappers import Response

from .. import book
from ..book import HOST, RIGHTS, SCORE, circles
from ..book.circles import MOST_IN_NAME, browsers_of, live_links
from ..scoring.remarks import Remark
from ..serve import address_on_the_network
from ..store import Browser, Circle
from ..table import evening_of
from . import access
from .forms import is_typed, one_line
from .language import t

blueprint = Blueprint("circles", __name__)


@blueprint.get("/circles/<name>/")
def show(name: str) -> str:
    return _page(access.circle_or_not_yours(name).circle)


def _page(circle: Circle, typed: str | None = None, remark: Remark | None = None) -> str:
    return render_template(
        "circles/circle.html",
        circle=circle,
        mine=access.everywhere(),
        open_tables=book.tables_of(circle, closed=False),
        closed_tables=book.tables_of(circle, closed=True, most=10),
        typed=circle.title if typed is None else typed,
        remark=remark,
    )


@blueprint.post("/circles/<name>/title")
def entitle(name: str) -> Response | tuple[str, int]:
    circle = access.circle_or_not_yours(name, HOST).circle
    typed = one_line(request.form.get("title"))
    remark = circles.entitle(circle, typed)
    if remark is not None:
        return _page(circle, typed, remark), 422
    return redirect(url_for("circles.show", name=name), 303)


# --- links and browsers ------------------------------------------------------------------------------------


@blueprint.get("/circles/<name>/links")
def links(name: str) -> str:
    """The links whose secrets this browser knows; a host may renew any of them. And who came in by them."""
    circle = access.circle_or_not_yours(name).circle
    shown = {right: _address(circle, secret) for right, secret in _known(circle).items()}
    return render_template(
        "circles/links.html",
        circle=circle,
        rights=RIGHTS,
        links=shown,
        codes={right: _code(link) for right, link in shown.items()},
        browsers=browsers_of(circle),
    )


def _known(circle: Circle) -> dict[str, str]:
    """The secrets, by right, that this browser knows and that still open the circle."""
    known = access.known_links(circle)
    return {
        link.right: known[link.right]
        for link in live_links(circle)
        if link.right in known and circles.opens(link, known[link.right])
    }


@blueprint.post("/circles/<name>/links/<right>/renew")
def renew(name: str, right: str) -> Response:
    me = access.circle_or_not_yours(name, HOST)
    link = next((link for link in live_links(me.circle) if link.right == right), None)
    if link is None:
        abort(404)
    access.learn(name, {right: circles.renew(link, me)})
    if request.form.get("back") == "recovery":
        return redirect(url_for("circles.recovery", name=name), 303)
    return redirect(url_for("circles.links", name=name, _anchor=right), 303)


@blueprint.post("/circles/<name>/browsers/<int:number>/name")
def rename_browser(name: str, number: int) -> Response:
    """One may name one's own browser; a host may name any."""
    me = access.circle_or_not_yours(name)
    browser = _browser(me.circle, number)
    if browser.id != me.id:
        access.circle_or_not_yours(name, HOST)
    circles.rename_browser(browser, one_line(request.form.get("name"))[:MOST_IN_NAME])
    return redirect(url_for("circles.links", name=name, _anchor="browsers"), 303)


@blueprint.post("/circles/<name>/browsers/<int:number>/end")
def show_out(name: str, number: int) -> Response:
    me = access.circle_or_not_yours(name, HOST)
    browser = _browser(me.circle, number)
    if browser.id != me.id:  # a host who leaves would leave nobody to let them in again
        circles.show_out(browser)
    return redirect(url_for("circles.links", name=name, _anchor="browsers"), 303)


@blueprint.get("/tables/<token>/share")
def share(token: str) -> str:
    """The way in for another phone at this table: the link to score by, for who may hand it on."""
    table = access.table_or_not_yours(token, SCORE)
    circle = table.table.circle
    known = _known(circle)
    right = next((right for right in (SCORE, g.browser.link.right) if right in known), None)
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
    """The way back in for a host, to be printed or saved; who has it before his eyes needs no reminder of it."""
    circle = access.circle_or_not_yours(name, HOST).circle
    link = _way_back(circle)
    if link is None:
        return render_template("circles/recovery.html", circle=circle, link=None)
    circles.need_no_reminder(circle)
    return render_template("circles/recovery.html", circle=circle, link=link, code=_code(link), made=_made_on(circle))


@blueprint.get("/circles/<name>/recovery/sheet.html")
def save_recovery(name: str) -> Response:
    """The same as a file that stands for itself."""
    circle = access.circle_or_not_yours(name, HOST).circle
    link = _way_back(circle)
    if link is None:
        return redirect(url_for("circles.recovery", name=name), 303)
    circles.need_no_reminder(circle)
    sheet = render_template(
        "circles/recovery_sheet.html", circle=circle, link=link, code=_code(link, scale=6), made=_made_on(circle)
    )
    file = f"scorekeeper-{evening_of(circle.made_at)}.html"
    headers = {"Content-Disposition": f'attachment; filename="{file}"', "Cache-Control": "no-store"}
    return Response(sheet, mimetype="text/html", headers=headers)


@blueprint.post("/circles/<name>/recovery/leave")
def leave_recovery(name: str) -> Response:
    """Wave the reminder away, for good; the sheet stays where it is."""
    circles.need_no_reminder(access.circle_or_not_yours(name, HOST).circle)
    is_home = request.form.get("back") == "home"
    return redirect(url_for("front.home") if is_home else url_for("circles.show", name=name), 303)


def _way_back(circle: Circle) -> str | None:
    """The host's link, where this browser knows it."""
    secret = _known(circle).get(HOST)
    return _address(circle, secret) if secret is not None else None


def _made_on(circle: Circle) -> str:
    return format_date(evening_of(circle.made_at), "d MMMM y", locale=g.language)


@blueprint.route("/circles/<name>/erase", methods=["GET", "POST"])
def erase(name: str) -> str | Response | tuple[str, int]:
    """Erase the circle, once its title is typed; where it has none, words that say what is about to be done."""
    circle = access.circle_or_not_yours(name, HOST).circle
    words = circle.title or t("erase.circle.words")
    typed = one_line(request.form.get("typed"))
    if request.method == "POST" and is_typed(typed, words):
        circles.erase_circle(circle)
        access.forget(name)
        return redirect(url_for("front.home", erased="yes"), 303)
    page = render_template(
        "circles/erase.html",
        circle=circle,
        lost=circles.holdings_of(circle),
        words=words,
        typed=typed,
        remark=Remark("typed", "not-the-words", {"must": words}) if request.method == "POST" else None,
    )
    return (page, 422) if request.method == "POST" else page


# --- codes and addresses -----------------------------------------------------------------------------------


def _code(link: str, scale: int | None = None) -> Markup:
    """Drawn `scale` pixels a module; as large as its place, where no scale is told."""
    drawn = segno.make(link, error="m").svg_inline(
        scale=scale or 1, omitsize=scale is None, svgclass="qr", lineclass=None
    )
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
