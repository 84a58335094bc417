"""A recap as an image to share: its lines placed on a card, as SVG, and that as PNG.

Lines are broken to the width of the card. Of a very long evening the image has the beginning, and says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

from flask import Response, abort, current_app, render_template
from markupsafe import Markup

from ..pages.rules import emblem
from ..support import fonts
from ..support.language import t
from ..support.png import DrawingError, draw_png
from .recap import Line, Paragraph, Recap, Role

WIDTH, MIN_HEIGHT = 1080, 1350  # pixels: 4 to 5, as messengers show without cutting
MAX_TABLES = 12
MAX_HEIGHT = 3 * MIN_HEIGHT  # from here on lines are counted instead of drawn
LEFT, RIGHT, TOP, BOTTOM = 108, WIDTH - 108, 120, 120
INDENT = 92  # of an evening's tables: the emblem is beside them
GAP, PARAGRAPH_GAP = 44, 36  # between a name and its amount, and between paragraphs
INK, FAINT, ACCENT = "#2a2018", "#6a5a45", "#96281f"
COLOURS = {
    "paper": "#f4ecda",
    "sheet": "#fcf7ea",
    "ink": INK,
    "rule": "#b9a98a",
    "accent": ACCENT,
}  # the light ones of main.css


@dataclass(frozen=True)
class Style:
    """How a line is written. `below`: the distance to the next line, in pixels as `size`."""

    size: int
    below: int
    colour: str = INK
    font: Path = fonts.REGULAR


STYLES = {
    Role.TITLE: Style(72, 84, font=fonts.SEMIBOLD),
    Role.SUBTITLE: Style(38, 56, FAINT),
    Role.NAME: Style(46, 62, font=fonts.SEMIBOLD),
    Role.PLAYERS: Style(42, 60),
    Role.WINNER: Style(54, 74, ACCENT, fonts.SEMIBOLD),
    Role.RESULT: Style(44, 62),
    Role.BALANCE: Style(42, 68),
    Role.HEADING: Style(38, 60, FAINT, fonts.SEMIBOLD),
    Role.PAYMENT: Style(44, 64),
    Role.PLAIN: Style(36, 56, FAINT),
}
DAY = Style(40, 58, FAINT)
SMALLER = {Role.PLAYERS: 38, Role.WINNER: 42, Role.RESULT: 40}  # sizes beside other tables


@dataclass(frozen=True)
class PlacedText:
    """A piece of text on the card. `anchor`: the point of it that is at `x`: "start", "middle" or "end".

    `width` is what it takes; None if only another font has its characters.
    """

    text: str
    x: int
    y: int
    anchor: str
    style: Style
    width: int | None

    @property
    def is_bold(self) -> bool:
        """Whether the text is in the heavier font."""
        return self.style.font == fonts.SEMIBOLD


@dataclass
class RecapLayout:
    """Elements that are drawn, and how far down they reach."""

    y: int = TOP
    texts: list[PlacedText] = field(default_factory=list)
    rules: list[int] = field(default_factory=list)
    emblems: list[tuple[str, int, int, int]] = field(default_factory=list)  # the game, x, y and the size
    left_out: int = 0  # lines

    @property
    def height(self) -> int:
        """The height of the image."""
        return max(MIN_HEIGHT, self.y + BOTTOM)

    def write(self, text: str, style: Style, left: int, anchor: str) -> None:
        """Write a text in as many lines as it needs."""
        for piece in fonts.wrap(text, RIGHT - left, style.size, style.font):
            self.y += style.below
            self._place(piece, style, left, anchor, self.y)

    def write_amount(self, line: Line, style: Style) -> None:
        """Write a name and an amount at the two ends of a line; of two lines if they have no room."""
        strong = replace(style, font=fonts.SEMIBOLD)
        name_width = fonts.text_width(line.text, style.size, style.font)
        if name_width + GAP + fonts.text_width(line.value, style.size, strong.font) <= RIGHT - LEFT:
            self.y += style.below
            self._place(line.text, style, LEFT, "start", self.y)
            self._place(line.value, strong, LEFT, "end", self.y)
        else:
            self.write(line.text, style, LEFT, "start")
            self.write(line.value, strong, LEFT, "end")
        self.rules.append(self.y + 20)

    def _place(self, text: str, style: Style, left: int, anchor: str, y: int) -> None:
        x = {"start": left, "middle": (left + RIGHT) // 2, "end": RIGHT}[anchor]
        width = fonts.text_width(text, style.size, style.font) if fonts.has_all_characters(text) else None
        self.texts.append(PlacedText(text, x, y, anchor, style, width))


def place(recap: Recap) -> RecapLayout:
    """Place the lines of a recap on a card; of many tables as many as leave room for the balances and payments."""
    tables = sum(1 for paragraph in recap.paragraphs[1:] if paragraph.game)
    card = _place(recap, min(tables, MAX_TABLES))
    for fewer in range(min(tables, MAX_TABLES) - 1, 0, -1):
        if not card.left_out:
            break
        card = _place(recap, fewer)
    if card.left_out:
        card.write(t("recap.image.more-lines", count=card.left_out), STYLES[Role.PLAIN], LEFT, "middle")
    return card


def _place(recap: Recap, tables: int) -> RecapLayout:
    card = RecapLayout()
    is_evening = any(paragraph.game for paragraph in recap.paragraphs[1:])
    for paragraph in _with_fewer_tables(recap.paragraphs, tables):
        _place_paragraph(card, paragraph, is_evening)
    card.y -= PARAGRAPH_GAP
    return card


def _with_fewer_tables(paragraphs: list[Paragraph], number: int) -> Iterator[Paragraph]:
    """Yield the paragraphs; those of tables after the first ones as one that says how many they are."""
    head, *others = paragraphs
    tables = [paragraph for paragraph in others if paragraph.game]
    more = len(tables) - number
    yield head
    yield from tables[:number]
    if more > 0:
        yield Paragraph([Line(Role.PLAIN, t("recap.image.more-tables", count=more))])
    yield from (paragraph for paragraph in others if not paragraph.game)


def _place_paragraph(card: RecapLayout, paragraph: Paragraph, is_evening: bool) -> None:
    is_beside = is_evening and bool(paragraph.game)  # its emblem
    if card.y < MAX_HEIGHT and paragraph.game:
        if is_beside:
            card.emblems.append((paragraph.game, LEFT - 8, card.y + 42, 72))
        else:
            card.emblems.append((paragraph.game, WIDTH // 2 - 80, card.y, 160))
            card.y += 176
    for line in paragraph.lines:
        if card.y >= MAX_HEIGHT:
            card.left_out += 1
        else:
            _place_line(card, line, is_beside)
    card.y += PARAGRAPH_GAP


def _place_line(card: RecapLayout, line: Line, is_beside: bool) -> None:
    style = STYLES[line.role]
    if line.role == Role.BALANCE:
        card.write_amount(line, style)
    elif line.role == Role.TITLE:
        card.write(line.text, style, LEFT, "middle")
        card.write(line.value, DAY, LEFT, "middle")
    elif is_beside:
        size = SMALLER.get(line.role, style.size)
        smaller = replace(style, size=size, below=size + 18)
        card.write(str(line), smaller, LEFT + INDENT, "start")
    else:
        card.write(str(line), style, LEFT, "middle")


@cache
def picture(game: str) -> Markup:
    """Return the emblem of a game for an image: with colours of its own, as no style sheet applies to it."""
    root = ElementTree.fromstring(emblem(game))  # noqa: S314  # our own picture
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        if element.attrib.pop("class", "") == "accent":
            element.set("fill", ACCENT)
    for name in ("aria-hidden", "focusable"):
        root.attrib.pop(name, None)
    return Markup(ElementTree.tostring(root, encoding="unicode"))  # noqa: S704  # the same


def draw_svg(recap: Recap) -> str:
    """Return a recap as SVG."""
    card = place(recap)
    # A short recap is in the middle of its card.
    return render_template(
        "tables/history/recap.svg",
        card=card,
        title=str(recap.paragraphs[0].lines[0]),
        offset=(card.height - card.y - BOTTOM) // 2,
        width=WIDTH,
        left=LEFT,
        right=RIGHT,
        family=fonts.FAMILY,
        colours=COLOURS,
        picture=picture,
    )


def height(recap: Recap) -> int:
    """Return the height of a recap's image in pixels."""
    return place(recap).height


def svg_response(recap: Recap) -> Response:
    """Answer with a recap as SVG."""
    return Response(draw_svg(recap), mimetype="image/svg+xml")


def png_response(recap: Recap) -> Response:
    """Answer with a recap as PNG, a file to save or to share."""
    svg = draw_svg(recap)
    try:
        png = draw_png(svg, not fonts.has_all_characters(recap.text.replace("\n", "")))
    except DrawingError as failure:
        current_app.logger.error("The image of a recap was not drawn: %s", failure)
        abort(503)
    return Response(png, mimetype="image/png", headers={"Content-Disposition": "attachment; filename=recap.png"})
