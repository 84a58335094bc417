"""Firefox and WebKit, if installed: an evening, a page of each area, and a server that is down for a while."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from ..conftest import PHONE, Server, require_program
from ..visitor import NAMES
from .engines import ENGINES, Engine, wait_until
from .evenings import FRANCION, JOFFRE, QUARANTE, Adjustment, Evening, Misdeal
from .screens import SCREENS, Screen, Tables
from .test_looks import APART, FLAWS, TOUCH

pytestmark = pytest.mark.browser

# The last listed page of each area, and the page with the widest numbers.
AREAS = {
    (re.split(r"[/?]", screen.path.strip("/"))[0], bool(screen.taps)): screen
    for screen in SCREENS
    if not screen.press and screen.path != "/no-such-page"
}
LOOKED_AT = (*AREAS.values(), Screen("display", "joffre"))

# The position of the first visible element that nothing covers.
PLACE = """(() => {
  const one = [...document.querySelectorAll(%s)].find((one) => one.checkVisibility());
  one?.scrollIntoView({ block: "center" });
  const box = one?.getBoundingClientRect();
  const at = one && [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];
  const hit = one && document.elementFromPoint(...at);
  return hit && (one.contains(hit) || hit.contains(one)) ? at : null;
})()"""

# Whether another page is loaded than the previous one, and not an empty one in between.
THERE = "!document.left && location.protocol !== 'about:' && document.readyState === 'complete'"


class Phone:
    """A phone on the pages of one server."""

    def __init__(self, engine: Engine, address: str) -> None:
        self.engine = engine
        self.address = address
        self.table = ""

    def visit(self, path: str) -> Phone:
        self.engine.open(f"{self.address}{path}")
        return self

    def scripts_run(self) -> Phone:
        """The page's module is run once more: what it got wrong the first time WebKit did before one could listen."""
        again = "import(document.querySelector('script[type=module]').src + '?again').then(() => '', String)"
        assert not self.ask(again)
        return self

    def ask(self, expression: str) -> Any:
        return wait_until(lambda: (self.engine.ask(expression),), expression)[0]

    def shows(self, selector: str, text: str) -> Phone:
        """Wait until the first matching element contains this text."""
        words = f"document.querySelector({json.dumps(selector)})?.innerText ?? ''"
        wait_until(lambda: text in " ".join(self.engine.ask(words).split()), f"{selector} shows {text}")
        return self

    def texts(self, selector: str) -> list[str]:
        words = self.ask(f"[...document.querySelectorAll({json.dumps(selector)})].map((one) => one.innerText.trim())")
        return list(words)

    def tap(self, selector: str) -> Phone:
        places: list[Any] = [None]

        def place_at_rest() -> Any:
            """Return where it is, once it no longer moves: an update of the page may push it elsewhere."""
            places.append(self.engine.ask(PLACE % json.dumps(selector)))
            return places[-1] if places[-1] == places[-2] else None

        x, y = wait_until(place_at_rest, f"{selector} can be tapped")
        self.engine.tap(x, y)
        return self

    def type(self, selector: str, text: str) -> Phone:
        self.tap(selector).engine.type(text)
        return self

    def follow(self, selector: str) -> Phone:
        """Tap, and wait until another page is loaded."""
        self.ask("document.left = true")
        self.tap(selector)
        wait_until(lambda: self.engine.ask(THERE), f"{selector} leads somewhere")
        return self

    def holds(self, cookie: dict[str, Any]) -> Phone:
        pair = f"{cookie['name']}={cookie['value']}"

        def is_set() -> bool:
            """Whether it could be set: not if a late answer has just set one, which scripts cannot replace."""
            self.engine.delete_cookies()
            self.ask(f"document.cookie = '{pair}; path=/'")
            return pair in self.ask("document.cookie")

        wait_until(is_set, "the browser has the cookie")
        return self.visit("/")

    def in_french(self) -> Phone:
        def is_french() -> bool:
            """Whether it could be chosen: not if a late answer has just replaced the cookie."""
            self.follow("button[name=language][value=fr]")
            return str(self.ask("document.documentElement.lang")).startswith("fr")

        wait_until(is_french, "the page is in French")
        return self

    def is_kept(self) -> Phone:
        """Wait until the service worker has cached the table and its pad."""
        cached = "[location.href, `${location.href}deals/new`].map((page) => caches.match(page))"
        wait_until(
            lambda: self.engine.ask(f"Promise.all({cached}).then((pages) => pages.every(Boolean))"), "both are kept"
        )
        return self

    # --- at a table

    def open_table(self, slug: str, **rules: str) -> Phone:
        self.visit(f"/tables/new/{slug}")
        for seat, name in enumerate(NAMES[:4], start=1):
            self.type(f"[name=seat-{seat}]", name)
        for rule, value in rules.items():
            self.unfold(f"[name=rule-{rule}]").type(f"[name=rule-{rule}]", value)
        self.follow("form.opening button.main")
        self.table = self.ask("location.pathname")
        return self

    def pad(self, taps: str) -> Phone:
        """Tap cells, given as in `evenings`."""
        for tap in taps.split():
            name, _, value = tap.partition("=")
            amount = f'input[data-amount][name="{name}"]'
            if self.ask(f"document.querySelector({json.dumps(amount)}) !== null"):
                self.type(amount, value)
                continue
            if self.ask("document.querySelector('[data-amount]') !== null"):
                continue  # nobody sits there: the taps are for the most players
            field = f'input[name="{name}"][value="{value}"]'
            self.unfold(field)
            if not self.ask(f"document.querySelector({json.dumps(field)}).checkVisibility()"):
                self.tap(f".cells:has({field}) .rest")  # cells for six tricks and more are folded behind one cell
            self.tap(f".cell:has({field})")
        return self

    def unfold(self, selector: str) -> Phone:
        while self.ask(f"document.querySelector({json.dumps(f'details:not([open]) {selector}')}) !== null"):
            self.tap(f"details:not([open]):has({selector}) > summary")
        return self

    def shows_score(self, scores: str) -> Phone:
        return self.shows(".working .becomes strong", scores)

    def play(self, evening: Evening) -> Phone:
        for deal in evening:
            if isinstance(deal, Adjustment):
                adjustment = 'a[href$="/deals/adjustment"]'
                self.follow(".places a[href$='/more']").follow(adjustment).pad(deal.taps)
                form = f"form:has(button[value={deal.kind}])"
                self.type(f"{form} [name=amount]", deal.amount).follow(f"{form} button.main")
            elif isinstance(deal, Misdeal):
                self.follow(".bar a.main").unfold("button[value=misdeal]").follow("button[value=misdeal]")
            else:
                self.follow(".bar a.main").pad(deal.taps).shows_score(deal.score)
                if self.ask("document.documentElement.lang").startswith("en"):
                    self.shows(".working", deal.says)
                self.record()
            self.on_table_page()
        return self

    def record(self) -> Phone:
        """Record the deal, and leave the next one's pad for the table."""
        self.follow("#main-action")
        return self.follow(".top .home") if self.ask("location.pathname.endsWith('/deals/new')") else self

    def on_table_page(self) -> Phone:
        assert self.ask("location.pathname") == self.table, self.texts("main")
        return self


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    kind = ENGINES[request.param]
    for what, where in kind.needs.items():
        require_program(what, where)
    engine = kind(tmp_path_factory.mktemp(request.param))
    with engine.cleanup:
        yield engine


