"""Who may make a circle by a page: everyone, who knows a code, or nobody (SCOREKEEPER_CREATE)."""

from __future__ import annotations

import hmac

from flask import Flask, current_app, render_template, request
from flask_limiter import RateLimitExceeded

from ..settings import CODE, EVERYONE, NOBODY
from .errors import sent_form
from .rate_limits import count_code, seconds_to_wait

CODE_FIELD = "circle_code"


class CreationRefusedError(Exception):
    """This request may make no circle. `page` names the words of the page that says so."""

    def __init__(self, page: str, code: int = 403) -> None:
        super().__init__(page)
        self.page = page
        self.code = code


def init_app(app: Flask) -> None:
    """Register the page for refused requests. It holds the form that was sent, so that nothing is typed twice."""
    app.register_error_handler(CreationRefusedError, _refused)


def require_creation() -> None:
    """Check that this request may make a circle.

    Raises:
        CreationRefusedError: it may not.
    """
    if current_app.config["CREATE"] == NOBODY:
        raise CreationRefusedError("circle-nobody")
    if current_app.config["CREATE"] == CODE:
        _require_code(request.form.get(CODE_FIELD, "").strip())


def require_sample(*, is_member: bool) -> None:
    """Check that this request may make a sample; `is_member`: its device is in a circle that is none.

    Raises:
        CreationRefusedError: it may not.
    """
    if current_app.config["CREATE"] != EVERYONE and not is_member:
        raise CreationRefusedError("circle-sample")


def _require_code(typed: str) -> None:
    if not typed:
        raise CreationRefusedError("circle-code")
    try:
        count_code()  # before it is compared: so many guesses tell nothing
    except RateLimitExceeded:
        raise CreationRefusedError("circle-codes", 429) from None
    if not hmac.compare_digest(typed.encode(), current_app.config["CREATE_CODE"].encode()):
        raise CreationRefusedError("circle-wrong-code")


def _refused(error: CreationRefusedError) -> tuple[str, int, dict[str, str]]:
    is_asked = error.page not in ("circle-nobody", "circle-sample")
    page = render_template(
        "pages/error.html",
        page=error.page,
        contact=current_app.config["CONTACT"],
        asks_host=True,
        sent=sent_form(CODE_FIELD) if is_asked else None,
        code_field=CODE_FIELD if is_asked else None,
    )
    return page, error.code, {"Retry-After": str(seconds_to_wait())} if error.code == 429 else {}
