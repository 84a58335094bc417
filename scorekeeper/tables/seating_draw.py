"""The draw for seats and first dealer, and the help for misdeals.

A draw is not stored: its URL holds the players and the cards, and every page replays them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from secrets import SystemRandom
from typing import Any

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from wtforms import StringField

from ..circles import access
from ..games import games
from ..limits import MAX_SEATS
from ..models import SCORE
from ..people.reading import list_active_persons
from ..scoring import seating_draw as rules
from ..scoring.game import AnyGame
from ..scoring.problems import Problem, Refusal
from ..scoring.seating_draw import Card, Draw, DrawState, NextDraw
from ..scoring.standing import SIDES
from ..scoring.values import clean_name
from ..site.forms import Form, SentField, WriteForm
from ..site.language import has_message, join_parties, set_party_names, t
from . import access as table_access
from . import opening
from .new_table import kept_fields
from .opening import Opening
from .option_fields import SWITCH, option_fields
from .table import respond_with_table

blueprint = Blueprint("seating_draw", __name__)

LETTERS = {"a": "aces", "k": "kings", "q": "queens", "j": "jacks"}  # message keys by rank
SUIT_SYMBOLS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}


@dataclass(frozen=True)
class DrawRequest:
    game: AnyGame
    draw: Draw
    names: dict[str, str]  # the players' names by number, in the order in which they were entered
    rounds: tuple[str, ...]  # the rounds of cards, each as codes joined by points
    draws_seats: bool  # whether the seats are drawn too, in a game in which they need not be
    kept: dict[str, str]  # what else was entered into the form for a new table, by field

    @property
    def players(self) -> tuple[str, ...]:
        return tuple(self.names)

    def replay(self) -> DrawState | list[Problem]:
        """Return the draw after these rounds, or why it cannot go on, because of the players or of the cards."""
        names = tuple(self.names.values())
        checked = Opening(self.game, names, dealer=next(iter(names), ""), house_rules={}).checked()
        if isinstance(checked, Refusal):
            return [checked.first]
        rounds: list[dict[str, Card]] = []
        for codes in self.rounds:
            state = rules.replay_draw(self.draw, self.players, rounds, optional=self.draws_seats)
            words = codes.split(".")
            if not isinstance(state, DrawState) or state.awaited is None or len(words) != len(state.awaited.players):
                return [Problem("drawn", "nothing-to-draw")]
            rounds.append(self.parse_cards(dict(zip(state.awaited.players, words, strict=True)), state.awaited))
        return rules.replay_draw(self.draw, self.players, rounds, optional=self.draws_seats)

    def parse_cards(self, codes: Mapping[str, str], awaited: NextDraw) -> dict[str, Card]:
        """Parse the codes of cards that are drawn now; without those that are no cards of the pack."""
        pack = awaited.stage.pack(len(self.players))
        cards = {player: rules.parse_card(code, pack) for player, code in codes.items()}
        return {player: card for player, card in cards.items() if card is not None}

    def face(self, card: Card) -> tuple[str, str]:
        """Return the letter or number that is written on a card, and its suit."""
        letter = t(f"card.{LETTERS[card.rank]}") if card.rank in LETTERS else card.rank
        own_letter, own_symbol = f"{self.game.slug}.card.{card.rank}", f"{self.game.slug}.suit.{card.suit}"
        return (
            t(own_letter) if has_message(own_letter) else letter,
            t(own_symbol) if has_message(own_symbol) else SUIT_SYMBOLS.get(card.suit, card.suit),
        )

    def url(self, *rounds: str, swapped: bool = False) -> str:
        """Return the URL of this draw with other rounds; `swapped`: the two players who may change places do."""
        args: dict[str, Any] = {
            "name": list(self.names.values()),
            "drawn": "-".join(rounds),
            "seats": "lot" if self.draws_seats else None,
            "swap": "yes" if swapped else None,
            "way": "cards",
        }
        return url_for("seating_draw.draw", slug=self.game.slug, **self.kept | args)

    def new_table_url(self, seats: Iterable[str], **dealer: str) -> str:
        """Return the URL of the form for a new table, filled in with these players in order of their seats."""
        fields: dict[str, Any] = {f"seat-{seat}": self.names[player] for seat, player in enumerate(seats, start=1)}
        return url_for("new_table.open_table", slug=self.game.slug, **self.kept | fields | dealer)


class DrawForm(Form):
    """What to do next, and the cards that players say they have drawn."""

    do = StringField()
    cards = SentField("card-")


def _read_draw(slug: str) -> DrawRequest:
    """Read a draw from the URL, or from the form of the names or that for a new table."""
    game = games().get(slug) or abort(404)
    stages = game.dealing.draw or abort(404)
    sent = request.values
    names = sent.getlist("name") or [sent.get(f"seat-{seat}", "") for seat in range(1, MAX_SEATS + 1)]
    players = [name for name in map(clean_name, names) if name][:MAX_SEATS]
    return DrawRequest(
        game=game,
        draw=stages,
        names={str(number): name for number, name in enumerate(players, start=1)},
        rounds=tuple(filter(None, sent.get("drawn", "").split("-"))),
        draws_seats=sent.get("seats") == "lot" and stages.optional_stage is not None,
        kept={name: sent[name] for name in kept_fields(game) if name in sent},
    )


@blueprint.get("/tables/new/<slug>/draw")
def draw(slug: str) -> ResponseReturnValue:
    asked = _read_draw(slug)
    state = asked.replay() if request.args.get("way") == "cards" else []
    if not isinstance(state, DrawState):
        return _render_names(asked, state)
    if state.awaited is not None:
        return _render_cards(asked, state.awaited, state=state, cards={}, form=DrawForm())
    seated = state.seated or abort(404)
    is_swapped = request.args.get("swap") == "yes"
    other = dict(zip(seated.swap, reversed(seated.swap), strict=True)) if is_swapped else {}
    seats = [other.get(player, player) for player in seated.seats]
    return _render(
        asked,
        "tables/seating_draw/seated.html",
        state=state,
        seated=seated,
        seats=seats,
        new_table_url=asked.new_table_url(seats, dealer=str(seats.index(seated.dealer) + 1)),
        swapped_url=asked.url(*asked.rounds, swapped=not is_swapped),
    )


@blueprint.post("/tables/new/<slug>/draw")
def submit(slug: str) -> ResponseReturnValue:
    """Take the players' names or the cards of a round, or draw all cards at random; redirect to what is next."""
    asked, form = _read_draw(slug), DrawForm()
    action = form.do.data
    if action == "names":  # from the form for a new table, which leaves out a switch that is off
        kept: dict[str, Any] = {each.name: "" for each in option_fields(asked.game) if each.kind == SWITCH} | asked.kept
        return redirect(url_for("seating_draw.draw", slug=slug, name=list(asked.names.values()), **kept), 303)
    state = asked.replay()
    if not isinstance(state, DrawState):
        return _render_names(asked, state)
    if action == "draw":
        rounds = rules.draw_rounds(asked.draw, asked.players, SystemRandom().sample, optional=asked.draws_seats)
        return redirect(asked.url(*(_encode(drawn) for drawn in rounds)), 303)
    if action != "tell" or state.awaited is None:
        return redirect(asked.url(*asked.rounds), 303)
    typed = {player: form.cards.data.get(player, "") for player in state.awaited.players}
    drawn = asked.parse_cards(typed, state.awaited)
    form.add_problems(rules.round_problems(state.awaited, drawn))
    if form.errors:
        return _render_cards(asked, state.awaited, state=state, cards=drawn, form=form), 422
    return redirect(asked.url(*asked.rounds, _encode(drawn)), 303)


