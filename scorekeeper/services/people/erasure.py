"""Erasing a person's name, wherever it is written in a circle."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import groupby
from typing import Any, NamedTuple
from unicodedata import normalize

from sqlalchemy import JSON, Column, String, Text, cast, inspect, or_, select, update
from sqlalchemy.orm import object_mapper

from ...db.clock import now
from ...db.engine import forget_deleted
from ...db.transactions import write_to_circle
from ...games import find_game, games
from ...models import Base, Browser, Circle, Event, Player, Revision, Table, db
from ...models.rights import HOST
from ...payment_details import parse_payment_link
from ...scoring.problems import Problem
from ...scoring.values import clean_lines, clean_name
from ..circles.players import list_all_players, players_of_person
from ..invalidation import touch
from ..tables import summaries
from .people import announce_names, changed_meanwhile
from .personal_data import forget

MAX_SHOWN = 100  # texts on a page


class Remaining(NamedTuple):
    """Texts that would still hold the name, inside of other words; `hidden` is how many more there are."""

    texts: list[WrittenText]
    hidden: int = 0


class Answer(NamedTuple):
    """The choice for a text that was shown with the digest `shown`."""

    shown: str
    text: str


def find_remaining(person: Player, earlier: Iterable[str] = ()) -> Remaining:
    """Return the texts that would still hold one of the person's names if it were erased."""
    players = list_all_players(person.circle)
    return _remaining(_Texts(person, players, list(filter(str.strip, earlier))).changes(), {})


def find_texts_about(person: Player) -> Iterator[WrittenText]:
    """Yield the texts that name the person, those that erasing the name would change or ask about."""
    for change in _Texts(person, list_all_players(person.circle), []).changes():
        yield change.found


def erase(
    person: Player, earlier: Iterable[str] = (), by: Browser | None = None, answers: Mapping[str, Answer] | None = None
) -> Problem | Remaining | None:
    """Replace a person's names by a placeholder, irreversibly.

    They are replaced in the names of the person and the players merged into them, and as whole words in every text
    that was written in the circle (`written_texts`). `earlier` are former names to replace as well. If texts hold one
    of them inside of another word, nothing is done until `answers` has each of them, by its key, as it is to be. How
    the person wanted to be paid is deleted, and which phone was theirs at an event. A reason is the only part of a
    revision that is ever changed; scores and payments stay the same. Without `answers` such texts stay as they are.
    """
    circle_id, name, earlier_names = person.circle_id, person.name, list(filter(str.strip, earlier))
    done = write_to_circle(circle_id, lambda _: _erase(person, name, earlier_names, answers), browser=by, right=HOST)
    if done is None:
        summaries.refresh_forgotten(circle_id)
        forget_deleted()
    return done


def _erase(
    person: Player, agreed: str, earlier: list[str], answers: Mapping[str, Answer] | None
) -> Problem | Remaining | None:
    """Erase the person if their name is still `agreed`, the one that was confirmed."""
    if person.erased_at is not None:
        return None
    problem = changed_meanwhile(person)
    if problem is not None or person.name != agreed:
        return problem or Problem("typed", "not-the-words", {"must": person.name})
    players = list_all_players(person.circle)
    texts = _Texts(person, players, earlier)
    for name in earlier:
        if _normalized(name) in map(_normalized, texts.others):
            return Problem("earlier", "name-of-another", {"found": name})
    changes = texts.changes()
    refused = None if answers is None else _take_answers(changes, answers, texts.placeholder)
    if refused is not None:
        return refused
    for player in texts.erased:
        player.name = _placeholder(player, players)
        player.erased_at = now()
    db.session.flush()
    forget(person.circle_id, [player.id for player in texts.erased])
    summaries.forget_texts(person.circle_id, [*_store(changes)])
    announce_names(person.circle, texts.erased)
    return None


class _Change:
    """A text and what becomes of it; `remains`: it still holds a name, inside of another word."""

    def __init__(self, written: WrittenText, text: str, *, remains: bool) -> None:
        self.found, self.written = written, written._replace(text=text)
        self.is_changed = text != written.text
        self.text, self.remains = text, remains

    def answer(self, typed: str, placeholder: str) -> Problem | None:
        """Take what a host has typed instead; return what is wrong with it."""
        text = (clean_lines(typed) if self.written.column.name == "note" else clean_name(typed))[: self.written.longest]
        if self.written.column.name == "payment_link":
            link = parse_payment_link(text)
            if isinstance(link, Problem):
                return link
            text = link
        if not text and (self.written.path or not self.written.column.nullable):
            text = placeholder
        self.is_changed, self.text = self.is_changed or text != self.text, text
        return None


