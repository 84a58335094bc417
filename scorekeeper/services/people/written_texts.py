"""The texts that people have written in a circle, found by the columns of the models."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from hashlib import sha256
from typing import Any, NamedTuple

from sqlalchemy import JSON, Column, String, Text, cast, inspect, or_, select

from ...games import find_game, games
from ...models import Base, Circle, Event, Table, db

# Columns of text in which nobody writes: keys, choices and amounts. A new column is searched unless it is added here.
WORDLESS = frozenset(
    {
        *("account", "amount", "currency", "dealer", "edition", "entry_key", "fee", "fingerprint", "format", "game"),
        *(
            "generation",
            "group",
            "kind",
            "marks_edition",
            "period",
            "plan_edition",
            "right",
            "round_unit",
            "scoring",
            "sealed_secret",
            "sitting_out",
        ),
        *("seat", "secret_hash", "token"),
        *("options", "pairs", "scores", "sits_out", "event_result.body", "event.value"),
        *("answer", "begins", "repeats", "skipped"),
        *("counts", "games", "places", "size", "ties"),
        *("auth", "endpoint", "kinds", "language", "p256dh", "site"),  # of notices
        *("turns", "value_amount", "value_currency", "value_unit"),
        *("circle.name", "circle.time_zone", "circle.transferred"),
        *("player.name", "player.iban"),  # erased as such; the names of others are theirs
        *("period_totals.data", "summary.data", "summary.taken_over", "settlement.unpaid"),  # computed
    }
)
WORDS = frozenset({"reason", "text"})  # keys in JSON whose values people write; others have choices and players' labels

Path = tuple[str | int, ...]  # to a text within a JSON value


class WrittenText(NamedTuple):
    """A text in a row; `path` leads to it in a column of JSON."""

    row: Any
    column: Column[Any]
    path: Path
    text: str

    @property
    def kind(self) -> str:
        """The table and the column, such as "card_table.note"."""
        return str(self.column)

    @property
    def key(self) -> str:
        """A key of the text within the circle, for a field of a form."""
        identity = inspect(self.row).identity
        return ":".join((self.kind, "-".join(map(str, identity)), ".".join(map(str, self.path))))

    @property
    def longest(self) -> int:
        """How long the text may become: as its column allows, or as long as it is."""
        return getattr(self.column.type, "length", None) or len(self.text)

    def store(self, values: dict[str, Any], text: str) -> None:
        """Replace the text in `values`, the row's new ones by column; a blank one is removed if it may be missing."""
        key = self.column.key
        if self.path:
            values[key] = _with(values.get(key, getattr(self.row, key)), self.path, text)
        else:
            values[key] = text or (None if self.column.nullable else text)


def digest(text: str) -> str:
    """Return a mark by which a form says which text it has shown."""
    return sha256(text.encode()).hexdigest()[:16]


def written_columns() -> dict[type[Base], list[Column[Any]]]:
    """Return the columns of text and JSON of each model of a circle, without those in which nobody writes."""
    found: dict[type[Base], list[Column[Any]]] = {}
    for mapper in sorted(Base.registry.mappers, key=lambda mapper: mapper.local_table.name):  # type: ignore[attr-defined]  # it is a Table
        columns: list[Any] = [
            column
            for column in mapper.local_table.columns
            if isinstance(column.type, String | JSON) and WORDLESS.isdisjoint({column.name, str(column)})
        ]
        if columns and (mapper.class_ is Circle or "circle_id" in mapper.local_table.columns):
            found[mapper.class_] = columns
    return found


def written_texts(circle: Circle) -> Iterator[WrittenText]:
    """Yield all texts that people have written in a circle."""
    for model, columns in written_columns().items():
        is_of_circle = model.id == circle.id if model is Circle else model.circle_id == circle.id  # type: ignore[attr-defined]  # as all of them
        rows = (
            select(model).where(is_of_circle, or_(*map(_may_have_words, columns))).order_by(*inspect(model).primary_key)
        )
        for row in db.session.scalars(rows).all():
            for column in columns:
                texts = _texts_in(getattr(row, column.key), column, _words_of(row, column))
                yield from (WrittenText(row, column, *found) for found in texts)


def _words_of(row: Base, column: Column[Any]) -> Collection[str]:
    """Return the keys whose values people write in a column of JSON: of house rules, the one that names the game."""
    if column.name == "house_rules" and isinstance(row, Table | Event):
        return {find_game(row.game).named_by}
    return WORDS


def _may_have_words(column: Column[Any]) -> Any:
    if isinstance(column.type, String):
        return column.is_not(None)
    if column.name == "house_rules":
        return column.table.c.game.in_([slug for slug, game in games().items() if game.named_by])
    return or_(*(cast(column, Text).contains(f'"{key}"') for key in sorted(WORDS)))


def _texts_in(value: Any, column: Column[Any], words: Collection[str]) -> Iterator[tuple[Path, str]]:
    if isinstance(column.type, String):
        if value:
            yield (), value
    else:
        yield from _words_in(value, (), words)


def _words_in(value: Any, path: Path, words: Collection[str]) -> Iterator[tuple[Path, str]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        if isinstance(item, str) and item and key in words:
            yield (*path, key), item
        else:
            yield from _words_in(item, (*path, key), words)


def _with(value: Any, path: Path, text: str) -> Any:
    """Return a copy of a JSON value with the text at this path."""
    if not path:
        return text
    copy = value.copy()
    copy[path[0]] = _with(value[path[0]], path[1:], text)
    return copy
