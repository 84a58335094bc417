"""A game, and the one loop that replays its deals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from . import record
from .agreed import Agreed, Misdeal, adjustment_faults, agreed_entry
from .draw import Draw
from .figures import Feat, Figure
from .incidents import Claim, Incident
from .ledger import POINTS, POT, Entry
from .pad import Group
from .remarks import Refusal, Remark, refuse, shown
from .sides import SIDES
from .standing import MANCHE, PARTIE, Closing, Row, Standing
from .values import BROKEN, Reader, Seats

CLOCKWISE, ANTICLOCKWISE = "clockwise", "anticlockwise"


class Check(NamedTuple):
    """Something that could not have happened: `faults` looks for it in a standing and a deal.

    `needs` are the keys of the deal it looks at, so that a fault is found even where another key cannot be read.
    """

    needs: tuple[str, ...]
    faults: Callable[[Any, Any], Iterable[Remark]]


@dataclass(frozen=True)
class Game:
    """Two types and a few functions; a folder of `games` holds one in its `GAME`.

    `checks` say what could not have happened at the table, `score` what a deal brings, `close` what has ended
    (asked until it answers None), `report` the statement's keys that only this game has, `reckon` the numbers an
    entry's amount was made of, to be shown beside it. `announced` are the keys of a deal that may be told when it
    begins, before the rest is known. `pad` and `complete` say what may be tapped and what follows
    from the taps. `score` and `close` may write the fields that the game's own Standing adds, and no others.
    `figures` and `feats` tell what a row adds to its players' figures and to the circle's records; they look at that
    row and those before it, never at what came later. `figure_names` and `feat_names` are theirs, in the order shown.
    `ends` are the kinds of closing that `close` tells of, the smallest first.
    `draw` is how seats and first dealer are drawn for, `incidents` what can go wrong in dealing, `claimable` what may
    still be claimed of a deal already recorded.
    """

    slug: str
    seatings: tuple[int, ...]
    turn: str
    in_sides: bool
    units: tuple[str, ...]
    options: type[Any]
    deal: type[Any]
    checks: tuple[Check, ...]
    score: Callable[[Any, Any], Iterable[Entry]]
    close: Callable[[Any], Closing | None]
    report: Callable[[Any], dict[str, Any]]
    reckon: Callable[[Any, Entry], Mapping[str, int]]
    pad: Callable[[Any, Mapping[str, Any]], Iterable[Group]]
    complete: Callable[[Any, dict[str, Any]], dict[str, Any]]
    reasons: tuple[str, ...]
    figure_names: tuple[str, ...]
    figures: Callable[[Any, Row], Iterable[Figure]]
    feat_names: tuple[str, ...]
    feats: Callable[[Any, Row], Iterable[Feat]]
    announced: tuple[str, ...] = ()
    standing: Callable[..., Standing] = Standing
    falls_below_nought: bool = True
    ends: tuple[str, ...] = (PARTIE,)
    draw: Draw | None = None
    incidents: tuple[Incident, ...] = ()
    claimable: Callable[[Any], tuple[Claim, ...]] = lambda _standing: ()

    @property
    def contest(self) -> str:
        """What is won or lost as a whole: the largest kind that can end."""
        return self.ends[-1]

    def seats(self, players: tuple[str, ...]) -> Seats:
        sides = SIDES if self.in_sides else ()
        return Seats(players, sides, players + sides)

    def open(self, players: tuple[str, ...], dealer: str, options: Any) -> Standing:
        """The standing before the first deal; every party at 0, every balance at 0."""
        parties = SIDES if self.in_sides else players
        return self.standing(
            players=players,
            parties=parties,
            options=options,
            clockwise=self.turn == CLOCKWISE,
            dealer=dealer,
            scores=dict.fromkeys(parties, 0),
            balances={player: dict.fromkeys(self.units, 0) for player in players},
        )


def fold(game: Game, standing: Standing, deals: Iterable[Any]) -> Refusal | None:
    """Replay deals (plain JSON, as in a sheet) on a standing, which is advanced as far as they can stand.

    Answers None, or the refusal of the first deal that cannot stand. Linear in the deals.
    """
    seats = game.seats(standing.players)
    read_deal = record.reader(game.deal)
    nothing = dict.fromkeys(standing.parties, 0)
    checks = [check.faults for check in game.checks]
    for raw in deals:
        number = len(standing.rows) + 1
        if standing.winner is not None:
            return refuse(number, [Remark("deals", "partie-ended")])
        remarks: list[Remark] = []
        turn = standing.dealer
        read = _reader(read_deal, raw)
        standing.dealer, fact = _read(read, raw, turn, seats, remarks)
        if type(fact) is game.deal:
            for faults in checks:
                remarks.extend(faults(standing, fact))
        elif fact is not BROKEN:
            remarks.extend(_faults_of_no_deal(game, standing, fact))
        elif type(raw) is dict and read is read_deal:
            remarks.extend(_faults_in_part(game, standing, raw, seats))
        if remarks:
            standing.dealer = turn
            return refuse(number, remarks)
        _advance(game, standing, Row(number, standing.dealer, fact, nothing.copy(), {}, []))
    return None


def _read(read: Reader, raw: Any, turn: str, seats: Seats, remarks: list[Remark]) -> tuple[str, Any]:
    """Who dealt (whose turn it was, where the sheet says nothing) and the fact, or BROKEN."""
    if type(raw) is not dict:
        remarks.append(Remark("deals", "a-deal"))
        return turn, BROKEN
    dealer = turn
    if "dealer" in raw:
        told = raw["dealer"]
        raw = {key: value for key, value in raw.items() if key != "dealer"}
        if told in seats.players:
            dealer = told
        else:
            remarks.append(Remark("dealer", "player", {"found": shown(told), "parties": seats.players}))
    return dealer, read(raw, seats, remarks)


def _reader(read_deal: Reader, raw: Any) -> Reader:
    """What a deal is to be read as: the game's own, a misdeal, or what was agreed outside a deal."""
    if type(raw) is not dict or ("misdeal" not in raw and "adjustment" not in raw):
        return read_deal
    return record.reader(Misdeal if "misdeal" in raw else Agreed)