class _Texts:
    """How a person's names are found and replaced in the texts of their circle."""

    def __init__(self, person: Player, players: Sequence[Player], earlier: list[str]) -> None:
        self.circle = person.circle
        self.erased = players_of_person(person, players)
        erased = set(self.erased)
        self.others = [player.name for player in players if player not in erased]
        self.names = [*(player.name for player in self.erased), *earlier]
        self.placeholder = _placeholder(person, players)

    def changes(self) -> list[_Change]:
        """Return all texts that hold a name."""
        replace = _replacer(self.names, self.placeholder, self.others)
        without_others = _replacer([*self.others, self.placeholder], " ", [])
        names, erased = _match_any(map(_normalized, self.names)), set(self.erased)
        found = []
        for written in written_texts(self.circle):
            if written.row in erased:
                continue
            text = replace(written.text)
            rest = _normalized(without_others(text))
            change = _Change(written, text, remains=bool(names.search(rest)))
            if change.is_changed or change.remains:
                found.append(change)
        return found


def _take_answers(
    changes: Iterable[_Change], answers: Mapping[str, Answer], placeholder: str
) -> Problem | Remaining | None:
    """Take what a host has typed; return what is still to be asked, or wrong."""
    remaining = _remaining(changes, answers)
    if remaining.texts:
        return remaining
    answered = (change for change in changes if change.remains and change.written.key in answers)
    problems = (change.answer(answers[change.written.key].text, placeholder) for change in answered)
    return next((problem for problem in problems if problem is not None), None)


def _remaining(changes: Iterable[_Change], answers: Mapping[str, Answer]) -> Remaining:
    """Return what is to be asked: everything that remains, if something of it was not answered as it is now."""
    texts = [change.written for change in changes if change.remains]
    shown = texts[:MAX_SHOWN]
    answered = (answers.get(written.key) for written in shown)
    if all(answer and answer.shown == digest(written.text) for answer, written in zip(answered, shown, strict=True)):
        return Remaining([])
    return Remaining(shown, len(texts) - len(shown))


def _placeholder(player: Player, players: Sequence[Player]) -> str:
    """Return a placeholder for every language: "N. N." and the player's number in the circle, or a free one."""
    used = {other.name for other in players}
    number = sum(other.id <= player.id for other in players)
    while f"N. N. {number}" in used:
        number += len(players)
    return f"N. N. {number}"


def _replacer(names: Iterable[str], placeholder: str, others: Iterable[str]) -> Callable[[str], str]:
    """Build a function that replaces the names as whole words, ignoring case.

    A longer name of another player (`others`) that contains one of them is not replaced.
    """
    erased = {_normalized(name): name for name in names}
    holds_name = _match_any(erased)
    protected = {key: other for other in others if holds_name.search(key := _normalized(other))}
    longest_first = sorted({**protected, **erased}.values(), key=len, reverse=True)
    words = "|".join(r"\s+".join(map(re.escape, normalize("NFC", name).split())) for name in longest_first)
    pattern = re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)

    unchanged = protected.keys() - erased.keys()

    def replace(text: str) -> str:
        composed = normalize("NFC", text)
        replaced = pattern.sub(lambda match: match[0] if _normalized(match[0]) in unchanged else placeholder, composed)
        return text if replaced == composed else replaced

    return replace


def _match_any(texts: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that finds any of the texts, much faster than one after the other."""
    return re.compile("|".join(map(re.escape, texts)))


def _normalized(name: str) -> str:
    """Normalize a name for comparison: Unicode form, case and spaces."""
    return " ".join(normalize("NFC", name).casefold().split())


def _store(changes: Iterable[_Change]) -> set[int]:
    """Write the texts that change, and tell who follows them; return the ids of tables whose texts or deals do."""
    table_ids, values = set[int](), dict[Base, dict[str, Any]]()
    for change in changes:
        if change.is_changed:
            change.written.store(values.setdefault(change.written.row, {}), change.text[: change.written.longest])
    for mapper, rows in groupby(values, object_mapper):
        keys = [str(column.key) for column in mapper.primary_key]
        of_rows = [values[row] | {key: getattr(row, key) for key in keys} for row in rows]
        db.session.execute(update(mapper.class_), of_rows)  # a flush of as many objects takes several times as long
    for row in values:
        if isinstance(row, Table):
            table_ids.add(row.id)
        elif isinstance(row, Revision):
            table_ids.add(row.table_id)
        elif isinstance(row, Event):
            touch(row)
    return table_ids


# --- the texts that people have written in a circle, found by the columns of the models

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
        *("summary.data", "summary.taken_over", "settlement.unpaid"),  # computed
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
