"""For each write but those to events: how to build a valid request, and how to see in the database whether it was done.

Requests are built from the page with the form, so fields that are added to a form are sent here too. A write whose
form can be sent as the first page has it needs no entry: `found.py` finds it from the routes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from io import BytesIO
from typing import Any

from sqlalchemy import func, select

from scorekeeper.exchange.circle_records import FORMAT, LISTS
from scorekeeper.models import (
    Browser,
    CalendarFeed,
    Circle,
    Confirmation,
    DealConfirmation,
    EveningAnswer,
    Flag,
    Handicap,
    Link,
    NoticeSubscription,
    Payment,
    PlannedEvening,
    Player,
    Presence,
    Revision,
    Season,
    Table,
)

from ..push_service import Phone
from ..visitor import NAMES, Visitor, filled_in
from .event_writes import EVENT_WRITES
from .found import find_writes
from .sending import SENDERS, Data, Request, Write, form
from .world import CO_HOST, COOKIE, HOST, NEWCOMERS, World

# --- requests ------------------------------------------------------------------------------------------------


def _deal(page: str, first: Data, second: Data) -> Callable[[World, Visitor, int], Request]:
    return form(page, page.rpartition("/")[2], ({"do": "record"} | first, {"do": "record"} | second))


def _open(**more: str) -> Callable[[World, Visitor, int], Request]:
    """Open tables with the two players who may be merged meanwhile, and a new one."""
    first = {f"seat-{n}": name for n, name in enumerate(("Bruno", "Zoé", "Chloé", "Fanny"), start=1)}
    second = first | {"seat-3": "Yann"}
    like = f"?like={more['like']}" if more else ""

    def make(world: World, visitor: Visitor, variant: int) -> Request:
        page = f"/tables/new/whist{like}".format(token=world.tables["open"].split("/")[2])
        request = form(page, "whist" if not like else "", (first, second))(world, visitor, variant)
        return Request(request.phone, page, request.data)

    return make


def _paper(world: World, visitor: Visitor, variant: int) -> Request:
    """Record a table of paper with the same players as `_open`."""
    names = {f"seat-{n}": name for n, name in enumerate(("Bruno", "Zoé", "Chloé", "Fanny"), start=1)}
    tricks = {"1.tricks": f"ns-{variant}", "2.misdeal": "yes", "do": "record"}
    return form("/tables/new/whist/paper", "paper", (names | tricks,) * 2)(world, visitor, variant)


def _payment(page: str) -> Callable[[World, Visitor, int], Request]:
    """Make the first payment that the page proposes; in the second variant, only a part of it."""

    def make(world: World, visitor: Visitor, variant: int) -> Request:
        visitor.visit(page.format(home=world.home, **world.tables))
        form = visitor.find(".due form.pay:has([name=account][value=whist])")
        data = filled_in(form)
        return Request(SENDERS[variant], str(form["action"]), data | ({"amount": "1"} if variant == 2 else {}))

    return make


def _counted(world: World, visitor: Visitor, variant: int) -> Request:
    page = f"{world.tables['open']}count"
    data = filled_in(visitor.visit(page).form()) | {"start-fiches": "10"}
    data |= {f"held-{seat}-fiches": str(10 + variant) for seat in range(1, 5)}
    return Request(SENDERS[variant], page, data)


def _handicap(world: World, visitor: Visitor, variant: int) -> Request:
    page = f"{world.tables['season']}/handicaps"
    data = filled_in(visitor.visit(page).form())
    return Request(SENDERS[variant], page, data | {f"size-{world.players['Zoé']}": str(variant)})


def _import(world: World, visitor: Visitor, variant: int) -> Request:
    """Send the second step of an import, whose form carries the sheets."""
    page = f"{world.home}import"
    data = filled_in(visitor.visit(page).form())
    sheet = {
        "format": "scorekeeper-sheet/1",
        "game": "whist",
        "players": ["Bruno", "Zoé", "Chloé", "Fanny"],
        "dealer": "Bruno",
        "title": f"Imported {variant}",
        "deals": [{"tricks": {"ns": 6 + variant, "ew": 7 - variant}}],
    }
    upload = {"csrf_token": data["csrf_token"], "sheets": (BytesIO(json.dumps(sheet).encode()), "sheet.json")}
    response = visitor.client.post(page, data=upload, headers=visitor.headers)
    visitor._arrive(response)
    return Request(SENDERS[variant], page, filled_in(visitor.form()) | {"do": "record"})


def _circle_document(variant: int) -> str:
    circle = {"created_at": "2026-11-22T20:00:00Z", "title": f"Imported {variant}"}
    lists: dict[str, list[object]] = {name: [] for name in LISTS}
    return json.dumps({"format": FORMAT, "circle": circle} | lists)


def _import_circle(world: World, visitor: Visitor, variant: int) -> Request:  # noqa: ARG001  # same signature as the others
    data = filled_in(visitor.visit("/import-circle").form())
    return Request(SENDERS[variant], "/import-circle", data | {"content": _circle_document(variant)}, upload="circle")


def _join(world: World, visitor: Visitor, variant: int) -> Request:
    """Tap Join on the page of the link to score, from a phone that has not joined."""
    phone = NEWCOMERS[variant - 1]
    visitor.client.set_cookie(COOKIE, world.cookies[phone])
    form = visitor.visit(world.link).form(f"/join/{world.circle}")
    return Request(phone, str(form["action"]), filled_in(form))


def _sample(world: World, visitor: Visitor, variant: int) -> Request:  # noqa: ARG001  # same signature as the others
    data = filled_in(visitor.visit("/").form("/language"))
    return Request(SENDERS[variant], "/sample/whist", {"csrf_token": data["csrf_token"]})


def _sample_event(world: World, visitor: Visitor, variant: int) -> Request:
    return replace(_sample(world, visitor, variant), path="/sample/event")


def _drawn(world: World, visitor: Visitor, variant: int) -> Request:  # noqa: ARG001  # same signature as the others
    data = filled_in(visitor.visit("/").form("/language"))
    names = {f"seat-{n}": name for n, name in enumerate(NAMES[:4], start=1)}
    return Request(SENDERS[variant], "/tables/new/whist/draw", names | {"csrf_token": data["csrf_token"], "do": "draw"})


def _language(world: World, visitor: Visitor, variant: int) -> Request:  # noqa: ARG001  # same signature as the others
    data = filled_in(visitor.visit("/").form("/language"))
    return Request(SENDERS[variant], "/language", data | {"language": "fr"})


# --- traces --------------------------------------------------------------------------------------------------


def _by_key(session: Any, _world: World, request: Request) -> object:
    """Return how often an entry, a payment or a flag was recorded under the request's key."""
    key = request.data["key"]
    counted = [select(func.count()).where(kind.entry_key == key) for kind in (Revision, Payment, Flag)]
    return sum(session.scalar(query) for query in counted)


