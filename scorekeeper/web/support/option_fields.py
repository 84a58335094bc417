"""Form fields for a game's house rules or a format's options, derived from the dataclass of them."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Literal, get_args, get_origin, get_type_hints

from ...scoring.game import AnyGame
from .numbers import parse_int

SWITCH, CHOICE, NUMBER = "switch", "choice", "number"
HOUSE_RULES = "house_rules"


@dataclass(frozen=True)
class OptionField:
    """A field for a house rule. A rule of several numbers has a field for each of them.

    Attributes:
        option: the name of the house rule.
        part: the name of the number in a rule of several; else empty.
        kind: SWITCH, CHOICE or NUMBER.
        path: under which problems with all options are reported, and form fields of their own kind named.
    """

    option: str
    part: str
    kind: str
    choices: tuple[Any, ...]
    default: Any
    path: str = HOUSE_RULES

    @property
    def name(self) -> str:
        """The name of the form field."""
        prefix = "rule" if self.path == HOUSE_RULES else self.path
        return f"{prefix}-{self.option}-{self.part}" if self.part else f"{prefix}-{self.option}"

    @property
    def problem_field(self) -> str:
        """The field name of problems with this value."""
        return f"{self.path}.{self.option}.{self.part}" if self.part else f"{self.path}.{self.option}"


def option_fields(game: AnyGame) -> list[OptionField]:
    """Return the fields of a game's house rules, in their order."""
    return fields_of_options(game.options, HOUSE_RULES)


def fields_of_options(options: type[Any], path: str) -> list[OptionField]:
    """Return the fields of a dataclass of options, in their order; problems with them are reported under the path."""
    hints = get_type_hints(options, include_extras=True)
    found = [field for f in fields(options) for field in _option_fields(f.name, hints[f.name], f.default)]
    return [replace(field, path=path) for field in found]


def option_value(field: OptionField, data: Any) -> Any:
    """Return what was entered into a field of an option that has no parts."""
    if field.kind == SWITCH:
        return bool(data)
    is_number = field.kind == NUMBER or isinstance(field.default, int)
    return parse_int(data) if is_number else data


def _option_fields(option: str, annotation: Any, default: Any) -> list[OptionField]:
    if annotation is bool:
        return [OptionField(option, "", SWITCH, (), default)]
    if get_origin(annotation) is Literal:
        return [OptionField(option, "", CHOICE, get_args(annotation), default)]
    parts = next((a for a in get_args(annotation) if isinstance(a, type) and is_dataclass(a)), None)
    if parts is not None:
        return [OptionField(option, part.name, NUMBER, (), None) for part in fields(parts)]
    return [OptionField(option, "", NUMBER, (), default)]
