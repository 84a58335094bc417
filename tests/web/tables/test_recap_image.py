"""The image of a recap: it says what the text says, as SVG and as PNG."""

from __future__ import annotations

import re
import struct
import unicodedata
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from flask import Flask, g

from scorekeeper.games import games
from scorekeeper.web.support import fonts, png
from scorekeeper.web.tables import recap_image
from scorekeeper.web.tables.recap import Line, Paragraph, Recap, Role
from scorekeeper.web.tables.recap_image import PlacedText, RecapLayout, place

from ...visitor import Visitor

# Nothing here depends on the database.
pytestmark = pytest.mark.sqlite

SLUGS = sorted(games())
LONG_NAMES = ("Maximilienne-Antoinette de Saint-Exupéry", "W" * 40, "陳大文" * 13, "محمد العربي " * 3, "Ö́" * 20)


def sample(visitor: Visitor, slug: str) -> str:
    """Open the sample evening of a game, and return the path of its table."""
    visitor.visit("/")
    form = visitor.page.select_one(f"form[action='/sample/{slug}']")
    assert form is not None
    return visitor.send({}, form=form).table


def written(svg: str) -> str:
    """Return the text of an image, without what only serves the layout."""
    root = ElementTree.fromstring(svg)  # noqa: S314  # our own answer
    return bare("".join(text.text or "" for text in root.iter("{http://www.w3.org/2000/svg}text")))


def bare(text: str) -> str:
    """Return a text without spaces, invisible characters, and the dots between what the image writes apart."""
    return "".join(char for char in text if not char.isspace() and char != "·" and unicodedata.category(char) != "Cf")


def size_of(image: bytes) -> tuple[int, int]:
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", image[16:24])
    return width, height


def evening_of(visitor: Visitor, table: str) -> str:
    """Return the path of the evening of a table."""
    return str(visitor.visit(f"{table}recap").find("a[href*='/evenings/']")["href"])


@pytest.mark.parametrize("slug", SLUGS)
@pytest.mark.parametrize("language", ["en", "fr", "de"])
def test_the_image_of_a_table_and_of_an_evening_says_what_the_text_says(app: Flask, slug: str, language: str) -> None:
    visitor = Visitor(app, language)
    table = sample(visitor, slug)
    for page in (f"{table}recap", evening_of(visitor, table)):
        text = visitor.visit(page).find("textarea#recap").get_text()
        image = visitor.find(".recap-image img")
        assert image["alt"] == text.removeprefix("\n")
        svg = visitor.client.get(str(image["src"]), headers=visitor.headers)
        assert svg.mimetype == "image/svg+xml"
        assert written(svg.text) == bare(text)


def test_a_closed_table_has_an_image(visitor: Visitor) -> None:
    visitor.open_table(SLUGS[0])
    table = visitor.table
    visitor.more().send({}, "/close")
    text = visitor.visit(f"{table}recap").find("textarea#recap").get_text()
    assert written(visitor.client.get(f"{table}recap.svg").text) == bare(text)


@pytest.mark.parametrize("slug", SLUGS)
def test_the_image_is_saved_as_png_the_same_each_time(visitor: Visitor, slug: str) -> None:
    table = sample(visitor, slug)
    visitor.visit(f"{table}recap")
    answer = visitor.client.get(str(visitor.find("a[download]")["href"]))
    assert answer.mimetype == "image/png"
    assert answer.headers["Content-Disposition"] == "attachment; filename=recap.png"
    height = int(str(visitor.find(".recap-image img")["height"]))
    assert size_of(answer.data) == (1080, height)
    png.draw_png.cache_clear()
    assert visitor.client.get(f"{table}recap.png").data == answer.data


def test_names_and_titles_are_escaped(visitor: Visitor) -> None:
    names = ("<b>&amp;\"'", "</text>", "שרה", "\u202eAnne")
    visitor.open_table(SLUGS[0], **{f"seat-{seat}": name for seat, name in enumerate(names, start=1)})
    table = visitor.table
    visitor.visit("/").follow("Evening").more().send({"title": "]]> & <script>alert(1)</script>"}, "/title")
    for path in (table, f"{evening_of(visitor, table)}/"):
        svg = visitor.client.get(f"{path}recap.svg").text
        assert bare("<b>&amp;\"'") in written(svg)
        assert bare("<script>alert(1)</script>") in written(svg)
        assert "\u2068שרה\u2069" in svg
        assert not re.search(r"<script|<b>|\u202e|style=|href=", svg)
        assert size_of(visitor.client.get(f"{path}recap.png").data)[0] == 1080


