"""The front page, help, security, the choice of language, and samples to try out, each in a circle of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import chain
from typing import NamedTuple

from flask import Blueprint, abort, current_app, redirect, render_template, url_for
from werkzeug.wrappers import Response
from wtforms import HiddenField
from wtforms.validators import ValidationError

from ..circles import access
from ..circles.lifecycle import erase_circle
from ..circles.phones import list_memberships_of_device
from ..db.transactions import AccessRevokedError
from ..games import games
from ..i18n import LANGUAGES, LOCALES
from ..models import Circle, Membership
from ..site.features import features
from ..site.fields import ChoiceField
from ..site.forms import Form
from ..site.http import remember_preference
from ..site.language import LANGUAGE, name_of_game, t
from ..site.rate_limits import may_make_sample, require_sample
from ..tables.reading import list_tables
from . import samples
from .rules import SAMPLE, find_sheet

blueprint = Blueprint("home", __name__)


class Link(NamedTuple):
    url: str
    words: str


class LinkSection(NamedTuple):
    """Links at the top of the front page, below a title."""

    title: str
    links: Sequence[Link]


class Sample(NamedTuple):
    """A sample on the front page: a POST to `endpoint` makes it, `find` returns the link to the circle's newest.

    A POST to `begin` begins the first one that is no sample, in a new circle; `begin_title` is on its button.
    """

    endpoint: str
    title: str
    icon: str
    find: Callable[[Circle], Link | None]
    begin: str
    begin_title: str


# A path on this host. Phones take "//host" and "/\\host" for other hosts, and skip control characters.
_LOCAL_PATH = re.compile(r"/(?:[^/\\\x00-\x20\x7f][^\\\x00-\x20\x7f]*)?")


@blueprint.get("/")
def home() -> str:
    membership = access.load_home_membership()
    sections = (feature.find_links(access.device_secret()) for feature in features())
    circle = membership.circle if membership is not None else None
    sample_circles = [sample.circle for sample in _list_sample_memberships()] if circle is None else []
    return render_template(
        "home/home.html",
        membership=membership,
        memberships=access.list_own_circles(),
        link_sections=[*filter(None, sections)],
        open_tables=list_tables(circle, closed=False) if circle is not None else [],
        closed_tables=list_tables(circle, closed=True, limit=5) if circle is not None else [],
        may_try_samples=may_make_sample(is_member=False),
        samples=[slug for slug, game in games().items() if find_sheet(game, SAMPLE)],
        other_samples=_list_samples(),
        open_sample=_find_open_sample(sample_circles[-1]) if sample_circles else None,
    )


class LanguageForm(Form):
    language = ChoiceField(choices=[*LANGUAGES, *chain(*LOCALES.values())])
    back = HiddenField()

    def validate_back(self, field: HiddenField) -> None:
        path = field.data or ""
        if not path.startswith(url_for("home.home")) or not _LOCAL_PATH.fullmatch(path):
            raise ValidationError("not a page of this site")


@blueprint.post("/language")
def switch_language() -> Response:
    form = LanguageForm()
    form.validate()
    if not form.language.errors:
        remember_preference(LANGUAGE, form.language.data)
    return redirect(url_for("home.home") if form.back.errors else form.back.data, 303)


@blueprint.get("/help")
def help_page() -> str:
    membership = access.load_home_membership()
    circle = membership.circle if membership is not None else None
    tables = list_tables(circle, closed=False, limit=1) if circle is not None else []
    return render_template("home/help.html", circle=circle, newest=tables[0] if tables else None)


@blueprint.get("/security")
def security() -> str:
    return render_template("home/security.html", contact=current_app.config["CONTACT"])


# --- samples -----------------------------------------------------------------------------------------------


def _list_samples() -> list[Sample]:
    """List the samples of features, besides those of tables."""
    return [sample for feature in features() if (sample := feature.find_sample())]


def _find_open_sample(circle: Circle) -> Link | None:
    for sample in _list_samples():
        link = sample.find(circle)
        if link is not None:
            return link
    for table in list_tables(circle, closed=False, limit=1):
        return Link(url_for("table.show", token=table.token), t("sample.go-on", game=name_of_game(table)))
    return None


def _list_sample_memberships() -> list[Membership]:
    memberships = list_memberships_of_device(access.device_secret())
    return [membership for membership in memberships if membership.circle.is_sample and membership.number == 1]


class SampleForm(Form):
    time_zone = HiddenField(default="")  # the device's, filled in by a script


@blueprint.post("/sample/<slug>")
def make_sample(slug: str) -> Response:
    game = games().get(slug) or abort(404)
    sheet = find_sheet(game, SAMPLE) or abort(404)
    make_room()
    token = samples.create_sample(sheet, t("sample.title"), access.device_secret(), SampleForm().time_zone.data or "")
    access.make_session_permanent()
    return redirect(url_for("table.show", token=token), 303)


def make_room() -> None:
    """Erase the device's earlier samples, which a new one replaces. Raises CreationRefusedError if it may make none."""
    # The circles' ids are read first: each erasure expires what the session has loaded.
    earlier = [(membership.circle_id, membership) for membership in _list_sample_memberships()]
    require_sample(is_member=bool(access.list_real_memberships()), is_first=not earlier)
    for circle_id, membership in earlier:
        with suppress(AccessRevokedError):
            erase_circle(circle_id, by=membership)
