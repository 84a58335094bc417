"""A player's box of counters, and how payments are made with the counters in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from ...api import FICHES, JETONS, MAX_AMOUNT, POT, Entry, MultipleOf, Range, Row, Transfer

FICHE = 9  # what a fiche is worth in jetons


@dataclass(frozen=True)
class Box:
    """The counters each player starts with, if the players want to track them. Does not change any balance."""

    fiches: Annotated[int, Range(0, MAX_AMOUNT)]
    jetons: Annotated[int, Range(0, MAX_AMOUNT), MultipleOf(FICHE)]


class Counters(NamedTuple):
    """The counters in front of a player. A negative number is owed beyond what the box holds."""

    fiches: int
    jetons: int

    @property
    def worth(self) -> int:
        return FICHE * self.fiches + self.jetons


NOTHING = Counters(0, 0)


class HandOver(NamedTuple):
    """Counters handed over for a payment, and the jetons given back as change."""

    fiches: int
    jetons: int
    change: int


class EntryHandOver(NamedTuple):
    """A payment that is made in other counters than its entry names."""

    entry: Entry
    hand_over: HandOver


def hand_over_jetons(jetons_due: int, box: Counters) -> HandOver:
    """Pay in jetons as far as they go, then in as few fiches as possible; in jetons if the box does not hold enough."""
    fiches = -(-(jetons_due - box.jetons) // FICHE)
    if fiches <= 0 or fiches > box.fiches:
        return HandOver(0, jetons_due, 0)
    rest = jetons_due - FICHE * fiches
    return HandOver(fiches, max(rest, 0), max(-rest, 0))


def hand_over_fiches(fiches_due: int, box: Counters) -> HandOver:
    """Pay in fiches as far as they go, and in jetons for the rest; in fiches if the box does not hold enough."""
    fiches = min(fiches_due, max(box.fiches, 0))
    jetons = FICHE * (fiches_due - fiches)
    return HandOver(fiches, jetons, 0) if jetons <= box.jetons else HandOver(fiches_due, 0, 0)


def hand_over_settlement(jetons_due: int, box: Counters) -> HandOver:
    """Pay at the end of the evening, when counters return to their boxes: whole fiches first, then jetons."""
    fiches = min(jetons_due // FICHE, max(box.fiches, 0))
    rest = hand_over_jetons(jetons_due - FICHE * fiches, Counters(box.fiches - fiches, box.jetons))
    return HandOver(fiches + rest.fiches, rest.jetons, rest.change)


def settlement_hand_overs(boxes: Mapping[str, Counters], payments: Iterable[Transfer]) -> list[HandOver | None]:
    """Amounts are in jetons. None stands for a payment in as many fiches as fit and the rest in jetons."""
    current = dict(boxes)
    hand_overs: list[HandOver | None] = []
    for giver, taker, amount in payments:
        # A banker who did not play has no box.
        giver_box, taker_box = current.get(giver, NOTHING), current.get(taker, NOTHING)
        fiches, jetons, change = hand_over_settlement(amount, giver_box)
        current[giver] = Counters(giver_box.fiches - fiches, giver_box.jetons - jetons + change)
        current[taker] = Counters(taker_box.fiches + fiches, taker_box.jetons + jetons - change)
        is_plain = (fiches, jetons) == divmod(amount, FICHE)
        hand_overs.append(None if is_plain else HandOver(fiches, jetons, change))
    return hand_overs


def boxes(box: Box, balances: Mapping[str, Mapping[str, int]], seated: Collection[str] = ()) -> dict[str, Counters]:
    """Return the counters in front of each player: the initial `box` plus the balance, after exchanges.

    The source counts a fiche as nine jetons and knows no other purse than the boxes. A player short of jetons
    therefore exchanges a fiche with the player who has most of them, and likewise for fiches. Totals do not change.
    No player is short of either as long as their box covers what they owe and the boxes hold enough jetons. Players
    exchange with those who are `seated` before they do with one who has left.
    """
    current = {
        player: Counters(box.fiches + counters[FICHES], box.jetons + counters[JETONS])
        for player, counters in balances.items()
    }
    for player in balances:
        fiches, jetons = current[player]
        _exchange(current, player, min(fiches, -(jetons // FICHE)) if jetons < 0 else 0, seated)
    for player in balances:
        fiches, jetons = current[player]
        _exchange(current, player, -min(-fiches, jetons // FICHE) if fiches < 0 else 0, seated)
    return current


def _exchange(current: dict[str, Counters], player: str, fiches: int, seated: Collection[str]) -> None:
    """Exchange a player's fiches for jetons; if `fiches` is negative, their jetons for fiches."""
    sign = 1 if fiches > 0 else -1
    wanted = abs(fiches)
    # The player is in the loop too, which changes nothing: they have none of what they want.
    for other in sorted(current, key=lambda other: (other not in seated, -sign * current[other].jetons)):
        available = current[other].jetons // FICHE if sign > 0 else current[other].fiches
        exchanged = sign * max(0, min(wanted, available))
        current[player] = Counters(current[player].fiches - exchanged, current[player].jetons + FICHE * exchanged)
        current[other] = Counters(current[other].fiches + exchanged, current[other].jetons - FICHE * exchanged)
        wanted -= abs(exchanged)


def hand_overs(box: Box, rows: Iterable[Row]) -> dict[int, list[EntryHandOver]]:
    """List by deal what is paid otherwise. A substitute opens a box of their own; a player who leaves keeps theirs."""
    balances: dict[str, dict[str, int]] = {}
    by_deal: dict[int, list[EntryHandOver]] = {}
    for row in rows:
        payments = [entry for entry in row.entries if entry.is_payment]
        paying = (player for entry in payments for player in (entry.giver, entry.taker) if player is not POT)
        for player in (*row.players, *paying):  # one who left before the first deal pays too
            balances.setdefault(player, {JETONS: 0, FICHES: 0})
        for entry in payments:
            hand_over = _hand_over(entry, box, balances, row.players)
            if hand_over is not None:
                by_deal.setdefault(row.number, []).append(EntryHandOver(entry, hand_over))
            entry.move(balances)
    return by_deal


def _hand_over(
    entry: Entry, box: Box, balances: Mapping[str, Mapping[str, int]], seated: Collection[str]
) -> HandOver | None:
    if entry.giver is POT:
        return None
    giver_box = boxes(box, balances, seated)[entry.giver]
    if entry.unit == JETONS:
        hand_over = hand_over_jetons(entry.amount, giver_box)
        return hand_over if hand_over.fiches else None
    hand_over = hand_over_fiches(entry.amount, giver_box)
    return hand_over if hand_over.jetons else None
