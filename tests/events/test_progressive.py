"""Progressive drives: who moves where, with whom, and what stays as it is."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.events.drawing import EventRound, Member, Pair, PlayedRound, PlayedTable, Result, ordered
from scorekeeper.events.even_draws import History
from scorekeeper.events.formats.progressive import FORMAT, PAIRS, Options, PairsOptions

from .evenings import FEW, draw_next, evening, everybody, play, table_of

FIRST_WINS, SECOND_WINS, TIE = Result((8, 5)), Result((5, 8)), Result((6, 6))

customs = st.builds(
    Options,
    partners=st.sampled_from(["change", "semi"]),
    movers=st.sampled_from(["losers", "winners", "rotation"]),
    direction=st.sampled_from(["apart", "up", "down"]),
    head_table=st.booleans(),
    groups=st.booleans(),
    ties=st.sampled_from(["cut", "first"]),
)
customs_of_pairs = st.builds(
    PairsOptions,
    movers=st.sampled_from(["losers", "winners", "rotation"]),
    direction=st.sampled_from(["up", "down"]),
    head_table=st.booleans(),
)


@st.composite
def hall(draw: st.DrawFn, rounds: int) -> tuple[Member, ...]:
    """Return members in groups, of whom some come late, leave early or keep their table; four always play."""
    found = []
    for number in range(1, draw(st.integers(5, 18))):
        first = draw(st.just(1) | st.integers(1, rounds)) if number > 4 else 1
        last = draw(st.none() | st.integers(first, rounds)) if number > 4 else None
        found.append(Member(number, draw(st.sampled_from("ab")), draw(st.integers(0, 9)) == 0, first, last))
    return tuple(found)


def grouped(players: int) -> tuple[Member, ...]:
    return tuple(Member(number, "ba"[number % 2]) for number in range(1, players + 1))


def partners_in(played: PlayedRound) -> set[Pair]:
    return {ordered(pair) for table in played.tables for pair in table.pairs}


def place_of(number: int, drawn: EventRound) -> int:
    table = table_of(number, play(1, drawn))
    assert table is not None
    return table


def next_round(options: Any, results: list[Result | None], members: tuple[Member, ...] | None = None) -> EventRound:
    """Return the second round after these results of tables with 1, 2 against 3, 4; 5, 6 against 7, 8 and so on."""
    tables = tuple(
        PlayedTable(k, ((4 * k - 3, 4 * k - 2), (4 * k - 1, 4 * k)), result)
        for k, result in enumerate(results, start=1)
    )
    members = members or everybody(4 * len(results))
    return draw_next(FORMAT, members, (PlayedRound(1, tables),), options=options, seed=3)


@FEW
@given(customs, st.data(), st.integers(1, 7), st.integers(0, 99))
def test_everybody_has_a_place_by_any_custom(options: Options, data: st.DataObject, rounds: int, seed: int) -> None:
    members = data.draw(hall(rounds))
    played = evening(FORMAT, members, rounds, options, seed)
    assert all(len(each.sits_out) < 4 for each in played)
    times = History(played).sat_out
    always = [times[m.number] for m in members if m.first_round == 1 and m.last_round is None]
    assert max(always) - min(always) <= 1


@pytest.mark.parametrize(("ladies", "rounds", "sit_out"), [(11, 24, "ab"), (12, 6, "aab")])
def test_those_who_sit_out_leave_as_many_of_each_group(ladies: int, rounds: int, sit_out: str) -> None:
    groups = {number: "a" if number <= ladies else "b" for number in range(1, ladies + 12)}
    members = tuple(Member(number, group) for number, group in groups.items())
    for played in evening(FORMAT, members, rounds, Options(groups=True)):
        assert "".join(groups[number] for number in played.sits_out) == sit_out
        assert all({groups[one], groups[two]} == {"a", "b"} for one, two in partners_in(played))


@FEW
@given(st.integers(2, 6), st.sampled_from(["losers", "winners"]), st.data())
def test_ladies_who_move_go_up_and_gentlemen_down_and_the_others_stay(
    tables: int, movers: Literal["losers", "winners"], data: st.DataObject
) -> None:
    results = data.draw(st.lists(st.sampled_from([FIRST_WINS, SECOND_WINS]), min_size=tables, max_size=tables))
    drawn = next_round(Options(movers=movers, groups=True), list(results), grouped(4 * tables))
    for k, result in enumerate(results, start=1):
        moving = (result == FIRST_WINS) == (movers == "winners")
        first, second = (4 * k - 3, 4 * k - 2), (4 * k - 1, 4 * k)
        (up, down), staying = (first, second) if moving else (second, first)
        assert place_of(up, drawn) == k % tables + 1
        assert place_of(down, drawn) == (k - 2) % tables + 1
        assert {place_of(number, drawn) for number in staying} == {k}


@FEW
@given(customs.filter(lambda options: options.partners == "change"), st.integers(2, 7), st.integers(0, 99))
def test_nobody_keeps_the_partner_in_a_progressive_drive(options: Options, tables: int, seed: int) -> None:
    rounds = evening(FORMAT, grouped(4 * tables), 6, options, seed)
    assert all(not partners_in(one) & partners_in(two) for one, two in pairwise(rounds))


@FEW
@given(st.integers(3, 7), st.integers(0, 99), st.booleans())
def test_winners_keep_their_partner_in_a_semi_partner_drive_and_losers_do_not(
    tables: int, seed: int, groups: bool
) -> None:
    rounds = evening(FORMAT, grouped(4 * tables), 5, Options(partners="semi", groups=groups), seed)
    for one, two in pairwise(rounds):
        winners = {ordered(t.pairs[t.result.scores[1] > t.result.scores[0]]) for t in one.tables if t.result}
        assert partners_in(one) & partners_in(two) == winners


def test_winners_stay_at_the_head_table_and_losers_go_to_the_other_end() -> None:
    options = Options(movers="winners", direction="down", head_table=True)
    drawn = next_round(options, [FIRST_WINS] * 3)
    assert [place_of(number, drawn) for number in (1, 2, 3, 4, 5, 6, 9, 10)] == [1, 1, 3, 3, 1, 1, 2, 2]


def test_after_a_tie_the_first_pair_wins_or_the_draw_decides() -> None:
    drawn = next_round(Options(direction="up", ties="first"), [TIE] * 8)
    assert [place_of(4 * k - 3, drawn) for k in range(1, 9)] == list(range(1, 9))
    drawn = next_round(Options(direction="up", ties="cut"), [TIE] * 8)
    assert 0 < sum(place_of(4 * k - 3, drawn) == k for k in range(1, 9)) < 8


@FEW
@given(customs, st.integers(0, 99))
def test_a_stationary_player_keeps_the_table_and_the_others_pass(options: Options, seed: int) -> None:
    members = tuple(m._replace(is_stationary=m.number == 5) for m in grouped(16))
    rounds = evening(FORMAT, members, 5, options, seed)
    assert len({table_of(5, played) for played in rounds}) == 1


@FEW
@given(customs_of_pairs, st.integers(2, 9), st.integers(0, 99))
def test_pairs_stay_together_and_sit_out_in_turn(options: PairsOptions, pairs: int, seed: int) -> None:
    rounds = evening(PAIRS, everybody(2 * pairs), 6, options, seed)
    assert all(pair[0] % 2 and pair[1] == pair[0] + 1 for played in rounds for t in played.tables for pair in t.pairs)
    sit_out = [played.sits_out for played in rounds]
    assert len(set(sit_out)) == (min(pairs, 6) if pairs % 2 else 1)
    assert sit_out[pairs:] == sit_out[: max(6 - pairs, 0)]


def test_trumps_go_round_and_no_trump_takes_no_suits_turn() -> None:
    suits = ["hearts", "clubs", "diamonds", "spades"]
    assert [FORMAT.trump_of(number, Options()) for number in range(1, 9)] == suits * 2
    with_no_trump = [FORMAT.trump_of(number, Options(no_trump_every=5)) for number in range(1, 11)]
    assert with_no_trump == [*suits, "no-trump"] * 2
    assert [FORMAT.trump_of(n, Options(no_trump_every=2)) for n in range(1, 5)] == [
        "hearts",
        "no-trump",
        "clubs",
        "no-trump",
    ]
    assert FORMAT.trump_of(1, Options(trumps="game", no_trump_every=1)) is None
