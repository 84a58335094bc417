"""What is protected and what is not, told plainly; and whom to tell of a hole."""

from __future__ import annotations

from flask import Blueprint, current_app, render_template

blueprint = Blueprint("safety", __name__)


@blueprint.get("/security")
def show() -> str:
    return render_template("safety.html", contact=current_app.config["CONTACT"])
