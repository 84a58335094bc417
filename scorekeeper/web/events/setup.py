"""A circle's events, and the settings of an event: before it and while it goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask import Blueprint, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from ...db.clock import now
from ...events.drawing import GROUPS, UnschedulableError
from ...events.formats import Format, find_format, format_slugs
from ...events.prizes import RULES
from ...events.scoring import IN_POINTS, SITTING_OUT, Scoring, find_scoring
from ...models import SCORE, Circle, Event
from ...scoring.game import AnyGame
from ...scoring.problems import Problem
from ...scoring.standing import MANCHE, ROBRE
from ...services.circles.players import list_players, read_ids_by_token
from ...services.event_game import find_played, plays_alone
from ...services.events import setup
from ...services.events.games import EventGame, event_games, list_event_games
from ...services.events.reading import DEALS, list_events, read
from ...services.events.setup import EventDetails
from ...services.outcome import Conflict, Done, Stale
from ...services.people import tonight
from ...services.tables.details import list_places
from ...stats.summary import slug_of
from ...time_zones import find_evening
from ..support import access
from ..support.event_access import DIRECT, get_event_or_404
from ..support.forms import new_key, read_choice, read_key
from ..support.language import has_message, in_name_order, isolate_rtl, join_names, t
from ..support.option_fields import option_fields
from .setup_form import USUAL, EventForm, PrizeFields, event_form, format_fields, prize_key, stored_prizes, typed_prizes

blueprint = Blueprint("event_setup", __name__)

FIRST_FORMAT = "individual"
ROUNDS, DEALS_OF_ROUND = 8, 4  # as a new form proposes
DRIVE_ROUNDS = 24  # one deal each, of formats with groups: the usual length of a drive


@dataclass(frozen=True)
class SetupPage:
    """What the form shows: `event` is None for a new one; `created`: the event that the page has created."""

    circle: Circle
    event: Event | None
    wanted: EventGame
    format: Format
    form: EventForm
    prizes: PrizeFields
    problems: Sequence[Problem] = ()
    is_stale: bool = False
    created: str = ""

    @property
    def game(self) -> AnyGame:
        """The game, whatever its house rules."""
        return self.wanted.game

    @property
    def game_name(self) -> str:
        """The name of what is played."""
        return game_name(self.wanted)

    @property
    def drawn(self) -> int:
        """How many rounds are drawn."""
        return len(self.event.drawn) if self.event is not None else 0

    @property
    def rescores(self) -> bool:
        """Whether there are results, which are scored anew with what is chosen."""
        return self.event is not None and any(row.scores for row in read(self.event).tables.values())

    @property
    def is_to_be_described(self) -> bool:
        """Whether the form asks what is played, so that nobody knows yet whether there are sides."""
        return bool(self.game.example_options) and not self.wanted.house_rules

    @property
    def plays_alone(self) -> bool:
        """Whether everybody plays alone, as far as is known, under the house rules to begin with."""
        return not self.is_to_be_described and plays_alone(find_played(*self.wanted))

    @property
    def scorings(self) -> tuple[str, ...]:
        """The scorings to choose from: those that fit, and the event's own."""
        kept = self.event.scoring if self.event is not None else ""
        return self.format.scorings_for(self.game.tricks, kept, plays_alone=self.plays_alone)

    @property
    def scorings_alone(self) -> str:
        """The names of the scorings for games that everybody plays alone."""
        slugs = self.format.scorings_for(self.game.tricks, plays_alone=True)
        return join_names(t(f"scoring.{slug}.name") for slug in slugs)

    @property
    def scoring(self) -> Scoring:
        """What results are worth under the house rules to begin with."""
        played = find_played(self.game, self.wanted.house_rules)
        slug = self.form.scoring.data if self.form.scoring.data in self.scorings else self.scorings[0]
        return find_scoring(slug).under(played.lowest_wins)

    @property
    def sitting_out(self) -> tuple[str, ...]:
        """What a round that is sat out may count: what is usual, while the event is new; and the event's own."""
        if self.event is None:
            return (USUAL, *SITTING_OUT)
        return tuple(dict.fromkeys((*SITTING_OUT, self.event.sitting_out)))

    def render(self) -> str:
        """Render the form."""
        g.names = dict
        fields = option_fields(self.game)
        people = in_name_order(list_players(self.circle), lambda player: player.name)
        current = self.wanted if self.event is not None else None
        self.form.game.choices = [
            (key, game_name(each)) for key, each in list_event_games(self.circle, current).items()
        ]
        self.form.format.choices = [(slug, format_name(slug)) for slug in usable_formats()]
        self.form.cashier.choices = [("", "–"), *((player.token, player.name) for player in people)]
        return render_template(
            "events/setup.html",
            page=self,
            circle=self.circle,
            form=self.form,
            described=[field for field in fields if field.option in self.game.asked and field.is_required],
            asked=[field for field in fields if field.option in self.game.asked and not field.is_required],
            folded=[field for field in fields if field.option not in self.game.asked],
            format_fields=format_fields(self.format),
            units=setup.UNITS,
            prize_rules=RULES,
            groups=("", *GROUPS) if self.format.has_groups else (),
            problems=self.problems,
            places=list_places(self.circle),
        )


