"""What the views of an event return: a page, or an answer to a form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import redirect, render_template
from flask.typing import ResponseReturnValue

from ...db.outcome import Done, Stale
from ...models import new_token
from ...scoring.problems import Refusal
from ...site.forms import WriteForm
from ..reading import EventState
from .words import EventPhrases

Written = Done[Any] | Stale[Any] | Refusal


def render_event(template: str, state: EventState, **shown: Any) -> str:
    return render_template(template, state=state, event=state.event, phrases=EventPhrases(state), **shown)


def respond_to(form: WriteForm, outcome: Written, render: Callable[..., str], address: str) -> ResponseReturnValue:
    """Redirect to an address after a write, or render the page anew: with the form's problems, or as a stale one.

    A form that is shown again has a new key, since it may be sent with something else.
    """
    if isinstance(outcome, Done):
        return redirect(address, 303)
    form.key.data = new_token()
    if isinstance(outcome, Stale):
        return render(form, is_stale=True), 409
    form.add_problems(outcome.problems)
    return render(form), 422
