"""A circle's settings, its time zone, and its erasure."""

from __future__ import annotations

from functools import cache
from itertools import groupby
from operator import itemgetter

from babel import Locale
from babel.dates import get_timezone_gmt
from flask import Blueprint, g, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response
from wtforms.fields.choices import SelectChoice
from wtforms.validators import ValidationError

from ..i18n import in_name_order
from ..models import HOST, Circle, now
from ..scoring.problems import Problem
from ..site.fields import ChoiceField, SwitchField
from ..site.forms import ConfirmForm, Form
from ..site.language import current_time, t
from ..site.time_zones import UTC_ZONE, effective_zone, inhabited_zones, is_known, local_time, parse
from . import access, lifecycle

blueprint = Blueprint("circle_settings", __name__)


class SwitchForm(Form):
    turned = SwitchField()


class TimeZoneForm(Form):
    # A script adds the device's own zone, by a name that the list may not have.
    time_zone = ChoiceField(validate_choice=False, id="time-zone")

    def __init__(self, circle: Circle) -> None:
        super().__init__(obj=circle)
        own = circle.time_zone
        self.time_zone.choices = [SelectChoice("", t("time-zone.of-server", zone=zone_name(None)))]
        if own is not None and is_known(own) and own not in inhabited_zones():
            self.time_zone.choices.append(SelectChoice(own, zone_name(own), optgroup=t("time-zone.region.own")))
        for region, zones in _regions(g.locale).items():
            heading = t(f"time-zone.region.{region}")
            self.time_zone.choices.extend(SelectChoice(zone, name, optgroup=heading) for zone, name in zones)

    def validate_time_zone(self, field: ChoiceField) -> None:
        if field.data and parse(field.data) is None:
            raise ValidationError(Problem("time_zone", "unknown-time-zone"))


_SWITCHES = {  # by its address: the setting, and the page that it stands on
    "confirmations": ("confirms_payments", "money.everything"),
    "ratings": ("shows_ratings", "standings.show"),
}


@blueprint.post(f"/circles/<circle_token>/<any({','.join(_SWITCHES)}):switch>")
def set_switch(circle_token: str, switch: str) -> Response:
    host = access.get_membership_or_404(circle_token, HOST)
    setting, page = _SWITCHES[switch]
    form = SwitchForm()
    form.require_valid()
    lifecycle.change_setting(host.circle, setting, form.turned.data, host)
    return redirect(url_for(page, circle_token=circle_token), 303)


@blueprint.route("/circles/<circle_token>/time-zone", methods=["GET", "POST"])
def set_time_zone(circle_token: str) -> ResponseReturnValue:
    host = access.get_membership_or_404(circle_token, HOST)
    form = TimeZoneForm(host.circle)
    if form.validate_on_submit():
        lifecycle.change_setting(host.circle, "time_zone", parse(form.time_zone.data or ""), host)
        return redirect(url_for("circles.more", circle_token=circle_token), 303)
    page = render_template(
        "circles/time_zone.html",
        circle=host.circle,
        form=form,
        zone=zone_name(host.circle.time_zone),
        current_time=current_time(),
    )
    return (page, 422) if form.is_submitted() else page


@blueprint.route("/circles/<circle_token>/erase", methods=["GET", "POST"])
def erase(circle_token: str) -> ResponseReturnValue:
    host = access.get_membership_or_404(circle_token, HOST)
    words = _words_to_erase(host.circle)
    form = ConfirmForm(words)
    if form.validate_on_submit():
        if lifecycle.erase_circle(host.circle_id, host, lambda circle: _words_to_erase(circle) == words):
            return redirect(url_for("home.home", erased="yes"), 303)
        host = access.reload_membership_or_404(circle_token, HOST)
        form = ConfirmForm(_words_to_erase(host.circle))  # another host has given the circle another title
        form.validate()
    page = render_template(
        "circles/erase.html", circle=host.circle, holdings=lifecycle.count_holdings(host.circle), form=form
    )
    return (page, 422) if form.is_submitted() else page


def _words_to_erase(circle: Circle) -> str:
    return circle.title or t("erase.circle.words")


# --- the names of time zones, and the list to choose one from

_FIXED = "Etc"  # the region of zones without a place; in their names the sign of the offset is the wrong way round


def zone_name(zone: str | None) -> str:
    """Return the name of a zone's place, or its distance from UTC; of the server's zone for None."""
    known = effective_zone(zone)
    if known is None or (known.startswith(_FIXED) and known != UTC_ZONE):
        return str(get_timezone_gmt(local_time(now(), known), locale=g.locale))
    return _place_name(known, g.locale)


@cache
def _regions(locale: str) -> dict[str, list[tuple[str, str]]]:
    return {
        region.lower(): in_name_order([(zone, _place_name(zone, locale)) for zone in zones], itemgetter(1))
        for region, zones in groupby(inhabited_zones(), lambda zone: zone.split("/")[0])
    }


def _place_name(zone: str, locale: str) -> str:
    if zone == UTC_ZONE:
        return "UTC"
    place = Locale.parse(locale).time_zones.get(zone, {}).get("city")
    return str(place or zone.rsplit("/", maxsplit=1)[-1].replace("_", " "))
