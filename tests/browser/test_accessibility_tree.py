"""The accessibility trees of a table and its pad, compared with stored files that were checked by hand.

Renew them, and read the difference, with

    RENEW_SNAPSHOTS=1 .venv/bin/python -m pytest -n0 tests/browser/test_accessibility_tree.py
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from scorekeeper.games import games
from scorekeeper.scoring.game import AnyGame

from .table import TablePage

pytestmark = [pytest.mark.browser, pytest.mark.without_service_worker]

FOLDER = Path(__file__).parent / "accessibility_trees"
IS_RENEWING = bool(os.environ.get("RENEW_SNAPSHOTS"))


def one_per_seating() -> dict[str, AnyGame]:
    """Return the first game of each way to sit: in sides or not, and in which direction the turn goes."""
    chosen: dict[str, AnyGame] = {}
    for game in games().values():
        chosen.setdefault(f"{'sides' if game.in_sides else 'players'}-{game.direction}", game)
    return chosen


@pytest.mark.parametrize(("page_", "path"), [("table", ""), ("pad", "deals/new")])
@pytest.mark.parametrize("seating", one_per_seating())
def test_the_accessibility_tree_is_the_stored_one(
    phone: Callable[..., Page], seating: str, page_: str, path: str
) -> None:
    table = TablePage.open_new(phone(), one_per_seating()[seating].slug)
    tree = table.visit(path).page.locator("body").aria_snapshot()
    shown = "".join(f"{line}\n" for line in tree.splitlines() if "/url:" not in line)  # each table has its own address
    file = FOLDER / f"{seating}-{page_}.yml"
    if IS_RENEWING:
        file.parent.mkdir(exist_ok=True)
        file.write_text(shown, encoding="utf-8")
    assert shown == file.read_text(encoding="utf-8")
