"""Ends of contests and tables: who has won, and what is worth telling of it. All is computed from the deals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from ..scoring.game import AnyGame
from ..scoring.standing import AnyStanding, Closing, Row
from .seatings import list_partners

COMEBACK, RUN = "comeback", "run"
LEAST_RUN = 3  # deals
LEAST_COMEBACK = 4  # a winner has come back who was behind by a fourth of their final score, or by more


class Story(NamedTuple):
    """What is worth telling of a contest: `kind` is COMEBACK or RUN; `size` is a number of points or of deals."""

    kind: str
    party: str
    size: int


class Ending(NamedTuple):
    """The end of a contest, such as a rubber.

    Attributes:
        closing: says who has won, and by how much.
        winners: the players of those who have won.
        parts: the scores at the end of each smaller part, such as the games of the rubber, or the final scores.
        story: None if nothing stands out.
    """

    closing: Closing
    winners: Sequence[str]
    parts: list[dict[str, int]]
    story: Story | None


def find_ending(game: AnyGame, standing: AnyStanding) -> Ending | None:
    """Return the end of the contest that the last row has ended; None if it goes on."""
    if not standing.rows or (closing := _find_closing(game, standing.rows[-1])) is None:
        return None
    rows = _rows_of_last_contest(game, standing.rows)
    parts = [row.scores for row in rows if row.closings]
    is_whole = len(game.ends or ()) == 1
    story = _find_comeback(game, closing.winner, rows) if is_whole else None
    if story is None and not game.lowest_wins:
        story = _find_run(closing.winner, rows)
    winners = [player for party in closing.winners for player in list_partners(standing, party)]
    return Ending(closing, winners, parts, story)


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
    return min if game.lowest_wins else max


def is_broken_off(game: AnyGame, standing: AnyStanding) -> bool:
    """Return whether a table that ends here has ended no contest, in a game that has some."""
    return game.contest is not None and not _list_ends(game, standing)


def _list_ends(game: AnyGame, standing: AnyStanding) -> list[Closing]:
    return [closing for row in standing.rows if (closing := _find_closing(game, row)) is not None]


def _find_closing(game: AnyGame, row: Row) -> Closing | None:
    return next((closing for closing in row.closings if closing.kind == game.contest), None)


def _rows_of_last_contest(game: AnyGame, rows: Sequence[Row]) -> Sequence[Row]:
    """Return the rows of the contest that the last row has ended."""
    earlier = [index for index, row in enumerate(rows[:-1]) if _find_closing(game, row) is not None]
    return rows[earlier[-1] + 1 :] if earlier else rows


def _find_comeback(game: AnyGame, winner: str, rows: Sequence[Row]) -> Story | None:
    """Return the story of a winner who was far behind. Scores must be those of one contest, never set back to 0."""
    if any(winner not in row.scores for row in rows):  # they took the seat of somebody else
        return None
    behind = max(abs(_best_of(game)(row.scores.values()) - row.scores[winner]) for row in rows)
    reached = max(rows[-1].scores.values()) if game.lowest_wins else rows[-1].scores[winner]
    is_comeback = 0 < reached <= LEAST_COMEBACK * behind
    return Story(COMEBACK, winner, behind) if is_comeback else None


def _find_run(winner: str, rows: Sequence[Row]) -> Story | None:
    """Return the story of a winner who alone has scored in several deals in a row."""
    runs = (len([*run]) for scores_alone, run in groupby(rows, lambda row: _scores_alone(winner, row)) if scores_alone)
    longest = max(runs, default=0)
    return Story(RUN, winner, longest) if longest >= LEAST_RUN else None


def _scores_alone(party: str, row: Row) -> bool:
    return [scorer for scorer, points in row.scored.items() if points > 0] == [party]
