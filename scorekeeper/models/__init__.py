"""The models: columns and relationships, no rules.

Facts are only ever added; scores and payments are computed from them. Caches of computed results say so.
"""

from __future__ import annotations

from .access import RIGHTS, Browser, BrowserLink, Device, Link
from .base import Base, db
from .caches import Summary
from .circles import Circle, Player, Presence
from .events import (
    DrawnRound,
    Entrant,
    EntrantSubstitution,
    Event,
    EventPhone,
    ResultConfirmation,
    RoundResult,
    RoundTable,
)
from .money import Confirmation, Part, Payment, Settlement
from .notices import NoticeSubscription
from .planned import CalendarFeed, EveningAnswer, PlannedEvening
from .seasons import Handicap, Season
from .tables import SEATED, Revision, Seat, Table

__all__ = [
    "RIGHTS",
    "SEATED",
    "Base",
    "Browser",
    "BrowserLink",
    "CalendarFeed",
    "Circle",
    "Confirmation",
    "Device",
    "DrawnRound",
    "Entrant",
    "EntrantSubstitution",
    "EveningAnswer",
    "Event",
    "EventPhone",
    "Handicap",
    "Link",
    "NoticeSubscription",
    "Part",
    "Payment",
    "PlannedEvening",
    "Player",
    "Presence",
    "ResultConfirmation",
    "Revision",
    "RoundResult",
    "RoundTable",
    "Season",
    "Seat",
    "Settlement",
    "Summary",
    "Table",
    "db",
]
