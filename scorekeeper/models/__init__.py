"""The models: columns and relationships, no rules.

Facts are only ever added; scores and payments are computed from them. Caches of computed results say so.
"""

from __future__ import annotations

from .base import Base, db, new_secret, new_token
from .circles import (
    HOST,
    RIGHTS,
    SCORE,
    WATCH,
    Browser,
    BrowserLink,
    Circle,
    Device,
    Link,
    NoticeSubscription,
    Player,
    Presence,
    may,
)
from .evenings import CalendarFeed, EveningAnswer, Handicap, PlannedEvening, Season
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
from .money import FEE, PRIZE, Confirmation, Part, Payment, Settlement
from .tables import SEATED, Revision, Seat, Summary, Table

__all__ = ["Base", "Browser", "BrowserLink", "CalendarFeed", "Circle", "Confirmation", "Device", "DrawnRound"]
__all__ += ["FEE", "HOST", "Entrant", "EntrantSubstitution", "EveningAnswer", "Event", "EventPhone", "Handicap"]
__all__ += ["PRIZE", "Link", "NoticeSubscription", "Part", "Payment", "PlannedEvening", "Player", "Presence"]
__all__ += ["RIGHTS", "SCORE", "SEATED", "ResultConfirmation", "Revision", "RoundResult", "RoundTable", "Season"]
__all__ += ["WATCH", "Seat", "Settlement", "Summary", "Table", "db", "may", "new_secret", "new_token"]