def _tables_opened(session: Any, _world: World, _request: Request) -> object:
    opened = select(func.count(Table.id)).where(Table.game == "whist")
    return session.scalar(opened.where(Table.title.is_(None)))


def _imported(session: Any, _world: World, request: Request) -> object:
    title = "Imported 1" if request.phone == HOST else "Imported 2"
    return session.scalar(select(func.count()).where(Table.title == title))


def _circles_imported(session: Any, _world: World, request: Request) -> object:
    title = "Imported 1" if request.phone == HOST else "Imported 2"
    return session.scalar(select(func.count()).where(Circle.title == title))


def _player(column: Any, name: str) -> Callable[[Any, World, Request], object]:
    def trace(session: Any, world: World, _request: Request) -> object:
        return session.scalar(select(column).where(Player.token == world.players[name]))

    return trace


def _circle(column: Any) -> Callable[[Any, World, Request], object]:
    def trace(session: Any, world: World, _request: Request) -> object:
        return session.scalar(select(column).where(Circle.name == world.circle))

    return trace


DETAILS = ({"place": "at Zoé’s", "title": "A"}, {"place": "outside"})


def _place(session: Any, _world: World, request: Request) -> object:
    return session.scalar(select(Table.place).where(Table.token == request.path.split("/")[2]))


def _withdrawn(session: Any, _world: World, request: Request) -> object:
    number = int(request.path.split("/")[-2])
    return session.scalar(select(func.count()).where(Payment.withdraws == number))


def _confirmed(session: Any, _world: World, request: Request) -> object:
    number = int(request.path.split("/")[-2])
    return session.scalar(select(func.count()).select_from(Confirmation).join(Payment).where(Payment.number == number))


def _confirmed_deals(session: Any, world: World, request: Request) -> object:
    """Return how many deals the sender's phone has confirmed."""
    confirmed = select(func.count()).select_from(DealConfirmation)
    sender = _browser(session, world, {HOST: 1, CO_HOST: 2}[request.phone], Browser.id)
    return session.scalar(confirmed.where(DealConfirmation.browser_id == sender))


def _resolved(session: Any, _world: World, _request: Request) -> object:
    return session.scalar(select(func.count()).where(Flag.resolved_at.is_not(None)))


