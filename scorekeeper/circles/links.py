"""A circle's links: as URLs and QR codes, joining by them, the phones that have joined, and the recovery sheet.

Opening a link changes nothing: chat programs open links to show a preview of them, and people open them twice. The
link's secret stays in the URL until the tap, so that a page opened inside another app can be moved to the phone's own
browser. The tap sends the secret in the body, and redirects to a URL without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple
from urllib.parse import urlsplit, urlunsplit

from flask import Blueprint, abort, current_app, g, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup
from werkzeug.wrappers import Response
from wtforms import BooleanField, HiddenField

from .. import i18n
from ..limits import MAX_PHONE_NAME_LENGTH
from ..models import HOST, RIGHTS, Circle, Link, Membership, may
from ..site import rate_limits
from ..site.features import features
from ..site.fields import MaxLength, TextField
from ..site.forms import Form, WriteForm, require_epoch
from ..site.http import exclude_from_search_engines
from ..site.language import t
from ..site.network import bracket_ipv6, is_loopback, lan_addresses
from ..site.qr_codes import MAX_CODE, qr_code
from ..site.time_zones import find_evening
from . import access, lifecycle, phones
from .phones import find_link, find_membership, list_joined_links, list_memberships, live_links, unseal_link_secrets

blueprint = Blueprint("links", __name__)


class Landing(NamedTuple):
    """A page that a link leads to besides its circle's: its name, and the text after the name."""

    url: str
    name: str
    more: str


class JoinForm(Form):
    secret = HiddenField(default="")
    table = HiddenField(default="")
    planned = HiddenField(default="")  # the token of an evening to come, a dot, and the day


class RenewForm(WriteForm):
    back = HiddenField()  # "recovery" on the page of the recovery sheet


class PhoneNameForm(WriteForm):
    name = TextField(validators=[MaxLength(MAX_PHONE_NAME_LENGTH)])

    def __init__(self, membership: Membership, **kwargs: Any) -> None:
        super().__init__(obj=membership, **kwargs)
        self.name.id = f"membership-{membership.number}"
        self.name.render_kw = {"placeholder": t("phone.number", number=membership.number)}


class RevokeForm(WriteForm):
    """The end of a phone's access."""

    renew = BooleanField()  # also the links that it has joined by


class PhoneRow(NamedTuple):
    membership: Membership
    rights: list[str]  # of the links that the phone has joined by
    since: date  # the evening when it joined by the first of them
    form: PhoneNameForm


class ReminderForm(Form):
    back = HiddenField()  # "home" on the front page


def read_link_secrets() -> dict[str, str]:
    """Return the secrets of the circle's live links that this device can show, by right."""
    return unseal_link_secrets(g.membership, access.device_secret())


def join_url(circle: Circle, secret: str, token: str | None = None, planned: str | None = None) -> str:
    """Return the URL of a link, which leads to a table with this token, or to an evening to come: its token and day."""
    leads_to = {"table": token, "planned": planned}
    return with_reachable_host(
        url_for("links.follow", circle_token=circle.token, secret=secret, **leads_to, _external=True)
    )


def with_reachable_host(url: str) -> str:
    """Replace a loopback host by this machine's address on its network, if it has one that phones can reach.

    Any other host stays: it is the one by which the page was requested. Behind a proxy, the port would be another.
    """
    parts = urlsplit(url)
    config = current_app.config
    if not is_loopback(parts.hostname or "") or not config["LISTENS_EVERYWHERE"] or config["PROXIES"]:
        return url
    address = next(iter(lan_addresses()), None)
    port = f":{parts.port}" if parts.port else ""
    return urlunsplit(parts._replace(netloc=f"{bracket_ipv6(address)}{port}")) if address is not None else url


def is_loopback_url(url: str) -> bool:
    return is_loopback(urlsplit(url).hostname or "")


@dataclass(frozen=True)
class SharedLink:
    """A link to show for another phone."""

    url: str

    @property
    def qr_code(self) -> Markup | None:
        return qr_code(self.url) if len(self.url) <= MAX_CODE else None

    @property
    def is_only_here(self) -> bool:
        """Whether only this machine can follow it."""
        return is_loopback_url(self.url)