def _faults_of_no_deal(game: Game, standing: Standing, fact: Any) -> Iterable[Remark]:
    if type(fact) is Agreed:
        return adjustment_faults(standing, fact.adjustment, game.units, may_fall=game.falls_below_nought)
    return () if fact.misdeal else (Remark("misdeal", "only-true"),)


def _faults_in_part(game: Game, standing: Standing, raw: Any, seats: Seats) -> list[Remark]:
    """What could not have happened, as far as the keys that can be read tell."""
    part, keys = record.load_part(game.deal, raw, seats)
    checks = [check for check in game.checks if keys.issuperset(check.needs)]
    return [remark for check in checks for remark in check.faults(standing, part)]


def announcement_faults(game: Game, standing: Standing, raw: dict[str, Any]) -> list[Remark]:
    """What is wrong with facts that are told before the deal is played: keys that are not, and what could not be."""
    if not game.announced:
        return [Remark("deals", "told-after-the-deal")]
    remarks = [Remark(key, "told-after-the-deal") for key in raw if key not in game.announced]
    part, keys = record.load_part(game.deal, raw, game.seats(standing.players))
    remarks += [Remark(key, "tap-one") for key in game.announced[:1] if key not in keys]
    told = keys.intersection(game.announced)
    checks = [check for check in game.checks if told.issuperset(check.needs)]
    return remarks + [remark for check in checks for remark in check.faults(standing, part)]


def _advance(game: Game, standing: Standing, row: Row) -> None:
    fact = row.fact
    if type(fact) is game.deal:
        _apply(standing, row, game.score(standing, fact))
        standing.dealer = standing.next_player(row.dealer)
    elif type(fact) is Agreed:
        _apply(standing, row, (agreed_entry(fact.adjustment),))
    row.scores = standing.scores.copy()
    standing.rows.append(row)
    while closing := game.close(standing):
        row.closings += (closing,)
        _apply(standing, row, closing.entries)
        if closing.kind == PARTIE:
            standing.winner = closing.winner
        elif closing.kind == MANCHE:
            standing.scores = dict.fromkeys(standing.parties, 0)
            standing.manches += 1


def _apply(standing: Standing, row: Row, entries: Iterable[Entry]) -> None:
    scores, scored, balances, kept = standing.scores, row.scored, standing.balances, row.entries
    for entry in entries:
        giver, taker, amount, unit, _ = entry
        if not amount:
            continue  # a payment of nothing is no payment
        kept.append(entry)
        if unit == POINTS:
            scores[taker] += amount  # type: ignore[index]  # a mark has a taker
            scored[taker] += amount  # type: ignore[index]  # as above
            continue
        if giver is not POT:
            balances[giver][unit] -= amount
        if taker is not POT:
            balances[taker][unit] += amount
