"""Events that might have been played: members, rounds and results, as Hypothesis makes them."""

from __future__ import annotations

from hypothesis import strategies as st

from scorekeeper.events.drawing import Member, PlayedRound, PlayedTable, Result

SCORES = st.tuples(st.integers(-50, 300), st.integers(-50, 300))
SLAM_COUNTS = st.tuples(st.integers(0, 3), st.integers(0, 3))
BOARDS = st.lists(SCORES, max_size=3).map(tuple)
RESULTS = st.builds(Result, SCORES, SLAM_COUNTS, BOARDS)

Rounds = tuple[PlayedRound, ...]


@st.composite
def played_rounds(draw: st.DrawFn, team_size: int = 1, is_complete: bool = False) -> Rounds:
    """Make rounds in which teams of this size sit at tables in any order, and the rest sits out."""
    rows = draw(st.integers(4 if team_size == 1 else 2, 20 // team_size))
    rounds = []
    for number in range(1, draw(st.integers(1, 5)) + 1):
        order = draw(st.permutations(range(rows)))
        pairs = [(order[at] + 1, order[at + 1] + 1) for at in range(0, rows - 1, 2)]
        if team_size == 2:
            pairs = [(2 * row + 1, 2 * row + 2) for row in order]
        tables: list[PlayedTable] = []
        for at in range(0, len(pairs) - 1, 2):
            result = draw(RESULTS if is_complete else st.none() | RESULTS)
            tables.append(PlayedTable(len(tables) + 1, (pairs[at], pairs[at + 1]), result))
        seated = {each for table in tables for pair in table.pairs for each in pair}
        sits_out = tuple(each for each in range(1, rows * team_size + 1) if each not in seated)
        rounds.append(PlayedRound(number, tuple(tables), sits_out))
    return tuple(rounds)


def members_of(rounds: Rounds) -> tuple[Member, ...]:
    """Return everybody who is in the first round, in two groups that take turns."""
    first = rounds[0]
    numbers = {each for table in first.tables for pair in table.pairs for each in pair} | set(first.sits_out)
    return tuple(Member(number, "ab"[number % 2]) for number in sorted(numbers))


def table(number: int, pairs: tuple[tuple[int, int], tuple[int, int]], *scores: int) -> PlayedTable:
    """Return a table with a result: the scores of both pairs, then their slams, if any."""
    first, second, *slams = scores
    return PlayedTable(number, pairs, Result((first, second), (slams[0], slams[1]) if slams else (0, 0)))
