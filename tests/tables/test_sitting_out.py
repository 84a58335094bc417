"""Who plays next and who sits out: laws, and evenings worked by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.tables.rota import Turn, count_turns, next_lineup, next_swaps, with_new_partners

FIRST = datetime(2026, 11, 20, 19)
SEATS = st.integers(1, 6)


def present(people: Iterable[int], since: int = 0) -> dict[int, datetime]:
    """Return people who came one after another, a minute apart."""
    return {person: FIRST + timedelta(minutes=since + place) for place, person in enumerate(people)}


def play(turns: list[Turn], here: dict[int, datetime], seats: int) -> Turn:
    """Play one more turn with those who are due."""
    lineup = next_lineup(turns, here, seats)
    turn = Turn(frozenset(lineup.players), frozenset(lineup.waiting))
    turns.append(turn)
    return turn


def test_the_last_to_come_sits_out_first_and_then_each_in_turn() -> None:
    turns: list[Turn] = []
    out = [set(play(turns, present(range(1, 6)), 4).waiting) for _ in range(10)]
    assert out == [{5}, {4}, {3}, {2}, {1}] * 2


def test_of_six_two_sit_out_and_nobody_twice_before_all_others_have() -> None:
    turns: list[Turn] = []
    out = [set(play(turns, present(range(1, 7)), 4).waiting) for _ in range(3)]
    assert out == [{5, 6}, {3, 4}, {1, 2}]


@given(SEATS, st.lists(st.sets(st.integers(1, 9)), max_size=20))
def test_who_comes_and_goes_never_pushes_a_count_apart_by_more_than_one(
    seats: int, evening: Sequence[set[int]]
) -> None:
    turns: list[Turn] = []
    for here in evening:
        if len(here) >= seats:
            play(turns, present(sorted(here)), seats)
            counted, _ = count_turns(turns)
            counts = [counted[person] for person in here]
            assert max(counts) - min(counts) <= 1


def test_who_comes_late_owes_nothing_for_the_time_before() -> None:
    turns: list[Turn] = []
    for _ in range(5):  # everybody has sat out once
        play(turns, present(range(1, 6)), 4)
    here = present(range(1, 6)) | present([6], since=60)
    out = [set(play(turns, here, 4).waiting) for _ in range(3)]
    assert out == [{4, 5}, {2, 3}, {1, 6}]


# --- turns at one table --------------------------------------------------------------------------------------


def swapped(seated: Sequence[int], swaps: Iterable[tuple[int, int]]) -> list[int]:
    """Return who sits after these swaps, in the order of the seats."""
    comes = dict(swaps)
    return [comes.get(person, person) for person in seated]


@given(SEATS, st.lists(st.sets(st.integers(1, 9)), max_size=12), st.data())
def test_swaps_seat_those_who_play_next_and_move_nobody_else(
    seats: int, evening: Sequence[set[int]], data: st.DataObject
) -> None:
    turns: list[Turn] = []
    seated = data.draw(st.permutations(range(1, 10)))[:seats]
    for people in evening:
        here = present(sorted(people))
        swaps = next_swaps(turns, here, seated)
        after = swapped(seated, swaps)
        assert len(set(after)) == seats
        assert {out for out, _ in swaps} <= set(seated)
        assert {coming for _, coming in swaps} <= people - set(seated)
        expected = set(next_lineup(turns, here, min(seats, len(here))).players)
        assert set(after) >= expected
        turns.append(Turn(frozenset(after), frozenset(people) - set(after)))
        seated = after


def test_who_has_left_goes_out_before_anybody_else_and_who_waited_longest_comes_in_first() -> None:
    turns = [Turn(frozenset({1, 2, 3, 4}), frozenset({5}))]
    here = present([1, 3, 4, 5, 6])
    assert next_swaps(turns, here, (1, 2, 3, 4)) == [(2, 5), (4, 6)]
    assert next_swaps(turns, present([1, 3, 5]), (1, 2, 3, 4)) == [(2, 5)]
    assert next_swaps(turns, present([1, 3, 4]), (1, 2, 3, 4)) == []
    assert next_swaps(turns, {}, (1, 2, 3, 4)) == []


# --- seats and partners --------------------------------------------------------------------------------------


def pair(*people: int) -> frozenset[int]:
    return frozenset(people)


def turn_of(*four: int) -> Turn:
    return Turn(frozenset(four), partners=frozenset({pair(four[0], four[2]), pair(four[1], four[3])}))


def test_partners_change_until_all_have_played_together() -> None:
    turns: list[Turn] = []
    seen: set[frozenset[int]] = set()
    for _ in range(3):
        turn = turn_of(*with_new_partners((1, 2, 3, 4), turns))
        seen |= turn.partners
        turns.append(turn)
    assert len(seen) == 6


@given(st.lists(st.permutations(range(1, 6)), max_size=12), st.permutations(range(1, 6)))
def test_no_other_pairing_has_partnered_less(past: list[list[int]], people: list[int]) -> None:
    turns = [turn_of(*each[:4]) for each in past]
    together = Counter(each for turn in turns for each in turn.partners)
    a, b, c, d = people[:4]
    costs = [together[pair(a, c)] + together[pair(b, d)], together[pair(a, b)] + together[pair(c, d)]]
    costs.append(together[pair(a, d)] + together[pair(b, c)])
    chosen = turn_of(*with_new_partners(people[:4], turns))
    assert chosen.players == set(people[:4])
    assert sum(together[each] for each in chosen.partners) == min(costs)
