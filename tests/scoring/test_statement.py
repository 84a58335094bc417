"""The parts of a statement that are computed from a replayed sheet."""

from __future__ import annotations

import pytest

from scorekeeper.games import games
from scorekeeper.scoring.game import fold
from scorekeeper.scoring.sheet import Sheet, load
from scorekeeper.scoring.statement import balances_in_unit, running_balances

from ..cases import sheets


@pytest.mark.parametrize("slug", sorted(games()))
def test_balances_after_the_last_deal_are_those_of_the_sheet_at_every_length(slug: str) -> None:
    for document in sheets(slug):
        sheet = load(document, games())
        assert isinstance(sheet, Sheet)
        game, standing = sheet.game, sheet.open()
        fold(game, standing, sheet.deals)
        balances = running_balances(game, standing)
        assert len(balances) == len(sheet.deals) + 1
        assert balances[-1] == balances_in_unit(game, standing.balances)
