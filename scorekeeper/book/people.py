"""The people of a circle."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select

from ..store import Circle, Player, db


def players_called(circle: Circle, names: Sequence[str]) -> list[Player]:
    """The circle's players of these names, new ones where there are none yet; not added to the session.

    A name of one who turned out to be another stands for that other.
    """
    known = db.session.scalars(select(Player).where(Player.circle_id == circle.id, Player.name.in_(names)))
    by_name = {player.name: player.person for player in known}
    return [by_name.get(name) or Player(circle_id=circle.id, name=name) for name in names]
