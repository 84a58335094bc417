"""Sheets with random and unusual names, circles into which sheets are imported, and their files."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from io import BytesIO
from random import Random
from typing import Any, NamedTuple

from flask import Flask, current_app
from hypothesis import strategies as st
from sqlalchemy import select, text

from scorekeeper.circles import lifecycle
from scorekeeper.db.outcome import Done
from scorekeeper.files import exports, imports
from scorekeeper.files.books import write_books
from scorekeeper.files.circle_transfer import Imported, export, import_circle
from scorekeeper.files.json_documents import write_lists
from scorekeeper.files.sheets import UploadedFile
from scorekeeper.i18n import LANGUAGES, has_message
from scorekeeper.models import Circle, Membership, db, new_secret
from scorekeeper.money import payments
from scorekeeper.money.ledger import EVERYTHING
from scorekeeper.money.payments import PaymentRequest
from scorekeeper.money.reading import build_seen, read_ledger
from scorekeeper.scoring.problems import Problem
from scorekeeper.scoring.values import clean_name, make_name_key
from scorekeeper.tables.caches import rebuild, verify
from scorekeeper.testing.playing import NAMES, random_sheet

from ..support.club import Club
from ..support.statements import count_rows

FRANCION: dict[str, Any] = {
    "format": "scorekeeper-sheet/1",
    "game": "francion",
    "players": ["Anne", "Bruno", "Chloé"],
    "deals": [{"tricks": {"Bruno": 5, "Chloé": 4}, "welche": {"event": "turned"}}],
    "played_on": "2026-11-20",
}
WHIST: dict[str, Any] = {
    "format": "scorekeeper-sheet/1",
    "game": "whist",
    "players": ["Anne", "Bruno", "Chloé", "David"],
    "deals": [{"tricks": {"ns": 13}}] * 4,
    "played_on": "2026-11-21",
    "value": {"currency": "EUR", "unit": "fiche", "amount": "0.25"},
}
UNUSUAL_NAMES = (
    *("🂡", 'a"b\\c', "; x", "=1+1", "@cmd", "-", "王", "אבג", "\u202eabc", "é" * 40, "ns", "1", "Pot", "P-王"),
    *("Anne", "anne", "Anne-2", "a:b  c", "'", "{x}", "%s", "Assets:Pot", "ǆ", "ß", "٣", "*", "| y", "a\u0301", "TRUE"),
)


def new_circle() -> Membership:
    """Return the phone that has made a new circle, and writes in it."""
    return lifecycle.find_or_add_scoring_membership(new_secret(), "")


def uploads(*sheets: Any) -> list[UploadedFile]:
    return [UploadedFile(f"{n}.json", json.dumps(sheet).encode()) for n, sheet in enumerate(sheets, start=1)]


def import_files(
    author: Membership, files: list[UploadedFile], answers: Mapping[str, int | None] | None = None
) -> imports.Report:
    """Import files. Unknown names become new players unless `answers` says who they are."""
    unknown = imports.preview(author.circle, files, {}).unknown
    report = imports.record(author.circle, author, files, dict.fromkeys(unknown) | dict(answers or {}))
    assert not report.refused, report.refused
    return report


def circle_with(*sheets: Any) -> Membership:
    author = new_circle()
    import_files(author, uploads(*sheets))
    return author


def exported(circle: Circle) -> bytes:
    file = BytesIO()
    export(circle, file)
    return file.getvalue()


def imported(content: bytes, secret: str | None = None, key: str = "") -> Circle:
    result = import_circle(content, secret, key)
    assert isinstance(result, Imported), result
    return db.session.scalars(select(Circle).where(Circle.token == result.token)).one()


def books(circle: Circle, program: str) -> str:
    written = BytesIO()
    write_books(program, "en", exports.export_circle(circle), written)
    return written.getvalue().decode()


class World(NamedTuple):
    """A circle in which everything has happened, and its file."""

    app: Flask
    club: Club
    content: bytes

    @property
    def document(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.content)
        return document


def written(document: dict[str, Any]) -> bytes:
    file = BytesIO()
    lists = {name: value for name, value in document.items() if isinstance(value, list)}
    write_lists({name: value for name, value in document.items() if name not in lists}, lists, file)
    return file.getvalue()


def problems_of(document: dict[str, Any] | bytes) -> tuple[Problem, ...]:
    content = document if isinstance(document, bytes) else written(document)
    before = count_rows(current_app)
    result = import_circle(content)
    assert not isinstance(result, Imported)
    assert count_rows(current_app) == before
    return result


def spoil(where: str, value: object) -> Callable[[dict[str, Any]], None]:
    """Return a function that sets the value at a path, or removes it (`...`)."""

    def change(document: dict[str, Any]) -> None:
        *path, last = where.split(".")
        target: Any = document
        for name in path:
            target = target[int(name) - 1] if isinstance(target, list) else target[name]
        key: Any = int(last) - 1 if isinstance(target, list) else last
        if value is ...:
            del target[key]
        else:
            target[key] = value

    return change


def import_random_sheets(author: Membership, number: int, first: date, *, apart: int) -> None:
    """Import sheets of any games, played by some of six people: two on each evening, so many days apart."""
    rng, drawn = Random(1765), list[Any]()  # noqa: S311  # nothing secret
    for index in range(number):
        sheet = random_sheet(rng, max_deals=8)
        names = rng.sample(NAMES[: max(6, len(sheet["players"]))], len(sheet["players"]))
        day = first + timedelta(days=index // 2 * apart)
        drawn.append(replace_names(sheet, dict(zip(sheet["players"], names, strict=True))) | {"played_on": f"{day}"})
    import_files(author, uploads(*drawn))


def pay_everything(author: Membership, max_payments: int | None = None) -> None:
    """Settle the whole circle, with `max_payments` per account at most."""
    for account in read_ledger(author.circle).read_accounts(EVERYTHING).values():
        ids = {player.name: player.id for player in author.circle.players}
        for giver, taker, amount in account.plan()[:max_payments]:
            seen = build_seen(author.circle)
            paying = PaymentRequest(account.key, ids[giver], ids[taker], amount, f"pay-{seen}")
            assert isinstance(payments.record(author.circle, paying, seen, author), Done)


def assert_found_and_rebuilt(key: str, statement: str) -> None:
    assert verify().faults == []
    db.session.execute(text(statement))
    db.session.commit()
    assert key in {fault.key for fault in verify().faults}
    rebuild()
    assert verify().faults == []
    assert all(has_message(language, f"fault.{key}") for language in LANGUAGES)


def replace_names(raw: Any, names: Mapping[str, str]) -> Any:
    if isinstance(raw, dict):
        return {names.get(key, key): replace_names(value, names) for key, value in raw.items()}
    if isinstance(raw, list):
        return [replace_names(item, names) for item in raw]
    return names.get(raw, raw) if isinstance(raw, str) else raw


def player_names(count: int) -> st.SearchStrategy[list[str]]:
    characters = st.characters(exclude_categories=["Cs", "Cc"])
    name = st.one_of(st.sampled_from(UNUSUAL_NAMES), st.text(characters, min_size=1, max_size=12))
    return st.lists(name.map(clean_name).filter(bool), min_size=count, max_size=count, unique_by=make_name_key)
