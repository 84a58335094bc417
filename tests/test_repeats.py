"""Which tests PostgreSQL leaves out."""

from __future__ import annotations

from .repeats import Recording, choose


def test_each_use_of_the_database_keeps_one_test_the_quickest_if_it_has_several() -> None:
    recordings = {
        "slow": Recording("slow", frozenset({1, 2, 3}), 9_000),
        "quick": Recording("quick", frozenset({1, 2}), 100),
        "same": Recording("same", frozenset({1, 2}), 200),
        "alone": Recording("alone", frozenset({4}), 5_000),
        "nothing": Recording("nothing", frozenset(), 1),
    }
    assert {chosen.test for chosen in choose(list(recordings.values()))} == {"slow", "quick", "alone"}