def usable_formats() -> list[str]:
    """List the formats that can be imported."""
    return [slug for slug in format_slugs() if _format(slug) is not None]


def _format(slug: str) -> Format | None:
    try:
        return find_format(slug)
    except UnschedulableError:
        return None


@blueprint.get("/circles/<name>/events")
def index(name: str) -> str:
    """List the events of a circle."""
    circle = access.get_circle_or_404(name).circle
    return render_template("events/list.html", circle=circle, events=list_events(circle))


@blueprint.route("/circles/<name>/events/new", methods=["GET", "POST"])
def new(name: str) -> str | Response | tuple[str, int]:
    """Show the form for a new event, of `?game=` and `?format=`; or create it. `do=show` only shows other options."""
    circle = access.get_circle_or_404(name, SCORE).circle
    wanted, chosen = _chosen(circle)
    form = event_form(wanted.game, chosen)()
    form.forget_other_options(wanted, chosen, None)
    page = SetupPage(circle, None, wanted, chosen, form, typed_prizes(request.form).with_room(_wants_rows()))
    if not form.is_submitted():
        _propose(form, circle, wanted, chosen)
        return page.render()
    if _button() is not None:
        _show_other_options(form, wanted, chosen)
        return page.render()
    details = form.details(wanted.game, chosen, page.prizes, read_ids_by_token(circle))
    result = setup.create(circle, details, read_key(), g.browser)
    if isinstance(result, Done):
        return redirect(url_for("event_entrants.show", token=result.value), 303)
    if isinstance(result, Conflict):
        form.key.data = new_key()
        return _again(page, created=result.earlier).render(), 409
    return _again(page, result.problems).render(), 422


@blueprint.route("/events/<token>/settings", methods=["GET", "POST"])
def settings(token: str) -> str | Response | tuple[str, int]:
    """Show the settings of an event, or change them."""
    event = get_event_or_404(token, DIRECT)
    current = setup.read_details(event)
    wanted, chosen = _chosen(event.circle, current)
    form = event_form(wanted.game, chosen)()
    form.forget_other_options(wanted, chosen, current)
    page = SetupPage(event.circle, event, wanted, chosen, form, typed_prizes(request.form).with_room(_wants_rows()))
    if not form.is_submitted():
        form.fill(current, wanted.game, chosen, read_ids_by_token(event.circle))
        return SetupPage(event.circle, event, wanted, chosen, form, _stored(current)).render()
    if _button() is not None:
        _show_other_options(form, wanted, chosen)
        return page.render()
    details = form.details(wanted.game, chosen, page.prizes, read_ids_by_token(event.circle))
    has_results = any(row.scores is not None for row in read(event).tables.values())
    result = setup.change(event, details, form.seen.data or "", g.browser)
    if isinstance(result, Done):
        done = "rescored" if has_results and _worth(setup.normalize(details)) != _worth(current) else "settings"
        return redirect(url_for("event_director.show", token=token, done=done), 303)
    if isinstance(result, Stale):
        form.seen.data = result.current.mark
        return _again(page, is_stale=True).render(), 409
    return _again(page, result.problems).render(), 422


@blueprint.post("/events/<token>/delete")
def delete(token: str) -> Response | tuple[str, int]:
    """Delete an event of which no round is drawn."""
    event = get_event_or_404(token, DIRECT)
    name = event.circle.name
    problem = setup.delete_event(event, g.browser)
    if problem is None:
        return redirect(url_for("event_setup.index", name=name), 303)
    event = get_event_or_404(token, DIRECT)
    current = setup.read_details(event)
    wanted, chosen = _chosen(event.circle, current)
    form = event_form(wanted.game, chosen)(formdata=None)
    form.fill(current, wanted.game, chosen, read_ids_by_token(event.circle))
    return SetupPage(event.circle, event, wanted, chosen, form, _stored(current), [problem]).render(), 422


def _worth(details: EventDetails) -> tuple[object, ...]:
    """Return the settings on which it depends what results are worth."""
    lowest_wins = find_played(*details.played).lowest_wins
    return details.scoring, details.options, details.sitting_out, lowest_wins


