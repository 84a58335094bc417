"""Labels of several people at a table, written together: "13", or "1(12)" with a label of two digits."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LABEL = re.compile(r"\((\d+)\)|(\d)")


def join_labels(labels: Iterable[str]) -> str:
    """Write labels together."""
    return "".join(label if len(label) == 1 else f"({label})" for label in labels)


def split_labels(text: str) -> list[str]:
    """Return the labels that `join_labels` has written."""
    return [longer or digit for longer, digit in _LABEL.findall(text)]
