"""Rounds of a scheduled format once members come late, leave early or keep their table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.events.drawing import Member, UnschedulableError
from scorekeeper.events.even_draws import History
from scorekeeper.events.formats import FORMATS

from .evenings import FEW, draw_next, evening, everybody, play, schedule, table_of

SCHEDULED = ["howell", "individual", "mitchell", "round-robin"]
FOR_PAIRS = ["howell", "mitchell", "round-robin"]
INDIVIDUAL = FORMATS["individual"]


@pytest.mark.parametrize("slug", SCHEDULED)
@FEW
@given(st.integers(2, 9), st.integers(0, 9))
def test_the_same_members_play_the_schedule(slug: str, pairs_there: int, seed: int) -> None:
    of_format = FORMATS[slug]
    rounds_of_all = schedule(of_format, 2 * pairs_there).rounds
    rounds = evening(of_format, everybody(2 * pairs_there), len(rounds_of_all), seed=seed)
    assert [tuple(table.pairs for table in played.tables) for played in rounds] == [
        of_round.tables for of_round in rounds_of_all
    ]


@pytest.mark.parametrize("slug", FOR_PAIRS)
@FEW
@given(st.integers(6, 14), st.integers(0, 99), st.data())
def test_pairs_do_not_meet_again_after_some_have_come_or_left(
    slug: str, number: int, seed: int, data: st.DataObject
) -> None:
    """A graph in which everybody has at least half of the others has a perfect matching."""
    rounds = number // 2 - 1
    if slug == "mitchell":
        rounds = number // 4
    leaves, comes = data.draw(st.integers(1, rounds)), data.draw(st.integers(1, rounds))
    leaving = [Member(2 * number + half, last_round=leaves) for half in (1, 2)]
    coming = [Member(2 * number + 2 + half, first_round=comes) for half in (1, 2)]
    members = (*everybody(2 * number), *leaving, *coming)
    all_rounds = evening(FORMATS[slug], members, rounds, seed=seed)
    assert max(History(all_rounds).opponents.values()) == 1


@FEW
@given(st.integers(8, 20), st.integers(0, 99), st.data())
def test_a_stationary_player_keeps_the_table(players: int, seed: int, data: st.DataObject) -> None:
    number = data.draw(st.integers(1, players))
    members = tuple(member._replace(is_stationary=member.number == number) for member in everybody(players))
    tables = [table_of(number, played) for played in evening(INDIVIDUAL, members, 6, seed=seed)]
    assert len({table for table in tables if table}) == 1


@pytest.mark.parametrize("slug", FOR_PAIRS)
@FEW
@given(st.integers(4, 9), st.integers(0, 99), st.data())
def test_stationary_pairs_keep_their_tables(slug: str, pairs_there: int, seed: int, data: st.DataObject) -> None:
    """The first two, which become stationary at different tables after the first round."""
    of_format = FORMATS[slug]
    first = evening(of_format, everybody(2 * pairs_there), 1, seed=seed)
    two = [first[0].tables[0].pairs[0], first[0].tables[1].pairs[data.draw(st.integers(0, 1))]]
    keeping = [number for pair in two for number in pair]
    members = tuple(m._replace(is_stationary=m.number in keeping) for m in everybody(2 * pairs_there))
    earlier = first
    for number in (2, 3):
        drawn = draw_next(of_format, members, earlier, 3, seed=seed)
        earlier = (*earlier, play(number, drawn))
    for one in keeping:
        assert len({table_of(one, of_round) for of_round in earlier} - {None}) == 1


def test_a_late_arrival_does_not_sit_out_before_those_who_have_played_longer() -> None:
    members = (*everybody(8), Member(9, first_round=4))
    rounds = evening(INDIVIDUAL, members, 7)
    assert [played.sits_out for played in rounds[:3]] == [(), (), ()]
    assert all(9 not in played.sits_out for played in rounds)


@pytest.mark.parametrize("slug", FORMATS)
def test_a_round_of_too_few_is_refused(slug: str) -> None:
    with pytest.raises(UnschedulableError) as caught:
        draw_next(FORMATS[slug], everybody(3))
    assert caught.value.problem.key == "schedule.too-few-players"
