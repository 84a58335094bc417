"""Ends of contests and tables: who has won, and what is worth telling of it. All is computed from the deals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from ..scoring.game import AnyGame
from ..scoring.settlement import Transfer, settle
from ..scoring.standing import POT, AnyStanding, Closing, Entry, Row
from .state import TableState

COMEBACK, CLOSE, TURN, RUN = "comeback", "close", "turn", "run"
LEAST_DEALS = 3  # fewer have no story
LEAST_COMEBACK = 4  # a winner has come back who was behind by a fourth of their final score, or by more
MOST_CLOSE = 10  # up to a tenth of the winner's final score is close, at the end and before a turn
LEAST_TURN = 2  # in the turn, the winner took the lead and gained half of their final score, or more, on the others


class Story(NamedTuple):
    """What is worth telling of a contest."""

    kind: str  # COMEBACK, CLOSE, TURN or RUN
    party: str  # the winner
    size: int  # points; of a RUN, deals
    deal: int | None = None  # the number of the deal that was the TURN


class ContestEnd(NamedTuple):
    closing: Closing  # of a contest, such as a rubber: says who has won, and by how much
    winners: Sequence[str]  # the players of those who have won
    # The scores at the end of each smaller part, such as the games of the rubber, or the final scores; the winners'
    # first, then the best.
    parts: list[dict[str, int]]
    story: Story | None  # None if nothing stands out
    payments: Sequence[Entry] = ()  # what is paid at the end; if fewer payments do the same, these


def find_ending(game: AnyGame, standing: AnyStanding) -> ContestEnd | None:
    """Return the end of the contest that the last row has ended; None if it goes on."""
    *earlier, closing = [_find_closing(game, row) for row in standing.rows] or [None]
    if closing is None:
        return None
    first = max((number for number, end in enumerate(earlier, start=1) if end is not None), default=0)
    rows = standing.rows[first:]
    best = 1 if game.ending.lowest_wins else -1

    def rank(score: tuple[str, int]) -> tuple[bool, int]:
        return score[0] not in closing.winners, best * score[1]

    parts = [dict(sorted(row.scores.items(), key=rank)) for row in rows if row.closings]
    story = _find_story(game, closing.winner, rows) if len(closing.winners) == 1 else None
    winners = [player for party in closing.winners for player in standing.partners(party)]
    return ContestEnd(closing, winners, parts, story, _find_payments(closing))


def _find_payments(closing: Closing) -> Sequence[Entry]:
    """Return the closing's payments, or the fewest that do the same: each may have paid each of the others."""
    paid = [entry for entry in closing.entries if entry.is_payment and entry.amount]
    if len({(entry.unit, entry.reason) for entry in paid}) != 1 or any(None in entry[:2] for entry in paid):
        return paid
    net: Counter[str] = Counter()
    for entry in paid:
        net[str(entry.giver)] -= entry.amount
        net[str(entry.taker)] += entry.amount
    fewest = [paid[0]._replace(giver=giver, taker=taker, amount=amount) for giver, taker, amount in settle(net)]
    return fewest if len(fewest) < len(paid) else paid


def find_leaders(game: AnyGame, standing: AnyStanding, subunits: Mapping[str, int]) -> Sequence[str]:
    """Return the players who are ahead at a table that ends here; empty if nobody is, or all are level.

    Contests won count first, then what each player is owed in `subunits`. Points of a contest that was broken off win
    nothing; those of a game without contests do.
    """
    ends = (_find_closing(game, row) for row in standing.rows)
    won = Counter(dict.fromkeys(standing.parties, 0))
    won.update(party for end in ends if end is not None for party in end.winners)
    scores = standing.scores if game.contest is None else {}
    for counts, best in ((won, max), (subunits, max), (scores, _best_of(game))):
        ahead = [party for party, count in counts.items() if count == best(counts.values())]
        if len(ahead) < len(counts):
            by_party = [standing.partners(party) for party in ahead] if counts is not subunits else [ahead]
            return [player for players in by_party for player in players]
    return ()


