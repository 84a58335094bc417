"""Choose the tests that a run tries, if several runs try them in turn.

`TURN=2/3` stands for the second of three: of each module that is not one of every day's, it tries every third test.
`.ci/run` takes another turn with each commit, `make test-all` tries all.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from zlib import crc32

TURN = os.environ.get("TURN", "1/1")


def find_tests_of_other_turns(tests: Iterable[str], turn: str = TURN) -> set[str]:
    """Return the tests to leave out, by their node IDs. A module with fewer tests than turns tries all of them."""
    number, turns = map(int, turn.split("/"))
    by_module = defaultdict[str, list[str]](list)
    for test in tests:
        by_module[test.partition("::")[0]].append(test)
    many = [(crc32(name.encode()), found) for name, found in by_module.items() if len(found) >= turns]
    return {test for start, found in many for place, test in enumerate(found, start) if place % turns != number - 1}
