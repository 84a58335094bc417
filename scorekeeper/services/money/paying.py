"""How the people of a circle want to be paid: an IBAN and a payment link.

Merged players keep their own, so that separating them gives each person theirs again. The person's count; what the
person lacks comes from the players merged into them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sqlalchemy import or_, select

from ...db.transactions import RightRevokedError, get_id, write_to_circle
from ...models import Browser, Circle, Player, db
from ...models.rights import HOST, SCORE, may
from ...payment_details import parse_iban, parse_payment_link
from ...scoring.problems import Problem
from ..circles.players import is_own_browser


class PaymentDetails(NamedTuple):
    """How somebody wants to be paid; None for what they did not say."""

    iban: str | None
    link: str | None


def read_payment_details(circle: Circle) -> dict[int, PaymentDetails]:
    """Return how each of the circle's people wants to be paid, by the person's id, without those who did not say.

    What would be refused today, such as a link in a database from elsewhere, is left out.
    """
    has_details = or_(Player.iban.is_not(None), Player.payment_link.is_not(None))
    persons_first = (Player.person_id.is_not(None), Player.id)
    players = select(Player).where(Player.circle_id == circle.id, has_details).order_by(*persons_first)
    found: dict[int, PaymentDetails] = {}
    for player in db.session.scalars(players):
        person_id = player.person_id or player.id
        iban, link = found.get(person_id, (None, None))
        found[person_id] = PaymentDetails(
            iban or _valid(player.iban, parse_iban), link or _valid(player.payment_link, parse_payment_link)
        )
    return {person_id: details for person_id, details in found.items() if any(details)}


def _valid(stored: str | None, parse: Callable[[str], str | Problem]) -> str | None:
    return stored if stored and parse(stored) == stored else None


def may_change(browser: Browser, person: Player) -> bool:
    """Return whether this browser may say how a person wants to be paid.

    Hosts may. So may the person's own browser if it may score, until something is entered: anyone could claim to be the
    person, and send the money elsewhere.
    """
    if may(browser.right, HOST):
        return True
    is_own = may(browser.right, SCORE) and is_own_browser(browser, person)
    return is_own and person.id not in read_payment_details(person.circle)


def set_payment_details(person: Player, details: PaymentDetails, by: Browser) -> Problem | None:
    """Set how a person wants to be paid; return a problem if they were merged or erased meanwhile.

    What is removed is removed from the players merged into them too, so that it does not come back from there.

    Raises:
        CircleErasedError: there is no such circle any more.
        AccessRevokedError: the browser's access ended meanwhile.
        RightRevokedError: the browser may not do this, or not any more.
    """
    browser_id = get_id(by)

    def work(circle: Circle) -> Problem | None:
        if read_payment_details(circle).get(person.id) == details:
            return None
        if not may_change(db.session.get_one(Browser, (browser_id, circle.id)), person):
            raise RightRevokedError
        if person.person_id is not None or person.erased_at is not None:
            return Problem("player", "player-changed")
        _set(person, details)
        return None

    return write_to_circle(person.circle_id, work, browser=by, right=SCORE)


def _set(person: Player, details: PaymentDetails) -> None:
    person.iban, person.payment_link = details
    merged_into = select(Player).where(Player.circle_id == person.circle_id, Player.person_id == person.id)
    for merged in db.session.scalars(merged_into):
        merged.iban = merged.iban if details.iban else None
        merged.payment_link = merged.payment_link if details.link else None
