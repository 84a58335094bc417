"""What can be tapped to tell a deal of Francion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...scoring.pad import CARDS, Choice, Group
from .ledger import TRICKS, WELCHE, WELCHE_IN_HEARTS, FrancionStanding


def pad(standing: FrancionStanding, said: Mapping[str, Any]) -> Iterator[Group]:
    """A strip of tricks for each player in order of turn, then the six outcomes of the Welche and whose it was."""
    told: Mapping[str, int] = said.get("tricks", {})
    order = [*standing.others(standing.dealer), standing.dealer]
    for player in order:
        left = TRICKS - sum(count for other, count in told.items() if other != player)
        yield Group(
            f"tricks-{player}",
            ("tricks",),
            tuple(Choice(str(n), {"tricks": {player: n}}, n, row=player, offered=n <= left) for n in range(TRICKS + 1)),
            required=False,
        )
    yield Group("welche", ("welche",), tuple(_outcomes(standing)), kind=CARDS)
    yield Group("holder", ("welche",), tuple(_holders(order, said)), kind=CARDS, required=False)


def _outcomes(standing: FrancionStanding) -> Iterator[Choice]:
    def outcome(key: str, jetons: int, event: str, **more: bool) -> Choice:
        price = {"jetons": jetons * standing.welche_factor, "party": standing.dealer}
        return Choice(key, {"welche": {"event": event, **more}}, f"francion.welche.{key}", params=price)

    yield outcome("won", WELCHE, "won", hearts_led=False)
    yield outcome("won-hearts", WELCHE_IN_HEARTS, "won", hearts_led=True)
    yield outcome("taken", WELCHE, "taken", hearts_led=False)
    yield outcome("taken-hearts", WELCHE_IN_HEARTS, "taken", hearts_led=True)
    yield outcome("turned", WELCHE, "turned")
    yield outcome("hidden", 0, "hidden")


def _holders(order: list[str], said: Mapping[str, Any]) -> Iterator[Choice]:
    """Whose Welche it was: nobody's to ask where it was turned up or hidden."""
    event = said.get("welche", {}).get("event")
    told = said.get("tricks", {})
    for player in order:
        could = (
            event in (None, "won", "taken")
            and not (event == "won" and told.get(player) == 0)
            and not (event == "taken" and told.get(player) == TRICKS)
        )
        yield Choice(player, {"welche": {"player": player}}, "party", offered=could, params={"party": player})


def complete(standing: FrancionStanding, facts: dict[str, Any]) -> dict[str, Any]:
    """The one player not spoken of took what is left; where all nine tricks are told, the others took none."""
    facts = _without_a_holder_nobody_asked_for(facts)
    tricks = facts.get("tricks")
    if not isinstance(tricks, dict):
        return facts
    untold = [player for player in standing.players if player not in tricks]
    left = TRICKS - sum(count for count in tricks.values() if type(count) is int)
    if left == 0:
        return facts | {"tricks": tricks | dict.fromkeys(untold, 0)}
    if len(untold) == 1 and left > 0:
        return facts | {"tricks": tricks | {untold[0]: left}}
    return facts


def _without_a_holder_nobody_asked_for(facts: dict[str, Any]) -> dict[str, Any]:
    """A player tapped before the outcome turned out to be "hidden" or "turned up" says nothing."""
    welche = facts.get("welche")
    if isinstance(welche, dict) and welche.get("event") in ("hidden", "turned"):
        welche = {key: value for key, value in welche.items() if key == "event"}
        return facts | {"welche": welche}
    return facts
