"""The definition of a game, and the loop that replays its deals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Generic, NamedTuple, TypeVar

from . import schema
from .common_facts import (
    Agreement,
    Misdeal,
    SeatChange,
    adjustment_problems,
    agreement_type,
    read_seat_change,
    seated_after,
)
from .pad import ChoiceGroup
from .problems import Problem, Refusal, abbreviate_value, refuse
from .seating_draw import Claim, Draw, Incident
from .standing import (
    ADJUSTMENT,
    DEAL,
    MANCHE,
    PARTIE,
    POINTS,
    SIDES,
    SUBSTITUTION,
    TERMS,
    AnyStanding,
    Closing,
    Entry,
    OptionsT,
    Row,
    Standing,
    check_units,
    value_unit,
)
from .terms import TermsChange, read_terms
from .values import Facts, JsonObject, Range, Seats, Value, clean_name

API_VERSION = "1.0"  # of `scorekeeper.api`: a minor version adds names, a major one changes or removes some

CLOCKWISE, ANTICLOCKWISE = "clockwise", "anticlockwise"
PARTIE_ENDED = "partie-ended"  # the key of the problem with a deal after the end of the partie

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


@dataclass(frozen=True, kw_only=True)
class Game(Generic[OptionsT, DealT, StandingT]):
    """The definition of a game: two dataclasses and a few functions. A package declares one as an entry point.

    What is played:
    slug: the game's name in URLs, files and message keys.
    api: the version of `scorekeeper.api` that the game was written for, such as "1.0".
    player_counts: the possible numbers of players.
    direction: the direction of play, `CLOCKWISE` or `ANTICLOCKWISE`.
    in_sides: whether the players form two sides of two.
    options: the dataclass of the house rules.
    variant_of: the slug of the game whose words, layout and styles are used where this one has none of its own.

    How a deal is entered:
    deal: the dataclass of the facts of a deal.
    checks: the rules a deal must obey.
    pad: return the groups of choices for entering a deal, given the facts entered so far.
    complete: return the facts with those added that follow from them.
    announced: the keys of a deal that may be entered before it is played.
    passed: return whether everybody passed, so that the deal was not played. It has no entries, is not counted in
        statistics, and passes the deal on.

    How it is scored:
    units: the game's names for its kinds of counters, the smallest first, in which it is settled; none in some games.
    score: return the entries of a deal. May set the fields that the game's own standing adds.
    close: return the manche, robre or partie that has ended. Called until it returns None. May set the same fields.
    reasons: the reasons of entries, in the order of the rules.
    explain: return the numbers an entry's amount was calculated from, as parameters of a message. The standing and the
        row are as `Counted.figures` has them.
    standing: the class of the game's standing, or a function that makes one.

    A game leaves out those of the other groups that it does not need.
    """

    slug: str
    api: str
    player_counts: tuple[int, ...]
    direction: str
    in_sides: bool
    options: type[OptionsT]
    variant_of: str = ""

    deal: type[DealT]
    checks: tuple[Check[StandingT, DealT], ...]
    pad: Callable[[StandingT, Facts], Iterable[ChoiceGroup]]
    complete: Callable[[StandingT, JsonObject], JsonObject] = lambda _standing, facts: facts
    announced: tuple[str, ...] = ()
    passed: Callable[[DealT], bool] = lambda _deal: False

    units: tuple[str, ...]
    score: Callable[[StandingT, DealT], Iterable[Entry]]
    close: Callable[[StandingT], Closing | None]
    reasons: tuple[str, ...]
    explain: Callable[[StandingT, Row, Entry], Mapping[str, int]] = lambda _standing, _row, _entry: {}
    standing: Callable[..., StandingT] = Standing  # type: ignore[assignment]  # for games that add no fields to it

    house_rules: HouseRules[OptionsT] = HouseRules()
    dealing: Dealing[StandingT] = Dealing()
    stakes: Stakes = Stakes()
    ending: Ending[StandingT] = Ending()
    limits: Limits = Limits()
    counted: Counted[StandingT] = Counted()

    def __post_init__(self) -> None:
        """Check what the annotations cannot say.

        Raises:
            ValueError: The game contradicts itself.
        """
        check_units(self.units, self.stakes.worth)
        if self.counted.deal_sides is not None and self.in_sides:
            raise ValueError("deal_sides: the partners of a game in two sides do not change")
        if self.stakes.scores_are_payments and (self.in_sides or not self.units):
            raise ValueError("scores_are_payments: only players are paid, and in counters")

    @property
    def contest(self) -> str | None:
        """The largest kind of closing: what is won or lost as a whole. None in a game without an end."""
        return self.ending.kinds[-1] if self.ending.kinds else None

    @property
    def adjustable_units(self) -> tuple[str, ...]:
        """The units that an adjustment may be in: points, unless they are payments, and the game's units."""
        return self.units if self.stakes.scores_are_payments else (POINTS, *self.units)

    @property
    def shows_balances(self) -> bool:
        """Whether balances say more than scores: the game has counters, and its scores are not the balance in them."""
        return bool(self.units) and not self.stakes.scores_are_payments

    def find_type(self, facts: Facts) -> type[Any]:
        """Return the dataclass of facts in a sheet's list of deals: that of a deal, or what is common to all games."""
        if "misdeal" in facts:
            return Misdeal
        if ADJUSTMENT in facts:
            return agreement_type(self.adjustable_units)
        if SUBSTITUTION in facts:
            return SeatChange
        return TermsChange if TERMS in facts else self.deal

    def worth_of(self, unit: str) -> int:
        return self.stakes.worth.get(unit, 1)

    def unit_of_value(self, counter: str) -> str:
        """Return the unit of which a sheet's value names one counter: `fiches` for `fiche`; else the smallest unit."""
        return next((unit for unit in self.units if value_unit(unit) == counter), self.units[0])

    def is_played(self, fact: object) -> bool:
        return isinstance(fact, self.deal) and not self.passed(fact)

    def is_passed(self, fact: object) -> bool:
        return isinstance(fact, self.deal) and self.passed(fact)

    def explain_entry(self, standing: StandingT, row: Row, entry: Entry) -> Mapping[str, int]:
        """Return the numbers that an entry of a row was calculated from. `standing` may be further on."""
        if entry.reason == "adjustment":
            return {}
        return self.explain(standing.seated_as(row), row, entry)

    def under(self, options: OptionsT, players: int | None = None) -> Game[Any, Any, Any]:
        """Return the game as `players` play it under these house rules: itself, unless some of its fields differ.

        Without a number of players, as any number does.
        """
        changed = self.house_rules.adapt(options, players)
        return replace(self, **changed) if changed else self  # an equal game is the same object

    def find_name(self, house_rules: Mapping[str, Any]) -> str:
        """Return the name that plain house rules give the game; "" if they do not describe it."""
        name = house_rules.get(self.house_rules.named_by)
        return clean_name(name) if isinstance(name, str) else ""

    @property
    def usual_options(self) -> OptionsT:
        """The house rules of a table that changes none; of a game in which some have no default, an example."""
        return self.house_rules.examples[0] if self.house_rules.examples else self.options()

    def seats(self, players: tuple[str, ...]) -> Seats:
        sides = SIDES if self.in_sides else ()
        return Seats(players, sides, players + sides)

    def open(self, players: tuple[str, ...], dealer: str, options: OptionsT, value: Value | None = None) -> StandingT:
        parties = SIDES if self.in_sides else players
        return self.standing(
            players=players,
            parties=parties,
            options=options,
            clockwise=self.direction == CLOCKWISE,
            dealer=dealer,
            scores=dict.fromkeys(parties, 0),
            balances={player: dict.fromkeys(self.units, 0) for player in players},
            value=value,
        )


