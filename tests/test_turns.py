"""Which tests a run tries, if several try them in turn."""

from __future__ import annotations

from .turns import find_tests_of_other_turns


def test_three_turns_try_each_test_once_and_spread_those_of_a_module() -> None:
    many = [f"test_many.py::test_it[{number}]" for number in range(8)]
    few = ["test_few.py::test_a", "test_few.py::test_b"]
    tried = [{*many, *few} - find_tests_of_other_turns(many + few, f"{number}/3") for number in (1, 2, 3)]
    assert sorted(test for turn in tried for test in turn) == sorted(many + few)
    assert {len(turn.intersection(many)) for turn in tried} == {2, 3}
    assert not find_tests_of_other_turns(many + few, "1/1")
