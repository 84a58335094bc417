"""The rules of drives and tournaments."""

from __future__ import annotations

from flask import Blueprint, g, render_template

from ... import i18n
from ...home.rules import take_off_title
from ...tables.rule_texts import rules_text

blueprint = Blueprint("event_rules", __name__)


@blueprint.get("/rules/events")
def show() -> str:
    rules = rules_text(i18n.EVENTS, g.language)
    parts = [heading for heading in rules.headings.values() if heading.anchor == heading.section]
    heading, text = take_off_title(rules.html)
    return render_template("events/rules.html", heading=heading, text=text, parts=parts)
