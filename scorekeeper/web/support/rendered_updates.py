"""Updates that were rendered for one page and are sent to others: each entry is followed by a request of every page.

An update is found by all that it depends on, read again for each request. Only the CSRF token, the idempotency key and
what turns the table towards a phone's owner are each page's own: marks stand in their place. All pages ask at the same
moment: while one of their requests renders, the others wait.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from itertools import chain
from threading import Event, Lock
from typing import NamedTuple

from flask import g
from flask_wtf.csrf import generate_csrf

from .forms import new_key

MAX_WAIT = 2.0  # seconds for another request to render; after that a request renders for itself
MAX_CHARACTERS = 4_000_000  # of all updates together; one has about ten thousand
_CSRF = "csrf_token"  # under which Flask-WTF keeps a request's token in `g`
_CSRF_MARK, _KEY_MARK = "\0csrf\0", "\0key\0"  # no text has U+0000


class Update(NamedTuple):
    """An update, and by the id of each player who sits what replaces its marks on their phones."""

    html: str
    replacements: Mapping[int, Mapping[str, str]] = {}

    def turn_to(self, player_id: int | None) -> str:
        """Return the update as the phones of this player show it."""
        html = self.html
        for mark, replacement in self.replacements.get(player_id or 0, {}).items():
            html = html.replace(mark, replacement)
        return html

    @property
    def size(self) -> int:
        """The number of characters."""
        return len(self.html) + sum(len(text) for each in self.replacements.values() for text in chain(*each.items()))


class RenderedUpdates:
    """Updates by their sources, least recently used first."""

    def __init__(self) -> None:
        self._updates: OrderedDict[Hashable, Update] = OrderedDict()
        self._characters = 0
        self._being_rendered: dict[Hashable, Event] = {}  # each event is set when that has ended
        self._lock = Lock()

    def find_or_render(self, sources: Hashable, render: Callable[[str], Update]) -> Update:
        """Return the update, with a CSRF token and an idempotency key of the request's own.

        `render` renders it in this request, with the key that it is given.
        """
        update = self._find(sources)
        if update is not None:
            return update
        with self._lock:
            ended = self._being_rendered.get(sources)
            if ended is None:
                self._being_rendered[sources] = Event()
        if ended is not None:
            ended.wait(MAX_WAIT)
            update = self._find(sources)
            return render(new_key()) if update is None else update
        try:
            key = new_key()
            update = render(key)
            self._keep(sources, update, key)
        finally:
            with self._lock:
                self._being_rendered.pop(sources).set()
        return update

    def _find(self, sources: Hashable) -> Update | None:
        with self._lock:
            update = self._updates.get(sources)
            if update is None:
                return None
            self._updates.move_to_end(sources)
        html = update.html
        if _CSRF_MARK in html:
            html = html.replace(_CSRF_MARK, generate_csrf())
        return update._replace(html=html.replace(_KEY_MARK, new_key()))

    def _keep(self, sources: Hashable, update: Update, key: str) -> None:
        html = update.html.replace(key, _KEY_MARK)
        if _CSRF in g:
            html = html.replace(generate_csrf(), _CSRF_MARK)
        update = update._replace(html=html)
        with self._lock:
            self._characters += update.size - self._updates.pop(sources, Update("")).size
            self._updates[sources] = update
            while self._characters > MAX_CHARACTERS:
                _, dropped = self._updates.popitem(last=False)
                self._characters -= dropped.size


rendered_updates = RenderedUpdates()
