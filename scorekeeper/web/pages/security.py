"""The page about security: what is protected and what is not, and how to report a vulnerability."""

from __future__ import annotations

from flask import Blueprint, current_app, render_template

blueprint = Blueprint("security", __name__)


@blueprint.get("/security")
def show() -> str:
    """Show the page, with the operator's contact if configured."""
    return render_template("pages/security.html", contact=current_app.config["CONTACT"])