AnyGame = Game[Any, Any, AnyStanding]  # of which neither the options nor the deals are known


def fold(game: AnyGame, standing: AnyStanding, deals: Iterable[Any]) -> Refusal | None:
    """Replay deals (plain JSON, as in a sheet) on a standing, which is modified.

    Returns None, or the refusal of the first invalid deal; the standing then contains the deals before it.
    """
    for raw in deals:
        number = len(standing.rows) + 1
        if standing.is_finished:
            return refuse([Problem("deals", PARTIE_ENDED)], deal=number)
        dealer, problems = standing.dealer, list[Problem]()
        fact = _read_fact(game, standing, raw, problems)
        if fact is not None:
            problems += _find_problems(game, standing, fact)
        if problems:
            standing.dealer = dealer
            return refuse(problems, deal=number)
        if type(fact) is SeatChange:
            _change_seats(game, standing, fact)
        elif type(fact) is TermsChange:
            _change_terms(game, standing, fact)
        else:
            _score(game, standing, fact)
    return None


def _change_seats(game: AnyGame, standing: AnyStanding, fact: SeatChange) -> None:
    newcomer = fact.substitution.in_
    standing.substitute(fact.substitution.out, newcomer)
    if game.stakes.scores_are_payments:  # a newcomer's score is their own balance
        counters = standing.balances[newcomer].items()
        standing.scores[newcomer] = sum(count * game.worth_of(unit) for unit, count in counters)
    standing.rows.append(standing.new_row(fact, SUBSTITUTION))


def _change_terms(game: AnyGame, standing: AnyStanding, change: TermsChange) -> None:
    """Play on under other terms, and add the row, which scores and closes nothing.

    If nothing else stands before it, the sheet opens under them: with another starting score, for example.
    """
    options, value = read_terms(game, standing, change, [])
    if all(row.kind == TERMS for row in standing.rows):
        opened = game.open(standing.players, standing.dealer, options)
        for each in fields(opened):
            if each.name != "rows":
                setattr(standing, each.name, getattr(opened, each.name))
    standing.options, standing.value = options, value
    standing.rows.append(standing.new_row(change, TERMS))


