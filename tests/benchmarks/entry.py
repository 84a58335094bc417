"""Count what an evening takes: a thumb in headless Chromium opens tables, enters 30 deals and settles up on a phone.

A tap counts half a second, a letter typed a third, a page that is opened a second for the eye to find its way: the
figures are the same on every machine. Each game plays its own sample's deals, again and again, from pad to pad. A game
that is over is followed by another with the same people, which counts too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import cycle, islice, product
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Locator, Page

from scorekeeper.games import find_folder, games
from scorekeeper.scoring import schema
from scorekeeper.scoring.game import AnyGame, fold
from scorekeeper.scoring.pad import ChoiceGroup
from scorekeeper.scoring.pad_state import build_pad, taps_for
from scorekeeper.scoring.standing import AnyStanding
from scorekeeper.tables.seating import rename_players
from scorekeeper.testing.guest import describe_game

from ..browser.table import TablePage
from ..conftest import PHONE
from .phone import chromium
from .slow import served

DEALS = 30
TAP, LETTER, SCREEN = 0.5, 1 / 3, 1.0  # seconds
MOST, MOST_TYPED = 5, 7  # seconds for a deal; for one of a described game, in which each player has a number
NOT_PLAYED = ("misdeal", "adjustment", "substitution")
HEADER = "game | taps | screens | seconds"
AROUND = "game | to the first deal, new names | the same again | from the last deal to all settled | payments"


@dataclass
class Thumb:
    """A thumb on a phone. It counts its taps, the letters it types, and the pages that are opened."""

    page: Page
    taps: int = 0
    letters: int = 0
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

    def type(self, field: Locator, text: str) -> None:
        """Type a text and Enter, after a tap on the field unless the last Enter has led there."""
        if not field.evaluate("(field) => field === document.activeElement"):
            self.tap(field)
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")
        self.letters += len(text) + 1

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
        return TAP * self.taps + LETTER * self.letters + SCREEN * self.screens


class Evening(NamedTuple):
    """What the parts of an evening took; `payments` is how many were needed to settle up."""

    first: Thumb
    again: Thumb
    deals: Thumb
    settled: Thumb
    payments: int


def play(browser: Browser, url: str, slug: str, count: int) -> Evening:
    """Open a table from the home page with new names, and with the same again; then play some deals, and settle up."""
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True, locale="en-GB", base_url=url)
    page, game = context.new_page(), games()[slug]
    sample = json.loads((find_folder(game) / "sample.json").read_text(encoding="utf-8"))
    first, again, deals, settled = (Thumb(page) for _ in range(4))
    for thumb in (first, again):
        page.goto("/")
        _open_table(thumb, game, sample["players"])
        _play_deals(thumb, game, sample, 1)
    TablePage.open_new(page, slug, *sample["players"])
    _play_deals(deals, game, sample, count)
    payments = _settle(settled)
    context.close()
    return Evening(first, again, deals, settled, payments)


def _open_table(thumb: Thumb, game: AnyGame, names: list[str]) -> None:
    """Open a table from the home page: names that are known are tapped, others typed."""
    page = thumb.page
    thumb.open(page.locator("#main-action"))
    thumb.open(page.locator(f".table-card[href*='/tables/new/{game.slug}']").first)
    for name, text in describe_game(game).items():
        field = page.locator(f"input[name={name}]:not([type=radio], [type=checkbox]):visible")
        if field.count() and field.input_value() != text:
            thumb.type(field, text)
    for seat, name in enumerate(names, start=1):
        field, chip = page.locator(f"[name=seat-{seat}]"), page.get_by_role("button", name=name, exact=True)
        if field.input_value() == name:
            continue
        if chip.count():
            thumb.tap(chip)
        else:
            thumb.type(field, name)
    thumb.open(page.locator("#main-action"))


def _play_deals(thumb: Thumb, game: AnyGame, sample: Mapping[str, Any], count: int) -> None:
    deals, standing = _deals_of(game, sample), None
    for _ in range(count):
        _open_pad(thumb)
        standing = _at_dealer(game, None if standing is None or standing.is_finished else standing, thumb, sample)
        for name, key in _next_taps(game, standing, deals).items():
            thumb.enter(name, key)
        thumb.page.locator(".working .becomes").wait_for()
        thumb.open(thumb.page.locator("#main-action"))


def _settle(thumb: Thumb) -> int:
    """Mark every payment of the table paid, from where the last deal leads; return how many there are."""
    if thumb.page.locator("form[data-pad]").count():
        thumb.open(thumb.page.locator(".top .home"))
    thumb.open(thumb.page.locator(".places a[href$='/settlement']"))
    payments = 0
    while (unpaid := thumb.page.locator(".due .pay button")).count():
        thumb.open(unpaid.first)
        payments += 1
    return payments


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
    """Print each game's counts per deal, then the seconds around the deals; return whether no deal takes too long."""
    count, is_met, around = (1 if quick else DEALS), True, []
    _print_header(HEADER)
    with served() as server, chromium() as browser:
        for slug in games():
            evening = play(browser, server.url, slug, count)
            deals = evening.deals
            is_met = is_met and deals.seconds <= (MOST_TYPED if games()[slug].named_by else MOST) * count
            figures = [f"{figure / count:.2f}" for figure in (deals.taps, deals.screens, deals.seconds)]
            print(f"| {slug} | {' | '.join(figures)} |", flush=True)
            seconds = " | ".join(f"{part.seconds:.1f}" for part in (evening.first, evening.again, evening.settled))
            around.append(f"| {slug} | {seconds} | {evening.payments} |")
    _print_header(AROUND)
    print("\n".join(around))
    return is_met


def _print_header(header: str) -> None:
    print(f"\n| {header} |\n| --- |{' ---: |' * header.count('|')}")
