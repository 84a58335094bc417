"""A game's rules as text, with the headings that reasons of entries name, and the house rules behind a number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element

from flask import g
from markdown import Markdown
from markdown.extensions.toc import TocExtension, render_inner_html
from markdown.treeprocessors import Treeprocessor
from markupsafe import Markup

from ..i18n import has_message, rules_file, set_typography, translate
from ..scoring.game import AnyGame
from ..site.language import t, value_in_words
from .option_fields import CHOICE, OptionField, option_fields

_SOURCE = re.compile(r"<em>[^<]*\.</em>\s*")  # the beginning of each source: that word in the text's language
_NONE = (None, "", ())  # values of a house rule that says nothing
_VARIANT = re.compile(r"\{([^{}|]*)\|([^{}|]*)\}")  # {le coup|la brasse}: the words of French and of Québec


class Heading(NamedTuple):
    anchor: str
    title: Markup
    section: str  # the anchor of its section, a heading of level 2; its own, if it is one
    source: Markup  # where the rule is from, as HTML; it may be empty


class Rules(NamedTuple):
    html: Markup
    headings: dict[str, Heading]  # of levels 2 and 3 by their anchors, in order


class _Finisher(Treeprocessor):
    """Collects the paragraphs of class "source" by the id of the heading above them, and puts each table into a box.

    The box, labelled by the heading above it, can be scrolled sideways by the keyboard. House rules and their values
    are named as forms name them, but for the paragraph that says how a sheet has them.
    """

    def __init__(self, md: Markdown, name: str, locale: str) -> None:
        super().__init__(md)
        self.name, self.locale = name, locale
        self.sources: dict[str, str] = {}

    def run(self, root: Element) -> None:
        anchor = ""
        for index, element in enumerate(list(root)):
            if element.tag in ("h1", "h2", "h3"):
                anchor = element.attrib["id"]
                continue
            self._name_house_rules(element, anchor)
            if element.get("class") == "source":
                self.sources[anchor] = _SOURCE.sub("", render_inner_html(element, self.md), count=1)
            elif element.tag == "table":
                labelled = {"tabindex": "0", "role": "group", "aria-labelledby": anchor}
                root[index] = box = Element("div", {"class": "scroller"} | labelled)
                box.append(element)

    def _name_house_rules(self, element: Element, option: str) -> None:
        codes = list(element.iter("code"))
        if codes and codes[0].text == option and (element.text or "").rstrip().endswith(":"):
            return  # of a sheet
        for code in codes:
            keys = (f"{self.name}.option.{option}.{code.text}", f"{self.name}.option.{code.text}")
            key = next((key for key in keys if has_message(self.locale, key)), None)
            if key is not None:
                code.tag, code.text = "q", translate(self.locale, key)


@cache
def rules_text(name: str, locale: str) -> Rules:
    """Read the rules text with this name: a game's slug, or EVENTS."""
    md = Markdown(extensions=["attr_list", "tables", TocExtension(toc_depth="2-3")])
    finisher = _Finisher(md, name, locale)
    md.treeprocessors.register(finisher, "finisher", 4)  # after `toc`, which has priority 5
    text = rules_file(name, locale).read_text(encoding="utf-8")
    text = _VARIANT.sub(r"\2" if locale == "fr_CA" else r"\1", text)
    html = md.convert(set_typography(text, locale))
    headings = {}
    for section in md.toc_tokens:  # type: ignore[attr-defined]  # set by `toc`
        for token in (section, *section["children"]):
            anchor, title = token["id"], Markup(token["html"])  # noqa: S704  # our own text
            source = Markup(finisher.sources.get(anchor, ""))  # noqa: S704  # our own text
            headings[anchor] = Heading(anchor, title, section["id"], source)
    return Rules(Markup(html), headings)  # noqa: S704  # our own text


# --- the rules behind a number -----------------------------------------------------------------------------


class HouseRule(NamedTuple):
    option: str
    value: str
    is_default: bool


class RuleReference(NamedTuple):
    """A rule that a number follows from, with its house rules."""

    heading: Heading
    section_title: str  # of the section which the heading is in; "" if the heading is a section's own
    house_rules: list[HouseRule]


def list_rules(game: AnyGame, options: Sequence[Any], anchors: Iterable[str]) -> list[RuleReference]:
    """Return the rules with these anchors, in the order of the page.

    A house rule is listed once, with the first rule of the section that describes it; `options` are those that held
    in turn.
    """
    headings = rules_text(game.slug, g.locale).headings
    found: list[RuleReference] = []
    listed: set[str] = set()  # anchors of sections
    described = [(field, headings[field.option].section) for field in option_fields(game) if field.option in headings]
    requested = set(anchors)
    for heading in (heading for anchor, heading in headings.items() if anchor in requested):
        fields = [field for field, section in described if section == heading.section not in listed]
        listed.add(heading.section)
        section_title = headings[heading.section].title if heading.section != heading.anchor else ""
        values = [(field, [field.value_in(each) for each in options]) for field in fields]
        said = [_say_in_turn(game, field, held) for field, held in values if any(each not in _NONE for each in held)]
        found.append(RuleReference(heading, section_title, said))
    return found


def _say_in_turn(game: AnyGame, field: OptionField, values: Sequence[Any]) -> HouseRule:
    """Say the values that a house rule had one after the other: "5 → 6"."""
    said = [rule for rule, _ in groupby(say_house_rule(game, field, value) for value in values)]
    return said[-1]._replace(value=" → ".join(rule.value for rule in said))


def say_house_rule(game: AnyGame, field: OptionField, value: Any) -> HouseRule:
    key = f"{game.slug}.option.{field.option}"
    label = t(f"{key}.{field.part}" if field.part else key)
    is_word = field.kind == CHOICE and isinstance(value, str)
    return HouseRule(label, t(f"{key}.{value}") if is_word else value_in_words(value), value == field.default)
