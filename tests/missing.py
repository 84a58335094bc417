"""Uninstall a game for a while, and tables of it that were played before."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any
from unittest.mock import patch

from scorekeeper import games as registry
from scorekeeper.games import find_folder, games
from scorekeeper.i18n import catalogues
from scorekeeper.models import Browser
from scorekeeper.scoring import schema, sheet
from scorekeeper.scoring.game import AnyGame, fold
from scorekeeper.scoring.sheet import Sheet
from scorekeeper.services.outcome import Done
from scorekeeper.services.tables.opening import Opening, open_table
from scorekeeper.services.tables.reading import read_table
from scorekeeper.services.tables.writing import write
from scorekeeper.tables import revisions
from scorekeeper.tables.revisions import Change
from scorekeeper.tables.seating import rename_players


def example_of(game: AnyGame) -> Sheet:
    """Return the example in the game's folder."""
    raw: Any = json.loads((find_folder(game) / "example.json").read_text(encoding="utf-8"))
    loaded = sheet.load(raw, games())
    assert isinstance(loaded, Sheet)
    return loaded


def two_games() -> list[str]:
    """Return the slugs of a game in sides and of one without, in whose examples something is paid."""
    in_sides = [slug for slug, game in games().items() if game.in_sides and _is_paid(game)]
    alone = [slug for slug, game in games().items() if not game.in_sides and _is_paid(game)]
    return [in_sides[0], *alone[:1]]


def _is_paid(game: AnyGame) -> bool:
    example = example_of(game)
    standing = example.open()
    assert fold(game, standing, example.deals) is None
    return any(any(balance.values()) for balance in standing.balances.values())


@contextmanager
def uninstalled(*slugs: str) -> Iterator[None]:
    """Be without these games, and without their words, as a process that was started after they were removed."""
    installed = registry._installed()
    left = MappingProxyType({slug: game for slug, game in installed.games.items() if slug not in slugs})
    with patch.object(registry, "_installed", lambda: installed._replace(games=left)):
        _forget_words()
        try:
            yield
        finally:
            _forget_words()


def _forget_words() -> None:
    catalogues.catalogue.cache_clear()
    catalogues.read_messages.cache_clear()


def play(
    browser: Browser, device_secret: str, game: AnyGame, *, has_stakes: bool = False, is_finished: bool = True
) -> str:
    """Open a table with the example of a game, or all but its last deal; return the table's token."""
    example = example_of(game)
    stakes = {"currency": "EUR", "unit": game.units[0].removesuffix("s"), "amount": "0.25"} if has_stakes else None
    rules = schema.dump(example.options)
    opened = open_table(browser.circle, Opening(game, example.players, example.dealer, rules, stakes), by=browser)
    assert isinstance(opened, Done), opened
    found = read_table(device_secret, opened.value)
    assert found is not None
    table, author = found
    seats = {name: seat for seat, name in table.names.items()}
    for number, deal in enumerate(example.deals[: None if is_finished else -1]):
        change = Change(revisions.RECORD, body=rename_players(game, deal, seats))
        recorded = write(table, [change], table.mark, f"{opened.value}-{number}", author)
        assert isinstance(recorded, Done), recorded
        table = recorded.value.table
    return opened.value