@pytest.fixture
def phone(engine: Engine, server: Server) -> Iterator[Phone]:
    """It belongs to no circle yet. What a page's script gets wrong fails the test."""
    phone = Phone(engine, server.url).visit("/")
    engine.delete_cookies()
    yield phone.visit("/")
    assert not engine.errors


def test_a_partie_can_be_played_from_the_first_deal_to_the_payments(phone: Phone) -> None:
    phone.open_table("quarante-de-rois", stake="2").play(QUARANTE[:1])
    phone.follow("form[action$='/undo'] button").shows(".board .score", "0").play(QUARANTE)
    phone.shows(".rows .closing", "East–West")
    assert list(reversed(phone.texts(".rows .after"))) == [deal.score for deal in QUARANTE]
    phone.follow(".places a[href$='/settlement']")
    assert len(phone.texts(".account .due")) == 2


def test_deals_can_be_recorded_in_french(phone: Phone) -> None:
    phone.in_french()
    phone.open_table("francion").play(FRANCION[:3])
    assert phone.texts(".board .score") == ["0", "1", "1", "1"]
    phone.open_table("joffre").play(JOFFRE[:2])
    assert phone.texts(".board .score") == ["19", "11"]


def test_a_deal_waits_while_the_server_is_down_and_is_sent_afterwards(phone: Phone, server: Server) -> None:
    phone.open_table("whist").visit(phone.table).is_kept().follow(".bar a.main").pad("tricks=ew-2").shows_score("0–2")
    server.stop()
    try:
        phone.record().shows("[data-waiting] li", "2").on_table_page()
        phone.shows("[data-signal]", "No connection. This is the table at")
        assert phone.texts(".board .score") == ["0", "0"]
    finally:
        server.start()
    wait_until(lambda: phone.texts(".board .score") == ["0", "2"], "what waited is sent and shown")
    assert not phone.ask("document.querySelector('[data-waiting] li')")
    assert len(phone.texts(".rows li")) == 1


# Nothing happens after a while any more, so that what is shown is what the stream has announced.
NO_TIMERS = "(window.setTimeout = () => 0, dispatchEvent(new Event('online')))"
RECORD = """(async () => {
  const answer = await fetch(`${location.pathname}deals/new`);
  const form = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-pad]");
  const data = new FormData(form);
  data.set("tricks", "ns-1");
  data.set("do", "record");
  return (await fetch(answer.url, { method: "POST", body: new URLSearchParams(data) })).ok;
})()"""


def test_a_page_shows_what_its_stream_announces(phone: Phone) -> None:
    phone.open_table("whist").ask(NO_TIMERS)
    for deals in ("1", "2", "3"):
        assert phone.engine.ask(RECORD)
        phone.shows(".board .score", deals)


def test_a_page_of_each_area_fits_is_legible_and_can_be_tapped(phone: Phone, tables: Tables) -> None:
    no_page = phone.holds(tables.cookie["cookies"][0]).in_french().visit("/no-such-page").texts("main")
    looked_at = json.dumps({"width": PHONE["width"], "touch": TOUCH, "apart": APART})
    flaws = {}
    for screen in LOOKED_AT:
        phone.visit(f"{tables.paths.get(screen.at, '')}{screen.path}").pad(screen.taps)
        assert phone.texts("main") != no_page, screen
        phone.ask("Promise.all(document.getAnimations().map((change) => change.finished)).then(() => true)")
        flaws[str(screen)] = phone.ask(f"({FLAWS})({looked_at})")
        phone.scripts_run()
    assert not {screen: found for screen, found in flaws.items() if found}
