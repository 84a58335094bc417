"""The rights that a link gives in its circle: to watch, to score, or to host."""

from __future__ import annotations

from . import RIGHTS

__all__ = ["HOST", "RIGHTS", "SCORE", "WATCH", "may"]

WATCH, SCORE, HOST = RIGHTS


def may(right: str | None, needed: str) -> bool:
    """Return whether `right` includes `needed`; None, the right of a browser without access, includes nothing."""
    return right is not None and RIGHTS.index(right) >= RIGHTS.index(needed)