def _best_of(game: AnyGame) -> Callable[[Iterable[int]], int]:
    return min if game.ending.lowest_wins else max


def is_broken_off(game: AnyGame, standing: AnyStanding) -> bool:
    """Return whether a table that ends here has ended no contest, in a game that has some."""
    return game.contest is not None and not any(_find_closing(game, row) for row in standing.rows)


def _find_closing(game: AnyGame, row: Row) -> Closing | None:
    return next((closing for closing in row.closings if closing.kind == game.contest), None)


def _find_story(game: AnyGame, winner: str, rows: Sequence[Row]) -> Story | None:
    """Return the first story that there is, the rarest first. Games such as those of a rubber set scores back to 0."""
    if len(rows) < LEAST_DEALS or any(winner not in row.scores for row in rows):  # or they took the seat of another
        return None
    ends = [index for index, row in enumerate(rows[:-1]) if row.closings]
    leads = [_find_lead(game, winner, row.scores) for row in rows]
    # What is much or little is measured by this.
    measure = max(rows[-1].scores.values()) if game.ending.lowest_wins else rows[-1].scores[winner]
    behind, lead = -min(leads), leads[-1]
    if not ends and 0 < measure <= LEAST_COMEBACK * behind:
        return Story(COMEBACK, winner, behind)
    if 0 < MOST_CLOSE * lead <= measure:
        return Story(CLOSE, winner, lead)
    # Of the last part, the deal in which a winner who was well behind gained most, and took the lead.
    start = ends[-1] + 1 if ends else 0
    turns = (
        (after - before, row.deal_count)
        for (before, after), row in zip(pairwise(leads[start:]), rows[start + 1 :], strict=True)
        if MOST_CLOSE * before < -measure and after > 0 and type(row.fact) is game.deal  # not an adjustment
    )
    gained, number = max(turns, default=(0, 0))
    if 0 < measure <= LEAST_TURN * gained:
        return Story(TURN, winner, gained, number)
    played = [row for row in rows if type(row.fact) is game.deal]
    alone = groupby([scorer for scorer, points in row.scored.items() if points > 0] == [winner] for row in played)
    run = max((len([*deals]) for is_alone, deals in alone if is_alone), default=0)
    return Story(RUN, winner, run) if run >= LEAST_DEALS and not game.ending.lowest_wins else None


def _find_lead(game: AnyGame, winner: str, scores: Mapping[str, int]) -> int:
    """Return by how many points the winner was ahead of the best of the others; below 0 if behind."""
    lead = scores[winner] - _best_of(game)(points for party, points in scores.items() if party != winner)
    return -lead if game.ending.lowest_wins else lead


def list_pairwise_payments(table: TableState) -> list[Transfer]:
    """Return what each has to pay each other by the rules, added up over the deals, in subunits.

    Only of sides whose winners are paid by the player on their left, as the page says.
    """
    sums: dict[tuple[str, str], int] = {}
    if not (table.game.in_sides and table.stored.has_stakes and _is_paid_from_left(table)):
        return []
    for row in table.standing.rows:
        per_counter = table.game.subunits_per_counter(row.value)
        for entry in row.entries:
            if entry.is_payment and entry.giver is not POT and entry.taker is not POT:
                pair = table.names[entry.giver], table.names[entry.taker]
                sums[pair] = sums.get(pair, 0) + entry.amount * per_counter
    return [Transfer(giver, taker, amount) for (giver, taker), amount in sums.items()]


def _is_paid_from_left(table: TableState) -> bool:
    """Return whether every payment of a deal goes to the player whose left the giver sits on."""
    return all(
        entry.taker is not POT and table.standing.seated_as(row).left_of(entry.taker) == entry.giver
        for row in table.standing.rows
        if isinstance(row.fact, table.game.deal)
        for entry in row.entries
        if entry.is_payment
    )
