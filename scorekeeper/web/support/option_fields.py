"""Form fields for a game's house rules or a format's options, derived from the dataclass of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from flask import url_for

from ...scoring.game import AnyGame
from ...scoring.problems import Problem
from ...scoring.schema import find_limit, unwrap
from ...scoring.values import Items, Range, Text, clean_name
from .amounts import parse_int
from .language import t

SWITCH, CHOICE, NUMBER, TEXT, LINES = "switch", "choice", "number", "text", "lines"
HOUSE_RULES = "house_rules"


@dataclass(frozen=True)
class OptionField:
    """A field for a house rule. A rule of several numbers has a field for each of them.

    Attributes:
        option: the name of the house rule.
        part: the name of the number in a rule of several; else empty.
        kind: SWITCH, CHOICE, NUMBER, TEXT, or LINES for a list, an item on each line.
        has_numbers: whether the items of a list are numbers.
        is_required: whether the house rule has no default.
        low: the lowest number; None without one.
        path: under which problems with all options are reported, and form fields of their own kind named.
    """

    option: str
    part: str
    kind: str
    choices: tuple[Any, ...]
    default: Any
    path: str = HOUSE_RULES
    has_numbers: bool = False
    is_required: bool = False
    low: int | None = None

    @property
    def name(self) -> str:
        prefix = "rule" if self.path == HOUSE_RULES else self.path
        return f"{prefix}-{self.option}-{self.part}" if self.part else f"{prefix}-{self.option}"

    @property
    def problem_field(self) -> str:
        return f"{self.path}.{self.option}.{self.part}" if self.part else f"{self.path}.{self.option}"


def option_fields(game: AnyGame) -> list[OptionField]:
    return fields_of_options(game.options, HOUSE_RULES)


def fields_of_options(options: type[Any], path: str) -> list[OptionField]:
    """Return the fields of a dataclass of options, in their order; problems with them are reported under the path."""
    hints = get_type_hints(options, include_extras=True)
    found = []
    for f in fields(options):
        is_required = f.default is MISSING and f.default_factory is MISSING
        for field in _option_fields(f.name, hints[f.name], None if is_required else f.default):
            found.append(replace(field, path=path, is_required=is_required))
    return found


def specify_name(problem: Problem, game: AnyGame) -> Problem:
    """Return the problem that asks for a game's name, if a problem of the domain is that it has none."""
    is_nameless = problem.field == f"{HOUSE_RULES}.{game.named_by}" and problem.key in ("missing", "blank-text")
    return problem._replace(key="game-name") if is_nameless else problem


def option_value(field: OptionField, data: Any) -> Any:
    """Return what was entered into a field of an option that has no parts; None if that leaves the option out."""
    if field.kind == SWITCH:
        return bool(data)
    if field.kind == LINES:
        lines = [clean_name(line) for line in (data or "").splitlines()]
        items = [parse_int(line) if field.has_numbers else line for line in lines if line]
        return items or None
    if field.kind == TEXT:
        return clean_name(data) or None
    if field.default is None and not (data or "").strip():
        return None
    is_number = field.kind == NUMBER or isinstance(field.default, int)
    return parse_int(data) if is_number else data


def shown_value(field: OptionField, value: Any) -> Any:
    """Return what the field of an option shows if the option, or its part, has this value."""
    if field.kind == SWITCH or value is None:
        return value
    return "\n".join(map(str, value)) if field.kind == LINES else str(value)


def _option_fields(option: str, optional: Any, default: Any) -> list[OptionField]:
    annotation = unwrap(optional)
    if annotation is bool:
        return [OptionField(option, "", SWITCH, (), default)]
    if get_origin(annotation) is Literal:
        return [OptionField(option, "", CHOICE, get_args(annotation), default)]
    if find_limit(annotation, Text) is not None:
        return [OptionField(option, "", TEXT, (), default)]
    if find_limit(annotation, Items) is not None:
        item = get_args(get_args(annotation)[0])[0]
        return [OptionField(option, "", LINES, (), default, has_numbers=find_limit(item, Range) is not None)]
    if isinstance(annotation, type) and is_dataclass(annotation):
        hints = get_type_hints(annotation, include_extras=True)
        return [
            OptionField(option, part.name, NUMBER, (), None, low=_find_low(hints[part.name]))
            for part in fields(annotation)
        ]
    return [OptionField(option, "", NUMBER, (), default, low=_find_low(annotation))]


def _find_low(annotation: Any) -> int | None:
    limit = find_limit(unwrap(annotation), Range)
    return limit.low if limit is not None else None


MAX_LINK = 4_000  # characters: servers refuse a request whose first line is longer than 4,094


class KnownGame(NamedTuple):
    """A well-known game, and the address of the form that is filled in with its house rules."""

    name: str
    url: str


def list_known_games(game: AnyGame) -> list[KnownGame]:
    """Return the well-known games that a game can describe, in their order; their texts are keys of its messages."""

    def translate(key: str) -> str:
        return t(f"{game.slug}.known.{key}")

    return [
        KnownGame(translate(getattr(options, game.named_by)), make_link(game, options, translate))
        for options in game.known
    ]


def make_link(game: AnyGame, options: Any, text: Callable[[str], str] = str, *, is_external: bool = False) -> str:
    """Return the address of the form for a new table, filled in with the house rules that are not the usual ones.

    `text` says what the texts among them become. An external link has the host's name.
    """
    usual = {f.name: f.default for f in fields(options)}
    query: dict[str, Any] = {}
    for field in option_fields(game):
        option = getattr(options, field.option)
        value = getattr(option, field.part, None) if field.part else option
        if option != usual[field.option] and not (field.part and value is None):
            query[field.name] = _write(field, value, text)
    return url_for("new_table.open_table", slug=game.slug, _external=is_external, **query)


def _write(field: OptionField, value: Any, text: Callable[[str], str]) -> str:
    if field.kind == SWITCH:
        return "yes" if value else ""
    if field.kind == TEXT:
        value = text(value)
    elif field.kind == LINES and not field.has_numbers:
        value = [text(item) for item in value]
    return str(shown_value(field, value) or "")


def read_from_link(field: OptionField, typed: str) -> Any:
    """Return what the field of a house rule shows for what a link says; the default if it names no choice."""
    if field.kind == CHOICE and typed not in map(str, field.choices):
        return shown_value(field, field.default)
    return shown_value(field, parse_int(typed) if field.part else option_value(field, typed))
