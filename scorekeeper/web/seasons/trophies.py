"""The trophies of a season that is over, to read and to share, made like the recap of an evening."""

from __future__ import annotations

from collections.abc import Iterator

from flask import Blueprint, abort, redirect, render_template, url_for

from ...models import Circle, Season
from ...scoring.values import clean_name
from ...services.circles.players import read_persons
from ...services.seasons import results, seasons
from ...stats.seasons import MONEY, MOST_EVENINGS, Trophy, award
from ..support import access
from ..support.language import isolate_rtl, join_names, t
from ..tables.recap import Line, Paragraph, Recap, Role
from .seasons import season_amount, season_days

blueprint = Blueprint("trophies", __name__, url_prefix="/circles/<name>/seasons/<season_token>/trophies")


@blueprint.get("")
def show(name: str, season_token: str) -> str:
    """Show the trophies."""
    circle, season, recap = _read(name, season_token)
    return render_template("seasons/trophies.html", circle=circle, season=season, recap=recap)


def _read(name: str, token: str) -> tuple[Circle, Season, Recap]:
    """Return a circle's season and its trophies; lead to the season if it is not over, or nobody has come."""
    circle = access.get_circle_or_404(name).circle
    season = seasons.find(circle, token)
    rows = results.read_table(circle, season).rows if season is not None and seasons.is_over(circle, season) else []
    if season is None or not rows:
        abort(redirect(url_for("seasons.show", name=name, season_token=token), 303))
    return circle, season, _write(circle, season, [*award(rows, lowest_wins=season.lowest_wins)])


def _write(circle: Circle, season: Season, trophies: list[Trophy]) -> Recap:
    title = Line(Role.TITLE, isolate_rtl(season.name), season_days(season), " · ")
    of_circle = isolate_rtl(clean_name(circle.title))
    head = [title, *([Line(Role.SUBTITLE, of_circle)] if of_circle else [])]
    return Recap([Paragraph(head), *_list_paragraphs(circle, season, trophies)])


def _list_paragraphs(circle: Circle, season: Season, trophies: list[Trophy]) -> Iterator[Paragraph]:
    persons = read_persons(circle)
    for trophy in trophies:
        names = join_names(isolate_rtl(persons[int(player)].name) for player in trophy.players)
        lines = [Line(Role.HEADING, t(f"seasons.trophy.{trophy.kind}")), Line(Role.WINNER, names)]
        yield Paragraph([*lines, Line(Role.RESULT, _format(season, trophy))])


def _format(season: Season, trophy: Trophy) -> str:
    if trophy.kind == MOST_EVENINGS:
        return t("seasons.evenings", count=int(trophy.amount))
    amount = season_amount(season, trophy.amount)
    return amount if season.counts == MONEY else f"{t(f'seasons.counts.{season.counts}')}{t('colon')} {amount}"
