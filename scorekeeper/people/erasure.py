"""Erasing a person's name, wherever it is written in a circle."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any, NamedTuple
from unicodedata import normalize

from sqlalchemy import JSON, Column, String, delete, inspect, select, update

from ..db.engine import forget_deleted
from ..db.transactions import UNSYNCHRONIZED, writing_to_circle
from ..games import find_game
from ..models import (
    HOST,
    Base,
    Circle,
    Entrant,
    EveningAnswer,
    Event,
    EventPhone,
    Handicap,
    Membership,
    Player,
    Presence,
    Revision,
    Table,
    db,
    new_token,
    now,
)
from ..scoring.problems import Problem
from ..scoring.values import clean_lines, clean_name
from ..site.features import features
from ..site.live import touch_tables
from .payment_details import parse_payment_link
from .reading import list_all_players, players_of_person
from .writing import change_problem, touch_names

# --- the texts that people have written in a circle, found by the columns of the models

# Columns of text in which nobody writes, in any table, or in one. Every other is searched.
WORDLESS = frozenset(
    # Random tokens, secrets, and the address of a push service.
    {"edition", "entry_key", "epoch", "games_token", "generation", "plan_edition", "token"}
    | {"auth", "endpoint", "p256dh", "sealed_secret", "secret_hash", "site"}
    # Choices.
    | {"account", "answer", "counts", "currency", "format", "game", "games", "kind", "kinds", "language", "method"}
    | {"repeats", "right", "round_unit", "scoring", "sitting_out", "ties", "value_currency", "value_unit"}
    # Amounts, times, and numbers or labels of seats.
    | {"begins", "dealer", "fee", "group", "options", "pairs", "places", "scores", "sits_out", "size"}
    | {"skipped", "turns", "value_amount", "circle.time_zone", "event.value", "event_result.body", "seat.label"}
    # What is erased otherwise, or computed.
    | {"player.iban", "player.name", "summary.data", "summary.owed"}
)
TEXT_KEYS = frozenset({"reason", "text"})  # in JSON, of values that people write; others are choices and labels

Path = tuple[str | int, ...]  # to a text within a JSON value


class WrittenText(NamedTuple):
    """A text in a row; `path` leads to it in a column of JSON."""

    row: Any
    column: Column[Any]
    path: Path
    text: str

    @property
    def kind(self) -> str:
        return str(self.column)

    @property
    def key(self) -> str:
        """What a form calls the text: the same for equal texts of a kind, and another one once it is changed."""
        return f"{self.kind}:{sha256(self.text.encode()).hexdigest()[:16]}"

    @property
    def longest(self) -> int:
        return getattr(self.column.type, "length", None) or len(self.text)

    def store(self, text: str) -> None:
        """Replace the text in its row; a blank one is removed if it may be missing."""
        key = self.column.key
        new = _replace_text(getattr(self.row, key), self.path, text[: self.longest])
        setattr(self.row, key, new or (None if self.column.nullable else new))


def written_columns() -> dict[type[Base], list[Column[Any]]]:
    """Return the columns of text and JSON of each model of a circle, without those in which nobody writes."""
    columns_by_model: dict[type[Base], list[Column[Any]]] = {}
    for mapper in sorted(Base.registry.mappers, key=lambda mapper: mapper.local_table.name):  # type: ignore[attr-defined]  # it is a Table
        columns: list[Any] = [
            column
            for column in mapper.local_table.columns
            if isinstance(column.type, String | JSON) and WORDLESS.isdisjoint({column.name, str(column)})
        ]
        if columns and (mapper.class_ is Circle or "circle_id" in mapper.local_table.columns):
            columns_by_model[mapper.class_] = columns
    return columns_by_model


def read_written_texts(circle: Circle) -> Iterator[WrittenText]:
    for model, columns in written_columns().items():
        of_circle = model.id == circle.id if model is Circle else model.circle_id == circle.id  # type: ignore[attr-defined]  # as all of them
        rows = select(model).where(of_circle).order_by(*inspect(model).primary_key)
        for row in db.session.scalars(rows).all():
            for column in columns:
                value = getattr(row, column.key)
                keys = _find_text_keys(row, column)
                texts = _find_texts(value, (), keys) if isinstance(column.type, JSON) else [((), value)]
                yield from (WrittenText(row, column, path, text) for path, text in texts if text)


def _find_text_keys(row: Base, column: Column[Any]) -> Collection[str]:
    """Return the keys whose values people write in a column of JSON: of house rules, the one that names the game."""
    if column.name == "house_rules" and isinstance(row, Table | Event):
        return {find_game(row.game).house_rules.named_by}
    return TEXT_KEYS


def _find_texts(value: Any, path: Path, keys: Collection[str]) -> Iterator[tuple[Path, str]]:
    """Yield the texts with one of these keys, however deep in a JSON value, with the paths that lead to them."""
    if isinstance(value, list):
        value = dict(enumerate(value))
    for key, item in value.items() if isinstance(value, dict) else ():
        if isinstance(item, str) and key in keys:
            yield (*path, key), item
        else:
            yield from _find_texts(item, (*path, key), keys)


def _replace_text(value: Any, path: Path, text: str) -> Any:
    """Return a JSON value with another text at the end of the path."""
    if not path:
        return text
    copy = value.copy()
    copy[path[0]] = _replace_text(value[path[0]], path[1:], text)
    return copy


# --- erasing -----------------------------------------------------------------------------------------------


def list_unclear_texts(person: Player, earlier: Iterable[str] = ()) -> list[WrittenText]:
    """List the texts that hold one of the person's names inside another word, equal ones once: a host changes them."""
    return _list_unclear(_Erasure(person, earlier).find_texts())