def _stored(current: EventDetails) -> PrizeFields:
    return stored_prizes(current.prizes).with_room(False)


def _again(
    page: SetupPage, problems: Sequence[Problem] = (), *, is_stale: bool = False, created: str = ""
) -> SetupPage:
    """Return the page with what was typed, and what is wrong; it is read anew, as after every refused write."""
    if page.event is not None:
        event = get_event_or_404(page.event.token, DIRECT)
        circle = event.circle
    else:
        event, circle = None, access.get_circle_or_404(page.circle.name, SCORE).circle
    specified = [page.prizes.specify(page.form.specify(each, page.game, page.format)) for each in problems]
    return SetupPage(circle, event, page.wanted, page.format, page.form, page.prizes, specified, is_stale, created)


def _chosen(circle: Circle, current: EventDetails | None = None) -> tuple[EventGame, Format]:
    """Return the game and the format that the request asks for, else the event's, else the usual ones."""
    offered = list_event_games(circle, current.played if current is not None else None)
    asked = request.values.get("game", "")
    usual = current.played.key if current is not None else tonight.find_last_game(circle) or ""
    key = next((each for each in (asked, slug_of(asked), usual) if each in offered), next(iter(offered)))
    wanted = request.values.get("format"), current.format if current is not None else None, FIRST_FORMAT
    chosen = next(found for each in (*wanted, *format_slugs()) if each and (found := _format(each)) is not None)
    return offered[key], chosen


def _button() -> str | None:
    """Return which button has only changed the form: for the options of another game or format, or for more prizes."""
    return read_choice("do", "show", "rows")


def _wants_rows() -> bool:
    return _button() == "rows"


def _propose(form: EventForm, circle: Circle, wanted: EventGame, chosen: Format) -> None:
    """Fill in what is usual."""
    form.day.data = find_evening(now(), circle.time_zone).isoformat()
    form.fill_house_rules(wanted)
    form.format.data, form.round_unit.data = chosen.slug, DEALS
    for name, usual in _usual(chosen, wanted).items():
        form[name].data = usual
    form.propose_options(wanted.game, chosen)
    _choose_scoring(form, wanted, chosen)


def _usual(chosen: Format, wanted: EventGame) -> dict[str, str]:
    """Return what is usual in a format; points are counted where the game has no smaller goal than a total of them."""
    rounds, deals = (DRIVE_ROUNDS, 1) if chosen.has_groups else (ROUNDS, DEALS_OF_ROUND)
    played = find_played(*wanted)
    fitting = chosen.scorings_for(played.tricks, plays_alone=plays_alone(played))
    in_points = [slug for slug in fitting if find_scoring(slug).results_in == IN_POINTS]
    scoring = in_points[0] if in_points and not {MANCHE, ROBRE} & {*played.ends} else fitting[0]
    return {"scoring": scoring, "rounds": str(rounds), "length": str(deals)}


def _show_other_options(form: EventForm, wanted: EventGame, chosen: Format) -> None:
    """Replace what was usual in the game and the format that the page has shown, and a scoring that does not fit."""
    shown, slug = _format(form.shown_format.data or ""), slug_of(form.shown_game.data or wanted.key)
    before = EventGame(event_games()[slug], {}) if slug in event_games() and slug != wanted.game.slug else wanted
    if shown is not None and (shown, before) != (chosen, wanted):
        for name, usual in _usual(shown, before).items():
            if form[name].data == usual:
                form[name].data = _usual(chosen, wanted)[name]
    _choose_scoring(form, wanted, chosen)


def _choose_scoring(form: EventForm, wanted: EventGame, chosen: Format) -> None:
    """Replace a scoring that does not fit."""
    played = find_played(*wanted)
    fitting = chosen.scorings_for(played.tricks, plays_alone=plays_alone(played))
    if form.scoring.data not in fitting:
        form.scoring.data = fitting[0]


@blueprint.app_template_global()
def format_name(slug: str) -> str:
    """Return the name of a format; its slug if it has none in the reader's language."""
    return t(f"event-format.{slug}") if has_message(f"event-format.{slug}") else slug


def game_name(played: EventGame) -> str:
    """Return the name of a game; its slug if it is not installed."""
    slug, key = played.game.slug, f"{played.game.slug}.name"
    own = isolate_rtl(played.game.find_name(played.house_rules))
    return own or (t(key) if has_message(key) else slug)


blueprint.add_app_template_global(prize_key)


@blueprint.app_template_global()
def name_of_event_game(event: Event) -> str:
    """Return the name of what an event plays; the slug of a game that is not installed."""
    return game_name(setup.read_details(event).played)
