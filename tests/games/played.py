"""Deals and sheets of the bundled games, their statements and their refusals."""

from __future__ import annotations

from typing import Any

from .. import sheets

FIVE = ("Anne", "Bruno", "Chloé", "David", "Élise")
PLAYERS = FIVE[:4]
SIDES = ("ns", "ew")
MISDEAL = {"misdeal": True}


def sheet(game: str, deals: list[dict[str, Any]], **house_rules: Any) -> dict[str, Any]:
    return {
        "format": "scorekeeper-sheet/1",
        "game": game,
        "players": list(PLAYERS),
        "house_rules": house_rules,
        "deals": deals,
    }


def scored(game: str, deals: list[dict[str, Any]], **house_rules: Any) -> dict[str, Any]:
    return sheets.scored(sheet(game, deals, **house_rules))


def fields_refused(game: str, deals: list[dict[str, Any]], **house_rules: Any) -> tuple[int | None, list[str]]:
    return sheets.refused(sheet(game, deals, **house_rules))


def points(to: str, number: int) -> dict[str, Any]:
    return {"adjustment": {"to": to, "points": number}}


def at(ns: int, ew: int) -> list[dict[str, Any]]:
    """Return adjustments that bring the sides to these scores."""
    return [points(side, number) for side, number in zip(SIDES, (ns, ew), strict=True) if number]


def francion_deal(
    *tricks: int, welche: str = "hidden", by: str | None = None, hearts_led: Any = False, **more: Any
) -> dict[str, Any]:
    """Build a deal from the tricks by seat. Unless given, the Welche stays hidden, which pays nothing."""
    facts: dict[str, Any] = {"event": welche}
    if by is not None:
        facts["player"] = by
    if hearts_led is not False:
        facts["hearts_led"] = hearts_led
    return {"tricks": dict(zip(FIVE, tricks, strict=False)), "welche": facts} | more


def contract(text: str) -> dict[str, Any]:
    """Parse a contract: "Anne 7", or "Anne 7n" at no trump."""
    player, bid = text.split()
    return {"player": player, "points": int(bid.removesuffix("n")), "no_trump": bid.endswith("n")}


def joffre_deal(bid_by: str, ns: int, five: str, three: str, **more: Any) -> dict[str, Any]:
    """Build a deal from the contract, North–South's tricks, and the sides that took the 5♥ and the 3♠."""
    facts = {"contract": contract(bid_by), "tricks": {"ns": ns}, "five_of_hearts": five, "three_of_spades": three}
    return facts | more


def whist_deal(ns: int, honours: str = "") -> dict[str, Any]:
    """Build a deal from North–South's tricks and honours such as "ew 3"."""
    facts: dict[str, Any] = {"tricks": {"ns": ns}}
    if honours:
        side, count = honours.split()
        facts["honours"] = {"side": side, "count": int(count)}
    return facts


def quarante_deal(ns: int, clique: str = "") -> dict[str, Any]:
    """Build a deal from North–South's card points and a clique such as "Bruno 4 kings"."""
    facts: dict[str, Any] = {"card_points": {"ns": ns}}
    if clique:
        player, count, rank = clique.split()
        facts["clique"] = {"player": player, "rank": rank, "count": int(count)}
    return facts