def test_an_image_is_of_a_table_of_the_circle_or_of_an_evening_with_tables(visitor: Visitor, another: Visitor) -> None:
    visitor.open_table(SLUGS[0])
    table, evening = visitor.table, evening_of(visitor, visitor.table)
    another.open_table(SLUGS[0])
    for kind in ("svg", "png"):
        assert another.client.get(f"{table}recap.{kind}").status_code == 404
        assert another.client.get(f"{evening}/recap.{kind}").status_code == 404
        assert visitor.client.get(f"{evening[:-10]}2001-01-01/recap.{kind}").status_code == 404
        assert visitor.client.get(f"{evening[:-10]}soon/recap.{kind}").status_code == 404


# --- the layout --------------------------------------------------------------------------------------------


def recap_of(tables: int, names: tuple[str, ...] = LONG_NAMES) -> Recap:
    """Return the recap of a table, or of an evening of several, with long names."""
    lines = [Line(Role.PLAYERS, ", ".join(names)), Line(Role.WINNER, f"{names[0]} won"), Line(Role.RESULT, "12–8")]
    head = [Line(Role.TITLE, "Le grand tournoi de la Toussaint", "Sunday 22 November", " · ")]
    balances = [Line(Role.HEADING, "Whole evening"), *(Line(Role.BALANCE, name, "+1,234 jetons") for name in names)]
    payments = [Line(Role.HEADING, "To pay:"), *(Line(Role.PAYMENT, f"{name} pays") for name in names)]
    if tables == 1:
        heads = [Paragraph([*head, *lines], SLUGS[0])]
    else:
        name = Line(Role.NAME, "A game", "Café de la Paix", " · ")
        heads = [Paragraph(head), *(Paragraph([name, *lines], SLUGS[0]) for _ in range(tables))]
    return Recap([*heads, Paragraph(balances), Paragraph(payments)])


def placed(app: Flask, recap: Recap) -> RecapLayout:
    with app.test_request_context():
        g.language = "en"
        return place(recap)


def ends_of(text: PlacedText) -> tuple[int, int]:
    """Return where a text begins and ends on its line, as far as the font tells."""
    width = text.width or fonts.text_width(text.text, text.style.size, text.style.font)
    start = text.x - {"start": 0, "middle": width // 2, "end": width}[text.anchor]
    return start, start + width


@pytest.mark.parametrize("tables", [1, 3, 40])
def test_texts_stay_on_the_card_and_never_overlap(app: Flask, tables: int) -> None:
    card = placed(app, recap_of(tables))
    lines: dict[int, list[tuple[int, int]]] = {}
    for text in card.texts:
        lines.setdefault(text.y, []).append(ends_of(text))
        assert text.style.below >= text.style.size * 7 // 6
    for ends in lines.values():
        ordered = sorted(ends)
        assert ordered[0][0] >= recap_image.LEFT - 1
        assert ordered[-1][1] <= recap_image.RIGHT + 1
        assert all(first[1] + recap_image.GAP <= second[0] for first, second in pairwise(ordered))
    heights = sorted(lines)
    assert all(second - first >= 40 for first, second in pairwise(heights))
    assert heights[-1] < card.height - 100


def test_an_evening_of_forty_tables_shows_the_first_ones_and_all_payments(app: Flask) -> None:
    card = placed(app, recap_of(40, ("Anne", "Bruno", "Chloé")))
    texts = [text.text for text in card.texts]
    shown = texts.count("A game · Café de la Paix")
    assert 5 < shown < 40
    assert f"and {40 - shown} more tables" in texts
    assert "Chloé pays" in texts
    assert card.height < 4500


def test_what_has_no_room_is_counted(app: Flask) -> None:
    recap = Recap([*recap_of(1).paragraphs, Paragraph([Line(Role.PAYMENT, f"{n} pays") for n in range(200)])])
    card = placed(app, recap)
    *others, last = [text.text for text in card.texts]
    left_out = 200 - sum(bool(re.fullmatch(r"\d+ pays", text)) for text in others)
    assert last == f"and {left_out} more lines in the text"
    assert card.height < 4500


def test_nothing_vanishes_without_a_font_for_it() -> None:
    text = f'<text y="30" font-family="{fonts.FAMILY}">{{}}</text>'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="200" height="40">{text}</svg>'
    empty = png.draw_png(svg.format(""), with_system_fonts=False)
    for name in ("Anne", "Жанна", "Ωμέγα", "محمد", "陳", "😀"):
        assert len(png.draw_png(svg.format(name), with_system_fonts=False)) > len(empty) + 20, name


def test_an_image_that_cannot_be_drawn_is_an_error() -> None:
    with pytest.raises(png.DrawingError):
        png.draw_png("<svg", with_system_fonts=False)
