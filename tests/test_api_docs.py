"""docs/api.md: what it lists is what the code has."""

from __future__ import annotations

import re
from pathlib import Path

from scorekeeper.game_checks import pages

DOCS = (Path(__file__).parent.parent / "docs" / "api.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """Return a section of the page."""
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", DOCS, re.M | re.S)
    assert found is not None
    return found[1]


def test_the_docs_list_the_shared_messages_that_a_game_may_override() -> None:
    keys = re.findall(r"^\| `([^`]+)`", section("Messages that a game may word in its own way"), re.M)
    listed = {re.sub(r"<\w+>", ".+", re.escape(key)) for key in keys}
    assert listed == pages.patterns_of_own_words()