def _encode(drawn: Mapping[str, Card]) -> str:
    return ".".join(card.code for card in drawn.values())


def _render_names(asked: DrawRequest, problems: Sequence[Problem]) -> ResponseReturnValue:
    home = access.load_home_membership()
    people = [person.name for person in list_active_persons(home.circle)] if home is not None else []
    page = _render(asked, "tables/seating_draw/names.html", problems=problems, people=people)
    return page, 422 if problems else 200


def _render_cards(asked: DrawRequest, awaited: NextDraw, **shown: Any) -> str:
    choices = [(card, *asked.face(card)) for card in rules.card_choices(awaited)]
    return _render(asked, "tables/seating_draw/cards.html", awaited=awaited, choices=choices, **shown)


def _render(asked: DrawRequest, page: str, **variables: Any) -> str:
    set_party_names(asked.names)
    return render_template(page, draw_request=asked, game=asked.game, **variables)


@blueprint.post("/tables/<token>/draw")
def draw_anew(token: str) -> ResponseReturnValue:
    """Draw seats and dealer for those who sit at a table; then show the next table."""
    table, form = table_access.get_table_or_404(token, SCORE), WriteForm()
    result = opening.draw_next_table(table, form.seen.data, form.read_key(), g.membership)
    return respond_with_table(result, table, lambda drawn: url_for("table.show", token=drawn))


@blueprint.get("/tables/<token>/misdeal")
def misdeal(token: str) -> str:
    """Show what can go wrong while cards are dealt; for `?what=<incident>`, who decides and what follows."""
    table = table_access.get_table_or_404(token, SCORE)
    if not table.game.dealing.incidents:
        abort(404)
    standing = table.standing
    dealer = request.args.get("dealer", "")
    dealer = dealer if dealer in standing.players else standing.dealer
    name = request.args.get("what")
    incident = next((incident for incident in table.game.dealing.incidents if incident.name == name), None)
    decider = incident.decider(standing, dealer) if incident is not None else None
    return render_template(
        "tables/seating_draw/misdeal.html",
        table=table,
        dealer=dealer,
        incident=incident,
        decider=decider,
        partners=join_parties(standing.partners(decider)) if decider and decider in SIDES else "",
        form=WriteForm(formdata=None, seen=table.seen),
    )
