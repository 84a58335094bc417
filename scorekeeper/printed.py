"""A statement for someone who reads it in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .language import party_words, say

if TYPE_CHECKING:
    from .book.verifying import Verified

_WIDEST = 60  # columns a table of the statement may take for its names


def statement(told: Mapping[str, Any], language: str) -> str:
    return "\n".join(one_line(line) for line in _lines(told, language))


def one_line(text: str) -> str:
    """The text without the control characters that a name may bring with it."""
    return "".join(sign if sign.isprintable() or sign == "\u202f" or sign == "\u00a0" else " " for sign in text)


def verified(done: Verified, language: str) -> str:
    """What a check of everything came to."""
    counts = {"circles": done.circles, "tables": done.tables, "revisions": done.revisions, "faults": len(done.faults)}
    told: dict[str, Any] = {name: say(language, f"verify.{name}", count=count) for name, count in counts.items()}
    return say(language, "verify.done", **told)


def _lines(told: Mapping[str, Any], language: str) -> Iterator[str]:
    party = party_words(language)
    status = say(language, f"printed.{told['status']}")
    yield f"{say(language, told['game'] + '.name')} — {status}"
    if told.get("winner"):
        yield "  " + say(language, "table.won", party=told["winner"])
    if told["dealer"] is not None:
        yield "  " + say(language, "table.deals", party=told["dealer"])
    yield "  " + _score(told["scores"], party)
    for row in told["deals"]:
        scored, scores = _score(row["scored"], party), _score(row["scores"], party)
        yield f"  {row['number']:>4}  {row['dealer']}: {scored}  →  {scores}"
    yield say(language, "table.balances")
    width = min(_WIDEST, max(map(len, told["balances"])))
    for player, held in told["balances"].items():
        counters = "  ".join(f"{amount:+d} {say(language, f'unit.{unit}').lower()}" for unit, amount in held.items())
        yield f"  {player:<{width}}  {counters}"
    yield say(language, "ways.settlement")
    for payment in told["settlement"]:
        unit = "jetons" if "jetons" in payment else "fiches"
        names = {"giver": payment["from"], "taker": payment["to"]}
        yield "  " + say(language, f"entry.pays.{unit}", count=payment[unit], **names)
    if not told["settlement"]:
        yield "  " + say(language, "settlement.nothing")


def _score(scores: Mapping[str, int], party: Any) -> str:
    return ", ".join(f"{party(key)} {points}" for key, points in scores.items())
