"""Which cases a run of several tries."""

from __future__ import annotations

from .turns import find_cases_of_other_turns


def test_three_turns_try_each_case_once_and_the_cases_of_a_test_with_two_each_time() -> None:
    cases = [("many", f"many[{number}]") for number in range(8)] + [("two", "two[0]"), ("two", "two[1]")]
    left_out = [find_cases_of_other_turns(cases, f"{number}/3") for number in (1, 2, 3)]
    tried = sorted(case for turn in left_out for _, case in cases if case not in turn)
    assert tried == sorted([f"many[{number}]" for number in range(8)] + ["two[0]", "two[1]"] * 3)
    assert {len(turn) for turn in left_out} == {5, 6}
    assert not find_cases_of_other_turns(cases, "1/1")