# --- joining -----------------------------------------------------------------------------------------------


@blueprint.get("/join/<circle_token>/<secret>")
def follow(circle_token: str, secret: str) -> Response:
    form = JoinForm(data={**request.args, "secret": secret})
    link = find_link(circle_token, secret)
    if link is None:
        return _reject_link(circle_token)
    membership = find_membership(access.device_secret(), circle_token)
    if membership is not None and may(membership.right, link.right):
        return redirect(_landing_url(link.circle, form), 303)
    page = render_template(
        "circles/join.html",
        link=link,
        membership=membership,
        landing=_find_landing(link.circle, form),
        form=form,
    )
    return exclude_from_search_engines(make_response(page))


@blueprint.post("/join/<circle_token>")
def join(circle_token: str) -> Response:
    form = JoinForm()
    form.require_valid()
    secret = form.secret.data or ""
    link = find_link(circle_token, secret)
    if link is None or not phones.join(link, secret, access.device_secret()):
        return _reject_link(circle_token)
    membership = find_membership(access.device_secret(), circle_token)
    if membership is None:  # removed, or the circle erased, since it joined
        abort(404)
    access.make_session_permanent()
    access.set_home(membership)
    return redirect(_landing_url(membership.circle, form), 303)


@blueprint.get("/join/<circle_token>")
def ended(circle_token: str) -> ResponseReturnValue:
    """Show that the link is not valid, and nothing about the circle; redirect a phone that has access already."""
    if find_membership(access.device_secret(), circle_token) is not None:
        return redirect(url_for("circles.show", circle_token=circle_token), 303)
    return render_template("error.html", page="ended-link"), 404


def _find_landing(circle: Circle, form: JoinForm) -> Landing | None:
    for feature in features():
        token = form[feature.landing].data if feature.landing else ""
        if token and (landing := feature.find_landing(circle, token)):
            return landing
    return None


def _landing_url(circle: Circle, form: JoinForm) -> str:
    landing = _find_landing(circle, form)
    return landing.url if landing is not None else url_for("circles.show", circle_token=circle.token)


def _reject_link(circle_token: str) -> Response:
    """Count a wrong link, and redirect to a URL without its secret; raises TooManyRequests after too many."""
    rate_limits.count_wrong_link()
    return redirect(url_for("links.ended", circle_token=circle_token), 303)


# --- the links, and the phones that have joined ----------------------------------------------------------


@blueprint.get("/circles/<circle_token>/links")
def show(circle_token: str) -> str:
    return _render_links(access.get_membership_or_404(circle_token).circle)


def _render_links(circle: Circle, stale: Link | None = None, refused: PhoneNameForm | None = None) -> str:
    """Render the page, with a refused form of a phone's name.

    `stale` is a link that the request was to renew, and that another host has renewed already.
    """
    urls = {right: SharedLink(join_url(circle, secret)) for right, secret in read_link_secrets().items()}
    return render_template(
        "circles/links.html",
        circle=circle,
        rights=RIGHTS,
        links=live_links(circle),
        urls=urls,
        phones=[_build_row(membership, refused) for membership in list_memberships(circle)],
        stale=stale,
        renewed_by=stale.revoked_by if stale is not None else None,
    )


def _build_row(membership: Membership, refused: PhoneNameForm | None) -> PhoneRow:
    circle = membership.circle
    joined = list_joined_links(membership)
    first = min(link.joined_at for link in joined if link.joined_at is not None)
    form = PhoneNameForm(membership, formdata=None, seen=circle.epoch)
    if refused is not None and refused.name.id == form.name.id:
        form = refused
    return PhoneRow(membership, [row.link.right for row in joined], find_evening(first, circle.time_zone), form)