def _came(session: Any, _world: World, request: Request) -> object:
    name = Player.name == request.data["name"]
    return session.scalar(
        select(func.count()).select_from(Presence).join(Player, Player.id == Presence.player_id).where(name)
    )


def _planned(column: Any) -> Callable[[Any, World, Request], object]:
    """Read a column of the evening to come that was prepared."""

    def trace(session: Any, _world: World, _request: Request) -> object:
        return session.scalar(select(column).order_by(PlannedEvening.id))

    return trace


def _planned_by_key(session: Any, _world: World, request: Request) -> object:
    return session.scalar(select(func.count()).where(PlannedEvening.entry_key == request.data["key"]))


def _season(column: Any) -> Callable[[Any, World, Request], object]:
    """Read a column of the season that was prepared."""

    def trace(session: Any, _world: World, _request: Request) -> object:
        return session.scalar(select(column).order_by(Season.id))

    return trace


def _season_by_key(session: Any, _world: World, request: Request) -> object:
    return session.scalar(select(func.count()).where(Season.entry_key == request.data["key"]))


def _handicaps(session: Any, _world: World, _request: Request) -> object:
    return [tuple(row) for row in session.execute(select(Handicap.player_id, Handicap.size))]


def _answered(session: Any, _world: World, request: Request) -> object:
    """Return what the person of the request has answered."""
    person = (EveningAnswer.player_id == Player.id) & (EveningAnswer.circle_id == Player.circle_id)
    return session.scalar(select(EveningAnswer.answer).join(Player, person).where(Player.token == request.data["who"]))


def _calendars(session: Any, world: World, request: Request) -> object:
    """Return how many calendars the sender's phone has."""
    sender = _browser(session, world, {HOST: 1, CO_HOST: 2}[request.phone], Browser.id)
    return session.scalar(select(func.count()).where(CalendarFeed.browser_id == sender))


def _notices(session: Any, world: World, request: Request) -> object:
    """Return the notices that the sender's phone wants."""
    sender = _browser(session, world, {HOST: 1, CO_HOST: 2}[request.phone], Browser.id)
    return session.scalar(select(NoticeSubscription.kinds).where(NoticeSubscription.browser_id == sender))


def _banker(session: Any, _world: World, _request: Request) -> object:
    return session.scalar(select(Player.id).where(Player.is_banker))


def _third_phone(column: Any) -> Callable[[Any, World, Request], object]:
    def trace(session: Any, world: World, _request: Request) -> object:
        return _browser(session, world, 3, column)

    return trace


def _claimed(session: Any, world: World, request: Request) -> object:
    """Return the player whose phone the sender's is."""
    return _browser(session, world, {HOST: 1, CO_HOST: 2}[request.phone], Browser.player_id)


def _browser(session: Any, world: World, number: int, column: Any) -> object:
    """Return a column of a browser of the world's circle; each circle numbers its browsers from 1."""
    return session.scalar(
        select(column).join(Browser.circle).where(Circle.name == world.circle, Browser.number == number)
    )


def _links(session: Any, _world: World, _request: Request) -> object:
    return session.scalar(select(func.count()).select_from(Link))


def _browsers(session: Any, _world: World, _request: Request) -> object:
    return session.scalar(select(func.count()).select_from(Browser))


def _samples(session: Any, _world: World, _request: Request) -> object:
    return session.scalar(select(func.count()).where(Circle.is_sample))


# --- the registry --------------------------------------------------------------------------------------------

TRICKS, OTHERS = {"tricks": "ns-3"}, {"tricks": "ew-4"}
SEATED = {"out": "1", "name": "Fanny"}
PUSHED = Phone("https://localhost/phone").fields
EVENING = {"day": str(date.today() + timedelta(days=3)), "begins": "20:00", "place": "Bar"}
SEASON = {"name": "Summer", "last": str(date.today() + timedelta(days=90))}
ZOE = {"who": "{Zoé}", "guests": "1"}
POINTS = {"kind": "points", "to": "ns", "amount": "2", "reason": "agreed"}

