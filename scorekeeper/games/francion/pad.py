"""What can be tapped to tell a deal of Francion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from ...scoring.pad import CARDS, Choice, Group
from .ledger import PLAYED, TRICKS, WELCHE, WELCHE_IN_HEARTS, FrancionStanding


def pad(standing: FrancionStanding, said: Mapping[str, Any]) -> tuple[Group, ...]:
    """A strip of tricks for each player in order of turn, the six outcomes of the Welche, and whose it was."""
    order = (*standing.others(standing.dealer), standing.dealer)
    if not said:
        return _untouched(order, standing.welche_factor)
    welche = said.get("welche", {})
    told = _Told(order, said.get("tricks", {}), welche.get("event"), welche.get("player"))
    return _groups(told, standing.welche_factor)


@lru_cache(maxsize=64)
def _untouched(order: tuple[str, ...], factor: int) -> tuple[Group, ...]:
    """Kept, since every tap asks how the pad was before the first one."""
    return _groups(_Told(order, {}, None, None), factor)


def _groups(told: _Told, factor: int) -> tuple[Group, ...]:
    return (
        *(Group(f"tricks-{player}", ("tricks",), _strip(player, _offered(told, player))) for player in told.order),
        Group("welche", ("welche",), tuple(_outcomes(told, factor)), kind=CARDS),
        Group("holder", ("welche",), tuple(_holders(told)), kind=CARDS, required=told.event in PLAYED),
    )


@dataclass(frozen=True)
class _Told:
    """What has been tapped so far."""

    order: tuple[str, ...]  # the dealer last
    tricks: Mapping[str, int]
    event: str | None
    holder: str | None

    @cached_property
    def bounds(self) -> dict[str, tuple[int, int]]:
        """The fewest and the most tricks that each player can have: a trick at least for who won the Welche."""
        return {player: self._bounds(player, self.tricks.get(player), self.event, self.holder) for player in self.order}

    def makes_nine(self, event: str | None, holder: str | None) -> bool:
        """Whether all the players together can have nine tricks, were this told of the Welche."""
        bounds = self.bounds
        for player in (self.holder, holder):
            if player is not None:
                bounds = bounds | {player: self._bounds(player, self.tricks.get(player), event, holder)}
        fits = all(low <= high for low, high in bounds.values())
        return fits and sum(low for low, _ in bounds.values()) <= TRICKS <= sum(high for _, high in bounds.values())

    def possible(self, player: str) -> range:
        """The tricks that a player can have, whatever was told of his own."""
        others = [bounds for other, bounds in self.bounds.items() if other != player]
        low, high = self._bounds(player, None, self.event, self.holder)
        if any(least > most for least, most in others):
            return range(0)
        least, most = TRICKS - sum(most for _, most in others), TRICKS - sum(least for least, _ in others)
        return range(max(low, least), min(high, most) + 1)

    @staticmethod
    def _bounds(player: str, told: int | None, event: str | None, holder: str | None) -> tuple[int, int]:
        low = 1 if player == holder and event == "won" else 0
        high = TRICKS - 1 if player == holder and event == "taken" else TRICKS
        return (low, high) if told is None else (max(low, told), min(high, told))


def _offered(told: _Told, player: str) -> tuple[bool, ...]:
    """What this player can have; a number told before can be lowered as well, to raise another's after it."""
    left = TRICKS - sum(count for other, count in told.tricks.items() if other != player)
    possible, is_told = told.possible(player), player in told.tricks
    return tuple(n in possible or (is_told and n <= left) for n in range(TRICKS + 1))


@lru_cache(maxsize=1024)
def _strip(player: str, offered: tuple[bool, ...]) -> tuple[Choice, ...]:
    """Kept, since every tap lays out ten of them, and most are as before."""
    return tuple(Choice(str(n), {"tricks": {player: n}}, n, player, can_be) for n, can_be in enumerate(offered))


def _outcomes(told: _Told, factor: int) -> Iterator[Choice]:
    def outcome(key: str, jetons: int, event: str, **more: bool) -> Choice:
        price = {"jetons": jetons * factor, "party": told.order[-1]}
        facts = {"welche": {"event": event, **more}}
        offered = told.makes_nine(event, told.holder)
        return Choice(key, facts, f"francion.welche.{key}", offered=offered, params=price)

    yield outcome("won", WELCHE, "won", hearts_led=False)
    yield outcome("won-hearts", WELCHE_IN_HEARTS, "won", hearts_led=True)
    yield outcome("taken", WELCHE, "taken", hearts_led=False)
    yield outcome("taken-hearts", WELCHE_IN_HEARTS, "taken", hearts_led=True)
    yield outcome("turned", WELCHE, "turned")
    yield outcome("hidden", 0, "hidden")


def _holders(told: _Told) -> Iterator[Choice]:
    """Whose Welche it was: nobody's to ask where it was turned up or hidden."""
    for player in told.order:
        was_played = told.event in (None, *PLAYED)
        offered = was_played and told.makes_nine(told.event, player)
        facts = {"welche": {"player": player}}
        yield Choice(player, facts, "party", offered=offered, params={"party": player})


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
