"""Check how a player of a circle's file wants to be paid, as the form for it does."""

from __future__ import annotations

from collections.abc import Iterator

from ...exchange.circle_records import PlayerRecord
from ...payment_details import parse_iban, parse_payment_link
from ...scoring.problems import Problem, abbreviate_value


def paying_problems(player: PlayerRecord) -> Iterator[Problem]:
    """Yield what is wrong with a player's IBAN and payment link."""
    for name, text, parse in (
        ("iban", player.iban, parse_iban),
        ("payment_link", player.payment_link, parse_payment_link),
    ):
        parsed = parse(text) if text is not None else None
        if isinstance(parsed, Problem):
            yield Problem(name, parsed.key, parsed.params)
        elif text is not None and parsed != text:
            yield Problem(name, "not-as-stored", {"found": abbreviate_value(text), "must": abbreviate_value(parsed)})
