"""The model of deals that somebody of the other side has confirmed."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Mapped, mapped_column

from .base import Base, identified_by, reference


class DealConfirmation(Base):
    """The word of somebody who did not record a deal that it is recorded as it was played.

    It is about one revision of the deal, the table's with the number `revision`: a deal that is amended is unconfirmed
    again. `browser_id` is the browser that gave it, `player_id` the person whose phone it said it was. A confirmation
    that is taken back is deleted.
    """

    __tablename__ = "deal_confirmation"
    __table_args__ = (
        reference("deal_confirmation", "table_id", "card_table"),
        reference("deal_confirmation", "browser_id", "browser"),
        reference("deal_confirmation", "player_id", "player"),
    )

    circle_id: Mapped[int] = mapped_column()
    table_id: Mapped[int] = mapped_column(primary_key=True)
    revision: Mapped[int] = mapped_column(primary_key=True)
    browser_id: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[int]
    at: Mapped[datetime]

    __mapper_args__ = identified_by(table_id, revision, browser_id, circle_id)
