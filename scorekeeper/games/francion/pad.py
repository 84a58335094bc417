"""The pad of Francion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ...api import CARDS, Choice, ChoiceGroup, Facts, JsonObject
from .rules import PLAYED, TRICKS, WELCHE, WELCHE_IN_HEARTS, FrancionStanding


def pad(standing: FrancionStanding, facts: Facts) -> tuple[ChoiceGroup, ...]:
    welche = facts.get("welche", {})
    selections = _Selections(
        standing.players, standing.dealer, facts.get("tricks", {}), welche.get("event"), welche.get("player")
    )
    return _groups(selections, standing.welche_factor)


def _groups(selections: _Selections, factor: int) -> tuple[ChoiceGroup, ...]:
    is_played = selections.event in PLAYED
    return (
        *(
            ChoiceGroup(f"tricks-{player}", ("tricks",), _strip(player, _offered(selections, player)))
            for player in selections.players
        ),
        ChoiceGroup("welche", ("welche",), tuple(_outcomes(selections, factor)), kind=CARDS),
        ChoiceGroup("holder", ("welche",), tuple(_holders(selections)), kind=CARDS, required=is_played),
    )


@dataclass(frozen=True)
class _Selections:
    """The taps so far."""

    players: tuple[str, ...]
    dealer: str
    tricks: Mapping[str, int]
    event: str | None
    holder: str | None

    @cached_property
    def bounds(self) -> dict[str, tuple[int, int]]:
        """The fewest and the most tricks that each player can have: at least one for the player who won the Welche."""
        return {
            player: self._bounds(player, self.tricks.get(player), self.event, self.holder) for player in self.players
        }

    def can_total_nine(self, event: str | None, holder: str | None) -> bool:
        """Return whether the tricks can add up to nine with this event and holder of the Welche.

        Also if they cannot with any: it is the tricks that are to be corrected then, which is said once all is tapped.
        """
        if not self._can_tricks_total_nine:
            return True
        bounds = self.bounds
        for player in (self.holder, holder):
            if player is not None:
                bounds = bounds | {player: self._bounds(player, self.tricks.get(player), event, holder)}
        is_consistent = all(low <= high for low, high in bounds.values())
        min_total, max_total = sum(low for low, _ in bounds.values()), sum(high for _, high in bounds.values())
        return is_consistent and min_total <= TRICKS <= max_total

    @cached_property
    def _can_tricks_total_nine(self) -> bool:
        total = sum(self.tricks.values())
        return total == TRICKS if len(self.tricks) == len(self.players) else total <= TRICKS

    def possible(self, player: str) -> range:
        others = [bounds for other, bounds in self.bounds.items() if other != player]
        low, high = self._bounds(player, None, self.event, self.holder)
        if any(other_low > other_high for other_low, other_high in others):
            return range(0)
        lowest = TRICKS - sum(other_high for _, other_high in others)
        highest = TRICKS - sum(other_low for other_low, _ in others)
        return range(max(low, lowest), min(high, highest) + 1)

    @staticmethod
    def _bounds(player: str, tapped: int | None, event: str | None, holder: str | None) -> tuple[int, int]:
        low = 1 if player == holder and event == "won" else 0
        high = TRICKS - 1 if player == holder and event == "taken" else TRICKS
        return (low, high) if tapped is None else (max(low, tapped), min(high, tapped))


def _offered(selections: _Selections, player: str) -> tuple[bool, ...]:
    """Return for each number of tricks whether to offer it.

    A tapped number can always be lowered, so that another player's can be raised afterwards.
    """
    remaining = TRICKS - sum(count for other, count in selections.tricks.items() if other != player)
    possible, is_tapped = selections.possible(player), player in selections.tricks
    return tuple(n in possible or (is_tapped and n <= remaining) for n in range(TRICKS + 1))


def _strip(player: str, offered: tuple[bool, ...]) -> tuple[Choice, ...]:
    return tuple(Choice(str(n), {"tricks": {player: n}}, n, player, is_offered) for n, is_offered in enumerate(offered))


def _outcomes(selections: _Selections, factor: int) -> Iterator[Choice]:
    def outcome(key: str, jetons: int, event: str, **more: bool) -> Choice:
        price = {"jetons": jetons * factor, "party": selections.dealer}
        facts = {"welche": {"event": event, **more}}
        offered = selections.can_total_nine(event, selections.holder)
        return Choice(key, facts, f"francion.welche.{key}", offered=offered, params=price)

    yield outcome("won", WELCHE, "won", hearts_led=False)
    yield outcome("won-hearts", WELCHE_IN_HEARTS, "won", hearts_led=True)
    yield outcome("taken", WELCHE, "taken", hearts_led=False)
    yield outcome("taken-hearts", WELCHE_IN_HEARTS, "taken", hearts_led=True)
    yield outcome("turned", WELCHE, "turned")
    yield outcome("hidden", 0, "hidden")


def _holders(selections: _Selections) -> Iterator[Choice]:
    for player in selections.players:
        may_be_played = selections.event in (None, *PLAYED)
        offered = may_be_played and selections.can_total_nine(selections.event, player)
        facts = {"welche": {"player": player}}
        yield Choice(player, facts, "party", offered=offered, params={"party": player})


def complete(standing: FrancionStanding, facts: JsonObject) -> JsonObject:
    """Add the tricks that follow: the rest for the only player without a number, 0 once all nine are given."""
    facts = _without_needless_holder(facts)
    tricks = facts.get("tricks")
    if not isinstance(tricks, dict):
        return facts
    missing = [player for player in standing.players if player not in tricks]
    remaining = TRICKS - sum(count for count in tricks.values() if type(count) is int)
    if remaining == 0:
        return facts | {"tricks": tricks | dict.fromkeys(missing, 0)}
    if len(missing) == 1 and remaining > 0:
        return facts | {"tricks": tricks | {missing[0]: remaining}}
    return facts


def _without_needless_holder(facts: JsonObject) -> JsonObject:
    welche = facts.get("welche")
    if isinstance(welche, dict) and welche.get("event") in ("hidden", "turned"):
        welche = {key: value for key, value in welche.items() if key == "event"}
        return facts | {"welche": welche}
    return facts
