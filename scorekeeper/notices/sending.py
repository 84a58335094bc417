"""Sending notices, in the background: from an occasion to the push services.

To whom one is sent is found after the commit, and each notice has its phone's language. A text names no amount and
nobody but the reader: a phone may lie where others see it. The message of a kind is `notices.said.<key>`.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

from flask import Flask, current_app, g

from ..db.transactions import call_after_commit
from ..i18n import choose_locale
from ..models import Circle, NoticeSubscription, db
from ..site import rate_limits
from ..site.language import set_party_names, t
from ..site.live import live_of
from ..site.occasions import DAY, Kind, Notice, Subject, read_kinds
from . import receivers
from .push_services import post
from .receivers import Occasion

THREADS = 4
_EXTENSION = "notices"
_log = logging.getLogger(__name__)


def init_app(app: Flask) -> None:
    executor = app.extensions[_EXTENSION] = ThreadPoolExecutor(THREADS, "Notices")
    live_of(app).at_end.append(partial(executor.shutdown, cancel_futures=True))


def send_after_commit(kind: str, circle_id: int, subject: Subject, membership_id: int) -> None:
    """Have notices sent once the current transaction is committed, if any phone of the circle wants some."""
    circle_token = receivers.find_wanting_circle(circle_id)
    if circle_token is not None:
        occasion = Occasion(kind, circle_token, subject, membership_id)
        call_after_commit(lambda: _run_soon(partial(_send_all, occasion)))


def _run_soon(job: Callable[[], None]) -> None:
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]  # of the proxy
    with suppress(RuntimeError):  # the server is being stopped: what was recorded is answered all the same
        app.extensions[_EXTENSION].submit(_run, app, job)


def _run(app: Flask, job: Callable[[], None]) -> None:
    try:
        with app.app_context():  # has a session of its own, which it removes
            job()
    except Exception:
        _log.exception("Notices: a job failed")


def _send_all(occasion: Occasion) -> None:
    kind = read_kinds()[occasion.kind]
    expires = time.monotonic() + kind.lifetime
    for circle, subscription, notice in receivers.find_receivers(occasion):
        if rate_limits.may_notify(subscription.token):
            text = _write_text(kind, notice, circle, subscription.language)
            _run_soon(partial(_send, kind, subscription.token, text, expires))


def _send(kind: Kind, token: str, text: Mapping[str, str], expires: float) -> None:
    """Hand a notice over to its push service, unless `expires` by `time.monotonic` has passed."""
    from .encryption import encrypt  # noqa: PLC0415  # 7 MB: see encryption.py

    subscription = receivers.find_wanting(token, kind.key)
    left = int(expires - time.monotonic())
    if subscription is None or left <= 0:
        return
    endpoint = subscription.endpoint
    body = encrypt(json.dumps(text).encode(), subscription.p256dh, subscription.auth)
    headers = _write_headers(kind, subscription, text["tag"], left)
    db.session.rollback()  # nothing is held while a service is asked
    is_known = post(endpoint, body, headers)
    if not is_known:
        receivers.forget_gone(token, endpoint)


def _write_headers(kind: Kind, subscription: NoticeSubscription, tag: str, left: int) -> dict[str, str]:
    from .encryption import authorize  # noqa: PLC0415  # 7 MB: see encryption.py

    secret = current_app.config["SECRET_KEY"]
    moment = int(time.time())
    return {
        "Authorization": authorize(secret, subscription.endpoint, subscription.site, moment),
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "TTL": str(left),
        "Urgency": "high" if kind.lifetime < DAY else "normal",
        "Topic": tag,  # an earlier notice of the same that still waits at the service is replaced
    }


def _write_text(kind: Kind, notice: Notice, circle: Circle, language: str) -> dict[str, str]:
    g.locale = choose_locale([language])
    set_party_names({})
    g.circle = circle
    title, _, more = t(f"notices.said.{kind.key}{notice.variant}", **notice.words()).partition("\n")
    url = current_app.url_map.bind("").build(kind.endpoint, notice.page).removeprefix("/")  # below the site's path
    tag = hashlib.sha256(f"{kind.key} {url}".encode()).hexdigest()[:16]
    return {"title": title, "body": more, "url": url, "tag": tag, "lang": g.locale.replace("_", "-")}
