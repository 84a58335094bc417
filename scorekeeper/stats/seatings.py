"""Seatings: for tables with substitutes, the deals and ends of each seating."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..scoring.game import AnyGame
from ..scoring.standing import AnyStanding, Row
from .pairs import join_labels, split_labels
from .summary_data import Ended, SeatingData, SummaryData


def name_winners(standing: AnyStanding, parties: Iterable[str]) -> str:
    """Return the labels of parties, written together; a side's are those of the players of this standing."""
    return join_labels(label for party in parties for label in list_partners(standing, party))


def list_partners(standing: AnyStanding, party: str) -> Sequence[str]:
    """Return the players of a side, or the player alone."""
    return [party] if party in standing.players else standing.partners(party)


def count_seatings(
    game: AnyGame, standing: AnyStanding, rows: Iterable[Row], previous: tuple[list[SeatingData] | None, int, Ended]
) -> list[SeatingData] | None:
    """Return the seatings in order, from the first players on; None for a table without substitutes.

    `rows` are those after the `previous` ones, of which these are the seatings, the deals and the ends.
    """
    if len(standing.balances) == len(standing.players):
        return None
    earlier, deals, ended = previous
    if earlier is None:
        first = join_labels([*standing.balances][: len(standing.players)])
        earlier = [{"seated": first, "deals": deals, "ended": ended}]
    seatings: list[SeatingData] = [
        {"seated": each["seated"], "deals": each["deals"], "ended": _copied(each["ended"])} for each in earlier
    ]
    for row in rows:
        past = standing.seated_as(row)
        seated = join_labels(past.players)
        if seatings[-1]["seated"] != seated:
            seatings.append({"seated": seated, "deals": 0, "ended": {}})
        seatings[-1]["deals"] += game.is_played(row.fact)
        add_closings(seatings[-1]["ended"], past, row)
    return seatings


def _copied(ended: Ended) -> Ended:
    return {kind: winners.copy() for kind, winners in ended.items()}


def add_closings(ended: Ended, standing: AnyStanding, row: Row) -> None:
    """Add the winners of what ended with a row; `standing` is the one with those who sat there."""
    for closing in row.closings:
        ended.setdefault(closing.kind, []).append(name_winners(standing, closing.winners))


def list_seatings(summary: SummaryData) -> list[SeatingData]:
    """Return the seatings of a table; without substitutes there is one."""
    whole: SeatingData = {
        "seated": join_labels(summary["balances"]),
        "deals": summary["deals"],
        "ended": summary["ended"],
    }
    return summary.get("seatings", [whole])


def won_by_sides(summary: SummaryData, kind: str) -> list[int]:
    """Return how many of a kind each of the two sides has won, no matter who sat there."""
    won = [0, 0]
    for seating in list_seatings(summary):
        seated = split_labels(seating["seated"])
        for winners in seating["ended"].get(kind, ()):
            for winner in split_labels(winners)[:1]:  # one of a side; none if nobody has won
                won[seated.index(winner) % 2] += 1
    return won
