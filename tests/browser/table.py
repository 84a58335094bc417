"""A table on a phone, used with the thumb: everything on the pad is tapped, nothing is typed."""

from __future__ import annotations

import re
import time
from typing import Any
from urllib.parse import urlsplit

from bs4 import BeautifulSoup
from playwright.sync_api import Locator, Page

from scorekeeper.games import find_game
from scorekeeper.testing.guest import describe_game

from ..support.visitor import NAMES, filled_in

WAIT = 10  # seconds, at most, until a condition holds


class TablePage:
    """One phone at one table. `path` is the table's path."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.path = urlsplit(page.url).path

    # --- navigation

    @classmethod
    def open_new(cls, page: Page, slug: str, *names: str, **rules: str) -> TablePage:
        """Open a new table by a plain request, which is quicker than by the form."""
        seats = {f"seat-{seat}": name for seat, name in enumerate(names or NAMES[:4], start=1)}
        fields = {f"rule-{rule}": value for rule, value in rules.items()}
        page.goto(_send(page, f"/tables/new/{slug}", **{**seats, **describe_game(find_game(slug)), **fields}))
        return cls(page)

    @classmethod
    def join(cls, page: Page, by: TablePage) -> TablePage:
        """Join with another phone by the path of the link on the share page. Its host is that of the local network."""
        link = urlsplit(by.visit("share").page.locator("#link").input_value())
        page.goto(f"{link.path}?{link.query}")
        _follow(page.locator("form[action^='/join/'] button.main"))
        return cls(page)

    def visit(self, page: str = "") -> TablePage:
        self.page.goto(f"{self.path}{page}")
        return self

    def go(self, way: str) -> TablePage:
        """Tap the link or the button to a path such as `settlement` or `undo`, behind *More* if it is nowhere else."""
        ways = self.page.locator(f'a[href$="/{way}"], form[action$="/{way}"] button')
        if not ways.filter(visible=True).count():
            _follow(self.page.locator(".places a[href$='/more']"))
        _follow(ways.filter(visible=True).first)
        return self

    # --- the pad

    def open_pad(self) -> TablePage:
        if urlsplit(self.page.url).path != self.path:
            self.visit()
        _follow(self.page.locator(".bar a.main"))
        return self

    def cell(self, tap: str) -> Locator:
        """Return the cell for a tap such as `tricks=ns-3`."""
        return self.page.locator(".cell").filter(has=self.input(tap))

    def input(self, tap: str) -> Locator:
        name, _, value = tap.partition("=")
        return self.page.locator(f'input[name="{name}"][value="{value}"]')

    def tap(self, *taps: str) -> TablePage:
        for tap in taps:
            name, _, value = tap.partition("=")
            number = self.page.locator(f'input[data-amount][name="{name}"]')
            if number.count():
                number.fill(value)
                continue
            if self.page.locator("[data-amount]").count():
                continue  # nobody sits there: the taps are for the most players
            cell = self.cell(tap)
            unfold(cell)
            if not cell.is_visible():  # cells for six tricks and more are folded behind one cell
                cell.locator("xpath=..").locator(".rest").tap()
            cell.tap()
        return self

    def is_tapped(self, tap: str) -> bool:
        field = self.input(tap)
        return bool(field.count()) and (field.get_attribute("data-amount") is not None or field.is_checked())

    @property
    def working(self) -> Locator:
        """The text that says what Record would do."""
        return self.page.locator(".working")

    def shows_score(self, scores: str) -> TablePage:
        """Wait until the working shows this score; players' scores, 0–1–0–0 here, with their names."""
        score = self.working.locator(".becomes strong")
        pattern = re.escape(scores).replace("\\ ", r"\s")  # −1 : 11 has no-break spaces
        named = ", ".join(rf"[^\d−]+\s{re.escape(points)}" for points in re.split("–| : ", scores))
        pattern = rf"(?:{pattern}|{named})"
        score.filter(has_text=re.compile(rf"^\s*{pattern}\s*$")).wait_for()
        return self

    def press(self, value: str) -> TablePage:
        """Press one of the pad's buttons. After `record`, leave the next deal's pad; after `next`, stay on it."""
        button = self.page.locator(
            "#main-action" if value == "record" else f"button[name=do][value={value}]:not([aria-hidden])"
        )
        unfold(button)
        _follow(button)
        if value == "record" and self.page.locator(".just-recorded").count():
            self.visit(f"?{urlsplit(self.page.url).query}")
        return self

    def record(self, taps: str, score: str) -> TablePage:
        """Record a deal: open the pad, tap, check the score in the working, press Record."""
        self.open_pad().tap(*taps.split()).shows_score(score).press("record")
        return self.on_table_page()

    def enter(self, *deals: str) -> TablePage:
        """Record deals by plain requests, which is quicker than on the pad; then load the table's page."""
        for taps in deals:
            _send(self.page, f"{self.path}deals/new", **dict(tap.split("=") for tap in taps.split()), do="record")
        return self.visit()

    # --- page content

    def on_table_page(self) -> TablePage:
        assert urlsplit(self.page.url).path == self.path, self.page.locator("main").inner_text()
        return self

    @property
    def scores(self) -> list[int]:
        return [number(text) for text in self.page.locator(".board .score").all_inner_texts()]

    @property
    def sheet(self) -> dict[str, Any]:
        answer = self.page.request.get(f"{self.path}sheet.json")
        assert answer.ok
        return dict(answer.json())


def number(text: str) -> int:
    """Parse a number as pages write it: with a minus sign, a plus, or separators of thousands."""
    return int(re.sub(r"[\s,+\u2060]", "", text).replace("−", "-"))


def wait_for_service_worker(page: Page) -> None:
    """Wait until the service worker controls the page and answers for it offline."""
    wait_until(page, "async () => (await navigator.serviceWorker.ready).active.state === 'activated'")
    if not page.evaluate("Boolean(navigator.serviceWorker.controller)"):  # it became active while the page loaded
        page.reload()


def wait_until(page: Page, condition: str) -> None:
    """Wait until a JavaScript expression is true, or a function, which may be asynchronous.

    Page.wait_for_function takes a promise itself for true, and from its second try on evaluates text, which the Content
    Security Policy forbids.
    """
    deadline = time.monotonic() + WAIT
    while not page.evaluate(condition):
        assert time.monotonic() < deadline, f"never true: {condition}"
        page.wait_for_timeout(50)


def _send(page: Page, path: str, **fields: str) -> str:
    """Send the form of a page as a plain request, with its fields as they are but for these; return where it leads."""
    form = BeautifulSoup(page.request.get(path).text(), "html.parser").select_one("main form[method=post]")
    assert form is not None
    answer = page.request.post(path, form={**filled_in(form), **fields})
    assert answer.ok, answer.text()
    return answer.url


def _follow(target: Locator) -> None:
    with target.page.expect_event("load"):
        target.tap()


def unfold(target: Locator) -> None:
    folded = target.locator("xpath=ancestor::details[not(@open)]/summary")
    while folded.count():
        folded.first.tap()
