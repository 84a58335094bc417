"""Where somebody wants to be paid: an IBAN, and a link to a page that takes payments; how both are checked and kept."""

from __future__ import annotations

import re
from decimal import Decimal
from string import punctuation
from typing import NamedTuple
from unicodedata import category, normalize
from unicodedata import digit as digit_value
from urllib.parse import quote, urlsplit

from sqlalchemy import or_, select

from ..db.transactions import RightRevokedError, writing_to_circle
from ..limits import MAX_LINK_LENGTH
from ..models import HOST, SCORE, Circle, Membership, Player, db, may
from ..scoring.problems import Problem
from .reading import is_own_membership
from .writing import change_problem

PLACEHOLDER = "{amount}"  # stands in a payment link for the amount
EXAMPLE_IBAN = "DE89 3704 0044 0532 0130 00"  # the example of the standard's registry
EXAMPLE_LINK = f"https://paypal.me/anne/{PLACEHOLDER}"

_IBAN = re.compile("[A-Z]{2}[0-9]{2}[A-Z0-9]+")
_IBAN_SEPARATORS = ("Zs", "Cc", "Cf", "Pd")  # categories of characters left out: spaces, invisible ones, hyphens
# How many characters the IBANs of a country have: the registry of SWIFT.
_IBAN_LENGTHS = {
    15: "NO",
    16: "BE",
    18: "DK FI FK FO GL NL SD",
    19: "MK SI",
    20: "AT BA EE KZ LT LU MN XK",
    21: "CH HR LI LV",
    22: "BG BH CR DE GB GE IE ME RS VA",
    23: "AE GI IL IQ OM SO TL",
    24: "AD CZ ES MD PK RO SA SE SK TN VG",
    25: "LY PT ST",
    26: "IS TR",
    27: "BI DJ FR GR IT MC MR SM",
    28: "AL AZ BY CY DO GT HN HU LB NI PL SV",
    29: "BR EG PS QA UA",
    30: "JO KW MU YE",
    31: "MT SC",
    32: "LC",
    33: "RU",
}
_HOST = re.compile(r"(?:[a-z0-9_-]+\.)+[a-z][a-z0-9-]*")  # no address in digits


def parse_iban(typed: str | None) -> str | Problem:
    """Return an IBAN in capitals without spaces, or what is wrong with it; "" if nothing was typed.

    Spaces, points and hyphens are left out; digits and letters of other scripts become the usual ones.
    """
    text = normalize("NFKC", typed or "")
    chars = (char for char in text if category(char) not in _IBAN_SEPARATORS and char not in ".:")
    number = "".join(str(digit_value(char, char)) for char in chars)
    foreign = next((char for char in number if not (char.isascii() and char.isalnum())), None)
    if foreign is not None:
        return Problem("iban", "iban-character", {"found": foreign, "example": EXAMPLE_IBAN})
    number = number.upper().removeprefix("IBAN")
    return _iban_problem(number) or number if number else ""


def _iban_problem(number: str) -> Problem | None:
    if not _IBAN.fullmatch(number):
        return Problem("iban", "iban-start", {"example": EXAMPLE_IBAN})
    length = next((length for length, countries in _IBAN_LENGTHS.items() if number[:2] in countries.split()), None)
    if length is None:
        return Problem("iban", "iban-country", {"found": number[:2]})
    if len(number) != length:
        return Problem("iban", "iban-length", {"found": len(number), "must": length, "country": number[:2]})
    digits = "".join(str(int(char, 36)) for char in number[4:] + number[:4])
    return Problem("iban", "iban-check") if int(digits) % 97 != 1 else None


def group_iban(iban: str) -> str:
    return " ".join(re.findall(".{1,4}", iban))


