"""Templates are compiled without their indentation, and no words grow together."""

from __future__ import annotations

from flask import Flask


def test_indentation_is_left_out_of_pages(app: Flask) -> None:
    assert app.jinja_env.from_string("<ul>\n    <li>\n\t<b>1</b>\n</ul>").render() == "<ul>\n<li>\n<b>1</b>\n</ul>"


def test_words_stay_apart_where_jinja_removes_the_line_break(app: Flask) -> None:
    assert app.jinja_env.from_string("a{% if 1 %}\n    b{% endif %}\n  {# note #}\n  c").render() == "a b c"


def test_a_value_keeps_its_own_indentation(app: Flask) -> None:
    note = "first\n    second"
    assert app.jinja_env.from_string("<p>\n  {{ note }}\n</p>").render(note=note) == f"<p>\n{note}\n</p>"