@blueprint.post("/circles/<circle_token>/links/<right>/renew")
def renew(circle_token: str, right: str) -> ResponseReturnValue:
    """Renew the link whose hash the page has shown, unless it has been renewed since."""
    host = access.get_membership_or_404(circle_token, HOST)
    form = RenewForm()
    form.require_valid()
    secret_hash = form.seen.data
    link = next((link for link in host.circle.links if link.secret_hash == secret_hash and link.right == right), None)
    if link is None:
        abort(400 if right in RIGHTS else 404)
    if not phones.renew(link, host, access.device_secret()):
        circle = access.reload_membership_or_404(circle_token, HOST).circle
        stale = next(link for link in circle.links if link.secret_hash == secret_hash)
        return _render_links(circle, stale), 409
    if form.back.data == "recovery":
        return redirect(url_for("links.recover", circle_token=circle_token), 303)
    return redirect(url_for("links.show", circle_token=circle_token, _anchor=right), 303)


@blueprint.post("/circles/<circle_token>/phones/<int:number>/name")
def rename_membership(circle_token: str, number: int) -> ResponseReturnValue:
    own_membership = access.get_membership_or_404(circle_token)
    membership = _pick_membership_or_404(list_memberships(own_membership.circle), number)
    if membership.id != own_membership.id:
        access.require_right(HOST)
    require_epoch(own_membership.circle)
    form = PhoneNameForm(membership)
    if not form.validate():
        return _render_links(own_membership.circle, refused=form), 422
    phones.rename_membership(membership, form.name.data or "", own_membership)
    return redirect(url_for("links.show", circle_token=circle_token, _anchor="phones"), 303)


@blueprint.post("/circles/<circle_token>/phones/<int:number>/end")
def revoke_membership(circle_token: str, number: int) -> Response:
    host = access.get_membership_or_404(circle_token, HOST)
    form = RevokeForm()
    form.require_valid()
    membership = _pick_membership_or_404(host.circle.memberships, number)
    require_epoch(host.circle)
    if membership.id != host.id:  # a host who left might leave the circle without one
        phones.revoke_membership(membership, host, access.device_secret(), renew_links=form.renew.data)
    return redirect(url_for("links.show", circle_token=circle_token, _anchor="phones"), 303)


def _pick_membership_or_404(memberships: list[Membership], number: int) -> Membership:
    return next((membership for membership in memberships if membership.number == number), None) or abort(404)


# --- the recovery sheet: the host's link, to be printed or saved in case the phone is lost


@blueprint.get("/circles/<circle_token>/recovery")
def recover(circle_token: str) -> str:
    """Show the sheet, and dismiss the reminder about it; a device without the link's secret may renew it."""
    host = access.get_membership_or_404(circle_token, HOST)
    if HOST not in read_link_secrets():
        host_link = live_links(host.circle)[HOST]
        return render_template("circles/recovery.html", circle=host.circle, url=None, host_link=host_link)
    return _render_sheet("circles/recovery.html", host)


@blueprint.get("/circles/<circle_token>/recovery/sheet.html")
def download_sheet(circle_token: str) -> Response:
    host = access.get_membership_or_404(circle_token, HOST)
    if HOST not in read_link_secrets():
        return redirect(url_for("links.recover", circle_token=circle_token), 303)
    filename = f"scorekeeper-{find_evening(host.circle.created_at, host.circle.time_zone)}.html"
    headers = {"Content-Disposition": f'attachment; filename="{filename}"', "Cache-Control": "no-store"}
    sheet = _render_sheet("circles/recovery_sheet.html", host, module_size=6)
    return Response(sheet, mimetype="text/html", headers=headers)


def _render_sheet(template: str, host: Membership, module_size: int | None = None) -> str:
    """Render the sheet, which ends the reminder to keep one."""
    circle = host.circle
    url = join_url(circle, read_link_secrets()[HOST])
    created_on = i18n.long_day(find_evening(circle.created_at, circle.time_zone), g.locale)
    code = qr_code(url, module_size)
    sheet = render_template(template, circle=circle, url=url, qr_code=code, created_on=created_on)
    lifecycle.dismiss_recovery_reminder(circle, host)
    return sheet


@blueprint.post("/circles/<circle_token>/recovery/leave")
def dismiss_reminder(circle_token: str) -> Response:
    host = access.get_membership_or_404(circle_token, HOST)
    lifecycle.dismiss_recovery_reminder(host.circle, host)
    form = ReminderForm()
    form.require_valid()
    came_from_home = form.back.data == "home"
    return redirect(url_for("home.home") if came_from_home else url_for("circles.show", circle_token=circle_token), 303)
