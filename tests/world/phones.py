"""The phones of a world: what people do with them, and the entries that wait on them for a signal."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from bs4 import BeautifulSoup, Tag
from werkzeug.test import TestResponse

from scorekeeper.games import games
from scorekeeper.scoring.pad_state import build_pad, taps_for
from scorekeeper.tables.seating import to_chairs
from scorekeeper.tables.state import TableState

from .. import chance
from ..races.sending import Request
from ..visitor import NAMES, filled_in
from .servers import GUESTS, HOST, WATCHER, Server

SCRIPT = {"Accept": "application/json"}
OTHERS = ("Fanny", "Ludo", "Mia", "Rémi")  # who may come in for somebody
MOST_TABLES = 3
TRICKS = 13
NOTHING_SEEN = "999999-0"  # a number that no page has, of a page that shows flags
IN_PASSING = r'<p data-news>.*?</p>|<span class="clock".*?</span>|value="[^"]*"|data-served="[^"]*"'
KEYLESS = r"/(close|reopen)$|^/events/.*/(rounds|start|pause|resume|undo|tables/\d+)$|/links"
Data = dict[str, str]


@dataclass(eq=False)
class Write:
    """A write that somebody sends, perhaps several times.

    Attributes:
        content: what must be stored under the key; None if only that it is stored.
        after: the entry of the same phone and table that was made before it and waited.
        is_done: the server has acknowledged it, whether or not the phone has heard.
        ends: the phones whose access it ends.
    """

    number: int
    phone: Phone
    server: Server
    request: Request
    what: str
    content: Any = None
    after: Write | None = None
    is_done: bool = False
    is_heard: bool = False
    recorded_as: str | None = None
    ends: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return f"#{self.number} {self.phone}: {self.what}"

    @property
    def key(self) -> str:
        """The key under which it is stored; "" for a button whose effect may be there already."""
        if re.search(KEYLESS, self.request.path):
            return ""
        return self.request.data.get("key", self.request.data.get("opening_key", ""))

    @property
    def of_circle(self) -> bool:
        """Whether it needs access; who has none opens tables in a circle of their own."""
        return "/new/" not in self.request.path or self.request.data["circle"] == self.server.circle

    @property
    def is_entry(self) -> bool:
        """Whether the page's script sends it, which keeps it until there is an answer."""
        return bool(self.request.headers)

    @property
    def seen(self) -> str:
        return self.request.data.get("seen", "0")

    def see(self, mark: str) -> None:
        """Let it be sent as by somebody who has seen the table with this mark."""
        self.request = replace(self.request, data=self.request.data | {"seen": mark})


@dataclass(eq=False)
class Pad:
    """The pad of a table as a phone has opened it: the fields of its form, and the table that it showed."""

    data: Data
    table: TableState


@dataclass(eq=False)
class Phone:
    """A phone. `offline` are the times without a signal; `shown` is what it has of each page, with its number."""

    name: str
    server: Server
    offline: list[tuple[float, float]] = field(default_factory=list)
    queue: list[Write] = field(default_factory=list)
    pads: dict[str, Pad] = field(default_factory=dict)
    shown: dict[tuple[Server, str], tuple[str, str]] = field(default_factory=dict)
    is_sending: bool = False

    def __str__(self) -> str:
        return self.name

    @property
    def right(self) -> str:
        """What it may do: phones with the same right show the same."""
        return {HOST: "host", WATCHER: "watch"}.get(self.name, self.name if self.name in GUESTS else "score")

    def has_signal(self, at: float) -> bool:
        return not any(begin <= at < end for begin, end in self.offline)

    def get(self, path: str) -> TestResponse:
        return self.server.get(self.name, path)

    def has(self, page: str) -> bool:
        """Whether it has shown this page."""
        return (self.server, page) in self.shown

    def read(self, path: str) -> str:
        """Return what a page shows."""
        answer = self.get(path)
        return _without_secrets(answer.get_data(as_text=True)) if answer.status_code == 200 else answer.status

    def look(self, asks: str, page: str) -> str:
        """Return what a page shows that asks for changes: what it has, if the server says that nothing has changed."""
        seen, old = self.shown.get((self.server, page), (NOTHING_SEEN, ""))
        answer = self.server.get(self.name, asks, seen)
        if answer.status_code == 304:
            return old
        text = self.read(page) if answer.status_code == 200 else answer.status
        self.shown[self.server, page] = answer.headers.get("ETag", "").strip('"'), text
        return text


