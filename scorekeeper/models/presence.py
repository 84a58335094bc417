"""The model of who is here this evening."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy.orm import Mapped, mapped_column

from .base import Base, identified_by, reference


class Presence(Base):
    """A player who is here on the evening `day`, to play or to wait for a seat. The row of one who leaves is deleted.

    Those of earlier evenings count for nothing, and are deleted when the next list is begun. `arrived_at` is when
    somebody said so: nobody owes turns from before it.
    """

    __tablename__ = "presence"
    __table_args__ = (reference("presence", "player_id", "player"),)

    circle_id: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[int] = mapped_column(primary_key=True)
    day: Mapped[date]
    arrived_at: Mapped[datetime]

    __mapper_args__ = identified_by(player_id, circle_id)
