"""All pages to check: tables in every state, and the pages that show them."""

from __future__ import annotations

from datetime import date, timedelta
from typing import NamedTuple

from playwright.sync_api import Page

from scorekeeper.games import games

from ..support.filled import load
from ..support.game_data import data
from ..support.visitor import Visitor
from .table import TablePage

LONG_NAMES = ("Marie-Antoinette", "Jean-Christophe", "Éléonore de Brandt", "Wolfgang", "Maximilienne")
A_LONG_REASON = "a card played out of turn in the second manche, agreed by all four after some talk"
PLAYED: dict[str, list[str]] = data("played")
TAPPED: dict[str, str] = data("tapped")
# A game of each way to sit.
BY_SEATING = sorted({(games()[slug].in_sides, games()[slug].direction): slug for slug in PLAYED}.values())


class Screen(NamedTuple):
    """A page to check. `at`: the key of a path in `Tables`; `taps`, `press`: what is done on the pad first."""

    path: str
    at: str = ""
    taps: str = ""
    press: str = ""

    def __str__(self) -> str:
        return " ".join(part for part in (self.at, self.path, self.press, "tapped" if self.taps else "") if part)


# Each page once, in the state in which it shows most; the table and its pad of every game.
SCREENS = (
    *map(Screen, ("/", "/tables/new", "/no-such-page", "/offline", "/security", "/help", "/import-circle")),
    *map(Screen, ("/rules/francion", "/join/nobody")),
    *map(
        Screen, ("/tables/new/any-game", "/tables/new/francion", "/tables/new/joffre/paper", "/tables/new/whist/draw")
    ),
    *(Screen("", slug) for slug in (*BY_SEATING, "empty", "finished")),
    *(Screen("deals/new", slug, taps=TAPPED.get(slug, "")) for slug in PLAYED),
    Screen("deals/new", "whist", press="record"),  # nothing tapped: every group has a problem
    *(Screen(page, "francion") for page in ("deals/1", "deals/1/amend", "deals/1/insert", "deals/adjustment")),
    *(Screen(page, "francion") for page in ("deals/substitution", "journal", "settlement", "count", "chart", "print")),
    *(Screen(page, "francion") for page in ("deals/terms", "changes", "deals", "recap", "after/2", "why/balance/2")),
    *(Screen(page, "whist") for page in ("share", "details", "misdeal", "export", "more")),
    Screen("display", "francion"),
    *(
        Screen(page, "circle")
        for page in ("", "tables", "settlement", "payments", "cash-box", "exchange", "import", "more")
    ),
    *(Screen(page, "circle") for page in ("figures", "standings", "standings/screen", "tonight?game=whist")),
    *(Screen(page, "circle") for page in ("people", "links", "recovery", "time-zone", "erase", "calendar")),
    *(Screen(page, "circle") for page in ("planned", "planned/new", "seasons", "seasons/new")),
    *(Screen("", at) for at in ("invited", "settled", "why", "player", "person", "pay", "paying", "planned", "season")),
    *(
        Screen(page, at)
        for page, at in (
            ("/statement", "player"),
            ("", "evening"),
            ("/erase", "person"),
            ("", "turns"),
            ("/trophies", "season"),
        )
    ),
    *(Screen(*screen) for feature in load("screens") for screen in feature.SCREENS),
)


