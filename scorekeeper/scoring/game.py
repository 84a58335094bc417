"""The definition of a game, and the loop that replays its deals."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic

from . import schema
from .common_facts import Agreement, CommonFact, Misdeal, SeatChange, agreement_type
from .currency import to_subunits
from .game_parts import (
    Check,
    Counted,
    Dealing,
    DealT,
    Ending,
    HouseRules,
    Limits,
    Stakes,
    StandingT,
)
from .pad import ChoiceGroup
from .problems import Problem, Refusal, abbreviate_value, refuse
from .standing import (
    ADJUSTMENT,
    DEAL,
    MANCHE,
    MAX_VALUE_UNIT_LENGTH,
    PARTIE,
    POINTS,
    POT,
    SIDES,
    SUBSTITUTION,
    TERMS,
    AnyStanding,
    Closing,
    Entry,
    OptionsT,
    Row,
    Standing,
    TableResult,
    value_unit,
)
from .terms import TermsChange
from .values import Facts, JsonObject, Seats, Value, clean_name

API_VERSION = "1.0"  # of `scorekeeper.api`: a minor version adds names, a major one changes or removes some

CLOCKWISE, ANTICLOCKWISE = "clockwise", "anticlockwise"
PARTIE_ENDED = "partie-ended"  # the key of the problem with a deal after the end of the partie


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
    announced: the keys of a deal that may be entered before it is played, in groups that enter nothing else.
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
        _check_units(self.units, self.stakes.worth)
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

    def subunits_per_counter(self, value: Value | None) -> int:
        """Return the value of one counter of the settlement unit, in subunits of the table's account."""
        if value is None:
            return 1
        # Exact: a sheet whose value does not divide is refused.
        return to_subunits(value.amount) // self.worth_of(self.unit_of_value(value.unit))

    def add_up(self, standing: StandingT) -> TableResult:
        """Return the result of a table: the counters of each row are worth what they were worth then.

        Nothing can have been paid while the account was another one.
        """
        subunits = dict.fromkeys(standing.balances, 0)
        for row in standing.rows:
            payments = [entry for entry in row.entries if entry.is_payment]
            per_counter = self.subunits_per_counter(row.value) if payments else 0
            for entry in payments:
                paid = entry.amount * self.worth_of(entry.unit) * per_counter
                for player, change in ((entry.giver, -paid), (entry.taker, paid)):
                    if player is not POT:
                        subunits[player] += change
        return TableResult(standing.value.currency if standing.value else self.slug, subunits)

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


_UNIT_NAME = re.compile(r"[a-z][a-z0-9_]*[a-z0-9]")
_RESERVED = frozenset({"points", "to", "from", "reason"})  # keys of an adjustment


def _check_units(units: Sequence[str], worth: Mapping[str, int]) -> None:
    """Check how a game declares its units.

    Raises:
        ValueError: A name cannot be a key of a sheet, or a worth is impossible.
    """
    for unit in units:
        is_key = _UNIT_NAME.fullmatch(unit) and unit not in _RESERVED and not keyword.iskeyword(unit)
        if not is_key or len(value_unit(unit)) > MAX_VALUE_UNIT_LENGTH:
            raise ValueError(f"units: {unit!r} cannot be the name of a unit")
    if len({value_unit(unit) for unit in units}) < len(units):
        raise ValueError("units: two have the same name")
    for unit, number in worth.items():
        if unit not in units[1:] or number < 1:
            raise ValueError(f"worth: only a unit after the first can be worth a number of it, from 1: {unit!r}")


AnyGame = Game[Any, Any, AnyStanding]  # of which neither the options nor the deals are known


def fold(game: AnyGame, standing: AnyStanding, deals: Iterable[Any]) -> Refusal | None:
    """Replay deals (plain JSON, as in a sheet) on a standing, which is modified.

    Returns None, or the refusal of the first invalid deal; the standing then contains the deals before it.
    """
    for raw in deals:
        number = len(standing.rows) + 1
        if standing.is_finished:
            return refuse([Problem("deals", PARTIE_ENDED)], number=number)
        dealer = standing.dealer
        problems: list[Problem] = []
        fact = _read_fact(game, standing, raw, problems)
        if problems:
            standing.dealer = dealer
            return refuse(problems, number=number)
        _record(game, standing, fact)
    return None


def _read_fact(game: AnyGame, standing: AnyStanding, raw: Any, problems: list[Problem]) -> Any:
    """Return what a sheet's item says, and append what is wrong with it. A dealer that it names is set at once."""
    if type(raw) is not dict:
        problems.append(Problem("deals", "a-deal"))
        return None
    if "dealer" in raw:
        _read_dealer(standing, raw, problems)
        raw = {key: value for key, value in raw.items() if key != "dealer"}
    kind = game.find_type(raw)
    # Who has left may still pay and be paid.
    seats = game.seats(tuple(standing.balances) if issubclass(kind, Agreement) else standing.players)
    fact = schema.load(kind, raw, seats, problems)
    if isinstance(fact, CommonFact):
        problems += fact.find_problems(game, standing)
    elif fact is not None:
        problems += _check_deal(game, standing, fact)
    elif kind is game.deal:  # the checks that need only valid keys still run
        problems += _check_deal(game, standing, *schema.load_partial(game.deal, raw, seats))
    return fact


def _read_dealer(standing: AnyStanding, raw: JsonObject, problems: list[Problem]) -> None:
    """Set the dealer that an item names: somebody who sits after it, if it is a substitution."""
    dealer = raw["dealer"]
    players = standing.players
    change = raw.get(SUBSTITUTION)
    if type(change) is dict and type(change.get("in")) is str:  # it may be invalid, and then changes nothing
        players = tuple(change["in"] if player == change.get("out") else player for player in players)
    if dealer in players:
        standing.dealer = dealer
    else:
        problems.append(Problem("dealer", "player", {"found": abbreviate_value(dealer), "parties": players}))


def _record(game: AnyGame, standing: AnyStanding, fact: Any) -> None:
    """Add the row of a fact, with its entries, and close what it has ended."""
    if isinstance(fact, CommonFact):
        fact.change(game, standing)
        row = standing.new_row(fact, fact.row_kind)
        _apply_entries(game, standing, row, fact.entries)
    else:
        row = standing.new_row(fact, DEAL)
        _apply_entries(game, standing, row, game.score(standing, fact))
        standing.dealer = standing.next_player(row.dealer)
    standing.rows.append(row)
    if row.kind in (DEAL, ADJUSTMENT):
        _close(game, standing, row)


def _close(game: AnyGame, standing: AnyStanding, row: Row) -> None:
    while (closing := game.close(standing)) is not None:
        row.closings += (closing,)
        _apply_entries(game, standing, row, closing.entries)
        if closing.kind == PARTIE:
            standing.winners = closing.winners
        elif closing.kind == MANCHE:
            standing.manches += 1
            if not game.stakes.scores_are_payments:
                standing.scores = dict.fromkeys(standing.parties, 0)


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
        points = entry.amount
        if entry.is_payment:
            entry.move(standing.balances)
            if not game.stakes.scores_are_payments:
                continue
            points *= game.worth_of(entry.unit)
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
    stopped = standing.copy()
    last = standing.rows[-1]
    stopped.rows[-1] = replace(last, entries=last.entries.copy(), scored=last.scored.copy(), scores=last.scores.copy())
    _apply_entries(game, stopped, stopped.rows[-1], entries)
    return stopped
