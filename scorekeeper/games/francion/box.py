"""A player's box: the counters he has before him, and how a payment is made with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ...scoring.ledger import FICHE, FICHES, JETONS, POT, Entry
from ...scoring.settlement import Payment
from ...scoring.standing import Row


class Counters(NamedTuple):
    """What lies before a player; below 0, what he owes that his box does not hold."""

    fiches: int
    jetons: int

    @property
    def worth(self) -> int:
        """In jetons."""
        return FICHE * self.fiches + self.jetons


NOTHING = Counters(0, 0)


class Handing(NamedTuple):
    """Counters handed over, and the jetons taken back."""

    fiches: int
    jetons: int
    back: int


class HandOver(NamedTuple):
    """A payment that is not made in the counters it is told in, and how it is."""

    entry: Entry
    handing: Handing


def handing_over(jetons_due: int, has: Counters) -> Handing:
    """In jetons as far as they go; for the rest the fewest fiches, and jetons taken back.

    Where the box does not hold enough, the jetons that are due.
    """
    fiches = -(-(jetons_due - has.jetons) // FICHE)
    if fiches <= 0 or fiches > has.fiches:
        return Handing(0, jetons_due, 0)
    rest = jetons_due - FICHE * fiches
    return Handing(fiches, max(rest, 0), max(-rest, 0))


def handing_fiches(fiches_due: int, has: Counters) -> Handing:
    """In fiches as far as they go, nine jetons for each of the rest; the fiches due where the box lacks enough."""
    fiches = min(fiches_due, max(has.fiches, 0))
    jetons = FICHE * (fiches_due - fiches)
    return Handing(fiches, jetons, 0) if jetons <= has.jetons else Handing(fiches_due, 0, 0)


def settling_over(jetons_due: int, has: Counters) -> Handing:
    """At the end of the evening, when counters go back into their boxes: whole fiches first, then jetons."""
    fiches = min(jetons_due // FICHE, max(has.fiches, 0))
    rest = handing_over(jetons_due - FICHE * fiches, Counters(has.fiches - fiches, has.jetons))
    return Handing(fiches + rest.fiches, rest.jetons, rest.back)


def hand_settled(has: Mapping[str, Counters], payments: Iterable[Payment]) -> list[Handing | None]:
    """How each payment of a settlement is made, one after the other, each with what its giver then has.

    None where it is made as it is told, in the fewest counters.
    """
    left = dict(has)
    told: list[Handing | None] = []
    for giver, taker, amount in payments:
        # A banker who did not play has no box of his own.
        gives, takes = left.get(giver, NOTHING), left.get(taker, NOTHING)
        fiches, jetons, back = settling_over(amount, gives)
        left[giver] = Counters(gives.fiches - fiches, gives.jetons - jetons + back)
        left[taker] = Counters(takes.fiches + fiches, takes.jetons + jetons - back)
        is_plain = (fiches, jetons) == divmod(amount, FICHE)
        told.append(None if is_plain else Handing(fiches, jetons, back))
    return told


def boxes(box: Counters, balances: Mapping[str, Mapping[str, int]]) -> dict[str, Counters]:
    """What each player has before him: his box and his balance, fiches and jetons changed among the players.

    The source counts a fiche as nine jetons and knows no other purse than the boxes, so that who lacks jetons changes
    a fiche with the player who has most of them, and the other way round. What there is in all stays as it was.
    Nobody is short of either while his box is worth what he owes and there are jetons in the boxes.
    """
    has = {p: Counters(box.fiches + held[FICHES], box.jetons + held[JETONS]) for p, held in balances.items()}
    for player in balances:
        fiches, jetons = has[player]
        _change(has, player, min(fiches, -(jetons // FICHE)) if jetons < 0 else 0)
    for player in balances:
        fiches, jetons = has[player]
        _change(has, player, -min(-fiches, jetons // FICHE) if fiches < 0 else 0)
    return has


def _change(has: dict[str, Counters], player: str, fiches: int) -> None:
    """Change so many of the player's fiches into jetons; below 0, so many times nine jetons into fiches."""
    sign = 1 if fiches > 0 else -1
    wanted = abs(fiches)
    for other in sorted(has, key=lambda other: -sign * has[other].jetons):
        if other == player or wanted == 0:
            continue
        can = has[other].jetons // FICHE if sign > 0 else has[other].fiches
        changed = sign * max(0, min(wanted, can))
        has[player] = Counters(has[player].fiches - changed, has[player].jetons + FICHE * changed)
        has[other] = Counters(has[other].fiches + changed, has[other].jetons - FICHE * changed)
        wanted -= abs(changed)


def hand_overs(box: Counters, players: Iterable[str], rows: Iterable[Row]) -> dict[int, list[HandOver]]:
    """By the number of a deal, the payments in it that are not made in the counters they are told in."""
    balances = {player: {JETONS: 0, FICHES: 0} for player in players}
    told: dict[int, list[HandOver]] = {}
    for row in rows:
        for entry in row.entries:
            if not entry.is_payment:
                continue
            handing = _handing(entry, box, balances)
            if handing is not None:
                told.setdefault(row.number, []).append(HandOver(entry, handing))
            for party, amount in ((entry.giver, -entry.amount), (entry.taker, entry.amount)):
                if party is not POT:
                    balances[party][entry.unit] += amount
    return told


def _handing(entry: Entry, box: Counters, balances: Mapping[str, Mapping[str, int]]) -> Handing | None:
    """None where it is made as it is told."""
    if entry.giver is POT:
        return None
    has = boxes(box, balances)[entry.giver]
    if entry.unit == JETONS:
        handing = handing_over(entry.amount, has)
        return handing if handing.fiches else None
    handing = handing_fiches(entry.amount, has)
    return handing if handing.jetons else None
