"""Escape user text for the export formats: one function for each syntactic position.

Names have passed `clean_name` when they were typed or imported. Line breaks are replaced here again as a safeguard.
"""

from __future__ import annotations

import json
import re
from typing import Any
from unicodedata import category

_IN_TAGS = {",": r"\u002c", ":": r"\u003a", "[": r"\u005b", "]": r"\u005d", ";": r"\u003b"}
# A spreadsheet of a country that writes decimals with a comma separates cells at semicolons, and heeds no quotation
# marks in the middle of what it takes for a cell: there a formula may begin as well.
_FORMULA = re.compile(r"(^|[;\t\r\n])(?=\s*[=+\-@＝＋－＠]|[\t\r\n])")


def hledger_tag_value(text: str) -> str:
    """Return a JSON string in which characters that hledger interprets in comments are escaped.

    These are `name:`, `,`, `[date]` and `;`. Any JSON parser returns the original text.
    """
    quoted = json.dumps(_in_one_line(text), ensure_ascii=False)
    return "".join(_IN_TAGS.get(char, char) for char in quoted)


def hledger_description(text: str) -> str:
    """Replace semicolons, which begin a comment, and bars, which separate payee and note."""
    plain = _in_one_line(text).replace(";", ",").replace("|", "/")
    return f'"{plain}"' if plain.startswith(("*", "!", "(", "=")) else plain


def beancount_string(text: str) -> str:
    """Return a quoted Beancount string."""
    escaped = _in_one_line(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def csv_cell(text: str) -> str:
    """Put an apostrophe before anything that a spreadsheet would interpret as a formula."""
    return _FORMULA.sub(r"\1'", text)


def json_in_a_cell(value: Any) -> str:
    """JSON for a cell of its own; with no semicolon in it, so that it stays the same JSON in every spreadsheet."""
    return json.dumps(value, ensure_ascii=False).replace(";", _IN_TAGS[";"])


def _in_one_line(text: str) -> str:
    return "".join(" " if category(char) in ("Cc", "Zl", "Zp") else char for char in text)
