"""What a draw repeats."""

from __future__ import annotations

from scorekeeper.events.formats import find_format
from scorekeeper.events.history import History, Repeats, count_repeats
from scorekeeper.events.schedule import EventRound

from .evenings import evening, everybody, play


def test_a_schedule_repeats_nothing() -> None:
    for slug, members in (("individual", 1), ("round-robin", 2), ("military", 4)):
        rounds = evening(find_format(slug), everybody(24), 5)
        last = EventRound(tuple(table.pairs for table in rounds[-1].tables), rounds[-1].sits_out)
        assert count_repeats(last, rounds[:-1], members) == Repeats()


def test_a_round_played_again_repeats_all_partners() -> None:
    of_round = EventRound((((1, 2), (3, 4)), ((6, 5), (7, 8))), (9,))
    again = EventRound((((2, 1), (4, 3)), ((7, 8), (5, 6))), (9,))
    once = play(1, of_round)
    assert count_repeats(again, [once], 1) == Repeats(4, 0, 1)
    assert count_repeats(again, [once, play(2, again)], 1) == Repeats(4, 8, 1)


def test_each_round_counts_for_or_against_north_south() -> None:
    of_round = EventRound((((1, 2), (3, 4)),))
    history = History([play(1, of_round), play(2, of_round)])
    assert [history.directions[number] for number in (1, 2, 3, 4)] == [2, 2, -2, -2]


def test_pairs_that_meet_again_are_counted_once() -> None:
    of_round = EventRound((((1, 2), (3, 4)), ((5, 6), (7, 8))))
    again = EventRound((((3, 4), (1, 2)), ((5, 6), (9, 10))), (7, 8))
    assert count_repeats(again, [play(1, of_round)], 2) == Repeats(0, 1, 0)


def test_a_fort_that_visits_the_same_one_again_is_counted_whoever_travels() -> None:
    of_round = EventRound((((1, 2), (7, 8)), ((5, 6), (11, 12)), ((9, 10), (3, 4))))
    again = EventRound((((3, 4), (5, 6)), ((7, 8), (1, 2)), ((11, 12), (9, 10))))
    assert count_repeats(again, [play(1, of_round)], 4) == Repeats(0, 1, 0)
