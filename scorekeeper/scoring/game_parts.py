"""The parts of a game's definition besides `Game` itself: groups of fields, and what functions of a game return."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from .common_facts import Misdeal
from .problems import Problem
from .seating_draw import Claim, Draw, Incident
from .standing import DEAL, PARTIE, AnyStanding, Entry, OptionsT, Row
from .values import JsonObject, Range

DealT = TypeVar("DealT")
StandingT = TypeVar("StandingT", bound=AnyStanding)
StandingT_contra = TypeVar("StandingT_contra", bound=AnyStanding, contravariant=True)  # of functions for any standing


class Figure(NamedTuple):
    """Something a player or a side did in a deal, counted over deals and tables for each of the players.

    `part` divides a figure, for example by the level of a contract; it is "" if there is no division. `times` is how
    often it happened, or a number that is added up for its average. Message keys are `<slug>.figure.<name>` and
    `<slug>.figure.<name>.<part>`; a numeric part is shown as it is.
    """

    party: str
    name: str
    part: str = ""
    times: int = 1


class Feat(NamedTuple):
    """An amount that may become one of the circle's records, and the players or sides to name. Larger is better.

    The message key is `<slug>.feat.<name>`, with the amount as `{count}`.
    """

    name: str
    amount: int
    parties: tuple[str, ...]


def length_feats(standing: AnyStanding, row: Row, kind: str) -> Iterator[Feat]:
    """Yield `longest_<kind>`, of all players, for a row that ends one: its number of deals, without misdeals."""
    deals = 0
    for earlier in reversed(standing.rows[: row.number]):
        if earlier.number != row.number and any(closing.kind == kind for closing in earlier.closings):
            break
        deals += earlier.kind == DEAL and not isinstance(earlier.fact, Misdeal)
    if deals:
        yield Feat(f"longest_{kind}", deals, standing.players)


class Check(NamedTuple, Generic[StandingT, DealT]):
    """A rule that a deal must obey.

    `find_problems` gets a standing and a deal. `required_keys` are the keys of the deal it reads: the check also runs
    on a deal in which other keys are invalid.
    """

    required_keys: tuple[str, ...]
    find_problems: Callable[[StandingT, DealT], Iterable[Problem]]


@dataclass(frozen=True, kw_only=True)
class HouseRules(Generic[OptionsT]):
    """What house rules do besides changing the scoring, and how they are chosen.

    check: return what is wrong with the house rules together or with the number of players, at each option.
    fill: return plain house rules from a form, with those that were left empty and the number of players needs.
    adapt: return the fields of the game that differ under these house rules, such as `in_sides` or `deal`, or with
        the number of players; None is any number.
    asked: those that a new table asks for at once; the others stand behind *Options*.
    examples: for tests and pages without a table, if some have no default; the first fits all seats.
    named_by: the one that says what is played, a text without a default, if the house rules describe the game.
    known: those of well-known games that can be so described; texts are keys of messages: `known.<text>`.
    """

    check: Callable[[OptionsT, int], Iterable[Problem]] = lambda _options, _players: ()
    fill: Callable[[JsonObject, int], JsonObject] = lambda house_rules, _players: house_rules
    adapt: Callable[[OptionsT, int | None], Mapping[str, Any]] = lambda _options, _players: {}
    asked: tuple[str, ...] = ()
    examples: tuple[OptionsT, ...] = ()
    named_by: str = ""
    known: tuple[OptionsT, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Dealing(Generic[StandingT_contra]):
    """Who sits where and deals, and what can go wrong with it.

    draw: how seats and the first dealer are drawn.
    is_redrawn: return whether seats and dealer are to be drawn anew before the next deal.
    incidents: what can go wrong while dealing.
    claimable: return what may still be claimed of a recorded deal.
    """

    draw: Draw | None = None
    is_redrawn: Callable[[StandingT_contra], bool] = lambda _standing: False
    incidents: tuple[Incident, ...] = ()
    claimable: Callable[[StandingT_contra], tuple[Claim, ...]] = lambda _standing: ()


@dataclass(frozen=True, kw_only=True)
class Stakes:
    """What is paid, beyond payments in one unit.

    worth: how many of the smallest unit one of a unit is worth; 1 if left out.
    scores_are_payments: whether points are paid as they are won. `score` then returns payments between players and no
        marks, and a player's score is the balance in the smallest unit; no manche clears it.
    """

    worth: Mapping[str, int] = field(default_factory=dict, hash=False)
    scores_are_payments: bool = False


@dataclass(frozen=True, kw_only=True)
class Ending(Generic[StandingT_contra]):
    """How the game is won.

    kinds: the kinds of closing that `close` returns, smallest first; none for a game that is not won as a whole.
    lowest_wins: whether the lowest score is the best.
    stop: return the payments that are due when the players stop: while a table is closed. None: there are never any.
    report: return the keys of the statement that only this game has.
    """

    kinds: tuple[str, ...] = (PARTIE,)
    lowest_wins: bool = False
    stop: Callable[[StandingT_contra], Iterable[Entry]] | None = None
    report: Callable[[StandingT_contra], JsonObject] = lambda standing: {"winner": standing.winner}


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What scores can be, as adjustments and the results of an event are checked.

    allows_negative_scores: whether scores can be below 0, by an adjustment or at an event.
    points_of_deal: the points of one deal by its rules: of a party, and of all together.
    tricks: how many tricks a deal has. An event can then count tricks, read from the deals' field `tricks` by side.
    """

    allows_negative_scores: bool = True
    points_of_deal: tuple[Range, Range] | None = None
    tricks: int | None = None


@dataclass(frozen=True, kw_only=True)
class Counted(Generic[StandingT_contra]):
    """What statistics count of the game, besides what is won and paid.

    `figures` and `feats` return what a row adds to the statistics of its players and to the circle's records. They are
    called with a standing that may be further on; they must ignore later rows.

    figure_names, feat_names: the names that they may return, in the order of display.
    deal_sides: for games whose partners change: return the sides of a deal, each with its players. Partners and
        opponents are then counted by deal; who sat out is in no side.
    """

    figure_names: tuple[str, ...] = ()
    figures: Callable[[StandingT_contra, Row], Iterable[Figure]] = lambda _standing, _row: ()
    feat_names: tuple[str, ...] = ()
    feats: Callable[[StandingT_contra, Row], Iterable[Feat]] = lambda _standing, _row: ()
    deal_sides: Callable[[StandingT_contra, Row], Iterable[tuple[str, ...]]] | None = None
