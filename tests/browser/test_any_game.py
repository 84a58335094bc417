"""An evening on a phone, of a game in sides and of one without: their deals are tapped at random."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from scorekeeper.games import games
from scorekeeper.scoring.standing import AnyStanding
from scorekeeper.testing.playing import NAMES, TappedDeal
from scorekeeper.testing.test_pages import record_deals

from .table import TablePage

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("slug", ["francion", "whist"])
def test_an_evening_is_tapped_on_a_phone(slug: str, phone: Callable[[], Page]) -> None:
    game, players = games()[slug], min(games()[slug].player_counts)
    table = TablePage.open_new(phone(), slug, *NAMES[:players])

    def record(standing: AnyStanding, deal: TappedDeal) -> None:
        assert table.visit().scores == list(standing.scores.values())
        table.open_pad()
        for name, key in deal.taps.items():
            tap = f"{name}={key}"
            table.input(tap).wait_for(state="attached")
            if not table.is_tapped(tap):
                table.tap(tap)
        table.press("record").on_table_page()

    _, deals = record_deals(game, players, 3, record)
    assert table.sheet["deals"] == deals
