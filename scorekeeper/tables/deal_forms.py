"""Forms of what stands among the deals but is entered without a pad: adjustments, substitutions, changes of rules."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any, ClassVar

from flask import render_template

from ..people.names import QUESTION
from ..scoring.game import AnyGame
from ..scoring.problems import Problem
from .live import read_page
from .record import DealDraft, SeenForm
from .writing import NotWritten, Refused, refuse_change


class DealForm(SeenForm):
    kind: ClassVar[str]  # of what the form records: so begin the names of the facts that are refused

    def refuse(self) -> Refused:
        """Return what the form has found wrong as the refusal of a write."""
        return refuse_change(*chain.from_iterable(self.errors.values()))

    def add_problems_of_deal(self, problems: Iterable[Problem], _game: AnyGame) -> None:
        """Show what is wrong with the facts beside the fields that they come from."""
        self.add_problems(problem._replace(field=problem.field.removeprefix(f"{self.kind}.")) for problem in problems)


def render_form(template: str, draft: DealDraft, form: DealForm, notice: NotWritten | None, **shown: Any) -> str:
    """Render the page of something among the deals but a pad, and why it was not recorded.

    There is no notice if what is wrong is said at the fields.
    """
    table = draft.table
    form.set_seen(table, notice)
    problems = notice.own_problems if isinstance(notice, Refused) and not form.errors else ()
    if problems and (problems[0].field.startswith(form.kind) or problems[0].key == QUESTION):
        form.add_problems_of_deal(problems, table.game)
    return render_template(
        template,
        draft=draft,
        table=table,
        table_page=read_page(table),
        standing=draft.standing,
        form=form,
        notice=notice if not form.errors else None,
        **shown,
    )
