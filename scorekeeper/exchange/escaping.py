"""Escape user text for the export formats: one function for each syntactic position.

Names have passed `clean_name` when they were typed or imported. Line breaks are replaced here again as a safeguard.
"""

from __future__ import annotations

import json
import re
from unicodedata import category

_TAG_ESCAPES = {",": r"\u002c", ":": r"\u003a", "[": r"\u005b", "]": r"\u005d", ";": r"\u003b"}
# Where decimals are written with a comma, spreadsheets separate cells at semicolons, even within quotation marks. So a
# formula may begin after a semicolon as well.
_FORMULA = re.compile(r"(^|[;\t\r\n])(?=\s*[=+\-@＝＋－＠]|[\t\r\n])")


def hledger_tag_value(text: str) -> str:
    """Return a JSON string in which characters that hledger interprets in comments are escaped.

    These are `name:`, `,`, `[date]` and `;`. Any JSON parser returns the original text.
    """
    quoted = json.dumps(_single_line(text), ensure_ascii=False)
    return "".join(_TAG_ESCAPES.get(char, char) for char in quoted)


def hledger_description(text: str) -> str:
    """Replace semicolons, which begin a comment, and bars, which separate payee and note."""
    plain = _single_line(text).replace(";", ",").replace("|", "/")
    return f'"{plain}"' if plain.startswith(("*", "!", "(", "=")) else plain


def beancount_string(text: str) -> str:
    """Return a quoted Beancount string."""
    escaped = _single_line(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def csv_cell(text: str) -> str:
    """Put an apostrophe before anything that a spreadsheet would interpret as a formula."""
    return _FORMULA.sub(r"\1'", text)


def _single_line(text: str) -> str:
    return "".join(" " if category(char) in ("Cc", "Zl", "Zp") else char for char in text)
