"""Sending notices, in the background: to whom after a commit, and in each phone's language."""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from flask import Flask, current_app, g, has_app_context
from sqlalchemy import event

from ... import i18n
from ...db.clock import now
from ...live import live_of
from ...models import Circle, NoticeSubscription, db
from ...push.encryption import authorize, encrypt
from ...push.queue import Occasion, Queue, take_announced
from ...push.services import note_answer, post
from ...services.notices import subscriptions
from ...services.notices.kinds import KINDS, Kind, Notice
from ..planned import meeting_in_words
from ..support.language import t

_EXTENSION = "notices"
IS_TEST = "PUSH_TO_THIS_MACHINE"  # the setting of tests: push services may be on this machine


class Delivery(NamedTuple):
    """A notice for one phone, until it is handed over; after `expires`, by `time.monotonic`, it is of no use."""

    kind: str
    circle_id: int
    browser_id: int
    notice: Notice
    expires: float


Job = Occasion | Delivery


def init_app(app: Flask) -> None:
    """Add the queue of notices to the app; it ends with the app's live updates."""

    def run(job: Job) -> int | None:
        with app.app_context():  # has a session of its own, which it removes
            if isinstance(job, Delivery):
                return _deliver(job)
            _take_up(job)
            return None

    queue = app.extensions[_EXTENSION] = Queue[Job]("Notices", run)
    live_of(app).at_end.append(queue.stop)


def queue_of(app: Flask) -> Queue[Job]:
    """Return the app's queue of notices."""
    queue: Queue[Job] = app.extensions[_EXTENSION]
    return queue


@event.listens_for(db.session, "after_commit")
def _add(session: Any) -> None:
    occasions = take_announced(session)
    if occasions and has_app_context():
        queue_of(current_app).add(occasions)


def _take_up(occasion: Occasion) -> None:
    """Add a delivery to the queue for each phone that receives a notice of an occasion, but the one that caused it."""
    kind, circle = KINDS[occasion.kind], db.session.get(Circle, occasion.circle_id)
    phones = [*subscriptions.list_subscribers(circle, kind.key)] if circle is not None else []
    phones = [phone for phone in phones if phone.browser_id != occasion.browser_id]
    if circle is None or not phones:
        return
    expires = time.monotonic() + kind.lifetime
    deliveries = [
        Delivery(kind.key, circle.id, phone.browser_id, notice, expires)
        for notice in kind.find(circle, *occasion.subject)
        for phone in phones
        if notice.person_id in (None, phone.person_id) and notice.browser_id in (None, phone.browser_id)
    ]
    queue_of(current_app).add(deliveries)


def _deliver(delivery: Delivery) -> int | None:
    """Hand a notice over to its phone's push service; return after how many seconds to try again, None if not."""
    wanting = subscriptions.find_wanting(delivery.circle_id, delivery.browser_id, delivery.kind)
    left = int(delivery.expires - time.monotonic())
    if wanting is None or left <= 0:
        return None
    subscription, circle = wanting
    kind, endpoint = KINDS[delivery.kind], subscription.endpoint
    text = _write_text(kind, delivery.notice, circle, subscription.language)
    body = encrypt(json.dumps(text).encode(), subscription.p256dh, subscription.auth)
    headers = _write_headers(kind, subscription, str(text["tag"]), left)
    db.session.rollback()  # nothing is held while a service is asked
    answer = post(endpoint, body, headers, is_test=current_app.config[IS_TEST])
    host = urlsplit(endpoint).hostname or ""
    note_answer(Path(current_app.instance_path), host, now(), is_away=answer.is_away)
    if answer.is_gone:
        subscriptions.forget_gone(delivery.circle_id, delivery.browser_id, endpoint)
    return answer.wait


def _write_headers(kind: Kind, subscription: NoticeSubscription, tag: str, left: int) -> dict[str, str]:
    moment = int(time.time())
    return {
        "Authorization": authorize(current_app.config["SECRET_KEY"], subscription.endpoint, subscription.site, moment),
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "TTL": str(left),
        "Urgency": "high" if kind.is_urgent else "normal",
        "Topic": tag,  # an earlier notice of the same that still waits at the service is replaced
    }


def _write_text(kind: Kind, notice: Notice, circle: Circle, language: str) -> dict[str, object]:
    """Return what the service worker shows, and opens on a tap."""
    g.language, g.names, g.sides, g.circle = i18n.choose_locale([language]), dict, {}, circle
    key, words = f"notices.said.{kind.key}", dict[str, object]()
    if notice.seat is not None:
        words = {"table": notice.seat.table, "seat": t(f"event-table.{notice.seat.direction}")}
    if notice.meeting is not None:
        words = {"when": meeting_in_words(notice.meeting)}
        if notice.meeting.is_cancelled:
            key += ".cancelled"
        elif notice.meeting.evening.changes:
            key += ".changed"
    title, _, more = t(key, **words).partition("\n")
    url = current_app.url_map.bind("").build(kind.endpoint, notice.page).removeprefix("/")  # below the site's path
    tag = hashlib.sha256(f"{kind.key} {url}".encode()).hexdigest()[:16]
    return {"title": title, "body": more, "url": url, "tag": tag, "lang": i18n.html_tag(g.language)}