def _without_secrets(html: str) -> str:
    """Return what a page shows, without keys and tokens, clocks, and the news since the last time."""
    return re.sub(IN_PASSING, "", html, flags=re.DOTALL)


def find_forms(answer: TestResponse, action: str) -> list[Tag]:
    """Return the page's forms whose action ends like this. Only these are parsed."""
    path, found = answer.request.path, []
    for text in re.findall(r"<form\b.*?</form>", answer.get_data(as_text=True), re.DOTALL):
        given = re.match(r'<form[^>]*\saction="([^"]*)"', text)
        if (given[1] if given else path).endswith(action):
            form = BeautifulSoup(text, "html.parser").form
            assert form is not None
            form["action"] = str(form.get("action") or path)
            found.append(form)
    return found


# --- what people do ------------------------------------------------------------------------------------------

Draft = tuple[Request, str, Any]  # the request, what it does in words, and what must be stored
Act = Callable[[Phone, Random], Draft | None]


def _press(phone: Phone, page: str, action: str, fields: Data, what: str, content: Any = None) -> Draft | None:
    """Fill in the first form of a page with this action; None if there is none now."""
    forms = find_forms(phone.get(page), action)
    if not forms:
        return None
    return Request(phone.name, str(forms[0]["action"]), filled_in(forms[0]) | fields), what, content


def _some_table(phone: Phone, rng: Random) -> str:
    return rng.choice(phone.server.tables())


def record_deal(phone: Phone, rng: Random, *, is_online: bool = True) -> Draft | None:
    """Tap a deal on the pad; without a signal, on a pad that the phone has opened before."""
    token = _some_table(phone, rng) if is_online else next(iter(phone.pads), "")
    if is_online and not _open_pad(phone, token):
        return None
    pad = phone.pads.get(token)
    if pad is None or pad.table.is_closed or pad.table.standing.is_finished:
        return None
    game, standing = pad.table.game, pad.table.standing
    taps = dict(taps_for(game, standing, chance.deal(game, standing, rng)))
    data = pad.data | taps | {"do": "record"}
    if not is_online:
        data["key"] = f"{rng.getrandbits(96):x}"  # as the script makes one for the next deal
    facts = build_pad(game, standing, {name: value for name, value in data.items() if value}).facts
    body = to_chairs(game, facts, pad.table.chairs, standing.players)
    request = Request(phone.name, f"/tables/{token}/deals/new", data, headers=SCRIPT)
    return request, f"a deal of {game.slug} after {data['seen']}", ("record", body)


def _open_pad(phone: Phone, token: str) -> bool:
    forms = find_forms(phone.get(f"/tables/{token}/deals/new"), "/deals/new")
    if not forms:
        return False
    data = {name: value for name, value in filled_in(forms[0]).items() if name != "dealer"}
    with phone.server.table(token) as table:
        phone.pads[token] = Pad(data, table)
    return True


def misdeal(phone: Phone, rng: Random) -> Draft | None:
    token = _some_table(phone, rng)
    if not _open_pad(phone, token):
        return None
    request = Request(
        phone.name, f"/tables/{token}/deals/new", phone.pads[token].data | {"do": "misdeal"}, headers=SCRIPT
    )
    return request, "a misdeal", ("record", {"misdeal": True})


