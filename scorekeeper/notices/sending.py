"""Sending notices, in the background: from an occasion to the push services.

To whom one is sent is found after the commit, and each notice has its phone's language. A text names no amount and
nobody but the reader: a phone may lie where others see it. The message of a kind is `notices.said.<key>`.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from functools import partial
from urllib.parse import urlsplit

from flask import Flask, current_app, g

from ..db.transactions import call_after_commit
from ..i18n import choose_locale
from ..models import Circle, NoticeSubscription, db
from ..site import rate_limits
from ..site.language import t
from ..site.live import live_of
from ..site.occasions import DAY, KINDS, Kind, Notice, Subject
from . import receivers
from .push_services import post
from .queue import Job, Queue
from .receivers import Occasion

_EXTENSION = "notices"


def init_app(app: Flask) -> None:
    queue = app.extensions[_EXTENSION] = Queue(app)
    live_of(app).at_end.append(queue.stop)


def queue_of(app: Flask) -> Queue:
    queue: Queue = app.extensions[_EXTENSION]
    return queue


def queue_after_commit(kind: str, circle_id: int, subject: Subject, membership_id: int) -> None:
    """Have notices sent once the current transaction is committed, if any phone of the circle wants some."""
    circle = receivers.find_circle(circle_id)
    if circle is not None:
        job = Job(circle, (circle, kind, subject), partial(_take_up, Occasion(kind, circle, subject, membership_id)))
        call_after_commit(lambda: queue_of(current_app).add([job]))


def _take_up(occasion: Occasion) -> None:
    kind, jobs = KINDS[occasion.kind], list[Job]()
    expires = time.monotonic() + kind.lifetime
    for circle, subscription, notice in receivers.find_receivers(occasion):
        if rate_limits.may_notify(subscription.token):
            text = _write_text(kind, notice, circle, subscription.language)
            deliver = partial(_deliver, kind, subscription.token, text, expires)
            host = urlsplit(subscription.endpoint).hostname or ""
            jobs.append(Job(circle.token, (circle.token, subscription.token, text["tag"]), deliver, host))
    queue_of(current_app).add(jobs)


def _deliver(kind: Kind, token: str, text: Mapping[str, str], expires: float) -> int | None:
    """Hand a notice over until `expires` by `time.monotonic`; return after how many seconds to try again, if at all."""
    from .encryption import encrypt  # noqa: PLC0415  # 7 MB: see encryption.py

    subscription = receivers.find_wanting(token, kind.key)
    left = int(expires - time.monotonic())
    if subscription is None or left <= 0:
        return None
    endpoint = subscription.endpoint
    body = encrypt(json.dumps(text).encode(), subscription.p256dh, subscription.auth)
    headers = _write_headers(kind, subscription, text["tag"], left)
    db.session.rollback()  # nothing is held while a service is asked
    answer = post(endpoint, body, headers)
    if answer.is_gone:
        receivers.forget_gone(token, endpoint)
    return answer.wait


def _write_headers(kind: Kind, subscription: NoticeSubscription, tag: str, left: int) -> dict[str, str]:
    from .encryption import authorize  # noqa: PLC0415  # 7 MB: see encryption.py

    secret, moment = current_app.config["SECRET_KEY"], int(time.time())
    return {
        "Authorization": authorize(secret, subscription.endpoint, subscription.site, moment),
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "TTL": str(left),
        "Urgency": "high" if kind.lifetime < DAY else "normal",
        "Topic": tag,  # an earlier notice of the same that still waits at the service is replaced
    }


def _write_text(kind: Kind, notice: Notice, circle: Circle, language: str) -> dict[str, str]:
    g.locale, g.names, g.sides, g.circle = choose_locale([language]), {}, {}, circle
    title, _, more = t(f"notices.said.{kind.key}{notice.variant}", **notice.words()).partition("\n")
    url = current_app.url_map.bind("").build(kind.endpoint, notice.page).removeprefix("/")  # below the site's path
    tag = hashlib.sha256(f"{kind.key} {url}".encode()).hexdigest()[:16]
    return {"title": title, "body": more, "url": url, "tag": tag, "lang": g.locale.replace("_", "-")}
