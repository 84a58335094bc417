"""The draw for seats and first dealer, and what follows where a deal goes wrong.

A draw is kept nowhere: its address holds the players and the cards, and every page replays them.
"""

from __future__ import annotations

from dataclasses import dataclass
from secrets import SystemRandom
from typing import Any

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response

from ..book import SCORE, Opening
from ..games import games
from ..scoring import draw as drawings
from ..scoring.cards import Card, read
from ..scoring.draw import Awaited, Course, Draw, Seated
from ..scoring.game import Game
from ..scoring.remarks import Refusal, Remark
from . import access
from .forms import MOST_SEATS, WriteForm, one_line

blueprint = Blueprint("drawing", __name__)

Answer = str | Response | tuple[str, int]

LETTERS = {"a": "aces", "k": "kings", "q": "queens", "j": "jacks"}
SIGNS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}


@dataclass(frozen=True)
class Asked:
    """A draw as an address or a form tells of it: the players by number, and the cards of each round in order.

    A round is written "kh.5d.9c.2s", several are joined by a hyphen.
    """

    game: Game
    draw: Draw
    names: dict[str, str]
    drawn: tuple[str, ...]
    by_lot: bool
    like: str

    @property
    def players(self) -> tuple[str, ...]:
        return tuple(self.names)

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """What keeps these players from sitting down together."""
        names = tuple(self.names.values())
        checked = Opening(self.game, names, dealer=next(iter(names), ""), house_rules={}).checked()
        return checked.remarks[:1] if isinstance(checked, Refusal) else ()

    def course(self) -> Course | list[Remark]:
        """The draw as far as its cards tell."""
        rounds: list[dict[str, Card]] = []
        for told in self.drawn:
            course = self._follow(rounds)
            cards = [read(code) for code in told.split(".")]
            if not isinstance(course, Course) or course.awaited is None or len(cards) != len(course.awaited.players):
                return [Remark("drawn", "nothing-to-draw")]
            drawn = zip(course.awaited.players, cards, strict=True)
            rounds.append({player: card for player, card in drawn if card is not None})
        return self._follow(rounds)

    def _follow(self, rounds: list[dict[str, Card]]) -> Course | list[Remark]:
        return drawings.follow(self.draw, self.players, rounds, optional=self.by_lot)

    def at(self, *drawn: str, swapped: bool = False) -> str:
        """The address of this draw with these rounds."""
        told: dict[str, Any] = {"name": list(self.names.values()), "drawn": "-".join(drawn), "like": self.like or None}
        told |= {"seats": "lot" if self.by_lot else None, "swap": "yes" if swapped else None, "way": "cards"}
        return url_for("drawing.draw", slug=self.game.slug, **told)


def _asked(slug: str, told: MultiDict[str, str]) -> Asked:
    game = games().get(slug)
    if game is None or game.draw is None:
        abort(404)
    typed = told.getlist("name") or [told.get(f"seat-{n}", "") for n in range(1, MOST_SEATS + 1)]
    names = [name for name in map(one_line, typed[:MOST_SEATS]) if name]
    return Asked(
        game=game,
        draw=game.draw,
        names={str(number): name for number, name in enumerate(names, start=1)},
        drawn=tuple(filter(None, told.get("drawn", "").split("-"))),
        by_lot=told.get("seats") == "lot" and game.draw.option is not None,
        like=told.get("like", ""),
    )


