"""The draw for seats and first dealer, and the help for misdeals.

A draw is not stored: its URL holds the players and the cards, and every page replays them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from secrets import SystemRandom
from typing import Any

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict

from ...games import games
from ...limits import MAX_SEATS
from ...models import SCORE
from ...scoring import seating_draw
from ...scoring import seating_draw as rules
from ...scoring.game import AnyGame
from ...scoring.problems import Problem, Refusal
from ...scoring.seating_draw import Card, Draw, DrawState, NextDraw, Seating
from ...scoring.values import clean_name
from ...services.outcome import Done
from ...services.tables import opening
from ...services.tables.opening import Opening
from ...tables.state import TableState
from ..support import access
from ..support.forms import WriteForm, read_key
from ..support.language import has_message, t
from .writes import render_failure

blueprint = Blueprint("seating_draw", __name__)

LETTERS = {"a": "aces", "k": "kings", "q": "queens", "j": "jacks"}  # message keys by rank
SUIT_SYMBOLS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}


@dataclass(frozen=True)
class DrawRequest:
    """A draw as a URL or a form describes it.

    Attributes:
        names: the players' names by number, in the order in which they were entered.
        rounds: the rounds of cards, each as codes joined by points.
        draws_seats: whether the seats are drawn too, in a game in which they need not be.
        like: the token of the table whose players these are, or an empty string.
    """

    game: AnyGame
    draw: Draw
    names: dict[str, str]
    rounds: tuple[str, ...]
    draws_seats: bool
    like: str

    @property
    def players(self) -> tuple[str, ...]:
        return tuple(self.names)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The first reason why a table with these players cannot be opened; empty if it can."""
        names = tuple(self.names.values())
        checked = Opening(self.game, names, dealer=next(iter(names), ""), house_rules={}).checked()
        return checked.problems[:1] if isinstance(checked, Refusal) else ()

    def replay(self) -> DrawState | list[Problem]:
        """Return the draw after these rounds, or the problems of the last one."""
        rounds: list[dict[str, Card]] = []
        for codes in self.rounds:
            state = self._replay(rounds)
            words = codes.split(".")
            if not isinstance(state, DrawState) or state.awaited is None or len(words) != len(state.awaited.players):
                return [Problem("drawn", "nothing-to-draw")]
            cards = (self.parse_card(word, state.awaited) for word in words)
            drawn = zip(state.awaited.players, cards, strict=True)
            rounds.append({player: card for player, card in drawn if card is not None})
        return self._replay(rounds)

    def parse_card(self, code: str, awaited: NextDraw) -> Card | None:
        return seating_draw.parse_card(code, awaited.stage.pack(len(self.players)))

    def _replay(self, rounds: list[dict[str, Card]]) -> DrawState | list[Problem]:
        return rules.replay_draw(self.draw, self.players, rounds, optional=self.draws_seats)

    def url(self, *rounds: str, swapped: bool = False) -> str:
        """Return the URL of this draw with other rounds; `swapped`: the two players who may change places do."""
        args: dict[str, Any] = {
            "name": list(self.names.values()),
            "drawn": "-".join(rounds),
            "like": self.like or None,
            "seats": "lot" if self.draws_seats else None,
            "swap": "yes" if swapped else None,
            "way": "cards",
        }
        return url_for("seating_draw.draw", slug=self.game.slug, **args)


def _parse_request(slug: str, fields: MultiDict[str, str]) -> DrawRequest:
    """Return the draw that a query string or a form describes; 404 for a game without a draw."""
    game = games().get(slug)
    if game is None or game.draw is None:
        abort(404)
    typed = fields.getlist("name") or [fields.get(f"seat-{n}", "") for n in range(1, MAX_SEATS + 1)]
    names = [name for name in map(clean_name, typed[:MAX_SEATS]) if name]
    return DrawRequest(
        game=game,
        draw=game.draw,
        names={str(number): name for number, name in enumerate(names, start=1)},
        rounds=tuple(filter(None, fields.get("drawn", "").split("-"))),
        draws_seats=fields.get("seats") == "lot" and game.draw.optional_stage is not None,
        like=fields.get("like", ""),
    )


@blueprint.get("/tables/new/<slug>/draw")
def draw(slug: str) -> ResponseReturnValue:
    """Show the form for the names, the next round of cards, or the result."""
    draw_request = _parse_request(slug, request.args)
    if request.args.get("way") != "cards":
        return _render_names(draw_request)
    if draw_request.problems:
        return _render_names(draw_request, draw_request.problems), 422
    state = draw_request.replay()
    if not isinstance(state, DrawState):
        return _render_names(draw_request, tuple(state)), 422
    if state.awaited is not None:
        return _render_cards(draw_request, state, state.awaited)
    return _render_result(draw_request, state)


@blueprint.post("/tables/new/<slug>/draw")
def submit(slug: str) -> ResponseReturnValue:
    """Take the players' names or the cards of a round, or draw all cards at random; redirect to what is next."""
    draw_request = _parse_request(slug, request.form)
    action = request.form.get("do")
    if action == "names":  # the form for a new table sends the names typed there
        names, like = list(draw_request.names.values()), request.args.get("like")
        return redirect(url_for("seating_draw.draw", slug=slug, name=names, like=like), 303)
    if draw_request.problems:
        return _render_names(draw_request, draw_request.problems), 422
    if action == "draw":
        rounds = rules.draw_rounds(
            draw_request.draw, draw_request.players, SystemRandom().sample, optional=draw_request.draws_seats
        )
        return redirect(draw_request.url(*(_encode(drawn.values()) for drawn in rounds)), 303)
    state = draw_request.replay()
    if not isinstance(state, DrawState):
        return _render_names(draw_request, tuple(state)), 422
    if action != "tell" or state.awaited is None:
        return redirect(draw_request.url(*draw_request.rounds), 303)
    return _submit_round(draw_request, state, state.awaited)


