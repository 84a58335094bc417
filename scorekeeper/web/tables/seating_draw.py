"""The draw for seats and first dealer, and the help for misdeals.

A draw is not stored: its URL holds the players and the cards, and every page replays them.
"""

from __future__ import annotations

from dataclasses import dataclass
from secrets import SystemRandom
from typing import Any

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response

from ...games import games
from ...scoring import seating_draw as drawings
from ...scoring.cards import Card, parse_card
from ...scoring.game import AnyGame
from ...scoring.problems import Problem, Refusal
from ...scoring.seating_draw import Draw, DrawState, NextDraw, Seating
from ...scoring.values import clean_name
from ...services import SCORE, Opening
from ..support import access
from ..support.forms import MAX_SEATS, WriteForm

blueprint = Blueprint("seating_draw", __name__)

Answer = str | Response | tuple[str, int]

LETTERS = {"a": "aces", "k": "kings", "q": "queens", "j": "jacks"}
SIGNS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}


@dataclass(frozen=True)
class DrawRequest:
    """A draw as a URL or a form describes it."""

    game: AnyGame
    draw: Draw
    names: dict[str, str]
    drawn: tuple[str, ...]
    by_lot: bool
    like: str

    @property
    def players(self) -> tuple[str, ...]:
        """The players' numbers."""
        return tuple(self.names)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What keeps these players from sitting down together."""
        names = tuple(self.names.values())
        checked = Opening(self.game, names, dealer=next(iter(names), ""), house_rules={}).checked()
        return checked.problems[:1] if isinstance(checked, Refusal) else ()

    def course(self) -> DrawState | list[Problem]:
        """The draw as far as its cards tell."""
        rounds: list[dict[str, Card]] = []
        for told in self.drawn:
            course = self._follow(rounds)
            cards = [parse_card(code) for code in told.split(".")]
            if not isinstance(course, DrawState) or course.awaited is None or len(cards) != len(course.awaited.players):
                return [Problem("drawn", "nothing-to-draw")]
            drawn = zip(course.awaited.players, cards, strict=True)
            rounds.append({player: card for player, card in drawn if card is not None})
        return self._follow(rounds)

    def _follow(self, rounds: list[dict[str, Card]]) -> DrawState | list[Problem]:
        return drawings.replay_draw(self.draw, self.players, rounds, optional=self.by_lot)

    def at(self, *drawn: str, swapped: bool = False) -> str:
        """The address of this draw with these rounds."""
        told: dict[str, Any] = {"name": list(self.names.values()), "drawn": "-".join(drawn), "like": self.like or None}
        told |= {"seats": "lot" if self.by_lot else None, "swap": "yes" if swapped else None, "way": "cards"}
        return url_for("seating_draw.draw", slug=self.game.slug, **told)


def _asked(slug: str, told: MultiDict[str, str]) -> DrawRequest:
    game = games().get(slug)
    if game is None or game.draw is None:
        abort(404)
    typed = told.getlist("name") or [told.get(f"seat-{n}", "") for n in range(1, MAX_SEATS + 1)]
    names = [name for name in map(clean_name, typed[:MAX_SEATS]) if name]
    return DrawRequest(
        game=game,
        draw=game.draw,
        names={str(number): name for number, name in enumerate(names, start=1)},
        drawn=tuple(filter(None, told.get("drawn", "").split("-"))),
        by_lot=told.get("seats") == "lot" and game.draw.optional_stage is not None,
        like=told.get("like", ""),
    )


@blueprint.get("/tables/new/<slug>/draw")
def draw(slug: str) -> Answer:
    """Show the form for the names, the next round of cards, or the result."""
    asked = _asked(slug, request.args)
    if request.args.get("way") != "cards":
        return _names_page(asked)
    if asked.problems:
        return _names_page(asked, asked.problems), 422
    course = asked.course()
    if not isinstance(course, DrawState):
        return _names_page(asked, tuple(course)), 422
    if course.awaited is not None:
        return _cards_page(asked, course, course.awaited)
    return _seated_page(asked, course)


@blueprint.post("/tables/new/<slug>/draw")
def tell(slug: str) -> Answer:
    """Who plays, or what they drew; or draw for them."""
    asked = _asked(slug, request.form)
    if request.form.get("do") == "names":  # as they were typed where a table is opened
        typed, like = list(asked.names.values()), request.args.get("like")
        return redirect(url_for("seating_draw.draw", slug=slug, name=typed, like=like), 303)
    if asked.problems:
        return _names_page(asked, asked.problems), 422
    if request.form.get("do") == "draw":
        rounds = drawings.draw_rounds(asked.draw, asked.players, SystemRandom().sample, optional=asked.by_lot)
        return redirect(asked.at(*(_written(cards.values()) for cards in rounds)), 303)
    course = asked.course()
    if not isinstance(course, DrawState):
        return _names_page(asked, tuple(course)), 422
    if request.form.get("do") != "tell" or course.awaited is None:
        return redirect(asked.at(*asked.drawn), 303)
    told = {player: parse_card(request.form.get(f"card-{player}", "")) for player in course.awaited.players}
    cards = {player: card for player, card in told.items() if card is not None}
    problems = drawings.round_problems(course.awaited, cards)
    if problems:
        return _cards_page(asked, course, course.awaited, cards, tuple(problems)), 422
    return redirect(asked.at(*asked.drawn, _written(cards.values())), 303)


def _written(cards: Any) -> str:
    return ".".join(card.code for card in cards)


# --- its three pages ---------------------------------------------------------------------------------------


def _names_page(asked: DrawRequest, problems: tuple[Problem, ...] = ()) -> str:
    g.names = dict
    people = access.offered()
    return render_template(
        "tables/seating_draw/names.html", asked=asked, game=asked.game, problems=problems, people=people
    )


def _cards_page(
    asked: DrawRequest,
    course: DrawState,
    awaited: NextDraw,
    cards: dict[str, Card] | None = None,
    problems: tuple[Problem, ...] = (),
) -> str:
    g.names = lambda: asked.names
    return render_template(
        "tables/seating_draw/cards.html",
        asked=asked,
        game=asked.game,
        course=course,
        awaited=awaited,
        choices=drawings.card_choices(awaited),
        cards=cards or {},
        problems=problems,
    )


def _seated_page(asked: DrawRequest, course: DrawState) -> str:
    if course.seated is None:
        abort(404)
    g.names = lambda: asked.names
    is_swapped = request.args.get("swap") == "yes"
    seats = _swapped(course.seated) if is_swapped else course.seated.seats
    return render_template(
        "tables/seating_draw/seated.html",
        asked=asked,
        game=asked.game,
        course=course,
        seated=course.seated,
        seats=seats,
        onwards=_opening(asked, seats, course.seated.dealer),
        swapped=asked.at(*asked.drawn, swapped=not is_swapped),
    )


def _swapped(seated: Seating) -> tuple[str, ...]:
    other = dict(zip(seated.swap, reversed(seated.swap), strict=True))
    return tuple(other.get(player, player) for player in seated.seats)


def _opening(asked: DrawRequest, seats: tuple[str, ...], dealer: str) -> str:
    """The page that opens a table, with everybody in the seat that was drawn."""
    told = {f"seat-{seat}": asked.names[player] for seat, player in enumerate(seats, start=1)}
    told |= {"dealer": str(seats.index(dealer) + 1)} | ({"like": asked.like} if asked.like else {})
    return url_for("home.new_table", slug=asked.game.slug, **told)  # type: ignore[arg-type]  # no field is called as its own are


@blueprint.app_template_global()
def face(card: Card) -> tuple[str, str]:
    """What stands on a card: the key of its letter (or the number itself), and the sign of its suit."""
    return (f"card.{LETTERS[card.rank]}" if card.rank in LETTERS else card.rank, SIGNS.get(card.suit, ""))


# --- when a deal goes wrong --------------------------------------------------------------------------------


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
        dealer=dealer if dealer in table.names else table.standing.dealer,
        incident=next((incident for incident in table.game.incidents if incident.name == incident_name), None),
        form=WriteForm(formdata=None, seen=table.version),
    )
