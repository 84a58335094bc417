"""The app's live updates: publish what its transactions have announced."""

from __future__ import annotations

from typing import Any

from flask import Flask, current_app, has_app_context
from sqlalchemy import event

from ...live.hub import Hub
from ...live.messages import take_announced
from ...live.updates import LiveUpdates
from ...models import db

_EXTENSION = "live_updates"


def init_app(app: Flask) -> None:
    """Add live updates to the app."""
    app.extensions[_EXTENSION] = LiveUpdates()


def current() -> LiveUpdates:
    """Return the live updates of the current app."""
    updates: LiveUpdates = current_app.extensions[_EXTENSION]
    return updates


def current_hub() -> Hub:
    """Return the current app's hub of streams."""
    return current().hub


@event.listens_for(db.session, "after_commit")
def _publish(session: Any) -> None:
    messages = take_announced(session)
    if messages and has_app_context():
        current().publish(messages)
