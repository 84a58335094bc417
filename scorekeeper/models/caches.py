"""Models of what is computed from the facts and stored beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import JSON, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from .base import Base, identified_by, reference

if TYPE_CHECKING:
    from . import Table


class Summary(Base):
    """A cache of a table's results after `version` revisions, so that a page of many tables need not replay them.

    `data` is the result of `stats.table.summarise`, `fingerprint` a hash of the table's facts: equal sheets have equal
    ones. `taken_over` is what settlements have taken over of each seat's balance, in subunits of the table's account.
    `is_taken_over`: they have taken over all of it; `is_settled`: and are paid. `scorekeeper verify` checks it.
    """

    __tablename__ = "summary"
    __table_args__ = (reference("summary", "table_id", "card_table"),)

    circle_id: Mapped[int] = mapped_column()
    table_id: Mapped[int] = mapped_column(primary_key=True)
    version: Mapped[int]
    data: Mapped[dict[str, Any]] = mapped_column(JSON)
    fingerprint: Mapped[str] = mapped_column(String(64), index=True)
    taken_over: Mapped[dict[str, int]] = mapped_column(JSON)
    is_taken_over: Mapped[bool]
    is_settled: Mapped[bool]

    table: Mapped[Table] = relationship(back_populates="summary")

    __mapper_args__ = identified_by(table_id, circle_id)
