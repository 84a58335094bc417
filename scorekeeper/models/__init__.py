"""The models: columns and relationships, no rules.

Facts are only ever added; scores and payments are computed from them. Caches of computed results say so.
"""

from __future__ import annotations

from .base import Base, db, hash_secret, new_secret, new_token, now
from .circles import (
    HOST,
    RIGHTS,
    SCORE,
    WATCH,
    Circle,
    Device,
    Link,
    Membership,
    MembershipLink,
    NoticeSubscription,
    Player,
    Presence,
    may,
)
from .evenings import CalendarFeed, EveningAnswer, PlannedEvening
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
from .money import CASH, EXPENSE, INCOME, METHODS, OTHER, PAYMENT, TRANSFER, Confirmation, Payment, Subunits
from .seasons import Handicap, Season
from .tables import SEATED, Revision, Seat, Summary, Table