DECLARED: tuple[Write, ...] = (
    Write("new_table.open_table", _open(), _tables_opened, changed={"seat-3": "David"}),
    Write("paper.enter", _paper, _tables_opened, changed={"1.tricks": "ew-7"}),
    Write("new_table.open_table", _open(like="{token}"), _tables_opened, "new_table.open_table, leaving another"),
    Write("deals.new", _deal("{open}deals/new", TRICKS, OTHERS), _by_key, changed={"tricks": "ns-1"}),
    Write("deals.new", form("{open}deals/new", "new", ({"do": "misdeal"},) * 2), _by_key, "deals.new, a misdeal"),
    Write(
        "deals.new",
        form("{bid}deals/new", "new", ({"do": "announce", "bid": "8"}, {"do": "announce", "bid": "9"})),
        _by_key,
        "deals.new, a bid",
    ),
    Write("deals.amend", _deal("{open}deals/1/amend", TRICKS, OTHERS), _by_key, changed={"tricks": "ns-1"}),
    Write("deals.insert", _deal("{open}deals/1/insert", TRICKS, OTHERS), _by_key, changed={"tricks": "ns-1"}),
    Write("deals.withdraw", form("{open}deals/6", "/withdraw"), _by_key),
    Write("deals.restore", form("{open}deals/5", "/restore"), _by_key),
    Write(
        "deals.adjustment",
        form(
            "{open}deals/adjustment", "adjustment", (POINTS | {"do": "record"}, POINTS | {"do": "record", "to": "ew"})
        ),
        _by_key,
        changed={"amount": "1"},
    ),
    Write(
        "deals.substitution",
        form("{open}deals/substitution", "substitution", (SEATED, SEATED | {"out": "3"})),
        _by_key,
        changed={"out": "2"},
    ),
    Write(
        "deals.insert_substitution",
        form("{open}deals/1/substitution", "substitution", (SEATED, SEATED | {"name": "Yann"})),
        _by_key,
        changed={"name": "Hugo"},
    ),
    Write("deals.withdraw_announcement", form("{bid}", "/announced/withdraw"), _by_key),
    Write("details.edit", form("{open}details", "details", DETAILS), _place),
    Write("turns.take", form("{turns}", "/turns"), _by_key, changed={"chair-1": "2"}),
    Write("seating_draw.draw_anew", form("{redrawn}", "/draw"), _tables_opened),
    Write("table.reopen", form("{closed}more", "/reopen"), _by_key),
    Write("counter_checks.create", _counted, _by_key, changed={"held-1-fiches": "7"}),
    Write("seats.mine", form("{open}", "/me", ({"seat": "1"}, {"seat": "2"})), _claimed),
    Write("settlements.pay", _payment("{home}settlement"), _by_key, changed={"amount": "2"}),
    Write(
        "settlements.pay", _payment("{open}settlement"), _by_key, "settling.pay, of a table", changed={"amount": "2"}
    ),
    Write("settlements.withdraw", form("{home}payments", "/1/withdraw"), _withdrawn),
    Write(
        "settlements.withdraw", form("{home}payments", "/2/withdraw"), _withdrawn, "settling.withdraw, one that waits"
    ),
    Write(
        "circles.set_setting",
        form("{home}settlement", "/games-together"),
        _circle(Circle.settles_games_together),
        "circles.set_setting, games together",
    ),
    Write(
        "settlements.rounding",
        form("{home}settlement", "/rounding"),
        _circle(Circle.transferred),
    ),
    Write("confirmations.confirm", form("{home}settlement", "/2/confirm"), _confirmed),
    Write(
        "circles.set_setting",
        form("{home}settlement", "/confirmations", ({"confirms_payments": "yes"},) * 2),
        _circle(Circle.confirms_payments),
        "circles.set_setting, confirmations",
    ),
    Write(
        "tonight.set_present",
        form("{home}tonight", "/tonight", ({"name": "Ludo"}, {"name": "Mia"})),
        _came,
    ),
    Write("tonight.seat", form("{home}tonight?game=whist", "/tonight/seat"), _tables_opened),
    Write(
        "circles.set_setting",
        form("{home}standings", "/ratings", ({"shows_ratings": "yes"},) * 2),
        _circle(Circle.shows_ratings),
        "circles.set_setting, ratings",
    ),
    Write(
        "planned.new",
        form("{home}planned/new", "planned/new", (EVENING, EVENING | {"place": "Hall"})),
        _planned_by_key,
        changed={"place": "Café"},
    ),
    Write(
        "planned.change",
        form("{planned}/change", "/change", ({"place": "Bar"}, {"place": "Hall"})),
        _planned(PlannedEvening.place),
    ),
    Write("planned.cancel", form("{planned}", "/cancel"), _planned(PlannedEvening.changes)),
    Write(
        "planned.answer",
        form("{planned}", "/answer", (ZOE | {"answer": "yes"}, ZOE | {"answer": "no"})),
        _answered,
    ),
    Write(
        "notices.save",
        form("{home}notices", "/notices", (PUSHED | {"kind-flag": "yes"}, PUSHED | {"kind-evening": "yes"})),
        _notices,
    ),
    Write(
        "seasons.new",
        form("{home}seasons/new", "seasons/new", (SEASON, SEASON | {"name": "Spring"})),
        _season_by_key,
        changed={"name": "Autumn"},
    ),
    Write(
        "seasons.change",
        form("{season}/change", "/change", ({"name": "Spring"}, {"name": "Autumn"})),
        _season(Season.name),
    ),
    Write("seasons.remove", form("{season}/change", "/remove"), _season(Season.id)),
    Write(
        "handicaps.save",
        _handicap,
        _handicaps,
    ),
    Write("calendars.renew", form("{home}calendars", "/circle"), _calendars),
    Write(
        "flags.flag_deal",
        form("{open}deals/1/flag", "/flag", ({"comment": "It was 4"}, {"comment": "It was 6"})),
        _by_key,
        changed={"comment": "It was 7"},
    ),
    Write(
        "flags.flag_payment",
        form("{home}payments/1/flag", "/flag", ({"comment": "By Zoé"}, {"comment": "Not yet"})),
        _by_key,
        changed={"comment": "Never"},
    ),
    Write(
        "deal_confirmations.confirm",
        form("{closed}", "/confirm", ({"revision": "1"},) * 2),
        _confirmed_deals,
    ),
    Write("flags.resolve", form("{home}flags", "/flags/1/resolve"), _resolved),
    Write(
        "settlements.banker", form("{home}settlement", "/banker", ({"banker": "{Anne}"}, {"banker": "{Zoé}"})), _banker
    ),
    Write(
        "people.rename",
        form("{people}{Zoé}", "/rename", ({"name": "Fanny"}, {"name": "Zazie"})),
        _player(Player.name, "Zoé"),
    ),
    Write("people.retire", form("{people}{Zoé}", "/retire"), _player(Player.retired_at.is_not(None), "Zoé")),
    Write("people.bring_back", form("{people}{Rémi}", "/return"), _player(Player.retired_at.is_not(None), "Rémi")),
    Write(
        "people.merge",
        form("{people}{Zoé}", "/merge", ({"into": "{Bruno}"}, {"into": "{Chloé}"})),
        _player(Player.person_id, "Zoé"),
    ),
    Write("people.unmerge", form("{people}{Anne}", "/apart"), _player(Player.person_id, "Nina")),
    Write(
        "people.erase",
        form("{people}{Zoé}/erase", "/erase", ({"typed": "Zoé"},) * 2),
        _player(Player.erased_at.is_not(None), "Zoé"),
    ),
    Write(
        "paying.change",
        form(
            "{home}players/{Zoé}/paying",
            "/paying",
            ({"payment_link": "https://a.b/1"}, {"payment_link": "https://a.b/2"}),
        ),
        _player(Player.payment_link, "Zoé"),
    ),
    Write("imports.import_sheets", _import, _imported),
    Write("circle_files.import_file", _import_circle, _circles_imported),
    Write(
        "circles.set_setting",
        form("{home}more", "/title", ({"title": "Sundays"}, {"title": "Mondays"})),
        _circle(Circle.title),
    ),
    Write(
        "circles.set_time_zone",
        form("{home}time-zone", "/time-zone", ({"time_zone": "Asia/Tokyo"}, {"time_zone": "America/Vancouver"})),
        _circle(Circle.time_zone),
    ),
    Write("links.renew", form("{home}links", "/links/watch/renew"), _links),
    Write(
        "links.rename_browser",
        form("{home}links", "/browsers/3/name", ({"name": "Kitchen"}, {"name": "Hall"})),
        _third_phone(Browser.name),
    ),
    Write(
        "links.revoke_browser", form("{home}links", "/browsers/3/end"), _third_phone(Browser.revoked_at.is_not(None))
    ),
    Write("circles.erase", form("{home}erase", "/erase", ({"typed": "erase the circle"},) * 2), _circle(Circle.id)),
    Write("demo.make", _sample, _samples, may_be_repeated=True),
    Write("seating_draw.submit", _drawn, None),
    Write("home.switch_language", _language, None),
    Write("join.join", _join, _browsers),
    Write("demo.make_event", _sample_event, _samples, may_be_repeated=True),
    *EVENT_WRITES,
)
WRITES = (*DECLARED, *find_writes({write.endpoint for write in DECLARED}))

# A sample is made in a circle of its own, in a hundred times as many statements.
MET_BY_SAMPLE = {"demo.make", "demo.make_event", "circles.erase"}


def may_meet(one: Write, other: Write) -> bool:
    """Return whether the two writes are tried as a pair."""
    both = {one.endpoint, other.endpoint}
    return "demo.make_event" not in both or both <= MET_BY_SAMPLE
