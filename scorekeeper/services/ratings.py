"""Whether a circle shows ratings. They are off until a host turns them on."""

from __future__ import annotations

from ..db.transactions import identity_of, write_to_circle
from ..models import Browser, Circle
from ..models.rights import HOST


def set_shows_ratings(circle: Circle, is_on: bool, by: Browser | None = None) -> None:
    """Set whether the circle's statistics and standings show ratings."""

    def change(locked: Circle) -> None:
        locked.shows_ratings = is_on

    write_to_circle(identity_of(circle), change, browser=by, right=HOST)
