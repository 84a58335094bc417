"""Sheets made, and brought into circles, for whoever looks at what comes out again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from typing import Any, NamedTuple

from hypothesis import strategies as st

from scorekeeper.exchange.archives import UploadedFile
from scorekeeper.models import Browser, Circle
from scorekeeper.scoring.values import clean_name
from scorekeeper.services import circles, imports
from scorekeeper.services.settlements import balances, payments
from scorekeeper.services.settlements.payments import PaymentRequest

from ..strategies import sheets

NASTY = (
    *("🂡", 'a"b\\c', "; x", "=1+1", "@cmd", "-", "王", "אבג", "\u202eabc", "é" * 40, "ns", "1", "Pot", "P-王"),
    *("Anne", "anne", "Anne-2", "a:b  c", "'", "{x}", "%s", "Assets:Pot", "ǆ", "ß", "٣", "*", "| y", "a\u0301", "TRUE"),
)


class Author(NamedTuple):
    circle: Circle
    browser: Browser


def new_circle() -> Author:
    entered, _ = circles.create_circle()
    return Author(entered.browser.circle, entered.browser)


def uploads(*sheets: Any) -> list[UploadedFile]:
    return [UploadedFile(f"{n}.json", json.dumps(sheet).encode()) for n, sheet in enumerate(sheets, start=1)]


def bring_in(
    author: Author, files: list[UploadedFile], answers: Mapping[str, int | None] | None = None
) -> imports.Report:
    """Import; whoever is not known and not answered for is new."""
    unknown = imports.preview(author.circle, files).unknown
    report = imports.record(author.circle, author.browser, files, dict.fromkeys(unknown) | dict(answers or {}))
    assert not report.refused, report.refused
    return report


def circle_with(*sheets: Any) -> Author:
    author = new_circle()
    bring_in(author, uploads(*sheets))
    return author


def pay_everything(author: Author, max_payments: int | None = None) -> None:
    """Settle the whole circle, in so many payments at most."""
    for account in balances.open_accounts(author.circle, balances.Scope()).values():
        ids = {player.name: player.id for player in author.circle.players}
        for giver, taker, amount in account.plan()[:max_payments]:
            last = balances.last_number(author.circle)
            scope, key = balances.Scope(), f"pay-{last}"
            paying = PaymentRequest(account.key, ids[giver], ids[taker], amount, scope, None, last, key)
            assert isinstance(payments.pay(author.circle, paying, author.browser), payments.Paid)


def called(raw: Any, names: Mapping[str, str]) -> Any:
    """A sheet's plain JSON with the players called by other names."""
    if isinstance(raw, dict):
        return {names.get(key, key): called(value, names) for key, value in raw.items()}
    if isinstance(raw, list):
        return [called(item, names) for item in raw]
    return names.get(raw, raw) if isinstance(raw, str) else raw


def names(least: int = 5) -> st.SearchStrategy[list[str]]:
    """Names as people give themselves, and worse."""
    signs = st.characters(exclude_categories=["Cs", "Cc"])
    name = st.one_of(st.sampled_from(NASTY), st.text(signs, min_size=1, max_size=12)).map(clean_name).filter(bool)
    return st.lists(name, min_size=least, max_size=least, unique=True)


@st.composite
def whole_sheets(draw: st.DrawFn, slug: str | None = None, max_payments: int = 12) -> dict[str, Any]:
    """Sheets with all that one may say of itself, and players of any names."""
    sheet = draw(sheets(slug, max_payments))
    sheet = called(sheet, dict(zip(sheet["players"], draw(names(len(sheet["players"]))), strict=True)))
    units = ("fiche", "jeton") if sheet["game"] == "francion" else ("fiche",)
    if draw(st.booleans()):
        amount = draw(st.sampled_from(("0.25", "1", "0.05", "0.333333", "12.5")))
        currency = draw(st.sampled_from(("EUR", "CHF", "JPY")))
        sheet["value"] = {"currency": currency, "unit": draw(st.sampled_from(units)), "amount": amount}
    if draw(st.booleans()):
        sheet["title"] = draw(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40))
    if draw(st.booleans()):
        sheet["played_on"] = draw(st.dates(date.min, date.max)).isoformat()
    return sheet