def _deal(phone: Phone, rng: Random) -> str:
    """Return the path of a deal of a table; of none at all, if it has none."""
    token = _some_table(phone, rng)
    with phone.server.table(token) as table:
        return f"/tables/{token}/deals/{rng.choice([deal.id for deal in table.deals] or [0])}"


def withdraw_deal(phone: Phone, rng: Random) -> Draft | None:
    return _press(phone, _deal(phone, rng), "/withdraw", {}, "withdraws a deal", ("withdraw", None))


def restore_deal(phone: Phone, rng: Random) -> Draft | None:
    return _press(phone, _deal(phone, rng), "/restore", {}, "restores a deal")


def amend_deal(phone: Phone, rng: Random) -> Draft | None:
    """Correct a deal: tap other choices than were recorded."""
    page = f"{_deal(phone, rng)}/amend"
    forms = find_forms(phone.get(page), "/amend")
    _, _, token, _, deal, _ = page.split("/")
    if not forms or not forms[0].select_one("[name=shown]"):
        return None
    with phone.server.table(token) as table:
        standing = table.standing_before(int(deal))
        taps = dict(taps_for(table.game, standing, chance.deal(table.game, standing, rng)))
    return Request(phone.name, page, filled_in(forms[0]) | taps | {"do": "record"}), "corrects a deal", None


def undo(phone: Phone, rng: Random) -> Draft | None:
    return _press(phone, f"/tables/{_some_table(phone, rng)}/", "/undo", {}, "undoes the last change")


def substitute(phone: Phone, rng: Random) -> Draft | None:
    page = f"/tables/{_some_table(phone, rng)}/deals/substitution"
    fields = {"out": str(rng.randint(1, 4)), "name": rng.choice(OTHERS)}
    return _press(phone, page, "/substitution", fields, f"{fields['name']} comes in for chair {fields['out']}")


def adjust(phone: Phone, rng: Random) -> Draft | None:
    page, (giver, to) = f"/tables/{_some_table(phone, rng)}/deals/adjustment", rng.sample("1234", 2)
    fields = {"kind": "counters", "giver": giver, "to": to, "amount": str(rng.randint(1, 9)), "reason": "agreed"}
    what = f"{fields['amount']} counters from chair {giver} to {to}"
    return _press(phone, page, "/adjustment", fields, what)


def open_table(phone: Phone, rng: Random) -> Draft | None:
    if len(phone.server.tables()) >= MOST_TABLES:
        return None
    slug = rng.choice([slug for slug, game in games().items() if 4 in game.player_counts])
    seats = {f"seat-{number}": name for number, name in enumerate(rng.sample(NAMES, 4), start=1)}
    value = {"amount": "0.25", "currency": "EUR"} if rng.random() < 0.4 else {}
    return _press(phone, f"/tables/new/{slug}", slug, seats | value, f"opens a table of {slug}", list(seats.values()))


def close(phone: Phone, rng: Random) -> Draft | None:
    return _press(phone, f"/tables/{_some_table(phone, rng)}/more", "/close", {}, "closes a table")


def reopen(phone: Phone, rng: Random) -> Draft | None:
    return _press(phone, f"/tables/{_some_table(phone, rng)}/more", "/reopen", {}, "opens a table again")


def flag(phone: Phone, rng: Random) -> Draft | None:
    comment = rng.choice(("Was it 5?", "No, 4"))
    return _press(phone, f"{_deal(phone, rng)}/flag", "/flag", {"comment": comment}, f"asks “{comment}”", comment)


