"""Swiss: close scores meet, nobody meets again."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.events.drawing import Pair, Pairs, PlayedRound, ordered
from scorekeeper.events.even_draws import History
from scorekeeper.events.formats.scheduled import SWISS as FORMAT
from scorekeeper.events.ranking import standings
from scorekeeper.events.scorings import SCORINGS, Score

from .evenings import FEW, draw_next, evening, everybody


def pair_of(number: int) -> int:
    return (number + 1) // 2


def encounters(tables: Iterable[Pairs]) -> list[Pair]:
    return [ordered((pair_of(first[0]), pair_of(second[0]))) for first, second in tables]


def met_in(played: PlayedRound) -> set[Pair]:
    return set(encounters(table.pairs for table in played.tables))


def scores(rounds: tuple[PlayedRound, ...], pairs: int, scoring: str = "parties") -> dict[int, Score]:
    rows = standings(everybody(2 * pairs), rounds, SCORINGS[scoring], 2)
    return {pair_of(row.numbers[0]): row.score for row in rows}


@FEW
@given(st.integers(2, 24), st.integers(0, 99), st.data())
def test_nobody_meets_again_in_half_as_many_rounds_as_there_are_pairs(
    pairs: int, seed: int, data: st.DataObject
) -> None:
    assert_nobody_meets_again(pairs, data.draw(st.integers(1, max(pairs // 2, 1))), seed)


@FEW
@given(st.integers(3, 9), st.integers(0, 99))
def test_nobody_meets_again_in_as_many_rounds_as_are_possible(pairs: int, seed: int) -> None:
    assert_nobody_meets_again(pairs, pairs - 1 + pairs % 2, seed)


def assert_nobody_meets_again(pairs: int, rounds: int, seed: int) -> None:
    history = History(evening(FORMAT, everybody(2 * pairs), rounds, seed=seed))
    assert max(history.opponents.values()) == 1
    assert max(history.sat_out.values(), default=0) <= 1


@FEW
@given(st.integers(2, 5), st.integers(0, 99))
def test_those_who_meet_are_as_close_as_any_round_without_rematches(half: int, seed: int) -> None:
    """Compared with every other round, for which there is place in a test of up to ten pairs."""
    pairs, rounds = 2 * half, max(half - 1, 1)
    earlier = evening(FORMAT, everybody(2 * pairs), rounds, seed=seed)
    drawn = draw_next(FORMAT, everybody(2 * pairs), earlier, rounds + 1, seed=seed)
    score = scores(earlier, pairs)
    place = {pair: sum(other > score[pair] for other in score.values()) for pair in score}
    met = {two for played in earlier for two in met_in(played)}

    def distance(twos: list[Pair]) -> int:
        return sum((place[first] - place[second]) ** 2 for first, second in twos)

    possible = [twos for twos in matchings(list(range(1, pairs + 1))) if not met & set(twos)]
    assert not possible or distance(encounters(drawn.tables)) == min(map(distance, possible))


def matchings(pairs: list[int]) -> list[list[Pair]]:
    if not pairs:
        return [[]]
    first, *others = pairs
    return [
        [(first, other), *rest] for other in others for rest in matchings([each for each in others if each != other])
    ]


@FEW
@given(st.integers(0, 99))
def test_the_lowest_pair_that_has_not_sat_out_sits_out(seed: int) -> None:
    earlier = evening(FORMAT, everybody(18), 3, seed=seed)
    drawn = draw_next(FORMAT, everybody(18), earlier, 4, seed=seed)
    score = scores(earlier, 9)
    before = {pair_of(number) for played in earlier for number in played.sits_out}
    lowest = min(score[pair] for pair in score if pair not in before)
    assert pair_of(drawn.sits_out[0]) not in before
    assert score[pair_of(drawn.sits_out[0])] == lowest


@FEW
@given(st.integers(6, 20), st.integers(0, 99))
def test_the_pair_that_has_been_north_south_less_often_is_there(pairs: int, seed: int) -> None:
    rounds = evening(FORMAT, everybody(2 * pairs), pairs // 2, seed=seed)
    for number, played in enumerate(rounds):
        surplus = History(rounds[:number]).directions
        assert all(surplus[north] <= surplus[east] for (north, _), (east, _) in (t.pairs for t in played.tables))
