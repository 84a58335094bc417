"""Which tests PostgreSQL leaves out."""

from __future__ import annotations

from .repeats import Done, choose


def test_each_thing_is_done_by_two_tests_where_two_do_it_and_in_little_time() -> None:
    done = {
        "slow": Done("slow", frozenset({1, 2, 3}), 9_000),
        "quick": Done("quick", frozenset({1, 2}), 100),
        "same": Done("same", frozenset({1, 2}), 200),
        "once more": Done("once more", frozenset({1, 2}), 300),
        "alone": Done("alone", frozenset({4}), 5_000),
        "nothing": Done("nothing", frozenset(), 1),
    }
    assert {chosen.test for chosen in choose(list(done.values()))} == {"slow", "quick", "same", "alone"}
