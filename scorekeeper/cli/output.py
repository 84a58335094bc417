"""Text output of commands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..i18n import party_namer, translate
from ..scoring.values import single_line

if TYPE_CHECKING:
    from ..services.integrity import VerificationReport

_WIDEST = 60  # columns a table of the statement may take for its names


def statement(data: Mapping[str, Any], language: str) -> str:
    """Return a statement as text for a terminal."""
    return "\n".join(single_line(line) for line in _lines(data, language))


def verified(done: VerificationReport, language: str) -> str:
    """Return the result of `verify` in one sentence."""
    counts = {"circles": done.circles, "tables": done.tables, "revisions": done.revisions, "faults": len(done.faults)}
    params: dict[str, Any] = {
        name: translate(language, f"verify.{name}", count=count) for name, count in counts.items()
    }
    return translate(language, "verify.done", **params)


def _lines(data: Mapping[str, Any], language: str) -> Iterator[str]:
    party = party_namer(language)
    status = translate(language, f"printed.{data['status']}")
    yield f"{translate(language, data['game'] + '.name')} — {status}"
    if data.get("winner"):
        yield "  " + translate(language, "table.won", party=data["winner"])
    if data["dealer"] is not None:
        yield "  " + translate(language, "table.deals", party=data["dealer"])
    yield "  " + _score(data["scores"], party)
    for row in data["deals"]:
        scored, scores = _score(row["scored"], party), _score(row["scores"], party)
        yield f"  {row['number']:>4}  {row['dealer']}: {scored}  →  {scores}"
    yield translate(language, "table.balances")
    width = min(_WIDEST, max(map(len, data["balances"])))
    for player, balance in data["balances"].items():
        counters = "  ".join(
            f"{amount:+d} {translate(language, f'unit.{unit}').lower()}" for unit, amount in balance.items()
        )
        yield f"  {player:<{width}}  {counters}"
    yield translate(language, "ways.settlement")
    for payment in data["settlement"]:
        unit = "jetons" if "jetons" in payment else "fiches"
        names = {"giver": payment["from"], "taker": payment["to"]}
        yield "  " + translate(language, f"entry.pays.{unit}", count=payment[unit], **names)
    if not data["settlement"]:
        yield "  " + translate(language, "settlement.nothing")


def _score(scores: Mapping[str, int], party: Any) -> str:
    return ", ".join(f"{party(key)} {points}" for key, points in scores.items())
