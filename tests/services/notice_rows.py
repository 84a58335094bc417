"""The notices that a phone has chosen, written without the services."""

from __future__ import annotations

from datetime import datetime

from scorekeeper.models import NoticeSubscription, db

from ..push_service import Phone


def add_subscription(circle_id: int, browser_id: int) -> None:
    """Add a row for a phone whose push service is never asked: its name leads to this machine."""
    row = NoticeSubscription(circle_id=circle_id, browser_id=browser_id, kinds=["turn", "payment"])
    row.site, row.language, row.changed_at = "https://scores.example", "en_GB", datetime(2026, 11, 21, 19, 30)
    phone = Phone("https://localhost/phone")
    row.endpoint, row.p256dh, row.auth = phone.endpoint, phone.p256dh, phone.auth
    db.session.add(row)
    db.session.commit()