def find_texts_about(person: Player) -> list[WrittenText]:
    """List the texts that name the person, those that erasing the name would change or ask about."""
    return [text.written for text in _Erasure(person).find_texts()]


def erase(
    person: Player, earlier: Iterable[str] = (), by: Membership | None = None, answers: Mapping[str, str] | None = None
) -> Problem | None:
    """Replace a person's names by a placeholder, irreversibly.

    They are replaced in the names of the person and the players merged into them, and as whole words in every text
    that was written in the circle. `earlier` are former names to replace as well. If texts hold one of them inside of
    another word, nothing is done until `answers` has each of them, by its key, as it is to be.
    How the person wanted to be paid is deleted, and which phone was theirs at an event. A reason is the only part of a
    revision that is ever changed; scores and payments stay the same.
    """
    name = person.name
    with writing_to_circle(person.circle_id, membership=by, right=HOST):
        problem = _erase(person, name, earlier, answers or {})
    if problem is None:
        forget_deleted()
    return problem


def _erase(person: Player, agreed: str, earlier: Iterable[str], answers: Mapping[str, str]) -> Problem | None:
    """Erase the person if their name is still `agreed`, the one that was confirmed."""
    if person.erased_at is not None:
        return None
    problem = change_problem(person)
    if problem is not None or person.name != agreed:
        return problem or Problem("typed", "not-the-words", {"must": person.name})
    erasure = _Erasure(person, earlier)
    if erasure.name_of_another is not None:
        return Problem("earlier", "name-of-another", {"found": erasure.name_of_another})
    named = erasure.find_texts()
    if not {text.key for text in _list_unclear(named)} <= answers.keys():
        return Problem("texts", "unclear-texts")
    new = [erasure.read_answer(text, answers) if text.is_unclear else text.replaced.text for text in named]
    if wrong := next((text for text in new if isinstance(text, Problem)), None):
        return wrong._replace(field="texts")
    _replace_names(erasure, zip(named, map(str, new), strict=True))
    return None


def _replace_names(erasure: _Erasure, new_texts: Iterable[tuple[_NamedText, str]]) -> None:
    circle = erasure.circle
    table_ids = {_store(named, text) for named, text in new_texts}
    for player in erasure.erased:
        player.name = erasure.find_placeholder(player)
        player.erased_at = now()
    db.session.flush()
    _delete_details(circle.id, [player.id for player in erasure.erased])
    circle.epoch = new_token()
    touch_tables(circle.id, [id_ for id_ in table_ids if id_ is not None])
    touch_names(circle, erasure.erased)


