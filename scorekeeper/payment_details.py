"""Where somebody wants to be paid: an IBAN, and a link to a page that takes payments. Both are checked here."""

from __future__ import annotations

import re
from decimal import Decimal
from string import punctuation
from unicodedata import category, normalize
from unicodedata import digit as digit_value
from urllib.parse import SplitResult, quote, urlsplit

from .limits import MAX_LINK
from .scoring.problems import Problem

PLACEHOLDER = "{amount}"  # stands in a payment link for the amount
EXAMPLE_IBAN = "DE89 3704 0044 0532 0130 00"  # the example of the standard's registry
EXAMPLE_LINK = f"https://paypal.me/anne/{PLACEHOLDER}"

_MAX_TYPED_IBAN = 100  # characters, with spaces
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


# --- IBANs -------------------------------------------------------------------------------------------------


def parse_iban(typed: str | None) -> str | Problem:
    """Return an IBAN in capitals without spaces, or what is wrong with it; "" if nothing was typed."""
    text = typed or ""
    if len(text) > _MAX_TYPED_IBAN:
        return Problem("iban", "iban-start", {"example": EXAMPLE_IBAN})
    number = _without_separators(text)
    foreign = next((char for char in number if not (char.isascii() and char.isalnum())), None)
    if foreign is not None:
        return Problem("iban", "iban-character", {"found": foreign, "example": EXAMPLE_IBAN})
    number = number.upper().removeprefix("IBAN")
    return _iban_problem(number) or number if number else ""


def _without_separators(text: str) -> str:
    """Leave out spaces, points and hyphens; digits and letters of other scripts become the usual ones."""
    chars = (char for char in normalize("NFKC", text) if category(char) not in _IBAN_SEPARATORS and char not in ".:")
    return "".join(str(digit_value(char, char)) for char in chars)


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
    """Return an IBAN in groups of four."""
    return " ".join(re.findall(".{1,4}", iban))


# --- payment links -----------------------------------------------------------------------------------------


def parse_payment_link(typed: str | None) -> str | Problem:
    """Return a link as it may be stored, in ASCII, or what is wrong with it; "" if nothing was typed.

    Only https, so that nobody on the way changes where the money goes, and a host with a name. A host in other letters
    is stored in Punycode, so that it cannot be taken for another one.
    """
    text = (typed or "").strip()
    if not text:
        return ""
    problem = _text_problem(text)
    if problem is not None:
        return problem
    parts = _split(text)
    host = _ascii_host(parts.hostname or "") if parts is not None else None
    if parts is None or host is None:
        return Problem("payment_link", "link-host", {"example": EXAMPLE_LINK})
    if "@" in parts.netloc:
        return Problem("payment_link", "link-credentials")
    port = f":{parts.port}" if parts.port is not None else ""
    link = quote(parts._replace(netloc=f"{host}{port}").geturl(), safe=punctuation)
    return link if len(link) <= MAX_LINK else _too_long()


def _text_problem(text: str) -> Problem | None:
    if len(text) > MAX_LINK:
        return _too_long()
    # Browsers read a backslash as a slash, and leave out line breaks.
    if "\\" in text or any(char.isspace() or category(char).startswith("C") for char in text):
        return Problem("payment_link", "link-characters")
    if not text.lower().startswith("https://"):
        return Problem("payment_link", "link-https", {"example": EXAMPLE_LINK})
    return None


def _too_long() -> Problem:
    return Problem("payment_link", "link-long", {"most": MAX_LINK})


def _split(text: str) -> SplitResult | None:
    """Split a link into its parts; None if its host or its port is impossible."""
    try:
        parts = urlsplit(text)
        _ = parts.port, parts.hostname  # raise ValueError too
    except ValueError:
        return None
    return parts


def _ascii_host(host: str) -> str | None:
    """Return a host's name in ASCII; None for another host, or one that browsers may write in another way."""
    try:
        in_ascii = host.encode("idna").decode("ascii").lower()
        is_unambiguous = host.isascii() or in_ascii.encode("ascii").decode("idna") == normalize("NFC", host.lower())
    except UnicodeError:
        return None
    return in_ascii if is_unambiguous and _HOST.fullmatch(in_ascii) else None


def fill_in(link: str, amount: Decimal, places: int) -> str:
    """Return the link with the amount in place of its placeholder: with a decimal point and the currency's places."""
    return link.replace(PLACEHOLDER, f"{amount:.{places}f}")


def has_placeholder(link: str) -> bool:
    """Return whether the link takes an amount."""
    return PLACEHOLDER in link
