"""Form fields for a game's house rules, derived from the dataclass of its options."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints

from ...scoring.game import AnyGame

SWITCH, CHOICE, NUMBER = "switch", "choice", "number"


@dataclass(frozen=True)
class OptionField:
    """A field for a house rule. A rule of several numbers has a field for each of them.

    Attributes:
        option: the name of the house rule.
        part: the name of the number in a rule of several; else empty.
        kind: SWITCH, CHOICE or NUMBER.
    """

    option: str
    part: str
    kind: str
    choices: tuple[Any, ...]
    default: Any

    @property
    def name(self) -> str:
        """The name of the form field."""
        return f"rule-{self.option}-{self.part}" if self.part else f"rule-{self.option}"

    @property
    def problem_field(self) -> str:
        """The field name of problems with this value."""
        return f"house_rules.{self.option}.{self.part}" if self.part else f"house_rules.{self.option}"


def option_fields(game: AnyGame) -> list[OptionField]:
    """Return the fields of a game's house rules, in their order."""
    hints = get_type_hints(game.options, include_extras=True)
    return [field for f in fields(game.options) for field in _option_fields(f.name, hints[f.name], f.default)]


def _option_fields(option: str, annotation: Any, default: Any) -> list[OptionField]:
    if annotation is bool:
        return [OptionField(option, "", SWITCH, (), default)]
    if get_origin(annotation) is Literal:
        return [OptionField(option, "", CHOICE, get_args(annotation), default)]
    parts = next((a for a in get_args(annotation) if isinstance(a, type) and is_dataclass(a)), None)
    if parts is not None:
        return [OptionField(option, part.name, NUMBER, (), None) for part in fields(parts)]
    return [OptionField(option, "", NUMBER, (), default)]
