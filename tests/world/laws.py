"""What must hold after an evening, whatever has happened."""

from __future__ import annotations

import csv
import difflib
import io
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from sqlalchemy import select

from scorekeeper.models import Circle, Flag, Payment, Revision, RoundResult, Settlement, Table
from scorekeeper.services.money.balances import read_open_accounts
from scorekeeper.services.money.scopes import Scope
from scorekeeper.services.verify import verify

from .phones import Phone, Write
from .servers import GUESTS, HOST, Server

PAGES = ("settlement", "standings")


def broken(server: Server, phones: list[Phone], writes: list[Write]) -> Iterator[str]:
    """Yield in words what does not hold on a server; `phones` are those that use it, `writes` all that were sent."""
    yield from (f"verify: {fault}" for fault in _verified(server))
    yield from _wrongly_stored(server, writes)
    yield from _not_zero(server)
    yield from _shown_differently(server, [phone for phone in phones if phone.name not in server.shut_out])
    yield from _changed_by_moving(server)


def _verified(server: Server) -> list[Any]:
    with server.world.session():
        return list(verify().faults)


# --- what was acknowledged stands exactly once -----------------------------------------------------------------


def _wrongly_stored(server: Server, writes: list[Write]) -> Iterator[str]:
    stored = Counter(key for key, _ in _contents(server))
    contents = dict(_contents(server))
    for key, expected in server.ledger.items():
        if stored[key] > 1 or (stored[key] == 0 and not expected.may_be_lost):
            yield f"{expected.write} was acknowledged, and is stored {stored[key]} times"
        elif stored[key] and not _is_right(expected.write, contents[key]):
            yield f"{expected.write} should be {expected.write.content}, and is {contents[key]}"
    yield from (f"{write} is stored, and was refused" for write in writes if stored[write.key] and not write.is_done)


def _is_right(write: Write, content: Any) -> bool:
    return write.content is None or write.content == content


def _contents(server: Server) -> list[tuple[str, Any]]:
    """Return all entry keys with what is stored under them, as people would say it.

    Who has no access any more opens a table in a circle of their own.
    """
    with server.world.session() as session:
        rows: list[tuple[str, Any]] = []
        for table in session.scalars(select(Table)):
            rows.append((table.entry_key or "", [seat.player.name for seat in table.seats if not seat.is_substitute]))
        rows += [(each.entry_key, (each.kind, each.body)) for each in session.scalars(select(Revision))]
        rows += [(each.entry_key, (each.body or {}).get("scores")) for each in session.scalars(select(RoundResult))]
        rows += [(each.entry_key, each.comment) for each in session.scalars(select(Flag))]
        rows += [(each.entry_key or "", _in_words(each)) for each in session.scalars(select(Payment))]
    return [(key, content) for key, content in rows if key]


def _in_words(payment: Payment) -> tuple[str, str, str, str]:
    account = payment.settlement.account
    amount = int(payment.amount)
    text = f"{amount / 9_000_000:.2f}" if account.isupper() else str(amount)
    return payment.giver.name, payment.taker.name, account, text


# --- sums are 0 ------------------------------------------------------------------------------------------------


def _not_zero(server: Server) -> Iterator[str]:
    answer = server.get(HOST, f"{server.home}balances.csv")
    if answer.status_code != 200:
        yield f"the balances are answered {answer.status_code}"
        return
    text = answer.get_data(as_text=True)
    sums: Counter[tuple[str, str]] = Counter()
    for row in csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))):
        for unit in ("Jetons", "Fiches"):
            sums[row["Table"], unit] += int(row.get(unit) or 0)
    yield from (f"table {table}: {unit} add up to {total}" for (table, unit), total in sums.items() if total)
    with server.world.session() as session:
        circle = session.scalars(select(Circle).where(Circle.name == server.circle)).one()
        for name, account in read_open_accounts(circle, Scope()).items():
            if sum(account.due.values()):
                yield f"what is open of {name} adds up to {sum(account.due.values())}"
        for settlement in session.scalars(select(Settlement).where(Settlement.circle_id == circle.id)):
            if sum(settlement.unpaid.values()):
                yield f"settlement {settlement.id}: what is unpaid adds up to {sum(settlement.unpaid.values())}"


# --- all phones show the same ------------------------------------------------------------------------------------


class Followed(NamedTuple):
    """What a page asks for when something has changed, and where it gets its new content then."""

    asks: str
    page: str


def followed(phone: Phone) -> list[Followed]:
    """Return what a phone follows: the event, and the tables if it is in the circle."""
    event = phone.server.event()
    if phone.name in GUESTS:
        table = f"{event}/tables/{GUESTS[phone.name]}"
        return [Followed(f"{table}/now", table)]
    tables = [f"/tables/{token}/now" for token in phone.server.tables()]
    return [Followed(f"{event}/now?kind=event", f"{event}/results"), *(Followed(table, table) for table in tables)]


def _shown_differently(server: Server, phones: list[Phone]) -> Iterator[str]:
    """Compare what phones show that have looked before with what a new phone shows of a server just started."""
    shown = [(phone, each, phone.look(*each)) for phone in phones for each in followed(phone) if phone.has(each.page)]
    first = {phone.right: phone for phone in reversed(phones)}
    pages = {(phone, path): phone.read(path) for phone in first.values() for path in _pages(phone)}
    server.restart()
    fresh: dict[tuple[str, Followed], str] = {}
    for phone, each, text in shown:
        right = phone.right, each
        there = fresh[right] = fresh.get(right) or Phone(phone.name, server).look(*each)
        if text != there:
            yield f"{phone} shows another {each.page} than there is: {_difference(text, there)}"
    for (phone, path), text in pages.items():
        there = phone.read(path)
        if text != there:
            yield f"{phone}: {path} has changed after a restart: {_difference(text, there)}"


def _pages(phone: Phone) -> list[str]:
    return [f"{phone.server.home}{page}" for page in PAGES] if phone.right in ("host", "watch") else []


def _difference(old: str, new: str) -> str:
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), "shown", "there", n=0, lineterm="")
    return "; ".join(line.strip() for line in lines)[:400]


# --- what is exported imports to the same bytes ------------------------------------------------------------------


def _changed_by_moving(server: Server) -> Iterator[str]:
    """Import the circle's file as another circle, whose file must be the same."""
    before, circle = server.export(), server.circle
    try:
        server.circle = server.import_file(before, HOST)
        after = server.export()
    finally:
        server.circle = circle
    if before != after:
        lines = (json.dumps(json.loads(content), indent=0, ensure_ascii=False) for content in (before, after))
        yield f"the circle's file has changed after an import: {_difference(*lines)}"
    yield from (f"verify, after an import: {fault}" for fault in _verified(server))