def parse_payment_link(typed: str | None) -> str | Problem:
    """Return a link as it may be stored, in ASCII, or what is wrong with it; "" if nothing was typed.

    Only https, so that nobody on the way changes where the money goes, and a host with a name. A host in other letters
    is stored in Punycode, so that it cannot be taken for another one.
    """
    text = (typed or "").strip()
    example = {"example": EXAMPLE_LINK}
    if not text:
        return ""
    if len(text) > MAX_LINK_LENGTH:
        return Problem("payment_link", "link-long", {"most": MAX_LINK_LENGTH})
    # Phones read a backslash as a slash, and leave out line breaks.
    if "\\" in text or any(char.isspace() or category(char).startswith("C") for char in text):
        return Problem("payment_link", "link-characters")
    if not text.lower().startswith("https://"):
        return Problem("payment_link", "link-https", example)
    try:
        parts = urlsplit(text)
        host = _ascii_host(parts.hostname or "")
        port = f":{parts.port}" if parts.port is not None else ""
    except ValueError:  # an impossible port, or a host that browsers may write in another way
        return Problem("payment_link", "link-host", example)
    if "@" in parts.netloc:
        return Problem("payment_link", "link-credentials")
    link = quote(parts._replace(netloc=f"{host}{port}").geturl(), safe=punctuation)
    return link if len(link) <= MAX_LINK_LENGTH else Problem("payment_link", "link-long", {"most": MAX_LINK_LENGTH})


def _ascii_host(host: str) -> str:
    """Raise a ValueError for what is no name, or one that browsers may write in another way."""
    in_ascii = host.encode("idna").decode("ascii").lower()
    is_unambiguous = host.isascii() or in_ascii.encode("ascii").decode("idna") == normalize("NFC", host.lower())
    if not is_unambiguous or not _HOST.fullmatch(in_ascii):
        raise ValueError(host)
    return in_ascii


def fill_in(link: str, amount: Decimal, places: int) -> str:
    return link.replace(PLACEHOLDER, f"{amount:.{places}f}")


class PaymentDetails(NamedTuple):
    iban: str | None
    link: str | None


def read_payment_details(circle: Circle) -> dict[int, PaymentDetails]:
    """Return how people want to be paid, by the person's id. A player merged into them has what they lack."""
    has_details = or_(Player.iban.is_not(None), Player.payment_link.is_not(None))
    persons_first = (Player.person_id.is_not(None), Player.id)
    players = select(Player).where(Player.circle_id == circle.id, has_details).order_by(*persons_first)
    details: dict[int, PaymentDetails] = {}
    for player in db.session.scalars(players):
        person_id = player.person_id or player.id
        iban, link = details.get(person_id, (None, None))
        details[person_id] = PaymentDetails(iban or player.iban, link or player.payment_link)
    return details


def may_change(membership: Membership, person: Player) -> bool:
    """Return whether this phone may say how a person wants to be paid.

    Hosts may. So may the person's own phone if it may score, until something is entered: anyone could claim to be the
    person, and send the money elsewhere.
    """
    if may(membership.right, HOST):
        return True
    is_own = may(membership.right, SCORE) and is_own_membership(membership, person)
    return is_own and person.id not in read_payment_details(person.circle)


def set_payment_details(person: Player, details: PaymentDetails, by: Membership) -> Problem | None:
    """Set how a person wants to be paid; return a problem if they were merged or erased meanwhile.

    What is removed is removed from the players merged into them too, so that it does not come back from there.
    """
    with writing_to_circle(person.circle_id, membership=by, right=SCORE) as circle:
        if read_payment_details(circle).get(person.id) == details:
            return None
        if not may_change(by, person):
            raise RightRevokedError
        if (problem := change_problem(person)) is not None:
            return problem
        person.iban, person.payment_link = details
        merged_into = select(Player).where(Player.circle_id == circle.id, Player.person_id == person.id)
        for merged in db.session.scalars(merged_into):
            merged.iban = merged.iban if details.iban else None
            merged.payment_link = merged.payment_link if details.link else None
        return None