class Tables:
    """A circle with a table of every game, and an empty, a finished and a closed one. `cookie` has access to it."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor = visitor
        self.paths = {slug: self._played(slug) for slug in PLAYED}
        self.paths["closed"] = self._opened("short-whist")
        visitor.more().send({}, "/close")
        self.paths["finished"] = self._opened("quarante-de-rois", **{"rule-target": "40", "rule-stake": "100000"})
        self._tell("kings=4 queens=4 jacks=4")
        evening = self._first(f"{self.paths['finished']}recap", "a[href*='/evenings/']")
        self.paths |= {"evening": evening, "circle": evening.partition("evenings/")[0]}
        self.paths |= self._settled()
        self.paths["player"] = self._first(f"{self.paths['circle']}standings", "a[href*='/players/']")
        self.paths["person"] = self._first(f"{self.paths['circle']}people", "a[href*='/people/']")
        self.paths |= self._payable()
        boxes = visitor.visit(f"{self.paths['circle']}tonight").page.select("[name=here]")
        visitor.send({"here": [str(box["value"]) for box in boxes[:6]]})
        visitor.visit(f"{self.paths['circle']}tonight?game=whist").send({"turns": "deal"}, "/seat")
        visitor.record(tricks="ns-2")
        self.paths["turns"] = visitor.table
        self.paths["empty"] = self._opened("whist")  # from now on its players are proposed for no other table
        self.paths["planned"] = self._planned()
        self.paths["season"] = self._season()
        for feature in load("screens"):
            self.paths |= feature.add(visitor, self.paths["circle"], LONG_NAMES)
        self.paths["invited"] = self._link_of_another_circle()
        self.cookie = visitor.cookie()

    def _planned(self) -> str:
        """Return an evening to come for which people have answered; a calendar follows it."""
        place = f"{A_LONG_REASON[:39]}, chez {LONG_NAMES[2]}"
        planned = self.visitor.plan_evening(date.today(), place=place, repeats="month")
        for name, answer in zip(LONG_NAMES, ("yes", "yes", "perhaps", "no", "yes"), strict=True):
            self.visitor.visit(planned).send({"name": name, "answer": answer, "guests": "1"}, "/answer")
        self.visitor.visit(f"{self.paths['circle']}calendar").send({})
        return planned

    def _season(self) -> str:
        """Return a season that is over, with a tie, a handicap and people who came too seldom; another one goes on."""
        today, wanted = date.today(), {"counts": "won", "best": "1", "bonus": "2", "places": "10 8 6"}
        for days in (2, 9):  # an evening goes on after midnight
            self._opened("whist")
            self.visitor.record(tricks="ns-2")
            self.visitor.visit(f"{self.visitor.table}details").send({"day": f"{today - timedelta(days=days)}"})
        for since, last in ((-1, 30), (-30, -2)):
            self.visitor.visit(f"{self.paths['circle']}seasons/new")
            days_of_it = {"first": f"{today + timedelta(days=since)}", "last": f"{today + timedelta(days=last)}"}
            self.visitor.send(wanted | days_of_it | {"name": f"{A_LONG_REASON[:60]} {last}"})
        season = self.visitor.path
        sizes = self.visitor.visit(f"{season}/handicaps").page.select("[name$=-size]")
        self.visitor.send({str(box["name"]): "-1.5" for box in sizes[:2]})
        return season

    def _link_of_another_circle(self) -> str:
        host = Visitor(self.visitor.client.application)
        host.open_table("whist").visit("/").more()
        host.send({"title": "L’incorruptible du Faubourg-Saint-Honoré, tous les jeudis soir après dîner"}, "/title")
        link = host.follow("Links").find("#link-host")
        return "/" + str(link["value"]).split("/", 3)[3]

    def _settled(self) -> dict[str, str]:
        """Make a payment, and one that waits for confirmation. Return what explains an open one, and a receipt."""
        settlement = f"{self.paths['circle']}settlement"
        self.visitor.visit(f"{self.paths['francion']}settlement").send({}, "/payments")
        settled = self._first(f"{self.paths['circle']}payments", ".made li a")
        self.visitor.visit(settlement).send({}, "/confirmations")
        self.visitor.visit(settlement).send({}, "/payments")
        self.visitor.visit(settlement).send({}, "/confirmations")
        return {"settled": settled, "why": self._first(settlement, ".due a.opens")}

    def _payable(self) -> dict[str, str]:
        """Say how somebody who is owed euros wants to be paid. Return that page, and the one of the payment."""
        table = self._opened("whist", amount="1234.56", unit="fiche", currency="EUR")
        for _ in range(4):
            self._tell("tricks=ns-5")
        taker = self.visitor.visit(f"{table}settlement").find(".due [name=taker]")["value"]
        paying = f"{self.paths['circle']}players/{taker}/paying"
        link = f"https://pay.example/{'marie-antoinette/' * 3}{{amount}}"
        self.visitor.visit(paying).send({"iban": "MT84 MALT 0110 0001 2345 MTLC AST0 01S", "payment_link": link})
        return {"paying": paying, "pay": self._first(f"{table}settlement", "a[href*='/pay?']")}

    def _first(self, page: str, links: str) -> str:
        """Return the address of the first of these links on a page."""
        link = self.visitor.visit(page).find(links)
        return str(link["href"])

    def _opened(self, slug: str, **rules: str) -> str:
        players = max(games()[slug].player_counts)
        names = {f"seat-{seat}": name for seat, name in enumerate(LONG_NAMES[:players], start=1)}
        return self.visitor.open_table(slug, **names, **rules).table

    def _played(self, slug: str) -> str:
        table = self._opened(slug)
        for taps in PLAYED[slug]:
            self._tell(taps)
        self._tell(do="misdeal")
        withdrawn = len(PLAYED[slug]) + 1
        row = self.visitor.find(f".rows li a:has(.number:-soup-contains('{withdrawn}'))")
        self.visitor.visit(str(row["href"])).send({}, "/withdraw")
        self._adjust("counters", giver="2", to="3", amount="1234", reason=A_LONG_REASON)
        self._adjust("points", to=_party(slug), amount="+1")
        return table

    def _tell(self, taps: str = "", do: str = "record") -> None:
        self.visitor.visit(f"{self.visitor.table}deals/new")
        fields = dict(tap.split("=") for tap in taps.split())
        self.visitor.send(fields | {"do": do})
        assert self.visitor.status == 200, self.visitor.text

    def _adjust(self, kind: str, **fields: str) -> None:
        self.visitor.visit(f"{self.visitor.table}deals/adjustment")
        form = next(form for form in self.visitor.page.find_all("form") if form.select(f"button[value={kind}]"))
        self.visitor.send(fields | {"kind": kind}, form=form)
        assert self.visitor.path == self.visitor.table, self.visitor.text

    def look(self, page: Page, screen: Screen) -> TablePage:
        page.goto(f"{self.paths.get(screen.at, '')}{screen.path}")
        table = TablePage(page)
        if screen.taps:
            table.tap(*screen.taps.split()).working.locator(".becomes").wait_for()
        if screen.press:
            table.press(screen.press)
        return table


def _party(slug: str) -> str:
    return "ew" if games()[slug].in_sides else "3"
