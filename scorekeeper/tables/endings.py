"""Ends of contests and tables: who has won, and what is worth telling of it. All is computed from the deals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from ..scoring.game import AnyGame
from ..scoring.settlement import settle
from ..scoring.standing import AnyStanding, Closing, Entry, Row
from .summary import list_partners

COMEBACK, CLOSE, TURN, RUN = "comeback", "close", "turn", "run"
LEAST_DEALS = 3  # fewer have no story
LEAST_COMEBACK = 4  # a winner has come back who was behind by a fourth of their final score, or by more
MOST_CLOSE = 10  # up to a tenth of the winner's final score is close, at the end and before a turn
LEAST_TURN = 2  # in the turn, the winner took the lead and gained half of their final score, or more, on the others


class Story(NamedTuple):
    """What is worth telling of a contest.

    Attributes:
        kind: COMEBACK, CLOSE, TURN or RUN.
        party: the winner.
        size: points; of a RUN, deals.
        deal: the number of the deal that was the TURN.
    """

    kind: str
    party: str
    size: int
    deal: int | None = None


class Ending(NamedTuple):
    """The end of a contest, such as a rubber.

    Attributes:
        closing: says who has won, and by how much.
        winners: the players of those who have won.
        parts: the scores at the end of each smaller part, such as the games of the rubber, or the final scores; those
            of the winners first.
        story: None if nothing stands out.
        payments: what is paid at the end; if fewer payments do the same, these.
    """

    closing: Closing
    winners: Sequence[str]
    parts: list[dict[str, int]]
    story: Story | None
    payments: Sequence[Entry] = ()


def find_ending(game: AnyGame, standing: AnyStanding) -> Ending | None:
    """Return the end of the contest that the last row has ended; None if it goes on."""
    if not standing.rows or (closing := _find_closing(game, standing.rows[-1])) is None:
        return None
    rows = _rows_of_last_contest(game, standing.rows)
    parts = [
        dict(sorted(row.scores.items(), key=lambda score: score[0] not in closing.winners))
        for row in rows
        if row.closings
    ]
    story = _find_story(game, closing.winner, rows) if len(closing.winners) == 1 else None
    winners = [player for party in closing.winners for player in list_partners(standing, party)]
    return Ending(closing, winners, parts, story, _find_payments(closing))


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
    won = Counter(dict.fromkeys(standing.parties, 0))
    won.update(party for closing in _list_ends(game, standing) for party in closing.winners)
    scores = standing.scores if game.contest is None else {}
    for counts, best in ((won, max), (subunits, max), (scores, _best_of(game))):
        ahead = [party for party, count in counts.items() if count == best(counts.values())]
        if len(ahead) < len(counts):
            return (
                ahead
                if counts is subunits
                else [player for party in ahead for player in list_partners(standing, party)]
            )
    return ()


def _best_of(game: AnyGame) -> Callable[[Iterable[int]], int]:
    return min if game.ending.lowest_wins else max


def is_broken_off(game: AnyGame, standing: AnyStanding) -> bool:
    """Return whether a table that ends here has ended no contest, in a game that has some."""
    return game.contest is not None and not _list_ends(game, standing)


def _list_ends(game: AnyGame, standing: AnyStanding) -> list[Closing]:
    return [closing for row in standing.rows if (closing := _find_closing(game, row)) is not None]


def _find_closing(game: AnyGame, row: Row) -> Closing | None:
    return next((closing for closing in row.closings if closing.kind == game.contest), None)


def _rows_of_last_contest(game: AnyGame, rows: Sequence[Row]) -> Sequence[Row]:
    earlier = [index for index, row in enumerate(rows[:-1]) if _find_closing(game, row) is not None]
    return rows[earlier[-1] + 1 :] if earlier else rows


def _find_story(game: AnyGame, winner: str, rows: Sequence[Row]) -> Story | None:
    """Return the first story that there is, the rarest first. Games such as those of a rubber set scores back to 0."""
    if len(rows) < LEAST_DEALS or any(winner not in row.scores for row in rows):  # or they took the seat of another
        return None
    ends = [index for index, row in enumerate(rows[:-1]) if row.closings]
    leads = [_find_lead(game, winner, row.scores) for row in rows]
    last_part = slice(ends[-1] + 1 if ends else 0, None)
    # What is much or little is measured by this.
    measure = max(rows[-1].scores.values()) if game.ending.lowest_wins else rows[-1].scores[winner]
    return (
        (None if ends else _find_comeback(winner, leads, measure))
        or _find_close_end(winner, leads[-1], measure)
        or _find_turn(game, winner, rows[last_part], leads[last_part], measure)
        or (None if game.ending.lowest_wins else _find_run(winner, rows))
    )


def _find_lead(game: AnyGame, winner: str, scores: Mapping[str, int]) -> int:
    """Return by how many points the winner was ahead of the best of the others; below 0 if behind."""
    lead = scores[winner] - _best_of(game)(points for party, points in scores.items() if party != winner)
    return -lead if game.ending.lowest_wins else lead


def _find_comeback(winner: str, leads: Sequence[int], measure: int) -> Story | None:
    behind = -min(leads)
    return Story(COMEBACK, winner, behind) if 0 < measure <= LEAST_COMEBACK * behind else None


def _find_close_end(winner: str, lead: int, measure: int) -> Story | None:
    return Story(CLOSE, winner, lead) if 0 < MOST_CLOSE * lead <= measure else None


def _find_turn(game: AnyGame, winner: str, rows: Sequence[Row], leads: Sequence[int], measure: int) -> Story | None:
    """Return the story of the deal in which a winner who was well behind gained most, and took the lead."""
    turns = (
        (after - before, row.deals)
        for (before, after), row in zip(pairwise(leads), rows[1:], strict=True)
        if MOST_CLOSE * before < -measure and after > 0 and type(row.fact) is game.deal  # not an adjustment
    )
    gained, number = max(turns, default=(0, 0))
    return Story(TURN, winner, gained, number) if 0 < measure <= LEAST_TURN * gained else None


def _find_run(winner: str, rows: Sequence[Row]) -> Story | None:
    runs = (len([*run]) for scores_alone, run in groupby(rows, lambda row: _scores_alone(winner, row)) if scores_alone)
    longest = max(runs, default=0)
    return Story(RUN, winner, longest) if longest >= LEAST_DEALS else None


def _scores_alone(party: str, row: Row) -> bool:
    return [scorer for scorer, points in row.scored.items() if points > 0] == [party]
