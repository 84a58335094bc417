"""Limits on making circles and tables by pages: everyone, with a code, or nobody (SCOREKEEPER_CREATE), and how many."""

from __future__ import annotations

import hmac
from datetime import timedelta

from flask import Flask, current_app, render_template, request
from flask_limiter import RateLimitExceeded

from ...db.clock import now
from ...models import Circle
from ...services.tables.opening import is_opened
from .errors import sent_form
from .rate_limits import count_circle, count_table, seconds_to_wait
from .settings import CODE, EVERYONE, NOBODY
from .times import moment

CODE_FIELD = "circle_code"


class CreationRefusedError(Exception):
    """This request may make no circle, or no table. `page` names the words of the page that says so.

    `may_be_resent`: the page holds the form that was sent, so that nothing is typed twice; `asks_code`: with a field
    for the code.
    """

    def __init__(self, page: str, code: int = 403, *, may_be_resent: bool = True, asks_code: bool = False) -> None:
        super().__init__(page)
        self.page = page
        self.code = code
        self.may_be_resent = may_be_resent
        self.asks_code = asks_code


def init_app(app: Flask) -> None:
    """Register the page for refused requests, and tell templates whether somebody may make circles by a page."""
    app.register_error_handler(CreationRefusedError, _refused)
    app.jinja_env.globals["offers_circles"] = app.config["CREATE"] != NOBODY


def require_creation() -> None:
    """Check that this request may make a circle.

    Raises:
        CreationRefusedError: it may not.
    """
    if current_app.config["CREATE"] == NOBODY:
        raise CreationRefusedError("circle-nobody", may_be_resent=False)
    asks_code = current_app.config["CREATE"] == CODE
    typed = request.form.get(CODE_FIELD, "").strip()
    if asks_code and not typed:
        raise CreationRefusedError("circle-code", asks_code=True)
    try:
        count_circle()  # before the code is compared: so many guesses tell nothing
    except RateLimitExceeded:
        raise CreationRefusedError("too-many-circles", 429, asks_code=asks_code) from None
    if asks_code and not hmac.compare_digest(typed.encode(), current_app.config["CREATE_CODE"].encode()):
        raise CreationRefusedError("circle-wrong-code", asks_code=True)


def may_make_sample(*, is_member: bool) -> bool:
    """Return whether this request may make a sample; `is_member`: its device is in a circle that is none."""
    return is_member or current_app.config["CREATE"] == EVERYONE


def require_sample(*, is_member: bool, is_first: bool) -> None:
    """Check that this request may make a sample. One that replaces another does not count: only `is_first` does.

    Raises:
        CreationRefusedError: it may not.
    """
    if not may_make_sample(is_member=is_member):
        raise CreationRefusedError("circle-sample", may_be_resent=False)
    try:
        if is_first:
            count_circle()
    except RateLimitExceeded:
        raise CreationRefusedError("too-many-circles", 429) from None


def require_table(circle: Circle, key: str | None = None) -> None:
    """Check that this request may open a table in the circle, or import tables into it.

    One with the key of a table that was opened there opens none, and does not count.

    Raises:
        CreationRefusedError: too many were opened there.
    """
    if key is not None and is_opened(circle, key):
        return
    try:
        count_table(circle.name)
    except RateLimitExceeded:
        raise CreationRefusedError("too-many-tables", 429) from None


def _refused(error: CreationRefusedError) -> tuple[str, int, dict[str, str]]:
    wait = seconds_to_wait() if error.code == 429 else 0
    page = render_template(
        "pages/error.html",
        page=error.page,
        until=moment(now() + timedelta(seconds=wait + 59)) if wait else None,  # the next whole minute
        contact=current_app.config["CONTACT"],
        asks_host=not wait,
        sent=sent_form(CODE_FIELD) if error.may_be_resent else None,
        code_field=CODE_FIELD if error.asks_code else None,
    )
    return page, error.code, {"Retry-After": str(wait)} if wait else {}
