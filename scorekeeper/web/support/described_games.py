"""Games that are described by their house rules, as links to the form for a new table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, NamedTuple

from flask import url_for

from ...scoring.game import AnyGame
from .language import t
from .numbers import parse_int
from .option_fields import CHOICE, LINES, SWITCH, TEXT, OptionField, option_fields, option_value, shown_value

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