def _submit_round(draw_request: DrawRequest, state: DrawState, awaited: NextDraw) -> ResponseReturnValue:
    typed = {player: request.form.get(f"card-{player}", "") for player in awaited.players}
    entered = {player: draw_request.parse_card(code, awaited) for player, code in typed.items()}
    drawn = {player: card for player, card in entered.items() if card is not None}
    problems = rules.round_problems(awaited, drawn)
    if problems:
        return _render_cards(draw_request, state, awaited, drawn, tuple(problems)), 422
    return redirect(draw_request.url(*draw_request.rounds, _encode(drawn.values())), 303)


def _encode(drawn: Iterable[Card]) -> str:
    return ".".join(card.code for card in drawn)


# --- pages -------------------------------------------------------------------------------------------------


def _render_names(draw_request: DrawRequest, problems: tuple[Problem, ...] = ()) -> str:
    g.names = dict
    access.show_home_circle()
    return render_template(
        "tables/seating_draw/names.html",
        draw_request=draw_request,
        game=draw_request.game,
        problems=problems,
        people=access.player_names(),
    )


def _render_cards(
    draw_request: DrawRequest,
    state: DrawState,
    awaited: NextDraw,
    drawn: dict[str, Card] | None = None,
    problems: tuple[Problem, ...] = (),
) -> str:
    g.names = lambda: draw_request.names
    return render_template(
        "tables/seating_draw/cards.html",
        draw_request=draw_request,
        game=draw_request.game,
        state=state,
        awaited=awaited,
        choices=[(card, *card_face(draw_request.game, card)) for card in rules.card_choices(awaited)],
        cards=drawn or {},
        problems=problems,
    )


def _render_result(draw_request: DrawRequest, state: DrawState) -> str:
    if state.seated is None:
        abort(404)
    g.names = lambda: draw_request.names
    is_swapped = request.args.get("swap") == "yes"
    seats = _swapped(state.seated) if is_swapped else state.seated.seats
    return render_template(
        "tables/seating_draw/seated.html",
        draw_request=draw_request,
        game=draw_request.game,
        state=state,
        seated=state.seated,
        seats=seats,
        new_table_url=_new_table_url(draw_request, seats, state.seated.dealer),
        swapped_url=draw_request.url(*draw_request.rounds, swapped=not is_swapped),
    )


def _swapped(seated: Seating) -> tuple[str, ...]:
    """Return the players in order of turn after the two who may change places have done so."""
    other = dict(zip(seated.swap, reversed(seated.swap), strict=True))
    return tuple(other.get(player, player) for player in seated.seats)


def _new_table_url(draw_request: DrawRequest, seats: tuple[str, ...], dealer: str) -> str:
    args = {f"seat-{seat}": draw_request.names[player] for seat, player in enumerate(seats, start=1)}
    args |= {"dealer": str(seats.index(dealer) + 1)} | ({"like": draw_request.like} if draw_request.like else {})
    return url_for("new_table.open_table", slug=draw_request.game.slug, **args)  # type: ignore[arg-type]  # no key is a parameter of url_for


@blueprint.app_template_global()
def card_face(game: AnyGame, card: Card) -> tuple[str, str]:
    """Return what is written on a card: its letter or number, and its suit."""
    letter = t(f"card.{LETTERS[card.rank]}") if card.rank in LETTERS else card.rank
    symbol = SUIT_SYMBOLS.get(card.suit, card.suit)
    own_letter, own_symbol = f"{game.slug}.card.{card.rank}", f"{game.slug}.suit.{card.suit}"
    return t(own_letter) if has_message(own_letter) else letter, t(own_symbol) if has_message(own_symbol) else symbol


# --- drawing anew at a table --------------------------------------------------------------------------------


@blueprint.post("/tables/<token>/draw")
def draw_anew(token: str) -> ResponseReturnValue:
    """Draw seats and dealer for those who sit at a table; then show the next table, at which they sit so."""
    table, form = access.get_table_or_404(token, SCORE), WriteForm()
    result = opening.draw(table, form.seen.data or "", read_key(), g.browser)
    if isinstance(result, Done):
        return redirect(url_for("table.show", token=result.value), 303)
    return render_failure(table, result)


@blueprint.app_template_global()
def draws_anew(table: TableState) -> bool:
    return opening.is_due(table)


@blueprint.app_template_global()
def url_to_enter_cards(table: TableState) -> str:
    """Return the URL of the draw by those who sit at a table, who have drawn cards of their own."""
    names = [table.names[label] for label in table.seated_now]
    return url_for("seating_draw.draw", slug=table.game.slug, name=names, like=table.token, way="cards")


@blueprint.app_template_global()
def drawn_table(table: TableState) -> str | None:
    return opening.next_table(table)


# --- misdeals ----------------------------------------------------------------------------------------------


@blueprint.get("/tables/<token>/misdeal")
def misdeal(token: str) -> str:
    """Show what can go wrong while cards are dealt; for `?what=<incident>`, who decides and what follows."""
    table = access.get_table_or_404(token, SCORE)
    if not table.game.incidents:
        abort(404)
    dealer = request.args.get("dealer", "")
    incident_name = request.args.get("what")
    return render_template(
        "tables/seating_draw/misdeal.html",
        table=table,
        standing=table.standing,
        dealer=dealer if dealer in table.standing.players else table.standing.dealer,
        incident=next((incident for incident in table.game.incidents if incident.name == incident_name), None),
        form=WriteForm(formdata=None, seen=table.mark),
    )