def _score(game: AnyGame, standing: AnyStanding, fact: object) -> None:
    """Score a deal, a misdeal or an adjustment, add its row, and close what it has ended."""
    row = standing.new_row(fact, ADJUSTMENT if isinstance(fact, Agreement) else DEAL)
    if isinstance(fact, game.deal):
        _apply_entries(game, standing, row, game.score(standing, fact))
        standing.dealer = standing.next_player(row.dealer)
    elif isinstance(fact, Agreement):
        _apply_entries(game, standing, row, (fact.adjustment.entry,))
    standing.rows.append(row)
    while (closing := game.close(standing)) is not None:
        row.closings += (closing,)
        _apply_entries(game, standing, row, closing.entries)
        if closing.kind == PARTIE:
            standing.winners = closing.winners
        elif closing.kind == MANCHE:
            standing.manches += 1
            if not game.stakes.scores_are_payments:
                standing.scores = dict.fromkeys(standing.parties, 0)


# --- reading -------------------------------------------------------------------------------------------------


def _read_fact(game: AnyGame, standing: AnyStanding, raw: Any, problems: list[Problem]) -> Any:
    """Return the facts of a deal, or None if they are invalid. A dealer that they name is set in the standing."""
    if type(raw) is not dict:
        problems.append(Problem("deals", "a-deal"))
        return None
    seats = game.seats(standing.players)
    if "dealer" in raw:
        name, players = raw["dealer"], seated_after(seats.players, raw.get(SUBSTITUTION))
        raw = {key: value for key, value in raw.items() if key != "dealer"}
        if name in players:
            standing.dealer = name
        else:
            problems.append(Problem("dealer", "player", {"found": abbreviate_value(name), "parties": players}))
    kind = game.find_type(raw)
    if kind is SeatChange:
        return read_seat_change(raw, seats, problems)
    if issubclass(kind, Agreement):  # who has left may still pay and be paid
        seats = game.seats(tuple(standing.balances))
    fact = schema.load(kind, raw, seats, problems)
    if fact is None and kind is game.deal:  # the checks that need only valid keys still run
        problems += _check_deal(game, standing, *schema.load_partial(game.deal, raw, seats))
    return fact


def _find_problems(game: AnyGame, standing: AnyStanding, fact: Any) -> Iterable[Problem]:
    """Check what could be read. A substitution's reader has found all that can be wrong with it."""
    if isinstance(fact, game.deal):
        return _check_deal(game, standing, fact)
    if isinstance(fact, Agreement):
        return adjustment_problems(standing, fact.adjustment, may_be_negative=game.limits.allows_negative_scores)
    if isinstance(fact, TermsChange):
        problems: list[Problem] = []
        read_terms(game, standing, fact, problems)
        return problems
    return () if isinstance(fact, SeatChange) or fact.misdeal else (Problem("misdeal", "only-true"),)


def _check_deal(game: AnyGame, standing: AnyStanding, deal: Any, keys: set[str] | None = None) -> list[Problem]:
    """Run the game's checks; on a deal of which only these keys are valid, those that need no others."""
    checks = [check for check in game.checks if keys is None or keys.issuperset(check.required_keys)]
    return [problem for check in checks for problem in check.find_problems(standing, deal)]


def announcement_problems(game: AnyGame, standing: AnyStanding, raw: JsonObject) -> list[Problem]:
    """Return what is wrong with facts that are announced before the deal is played."""
    if not game.announced:
        return [Problem("deals", "not-announceable")]
    problems = [Problem(key, "not-announceable") for key in raw if key not in game.announced]
    part, keys = schema.load_partial(game.deal, raw, game.seats(standing.players))
    problems += [Problem(key, "tap-one") for key in game.announced[:1] if key not in keys]
    return problems + _check_deal(game, standing, part, keys.intersection(game.announced))


# --- entries -------------------------------------------------------------------------------------------------


def _apply_entries(game: AnyGame, standing: AnyStanding, row: Row, entries: Iterable[Entry]) -> None:
    """Add entries to the row, the scores and the balances, leaving out those with the amount 0."""
    for entry in entries:
        if not entry.amount:
            continue
        row.entries.append(entry)
        if entry.is_payment:
            entry.move(standing.balances)
            if not game.stakes.scores_are_payments:
                continue
        points = entry.amount * game.worth_of(entry.unit)
        for party, change in ((entry.giver, -points), (entry.taker, points)):
            if party in standing.scores:  # neither the pot nor somebody who has left
                standing.scores[party] += change
                row.scored[party] += change
                row.scores[party] += change


def stop(game: AnyGame, standing: AnyStanding) -> AnyStanding:
    """Return the standing with the payments that are due when the players stop, in its last row; itself without any."""
    if game.ending.stop is None or not standing.rows:
        return standing
    entries = [entry for entry in game.ending.stop(standing) if entry.amount]
    if not entries:
        return standing
    stopped, last = standing.copy(), standing.rows[-1]
    stopped.rows[-1] = replace(last, entries=last.entries.copy(), scored=last.scored.copy(), scores=last.scores.copy())
    _apply_entries(game, stopped, stopped.rows[-1], entries)
    return stopped
