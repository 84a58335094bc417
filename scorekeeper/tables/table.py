"""A table's main page and its display; undoing, closing, removing; seats and turns; sharing its sheet and its game."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from flask import Blueprint, abort, g, jsonify, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from wtforms import HiddenField

from ..circles.links import Landing, SharedLink, join_url, read_link_secrets, with_reachable_host
from ..db.outcome import Done, Stale
from ..models import SCORE, Circle
from ..people.reading import read_ids_by_token
from ..scoring.game import AnyGame
from ..site.fields import ChoiceField, parse_digits
from ..site.forms import Form, SentField, WriteForm
from ..site.http import is_sent_by_script
from ..site.language import game_text, name_of_game, t, value_in_words
from . import access as table_access
from . import details, recap, revisions, turns
from .chairs import rename_anywhere
from .live import read_followed_page
from .option_fields import MAX_ADDRESS, make_link
from .reading import find_table, read_revisions
from .record import SeenForm, read_anew, respond, submit
from .record import blueprint as deal_pages
from .revisions import Change
from .settling import count_to_confirm
from .state import MissingGameError, TableState
from .turns import list_turn_units
from .words import find_shown_change
from .writing import NotWritten, refuse_change

T = TypeVar("T")

blueprint = Blueprint("table", __name__, url_prefix="/tables/<token>")


@blueprint.get("/")
def show(token: str) -> str:
    return render_table(table_access.get_table_or_404(token, guests=True))


def render_table(table: TableState, notice: NotWritten | None = None) -> str:
    if isinstance(notice, Stale):
        table = read_anew(table)
    change = find_shown_change(table)
    recorded = parse_digits(request.args.get("recorded")) or (change and change.body and change.deal_id)
    return render_template(
        "tables/table.html",
        table=table,
        table_page=read_followed_page(table),
        notice=notice,
        recorded=table.find_deal(recorded or None),
        change=change,
        to_confirm=count_to_confirm(g.membership) if not table_access.is_guest() else 0,
    )


def submit_button(table: TableState, *changes: Change, then: str = "table.show") -> ResponseReturnValue:
    """Write what takes a single button; redirect to the endpoint `then`, or show the table with what went wrong."""
    return respond_with_table(
        submit(table, changes, WriteForm()),
        table,
        lambda done: url_for(then, token=table.token, changed=done.revision.number),
    )


def respond_with_table(result: Done[T] | NotWritten, table: TableState, url: Callable[[T], str]) -> ResponseReturnValue:
    return respond(result, table, lambda notice: render_table(table, notice), url)


class StepForm(SeenForm):
    """A button on the table's page, or on a pad, that is shown again then."""

    then = HiddenField(default="")

    @property
    def next_page(self) -> str:
        return "deals.new" if self.then.data == "pad" else "table.show"


@blueprint.post("/undo")
def undo(token: str) -> ResponseReturnValue:
    """Undo what the last tap that the page showed has changed, perhaps not the table's last."""

    def build(shown: TableState) -> Iterable[Change]:
        last = revisions.find_last_undoable(shown.revisions)
        undone = revisions.find_together(shown.revisions, last) if last is not None else ()
        return (revisions.build_undo(shown.deals, revision) for revision in undone)

    return _step(token, build)


@blueprint.post("/redo")
def redo(token: str) -> ResponseReturnValue:
    """Do again what the undo has taken back that was the last change on the page."""

    def build(shown: TableState) -> Iterable[Change]:
        last = shown.revisions[-1:]
        undos = revisions.find_together(shown.revisions, last[0]) if last and last[0].kind == revisions.UNDO else ()
        return (revisions.build_redo(shown.revisions, undo) for undo in undos)

    return _step(token, build)


def _step(token: str, build: Callable[[TableState], Iterable[Change]]) -> ResponseReturnValue:
    """Write the changes that follow from the table as the page showed it, if any."""
    table = table_access.get_table_or_404(token, SCORE, guests=True)
    form = StepForm()
    changes = [*build(table.as_seen(form.seen.data))]
    if not changes:
        return redirect(url_for(form.next_page, token=token), 303)
    return submit_button(table, *changes, then=form.next_page)


@blueprint.post("/close")
def close(token: str) -> ResponseReturnValue:
    return submit_button(table_access.get_table_or_404(token, SCORE), Change(revisions.CLOSE))


@blueprint.post("/reopen")
def reopen(token: str) -> ResponseReturnValue:
    return submit_button(table_access.get_table_or_404(token, SCORE), Change(revisions.REOPEN))


@deal_pages.post("/<int:deal_id>/withdraw")
def withdraw(token: str, deal_id: int) -> ResponseReturnValue:
    table = table_access.get_table_or_404(token, SCORE, guests=True)
    return submit_button(table, Change(revisions.WITHDRAW, deal_id)) if table.find_deal(deal_id) else abort(404)