def pay(phone: Phone, rng: Random) -> Draft | None:
    """Make a payment that a page proposes, in whole or in part."""
    page = rng.choice((f"{phone.server.home}settlement", f"/tables/{_some_table(phone, rng)}/settlement"))
    answer = phone.get(page)
    names = dict(re.findall(r'<option value="([\w-]+)"[^>]*>([^<]+)</option>', answer.get_data(as_text=True)))
    forms = [form for form in find_forms(answer, "/payments") if filled_in(form).get("giver")]
    if not forms:
        return None
    form = rng.choice(forms)
    data = filled_in(form)
    if data["amount"].isdigit():
        data["amount"] = str(rng.randint(1, int(data["amount"])))
    content = names.get(data["giver"]), names.get(data["taker"]), data["account"], data["amount"]
    what = f"{content[0]} pays {content[1]} {data['amount']} of {data['account']}"
    return Request(phone.name, str(form["action"]), data), what, content


def withdraw_payment(phone: Phone, rng: Random) -> Draft | None:
    forms = find_forms(phone.get(f"{phone.server.home}payments"), "/withdraw")
    if not forms:
        return None
    form = rng.choice(forms)
    return Request(phone.name, str(form["action"]), filled_in(form)), "withdraws a payment", None


# --- at the event --------------------------------------------------------------------------------------------


def _at_event_table(phone: Phone, rng: Random) -> str:
    return f"{phone.server.event()}/tables/{GUESTS.get(phone.name) or rng.randint(1, 2)}"


def send_result(phone: Phone, rng: Random) -> Draft | None:
    tricks = rng.randint(0, TRICKS)
    scores = [tricks, TRICKS - tricks]
    page = f"{_at_event_table(phone, rng)}{rng.choice(('', '?correct=yes'))}"
    return _press(phone, page, "/result", {"score-0": str(tricks)}, f"a result {tricks}", scores)


def confirm_result(phone: Phone, rng: Random) -> Draft | None:
    side = rng.choice("01")
    return _press(phone, _at_event_table(phone, rng), "/confirm", {"side": side}, f"side {side} confirms")


def correct_result(phone: Phone, rng: Random) -> Draft | None:
    tricks, table = rng.randint(0, TRICKS), rng.randint(1, 2)
    page = f"{phone.server.event()}/rounds/1/tables/{table}"
    fields = {"score-0": str(tricks), "do": rng.choice(("record", "record", "withdraw"))}
    return _press(phone, page, f"/{table}", fields, f"corrects table {table}")


def direct(phone: Phone, rng: Random) -> Draft | None:
    """Press a button of the director's page."""
    what = rng.choice(("/rounds", "/start", "/pause", "/resume", "/undo"))
    return _press(phone, f"{phone.server.event()}/director", what, {}, f"presses {what[1:]}")


def replace_entrant(phone: Phone, rng: Random) -> Draft | None:
    page = f"{phone.server.event()}/entrants/{rng.randint(1, 8)}"
    forms = [form for form in find_forms(phone.get(page), page) if filled_in(form).get("do") == "substitute"]
    if not forms:
        return None
    name = rng.choice(OTHERS)
    return Request(phone.name, page, filled_in(forms[0]) | {"name": name}), f"{name} comes in at the event", None


MEMBERS_DO: dict[Act, int] = {
    record_deal: 36,
    misdeal: 2,
    amend_deal: 4,
    withdraw_deal: 3,
    restore_deal: 4,
    undo: 3,
    substitute: 5,
    adjust: 12,
    open_table: 6,
    close: 2,
    reopen: 4,
    flag: 3,
    pay: 20,
    withdraw_payment: 2,
    send_result: 3,
    confirm_result: 2,
    correct_result: 3,
    direct: 4,
    replace_entrant: 2,
}
GUESTS_DO: dict[Act, int] = {send_result: 3, confirm_result: 2}


def draw_act(phone: Phone, rng: Random) -> Act | None:
    """Draw what somebody does next; None for who only looks."""
    if phone.name == WATCHER:
        return None
    acts = GUESTS_DO if phone.name in GUESTS else MEMBERS_DO
    return rng.choices(list(acts), list(acts.values()))[0]


__all__ = ["HOST", "Draft", "Phone", "Write", "draw_act", "record_deal"]
