"""Forms of a table's pages. The game validates the facts; fields keep submitted values, so that the page shows both.

An impossible choice is refused by the game with a reason, which WTForms' own validators could not give.
"""

from __future__ import annotations

from typing import Any

from flask import request
from wtforms import HiddenField, RadioField, StringField, TextAreaField

from ...scoring.problems import Problem
from ...scoring.values import clean_lines, clean_name
from ...services.tables.details import Details
from ...tables.revisions import find_marked
from ...tables.state import TableState
from ..support.forms import Form, WriteForm, parse_id
from ..support.numbers import ambiguity, parse_int

COUNTERS, POINTS = "counters", "points"  # the kinds of adjustments


class DetailsFields(Form):
    """The fields of a table's `Details` but its title, which a new table does not have."""

    day = StringField()
    place = StringField()
    note = TextAreaField()
    turns = StringField()

    def details(self) -> Details:
        """Return what was entered, cleaned."""
        return Details(
            day=(self.day.data or "").strip(),
            place=clean_name(self.place.data),
            note=clean_lines(self.note.data),
            turns=self.turns.data or "",
        )


class PadForm(WriteForm):
    """The dealer and the taps. Each choice group of the pad is a field; the pad validates it, not this form."""

    dealer = RadioField(validate_choice=False)
    shown = HiddenField()

    def shown_in(self, table: TableState) -> int:
        """Return the number of the revision that the page showed when the pad was made: who sat then is named by taps.

        `seen` may be later, since a phone counts the entries that it has sent before.
        """
        return find_marked(table.revisions, self.shown.data or self.seen.data)

    @property
    def removed_deals(self) -> tuple[int, ...]:
        """The ids of the later deals that the page's button named, to be withdrawn with what is recorded."""
        ids = map(parse_id, request.form.get("removed", "").split())
        return tuple(id_ for id_ in ids if id_ is not None)

    @property
    def taps(self) -> dict[str, str]:
        """Every submitted field that is not empty; the pad ignores fields that are not its groups."""
        return {name: value for name, value in request.form.items() if value}


class SubstitutionForm(WriteForm):
    """The label of the player who leaves, and the person who comes, by id or by a typed name."""

    out = RadioField(validate_choice=False)
    newcomer = RadioField(validate_choice=False)
    name = StringField()


class AdjustmentForm(WriteForm):
    """An adjustment. `kind` is "points", given to a party, or "counters", from one player to another."""

    kind = HiddenField()
    giver = RadioField(validate_choice=False)
    to = RadioField(validate_choice=False)
    unit = RadioField(validate_choice=False)
    amount = StringField()
    reason = StringField()

    @property
    def amount_key(self) -> str:
        """The key of the amount in a sheet: points, or a unit of the game."""
        return (self.unit.data or "") if self.kind.data == COUNTERS else "points"

    @property
    def ambiguity(self) -> Problem | None:
        """The problem of an amount with two readings, or None."""
        return ambiguity(f"adjustment.{self.amount_key}", self.amount.data, 0)

    def facts(self) -> dict[str, Any]:
        """Return the facts as a sheet stores them, not yet validated."""
        facts: dict[str, Any] = {"to": self.to.data}
        if self.kind.data == COUNTERS:
            facts["from"] = self.giver.data
        facts[self.amount_key] = parse_int(self.amount.data)
        facts = {key: value for key, value in facts.items() if value is not None}
        reason = clean_name(self.reason.data)
        return {"adjustment": facts | ({"reason": reason} if reason else {})}