@deal_pages.post("/<int:deal_id>/restore")
def restore(token: str, deal_id: int) -> ResponseReturnValue:
    table = table_access.get_table_or_404(token, SCORE, guests=True)
    found = table.find_deal(deal_id) or abort(404)
    return submit_button(table, Change(revisions.RESTORE, deal_id, body=found.deal.last_body))


@deal_pages.post("/announced/withdraw")
def withdraw_announcement(token: str) -> ResponseReturnValue:
    table = table_access.get_table_or_404(token, SCORE, guests=True)
    return submit_button(table, Change(revisions.ANNOUNCE))


@blueprint.post("/remove")
def remove(token: str) -> ResponseReturnValue:
    table = table_access.get_table_or_404(token, SCORE)
    circle = url_for("circles.show", circle_token=table.stored.circle.token)
    is_removed = details.remove_table(table.stored, g.membership)
    return redirect(circle if is_removed else url_for("table.show", token=token), 303)


@blueprint.get("/game")
def share_game(token: str) -> str:
    table = table_access.get_table_or_404(token)
    url = with_reachable_host(make_link(table.game, table.standing.options, is_external=True))
    link = SharedLink(url) if len(url) <= MAX_ADDRESS else None
    return render_template("tables/game_link.html", table=table, link=link)


@blueprint.app_errorhandler(MissingGameError)
def _show_facts(error: MissingGameError) -> ResponseReturnValue:
    """Answer for a table whose game is not installed: its page shows the facts, and everything else leads to it.

    A script keeps the entry on the phone, as one that was refused.
    """
    table = error.table
    is_write = request.method == "POST"
    if request.blueprint == "live":
        return "", 404  # the page loads again
    if is_write and is_sent_by_script():
        return jsonify(refused=t("missing-game.note", game=table.game)), 409
    if not is_write and request.endpoint != "table.show":
        return redirect(url_for("table.show", token=table.token), 303)
    names = {seat.label: seat.player.person.name for seat in table.seats}
    deals, _ = revisions.apply_revisions(read_revisions(table))
    page = render_template(
        "tables/missing_game.html",
        row=table,
        outcome=recap.outcome(table),
        names=names,
        house_rules=rename_anywhere(table.house_rules, names),
        facts=[rename_anywhere(deal.body, names) for deal in deals if deal.body is not None],
        in_words=value_in_words,
        is_write=is_write,
    )
    return page, 409 if is_write else 200


# --- seats and the display ----------------------------------------------------------------------------------


@blueprint.get("/display")
def display(token: str) -> str:
    """Show the scores alone: with `?place=flat` for two at a table, with `?place=wall` for all on one side."""
    table = table_access.get_table_or_404(token)
    return render_template("tables/display.html", table=table, table_page=read_followed_page(table))


class SeatForm(Form):
    seat = ChoiceField(default="")


@blueprint.post("/me")
def claim(token: str) -> ResponseReturnValue:
    """Claim a seat for this phone's owner; without a seat, release it."""
    table = table_access.get_table_or_404(token)
    form = SeatForm()
    form.seat.choices = ["", *table.standing.players]
    if not form.validate():
        return render_table(table, refuse_change(*form.seat.errors)), 422
    table_access.claim_seat(table, form.seat.data)
    return redirect(url_for("table.show", token=token), 303)


# --- turns ----------------------------------------------------------------------------------------------------


class TurnForm(StepForm):
    newcomers = SentField("chair-")  # the tokens of the people who come in, by chair


@blueprint.post("/turns")
def take_turns(token: str) -> ResponseReturnValue:
    """Seat the people that the page has proposed."""
    table, form = table_access.get_table_or_404(token, SCORE), TurnForm()
    ids = read_ids_by_token(table.stored.circle)
    seats = [(chair, ids.get(person, 0)) for chair, person in form.newcomers.data.items()]
    result = turns.take_turns(table, seats, form.seen.data, form.read_key(), g.membership)
    return respond_with_table(result, table, lambda _: url_for(form.next_page, token=token))


def name_turn_units(game: AnyGame) -> dict[str, str]:
    """Say after what people may take turns, by unit; "" is that of a table at which they do not."""
    deal, *ends = list_turn_units(game)
    after = {"": t("turns.after.table"), deal: t(f"turns.after.{deal}")}
    return after | {unit: game_text(game.slug, f"chart.end.{unit}") for unit in ends}


def find_landing(circle: Circle, token: str) -> Landing | None:
    table = find_table(circle, token)
    if table is None:
        return None
    players = f"{t('colon')} {recap.who_plays(table)}"
    return Landing(url_for("table.show", token=token), name_of_game(table), players)


@blueprint.get("/share")
def share(token: str) -> str:
    """Show a link for another phone at this table: the scoring link, or the link with the phone's own right."""
    table = table_access.get_table_or_404(token, SCORE)
    circle, secrets = table.stored.circle, read_link_secrets()
    right = next((right for right in (SCORE, g.membership.right) if right in secrets), None)
    link = SharedLink(join_url(circle, secrets[right], token)) if right is not None else None
    return render_template("tables/share.html", table=table, right=right, link=link)
