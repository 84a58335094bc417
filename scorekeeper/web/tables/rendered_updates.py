"""Updates that were rendered for one phone and are sent to others: each entry is followed by a request of every phone.

An update is found by all that it depends on, read again for each request. Only the CSRF token and the idempotency key
are each phone's own: marks stand in their place.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import NamedTuple

from flask import g
from flask_wtf.csrf import generate_csrf

from ...services import Changes
from ...services.live import ShownName
from ..support.forms import new_key

MAX_CHARACTERS = 4_000_000  # of all updates together; one has about ten thousand
_CSRF = "csrf_token"  # under which Flask-WTF keeps a request's token in `g`
_CSRF_MARK, _KEY_MARK = "\0csrf\0", "\0key\0"  # no text has U+0000


class Sources(NamedTuple):
    """All that an update depends on for a phone without an owner, besides its token and key.

    Attributes:
        is_display: it is asked for by the display page.
        seen: the number of the last revision that the page shows.
        changes: how often the table has changed, and the reader's right, but not the reader's browser.
        names: all that the update may show.
        flagged: the deals with an open flag.
        language: the tag of the reader's locale.
    """

    token: str
    is_display: bool
    seen: int
    changes: Changes
    names: frozenset[ShownName]
    flagged: frozenset[int | None]
    language: str


class RenderedUpdates:
    """Updates by their sources, least recently used first."""

    def __init__(self) -> None:
        self._updates: OrderedDict[Sources, str] = OrderedDict()
        self._characters = 0
        self._lock = Lock()

    def find(self, sources: Sources) -> str | None:
        """Return the update, with a token and a key of the request's own; None if there is none yet."""
        with self._lock:
            update = self._updates.get(sources)
            if update is None:
                return None
            self._updates.move_to_end(sources)
        if _CSRF_MARK in update:
            update = update.replace(_CSRF_MARK, generate_csrf())
        return update.replace(_KEY_MARK, new_key())

    def keep(self, sources: Sources, update: str, key: str) -> None:
        """Keep an update that was rendered in this request, with this key."""
        update = update.replace(key, _KEY_MARK)
        if _CSRF in g:
            update = update.replace(generate_csrf(), _CSRF_MARK)
        with self._lock:
            self._characters += len(update) - len(self._updates.pop(sources, ""))
            self._updates[sources] = update
            while self._characters > MAX_CHARACTERS:
                _, dropped = self._updates.popitem(last=False)
                self._characters -= len(dropped)


rendered_updates = RenderedUpdates()