def _store(named: _NamedText, text: str) -> int | None:
    """Write a text if it changes, and tell who follows it; return the id of the table whose texts or deals do."""
    row = named.written.row
    if text == named.written.text:
        return None
    named.replaced.store(text)
    for feature in features():
        feature.touch_row(row)
    if isinstance(row, Table):
        return row.id
    return row.table_id if isinstance(row, Revision) else None


def _delete_details(circle_id: int, player_ids: list[int]) -> None:
    """Delete what else a circle knows of people: evenings, handicaps, how they are paid, their phones at events."""
    for model in (Presence, EveningAnswer, Handicap):
        db.session.execute(delete(model).where(model.circle_id == circle_id, model.player_id.in_(player_ids)))
    conditions = (Player.circle_id == circle_id, Player.id.in_(player_ids))
    db.session.execute(update(Player).where(*conditions).values(iban=None, payment_link=None))
    theirs = select(Entrant.number).where(Entrant.event_id == EventPhone.event_id, Entrant.player_id.in_(player_ids))
    at_events = update(EventPhone).where(EventPhone.circle_id == circle_id, EventPhone.number.in_(theirs))
    db.session.execute(at_events.values(number=None), execution_options=UNSYNCHRONIZED)


class _NamedText(NamedTuple):
    written: WrittenText  # with a name of the person
    replaced: WrittenText  # with whole names replaced, as a host is shown it
    is_unclear: bool  # whether a name is left inside another word


def _list_unclear(texts: Iterable[_NamedText]) -> list[WrittenText]:
    return list({text.replaced.key: text.replaced for text in texts if text.is_unclear}.values())


class _Erasure:
    """What erasing a person replaces: the names of the person, of players merged into them, and earlier ones."""

    def __init__(self, person: Player, earlier: Iterable[str] = ()) -> None:
        self.circle = person.circle
        self.players = list_all_players(person.circle)
        self.erased = players_of_person(person, self.players)
        self.others = [player.name for player in self.players if player not in self.erased]
        self.earlier = [*filter(str.strip, earlier)]
        self.placeholder = self.find_placeholder(person)

    @property
    def name_of_another(self) -> str | None:
        others = set(map(_normalized, self.others))
        return next((name for name in self.earlier if _normalized(name) in others), None)

    def find_placeholder(self, player: Player) -> str:
        """Return a placeholder for every language: "N. N." and the player's number in the circle, or a free one."""
        used = {other.name for other in self.players}
        number = sum(other.id <= player.id for other in self.players)
        while f"N. N. {number}" in used:
            number += len(self.players)
        return f"N. N. {number}"

    def find_texts(self) -> list[_NamedText]:
        names = [*(player.name for player in self.erased), *self.earlier]
        replace = _replacer(names, self.placeholder, self.others)
        without_others = _replacer([*self.others, self.placeholder], " ", [])
        any_name = _match_any(map(_normalized, names))
        named = []
        for written in read_written_texts(self.circle):
            text = replace(written.text)
            is_unclear = bool(any_name.search(_normalized(without_others(text))))
            if written.row not in self.erased and (is_unclear or text != written.text):
                named.append(_NamedText(written, written._replace(text=text), is_unclear))
        return named

    def read_answer(self, named: _NamedText, answers: Mapping[str, str]) -> str | Problem:
        written = named.replaced
        typed = answers[written.key]
        text = (clean_lines(typed) if written.column.name == "note" else clean_name(typed))[: written.longest]
        if written.column.name == "payment_link":
            return parse_payment_link(text)
        return text or ("" if written.column.nullable and not written.path else self.placeholder)


def _replacer(names: Iterable[str], placeholder: str, others: Iterable[str]) -> Callable[[str], str]:
    """Build what replaces the names as whole words, ignoring case, but not within longer names of `others`."""
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
    return re.compile("|".join(map(re.escape, texts)))


def _normalized(name: str) -> str:
    return " ".join(normalize("NFC", name).casefold().split())
