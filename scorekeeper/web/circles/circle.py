"""A circle's page with its tables and its title, and the erasure of the circle."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, url_for
from werkzeug.wrappers import Response

from ... import services
from ...models import Circle
from ...services import HOST, circles, evenings
from ..support import access
from ..support.language import t
from ..support.times import current_time
from .forms import ErasureForm, TimeZoneForm, TitleForm
from .time_zones import choices, zone_name

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
        zone_name=zone_name(circle.time_zone),
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


@blueprint.route("/circles/<name>/time-zone", methods=["GET", "POST"])
def set_time_zone(name: str) -> str | Response | tuple[str, int]:
    """Show the form for the circle's time zone, or change it."""
    host = access.get_circle_or_404(name, HOST)
    form = TimeZoneForm()
    if form.is_submitted():
        problem = evenings.set_time_zone(host.circle, form.time_zone.data, host)
        if problem is None:
            return redirect(url_for("circles.show", name=name), 303)
        form.add_problem(problem)
    page = render_template(
        "circles/time_zone.html",
        circle=host.circle,
        form=form,
        regions=choices(host.circle),
        zone_name=zone_name,
        current_time=current_time(),
    )
    return (page, 422) if form.is_submitted() else page


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
