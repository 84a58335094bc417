"""Count what entering an evening of 30 deals takes: a thumb in headless Chromium taps them on a phone.

A tap counts half a second, a page that is opened a second for the eye to find its way: the figures are the same on
every machine. Each game plays its own sample's deals, again and again, from pad to pad. A game that is over is followed
by another with the same people, which counts too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import cycle, islice, product
from typing import Any

from playwright.sync_api import Browser, Locator, Page

from scorekeeper.games import find_folder, games
from scorekeeper.scoring import schema
from scorekeeper.scoring.game import AnyGame, fold
from scorekeeper.scoring.pad import ChoiceGroup
from scorekeeper.scoring.pad_state import build_pad, taps_for
from scorekeeper.scoring.standing import AnyStanding
from scorekeeper.tables.seating import rename_players

from ..browser.table import TablePage
from ..conftest import PHONE
from .phone import chromium
from .slow import served

DEALS = 30
TAP, SCREEN = 0.5, 1.0  # seconds
MOST = 5  # seconds for a deal
NOT_PLAYED = ("misdeal", "adjustment", "substitution")
HEADER = "game | taps | screens | seconds"


@dataclass
class Thumb:
    """A thumb on a phone. It counts its taps, and the pages that these open."""

    page: Page
    taps: int = 0
    screens: int = 0

    def tap(self, target: Locator) -> None:
        """Tap once."""
        target.tap()
        self.taps += 1

    def open(self, target: Locator) -> None:
        """Tap, and wait for the page that this opens."""
        with self.page.expect_event("load"):
            self.tap(target)
        self.screens += 1

    def enter(self, name: str, value: str) -> None:
        """Tap the cell of a choice, or type a number by the page's own keys."""
        field = self.page.locator(f"input[data-amount][name='{name}']")
        if not field.count():
            self.tap_cell(f"{name}={value}")
            return
        self.tap(field)  # or the key that leads there
        for digit in value:
            self.tap(self.page.locator(f"[data-keypad] [data-key='{digit}']"))

    def tap_cell(self, tap: str) -> None:
        """Tap a cell, after what it is folded behind."""
        cell = TablePage(self.page).cell(tap)
        folded = cell.locator("xpath=ancestor::details[not(@open)]/summary")
        if folded.count():
            self.tap(folded)
        if not cell.is_visible():
            self.tap(cell.locator("xpath=..").locator(".rest"))
        self.tap(cell)

    @property
    def seconds(self) -> float:
        """The simulated time."""
        return TAP * self.taps + SCREEN * self.screens


def play(browser: Browser, url: str, slug: str, count: int) -> Thumb:
    """Play an evening of some deals; return the thumb with its counts, from the table's page on."""
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True, locale="en-GB", base_url=url)
    thumb, game = Thumb(context.new_page()), games()[slug]
    sample = json.loads((find_folder(game) / "sample.json").read_text(encoding="utf-8"))
    TablePage.open_new(thumb.page, slug, *sample["players"])
    deals, standing = _deals_of(game, sample), None
    for _ in range(count):
        _open_pad(thumb)
        standing = _at_dealer(game, None if standing is None or standing.is_finished else standing, thumb, sample)
        for name, key in _next_taps(game, standing, deals).items():
            thumb.enter(name, key)
        thumb.page.locator(".working .becomes").wait_for()
        thumb.open(thumb.page.locator("#main-action"))
    context.close()
    return thumb


def _open_pad(thumb: Thumb) -> None:
    """Open the pad unless it is open, after another game with the same people if the last one is over."""
    if thumb.page.locator("form[data-pad]").count():
        return
    again = thumb.page.locator(".bar a.main:not([data-pad-page])")
    if again.count():
        thumb.open(again)
        thumb.open(thumb.page.locator("form.opening button.main"))
    thumb.open(thumb.page.locator(".bar a[data-pad-page]"))


def _at_dealer(game: AnyGame, standing: AnyStanding | None, thumb: Thumb, sample: Mapping[str, Any]) -> AnyStanding:
    """Return the standing with the dealer whom the pad names; a new one if there is none yet."""
    seats = tuple(map(str, range(1, len(sample["players"]) + 1)))
    dealer = thumb.page.locator("input[name=dealer]:checked").input_value()
    return game.open(seats, dealer, game.usual_options) if standing is None else replace(standing, dealer=dealer)


def _deals_of(game: AnyGame, sample: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Return the sample's deals with seats instead of names, again and again."""
    seats = {name: str(seat) for seat, name in enumerate(sample["players"], start=1)}
    played = [deal for deal in sample["deals"] if not any(key in deal for key in NOT_PLAYED)]
    return cycle([rename_players(game, {k: v for k, v in deal.items() if k != "dealer"}, seats) for deal in played])


def _next_taps(game: AnyGame, standing: AnyStanding, deals: Iterator[dict[str, Any]]) -> dict[str, str]:
    """Play the next deal that this standing allows; return its taps."""
    before = replace(standing)
    for facts in islice(deals, 100):
        taps = fewest_taps(game, before, facts)
        if fold(game, standing, [facts]) is None:
            return taps
    raise AssertionError(f"no deal of the sample of {game.slug} can follow")


def fewest_taps(game: AnyGame, standing: AnyStanding, facts: Mapping[str, Any]) -> dict[str, str]:
    """Return taps that enter these facts, without those that follow from the others."""

    def read(entered: Mapping[str, Any]) -> object:
        return schema.load(game.deal, entered, game.seats(standing.players), [])

    groups = [group for group in game.pad(standing, dict(facts)) if not group.is_alternative]
    found, deal = taps_for(game, standing, facts), read(facts)
    taps = {group.name: found[group.name] for group in groups if group.name in found}
    unknown = [group for group in groups if group.is_additive or (group.required and group.name not in found)]
    every = (taps | others for others in _every_choice(unknown))
    taps = next(taps for taps in every if read(build_pad(game, standing, taps).facts) == deal)
    for name in list(taps):
        fewer = {other: key for other, key in taps.items() if other != name}
        pad = build_pad(game, standing, fewer)
        if not pad.unanswered and read(pad.facts) == deal:
            taps = fewer
    return taps


def _every_choice(groups: list[ChoiceGroup]) -> Iterator[dict[str, str]]:
    """Return the taps of every choice in these groups, in which a deal's facts do not say what was tapped."""
    for choices in product(*(group.choices for group in groups)):
        yield {group.name: choice.key for group, choice in zip(groups, choices, strict=True)}


def main(quick: bool) -> bool:
    """Print the counts per deal of each game; return whether none takes too long."""
    count, is_met = (1 if quick else DEALS), True
    print(f"\n| {HEADER} |\n| --- |{' ---: |' * (HEADER.count('|'))}")
    with served() as server, chromium() as browser:
        for slug in games():
            thumb = play(browser, server.url, slug, count)
            is_met = is_met and thumb.seconds <= MOST * count
            figures = [f"{figure / count:.2f}" for figure in (thumb.taps, thumb.screens, thumb.seconds)]
            print(f"| {slug} | {' | '.join(figures)} |", flush=True)
    return is_met
