"""Choose the cases that a run tries, if several runs try them in turn.

`TURN=2/3` stands for the second of three: of each test with parameters that is not one of every day's, it tries every
third case, beginning with the second. `.ci/run` takes another turn with each commit, `make test-all` tries all cases.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable

TURN = os.environ.get("TURN", "1/1")


def find_cases_of_other_turns(cases: Iterable[tuple[str, str]], turn: str = TURN) -> set[str]:
    """Return the cases to leave out, of pairs of a test and a case. A test with too few cases runs them all."""
    number, turns = map(int, turn.split("/"))
    by_test = defaultdict[str, list[str]](list)
    for test, case in cases:
        by_test[test].append(case)
    many = [found for found in by_test.values() if len(found) >= turns]
    return {case for found in many for case in found if case not in found[number - 1 :: turns]}