@blueprint.get("/tables/new/<slug>/draw")
def draw(slug: str) -> Answer:
    asked = _asked(slug, request.args)
    if request.args.get("way") != "cards":
        return _names_page(asked)
    if asked.remarks:
        return _names_page(asked, asked.remarks), 422
    course = asked.course()
    if not isinstance(course, Course):
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
        return redirect(url_for("drawing.draw", slug=slug, name=typed, like=like), 303)
    if asked.remarks:
        return _names_page(asked, asked.remarks), 422
    if request.form.get("do") == "draw":
        rounds = drawings.drawn(asked.draw, asked.players, SystemRandom().sample, optional=asked.by_lot)
        return redirect(asked.at(*(_written(cards.values()) for cards in rounds)), 303)
    course = asked.course()
    if not isinstance(course, Course):
        return _names_page(asked, tuple(course)), 422
    if request.form.get("do") != "tell" or course.awaited is None:
        return redirect(asked.at(*asked.drawn), 303)
    told = {player: read(request.form.get(f"card-{player}", "")) for player in course.awaited.players}
    cards = {player: card for player, card in told.items() if card is not None}
    remarks = drawings.faults(course.awaited, cards)
    if remarks:
        return _cards_page(asked, course, course.awaited, cards, tuple(remarks)), 422
    return redirect(asked.at(*asked.drawn, _written(cards.values())), 303)


def _written(cards: Any) -> str:
    return ".".join(card.code for card in cards)


# --- its three pages ---------------------------------------------------------------------------------------


def _names_page(asked: Asked, remarks: tuple[Remark, ...] = ()) -> str:
    g.names = dict
    people = access.offered()
    return render_template("drawing/names.html", asked=asked, game=asked.game, remarks=remarks, people=people)


def _cards_page(
    asked: Asked,
    course: Course,
    awaited: Awaited,
    cards: dict[str, Card] | None = None,
    remarks: tuple[Remark, ...] = (),
) -> str:
    g.names = lambda: asked.names
    return render_template(
        "drawing/cards.html",
        asked=asked,
        game=asked.game,
        course=course,
        awaited=awaited,
        choices=drawings.choices(awaited),
        cards=cards or {},
        remarks=remarks,
    )


def _seated_page(asked: Asked, course: Course) -> str:
    if course.seated is None:
        abort(404)
    g.names = lambda: asked.names
    is_swapped = request.args.get("swap") == "yes"
    seats = _swapped(course.seated) if is_swapped else course.seated.seats
    return render_template(
        "drawing/seated.html",
        asked=asked,
        game=asked.game,
        course=course,
        seated=course.seated,
        seats=seats,
        onwards=_opening(asked, seats, course.seated.dealer),
        swapped=asked.at(*asked.drawn, swapped=not is_swapped),
    )


def _swapped(seated: Seated) -> tuple[str, ...]:
    other = dict(zip(seated.swap, reversed(seated.swap), strict=True))
    return tuple(other.get(player, player) for player in seated.seats)


def _opening(asked: Asked, seats: tuple[str, ...], dealer: str) -> str:
    """The page that opens a table, with everybody in the seat that was drawn."""
    told = {f"seat-{seat}": asked.names[player] for seat, player in enumerate(seats, start=1)}
    told |= {"dealer": str(seats.index(dealer) + 1)} | ({"like": asked.like} if asked.like else {})
    return url_for("front.new_table", slug=asked.game.slug, **told)  # type: ignore[arg-type]  # no field is called as its own are


@blueprint.app_template_global()
def face(card: Card) -> tuple[str, str]:
    """What stands on a card: the key of its letter (or the number itself), and the sign of its suit."""
    return (f"card.{LETTERS[card.rank]}" if card.rank in LETTERS else card.rank, SIGNS.get(card.suit, ""))


# --- when a deal goes wrong --------------------------------------------------------------------------------


@blueprint.get("/tables/<token>/misdeal")
def misdeal(token: str) -> str:
    """What may have happened while the cards were dealt, who decides then, and what follows."""
    table = access.table_or_not_yours(token, SCORE)
    if not table.game.incidents:
        abort(404)
    told = request.args.get("dealer", "")
    what = request.args.get("what")
    return render_template(
        "drawing/misdeal.html",
        table=table,
        standing=table.standing,
        dealer=told if told in table.names else table.standing.dealer,
        incident=next((incident for incident in table.game.incidents if incident.name == what), None),
        form=WriteForm(formdata=None, seen=table.seen),
    )
