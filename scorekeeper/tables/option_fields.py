"""Form fields for a game's house rules or a format's options, derived from the dataclass of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from flask import url_for
from wtforms import BooleanField, StringField, TextAreaField

from ..scoring.game import AnyGame
from ..scoring.problems import Problem
from ..scoring.schema import find_limit, without_none
from ..scoring.values import Items, Range, Text, clean_name
from ..site.forms import Form
from ..site.language import has_message, number, t
from ..site.numbers import parse_int

SWITCH, CHOICE, NUMBER, TEXT, LINES = "switch", "choice", "number", "text", "lines"
HOUSE_RULES = "house_rules"
FormClass = TypeVar("FormClass", bound=Form)


@dataclass(frozen=True)
class OptionField:
    """A field for an option. An option of several numbers has a field for each of them, its `part`."""

    option: str
    kind: str  # SWITCH, CHOICE, NUMBER, TEXT, or LINES for a list, an item on each line
    default: Any
    path: str  # under which problems with all options are reported, and form fields of their own kind named
    is_required: bool  # whether the option has no default
    part: str = ""
    choices: tuple[Any, ...] = ()
    has_numbers: bool = False  # whether the items of a list are numbers
    low: int | None = None  # the lowest number; None without one

    @property
    def name(self) -> str:
        parts = ["rule" if self.path == HOUSE_RULES else self.path, self.option, self.part]
        return "-".join(filter(None, parts))

    @property
    def attributes(self) -> dict[str, Any]:
        if self.kind == NUMBER:
            return {"class": "short"}
        return {"rows": 4} if self.kind == LINES else {}

    def name_choices(self, key: str) -> Iterator[tuple[str, str]]:
        for choice in self.choices:
            own = f"{key}.{choice}"
            yield str(choice), t(own) if has_message(own) else number(choice) if isinstance(choice, int) else choice

    def explain(self, key: str) -> str:
        return t(key) if has_message(key) else ""

    @property
    def problem_field(self) -> str:
        return ".".join(filter(None, [self.path, self.option, self.part]))

    def value_in(self, options: Any) -> Any:
        """Return the value of the option, or of its part, which may be None."""
        option = getattr(options, self.option)
        return getattr(option, self.part, None) if self.part else option


def option_fields(game: AnyGame) -> list[OptionField]:
    return fields_of_options(game.options, HOUSE_RULES)


def fields_of_options(options: type[Any], path: str) -> list[OptionField]:
    hints = get_type_hints(options, include_extras=True)
    found = []
    for f in fields(options):
        is_required = f.default is MISSING and f.default_factory is MISSING
        field = OptionField(f.name, NUMBER, None if is_required else f.default, path, is_required)
        annotation = without_none(hints[f.name])
        if isinstance(annotation, type) and is_dataclass(annotation):
            parts = get_type_hints(annotation, include_extras=True)
            found += [replace(field, part=part, default=None, low=_find_low(kind)) for part, kind in parts.items()]
        else:
            found.append(replace(field, **_describe(annotation)))
    return found


def _describe(annotation: Any) -> dict[str, Any]:
    if annotation is bool:
        return {"kind": SWITCH}
    if get_origin(annotation) is Literal:
        return {"kind": CHOICE, "choices": get_args(annotation)}
    if find_limit(annotation, Text) is not None:
        return {"kind": TEXT}
    if find_limit(annotation, Items) is not None:
        item = get_args(get_args(annotation)[0])[0]
        return {"kind": LINES, "has_numbers": find_limit(item, Range) is not None}
    return {"low": _find_low(annotation)}


def _find_low(annotation: Any) -> int | None:
    limit = find_limit(without_none(annotation), Range)
    return limit.low if limit is not None else None


def with_fields(form: type[FormClass], fields: Iterable[OptionField]) -> type[FormClass]:
    named = {}
    for field in fields:
        kind = {SWITCH: BooleanField, LINES: TextAreaField}.get(field.kind, StringField)
        named[field.name] = kind(default=shown_value(field, field.default))
    return type(form.__name__, (form,), named)


def specify_name(problem: Problem, game: AnyGame) -> Problem:
    """If a problem is that a game has no name, return one that asks for it."""
    is_name = problem.field == f"{HOUSE_RULES}.{game.house_rules.named_by}"
    return problem._replace(key="game-name") if is_name and problem.key in ("missing", "blank-text") else problem


def option_value(field: OptionField, data: Any) -> Any:
    """Return what was entered into a field of an option; None if that leaves the option, or the part, out."""
    if field.part:
        return parse_int(data) if (data or "").strip() else None
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


def read_options(form: Form, fields: Iterable[OptionField]) -> dict[str, Any]:
    """Return each option as it was entered; one that was left empty and may be left out is missing."""
    values: dict[str, Any] = {}
    for field in fields:
        value = option_value(field, form[field.name].data)
        if field.part and value is not None:
            values.setdefault(field.option, {})[field.part] = value
        elif value is not None:
            values[field.option] = value
    return values


def shown_value(field: OptionField, value: Any) -> Any:
    """Return what the field of an option shows if the option, or its part, has this value."""
    if field.kind == SWITCH or value is None:
        return value
    return "\n".join(map(str, value)) if field.kind == LINES else str(value)


MAX_ADDRESS = 4_000  # characters: servers refuse a request whose first line is longer than 4,094


def list_known_games(game: AnyGame) -> dict[str, str]:
    """Return the well-known games that a game can describe: by name, the address of the form with its house rules."""

    def translate(key: str) -> str:
        return t(f"{game.slug}.known.{key}")

    return {
        translate(getattr(options, game.house_rules.named_by)): make_link(game, options, translate)
        for options in game.house_rules.known
    }


def make_link(game: AnyGame, options: Any, text: Callable[[str], str] = str, *, is_external: bool = False) -> str:
    """Return the address of the form for a new table, filled in with the house rules that are not the usual ones.

    `text` says what the texts among them become. An external link has the host's name.
    """
    unusual = {f.name for f in fields(options) if getattr(options, f.name) != f.default}
    query: dict[str, Any] = {}
    for field in option_fields(game):
        value = field.value_in(options)
        if field.option in unusual and not (field.part and value is None):
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
    """Return what a field shows for what a link says; the default if that is no choice."""
    if field.kind == CHOICE and typed not in map(str, field.choices):
        return shown_value(field, field.default)
    return shown_value(field, option_value(field, typed))
