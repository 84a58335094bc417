"""A circle's settings: the texts and choices that its record in the circle file declares, and a host changes.

A new one takes its column, a migration, its field in the record, its messages, and the template that shows it.
"""

from __future__ import annotations

from ...db.transactions import get_id, write_to_circle
from ...exchange.circle_records import CircleRecord
from ...models import Browser, Circle
from ...models.rights import HOST
from ...scoring import schema
from ...scoring.problems import Problem
from ...scoring.values import Text, clean_name

# Days follow from the time zone, and amounts from the currencies that are transferred; the banker is a player.
_OTHERS = {"created_at", "time_zone", "transferred", "banker"}
SETTINGS = {
    name: schema.find_limit(schema.unwrap(annotation), Text)
    for name, annotation, _ in schema.list_fields(CircleRecord)
    if name not in _OTHERS
}
TEXTS = {name: limit.most for name, limit in SETTINGS.items() if limit is not None}  # and how long they may be


def change_setting(circle: Circle, name: str, value: str | bool, by: Browser | None = None) -> Problem | None:
    """Set a text, or turn a choice on or off; a blank text is none. Return what is wrong with the text, if anything."""
    if isinstance(value, str):
        value = clean_name(value)
        if len(value) > TEXTS[name]:
            return Problem(name, "long-text", {"most": TEXTS[name]})

    def change(locked: Circle) -> None:
        setattr(locked, name, None if value == "" else value)

    write_to_circle(get_id(circle), change, browser=by, right=HOST)
    return None
