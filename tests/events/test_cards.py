"""The card of a number."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.events.drawing import PlayedRound, PlayedTable
from scorekeeper.events.scoring import SCORINGS, find_scoring
from scorekeeper.events.standings import ABSENT, NO_RESULT, PLAYED, SAT_OUT, make_card, standings

from .evenings import FEW
from .made_events import Rounds, members_of, played_rounds, table


@FEW
@given(played_rounds(), st.sampled_from(list(SCORINGS)))
def test_the_lines_of_a_card_add_up_to_the_score_in_the_standings(rounds: Rounds, slug: str) -> None:
    scoring = find_scoring(slug)
    for row in standings(members_of(rounds), rounds, scoring):
        card = make_card(row.numbers[0], rounds, scoring)
        assert sum(line.worth or 0 for line in card) + sum(row.credits.values()) == row.score
        assert sum(line.slams for line in card) == row.slams
        assert [line.kind for line in card].count(PLAYED) == row.played
        assert [line.kind for line in card].count(SAT_OUT) == row.sat_out
        assert [line.round for line in card] == [played.number for played in rounds]


def test_a_card_says_where_with_whom_against_whom_and_what_came_of_it() -> None:
    rounds = (
        PlayedRound(1, (table(1, ((1, 2), (3, 4)), 9, 4, 0, 1), table(2, ((5, 6), (7, 8)), 6, 7))),
        PlayedRound(2, (table(1, ((5, 6), (7, 8)), 1, 1),), (1, 2, 3, 4)),
        PlayedRound(3, (PlayedTable(1, ((1, 3), (2, 4))),)),
    )
    first, second, third = make_card(4, rounds, find_scoring("difference"))
    assert first == (1, PLAYED, 1, 1, 1, 3, (1, 2), 4, (9,), 1, -5, 0)
    assert second[:3] == (2, SAT_OUT, None)
    assert third[:8] == (3, NO_RESULT, 1, 1, 1, 2, (1, 3), None)
    assert [line.kind for line in make_card(5, rounds, find_scoring("difference"))] == [PLAYED, PLAYED, ABSENT]
