"""Erasing a person's name, wherever it is written in a circle."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple
from unicodedata import normalize

from sqlalchemy import update
from sqlalchemy.orm import object_mapper

from ...db.clock import now
from ...db.engine import forget_deleted
from ...db.transactions import write_to_circle
from ...models import Base, Browser, Event, Player, Revision, Table, db
from ...models.rights import HOST
from ...payment_details import parse_payment_link
from ...scoring.problems import Problem
from ...scoring.values import clean_lines, clean_name
from ..circles.players import list_all_players, players_of_person
from ..invalidation import invalidate_table, touch
from ..tables import summaries
from .people import announce_names, changed_meanwhile
from .personal_data import forget
from .written_texts import WrittenText, digest, written_texts

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
            invalidate_table(row)  # statistics count a described game by its name
        elif isinstance(row, Revision):
            table_ids.add(row.table_id)
        elif isinstance(row, Event):
            touch(row)
    return table_ids
