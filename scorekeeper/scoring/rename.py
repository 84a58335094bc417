"""Replace the names of players in records, to convert between names and seat numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from .schema import list_fields
from .values import Newcomer, Party, Player

_Names = Mapping[Any, Mapping[str, str]]  # the new names, by annotation


def rename(record: Any, names: Mapping[str, str], sides: Iterable[str] = ()) -> Any:
    """Return a copy of a dataclass with its players renamed. Sides and other strings stay unchanged.

    A `Party` that is one of `sides` is that side, even if a player has its name.
    """
    parties = {name: renamed for name, renamed in names.items() if name not in sides}
    return _rename(type(record), record, {Player: names, Newcomer: names, Party: parties})


def _rename(annotation: Any, value: Any, names: _Names) -> Any:
    if annotation in names:
        return names[annotation].get(value, value)  # a Party may be a side, which has no other name
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is dict:
        return {_rename(arguments[0], k, names): _rename(arguments[1], v, names) for k, v in value.items()}
    if origin is tuple:
        return tuple(_rename(arguments[0], item, names) for item in value)
    if origin in (Union, UnionType) and value is not None:
        return _rename_in_union(arguments, value, names)
    if dataclasses.is_dataclass(annotation):
        renamed = {f: _rename(a, getattr(value, f), names) for f, a, _ in list_fields(annotation)}  # type: ignore[arg-type]  # a class
        return dataclasses.replace(value, **renamed)
    if hasattr(annotation, "_fields"):
        hints = get_type_hints(annotation, include_extras=True)
        return annotation(*(_rename(hints[f], getattr(value, f), names) for f in annotation._fields))
    return value


def _rename_in_union(annotations: tuple[Any, ...], value: Any, names: _Names) -> Any:
    for named in (Player, Party):
        if named in annotations:
            return names[named].get(value, value)
    for annotation in annotations:
        kind = get_origin(annotation) or annotation
        if isinstance(kind, type) and kind is not str and isinstance(value, kind):
            return _rename(annotation, value, names)
    return value
