"""Read the records of a circle's file one by one, and collect what is wrong with them and what was cleaned."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterator
from dataclasses import dataclass, field, is_dataclass
from typing import Any, TypeVar, cast

from ...exchange.circle_file import CircleFileError, Item
from ...scoring import schema
from ...scoring.problems import Problem
from ...scoring.values import NO_SEATS, CleanedText

MAX_PROBLEMS = schema.MAX_PROBLEMS  # that are reported at once

R = TypeVar("R")


@dataclass
class Problems:
    """The problems found so far. Reading ends with CircleFileError when there are many, or at the end of a section.

    `cleaned` are the texts that are not stored as they stand in the file.
    """

    found: list[Problem] = field(default_factory=list)
    cleaned: list[CleanedText] = field(default_factory=list)
    _named: set[tuple[str, object]] = field(default_factory=set)

    def add(self, path: str, key: str, **params: object) -> None:
        """Add a problem."""
        self.add_all("", [Problem(path, key, params)])

    def add_all(self, path: str, problems: list[Problem]) -> None:
        """Add problems whose fields are relative to a path."""
        self.found += [Problem(join(path, problem.field), problem.key, problem.params) for problem in problems]
        if len(self.found) >= MAX_PROBLEMS:
            self.raise_if_any()

    def expect_place(self, path: str, number: int, place: int) -> None:
        """Add a problem if the number of an item is not its place in its list."""
        if number != place:
            self.add(join(path, "number"), "next-number", found=str(number), must=str(place))

    def expect_known(self, number: int | None, known: Container[int], path: str, section: str) -> None:
        """Add a problem if there is no item with this number in a section."""
        if number is not None and number not in known:
            self.add(path, "not-in-file", found=str(number), section=section)

    def expect_once(self, group: str, named: object, path: str, problem: str = "key-again") -> None:
        """Add a problem if something that may be named once in a group of items is named again."""
        if named is not None and (group, named) in self._named:
            self.add(path, problem, found=str(named))
        self._named.add((group, named))

    def raise_if_any(self) -> None:
        """Raise CircleFileError if there are problems."""
        if self.found:
            raise CircleFileError(*self.found[:MAX_PROBLEMS])


def join(path: str, name: str | int) -> str:
    """Return the path of a key or an item in an object or a list."""
    return f"{path}.{name}" if path and name != "" else path or str(name)


def load(cls: type[R], item: Item, problems: Problems) -> R | None:
    """Build a record with cleaned texts, or return None and add what is wrong with it."""
    found: list[Problem] = []
    record = schema.load(cls, item.content, NO_SEATS, found)
    problems.add_all(item.path, found)
    if record is None or found:
        return None
    problems.cleaned += _cleaned_texts(record, item.content, item.path)
    return record


def _cleaned_texts(value: Any, content: Any, path: str) -> Iterator[CleanedText]:
    """Yield the texts that are not as they stand in the file, in a value and in what it is made of."""
    if isinstance(value, str) and value != content:
        yield CleanedText(path, value)
    for name, each, raw in _parts(value, content) if value is not content else ():
        yield from _cleaned_texts(each, raw, join(path, name))


def _parts(value: Any, content: Any) -> Iterator[tuple[str | int, Any, Any]]:
    """Yield the name, the value and the content of each part of a record, a list or an object."""
    if isinstance(value, tuple):
        yield from zip(range(1, len(value) + 1), value, content, strict=True)
    elif isinstance(value, dict):
        yield from ((name, value.get(name, ""), raw) for name, raw in content.items())
    elif is_dataclass(value):
        names = (name for name, _, _ in schema.list_fields(cast(Hashable, type(value))))
        yield from ((name, getattr(value, name), content[name]) for name in names if name in content)
