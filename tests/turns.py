"""Choose the tests that a run tries, if several runs try them in turn.

`TURN=2/3` stands for the second of three: it tries every third of the tests that are not every day's. `.ci/run` takes
another turn with each commit, `make test-all` tries all.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from zlib import crc32

TURN = os.environ.get("TURN", "1/1")


def find_tests_of_other_turns(tests: Iterable[str], turn: str = TURN) -> set[str]:
    """Return the tests to leave out, by their node IDs. The tests of a module are spread over the turns."""
    number, turns = map(int, turn.split("/"))
    by_module = defaultdict[str, list[str]](list)
    for test in tests:
        by_module[test.partition("::")[0]].append(test)
    return {
        test
        for module, found in by_module.items()
        for place, test in enumerate(found, crc32(module.encode()))
        if place % turns != number - 1
    }
