"""The pad of Francion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...api import CARDS, Choice, ChoiceGroup, Facts, JsonObject, party_choice
from .rules import PLAYED, TRICKS, WELCHE, WELCHE_IN_HEARTS, FrancionStanding

OUTCOMES: dict[str, tuple[int, JsonObject]] = {  # of the Welche: the jetons that it pays, and its facts
    "won": (WELCHE, {"event": "won", "hearts_led": False}),
    "won-hearts": (WELCHE_IN_HEARTS, {"event": "won", "hearts_led": True}),
    "taken": (WELCHE, {"event": "taken", "hearts_led": False}),
    "taken-hearts": (WELCHE_IN_HEARTS, {"event": "taken", "hearts_led": True}),
    "turned": (WELCHE, {"event": "turned"}),
    "hidden": (0, {"event": "hidden"}),
}


def pad(standing: FrancionStanding, facts: Facts) -> Iterator[ChoiceGroup]:
    players = standing.players
    tricks = facts.get("tricks", {})
    welche = facts.get("welche", {})
    event = welche.get("event")
    holder = welche.get("player")
    is_possible = _can_total_nine(players, tricks, None, None)  # else it is the tricks that are to be corrected

    def fits(event: str | None, holder: str | None) -> bool:
        return not is_possible or _can_total_nine(players, tricks, event, holder)

    for player in players:
        rest = TRICKS - sum(count for other, count in tricks.items() if other != player)
        strip = []
        for n in range(TRICKS + 1):
            can_be_lowered = player in tricks and n <= rest  # so that another player's can be raised afterwards
            offered = can_be_lowered or _can_total_nine(players, {**tricks, player: n}, event, holder)
            strip.append(Choice(str(n), {"tricks": {player: n}}, n, player, offered))
        yield ChoiceGroup(f"tricks-{player}", ("tricks",), tuple(strip))
    outcomes = [
        Choice(
            key,
            {"welche": outcome},
            f"francion.welche.{key}",
            offered=fits(outcome["event"], holder),
            params={"jetons": jetons * standing.welche_factor, "party": standing.dealer},
        )
        for key, (jetons, outcome) in OUTCOMES.items()
    ]
    yield ChoiceGroup("welche", ("welche",), tuple(outcomes), kind=CARDS)
    holders = []
    for player in players:  # none if it was turned up or hidden
        offered = event in (None, *PLAYED) and fits(event, player)
        holders.append(party_choice(player, {"welche": {"player": player}}, offered=offered))
    yield ChoiceGroup("holder", ("welche",), tuple(holders), kind=CARDS, required=event in PLAYED)


def _can_total_nine(players: Sequence[str], tricks: Mapping[str, int], event: str | None, holder: str | None) -> bool:
    """Return whether all tricks can add up to nine: one at least for who won the Welche, eight for whose was taken."""
    least = most = 0
    for player in players:
        low = max(tricks.get(player, 0), player == holder and event == "won")
        high = min(tricks.get(player, TRICKS), TRICKS - (player == holder and event == "taken"))
        if low > high:
            return False
        least, most = least + low, most + high
    return least <= TRICKS <= most


def complete(standing: FrancionStanding, facts: JsonObject) -> JsonObject:
    """Add the tricks that follow: the rest for the only player without a number, 0 once all nine are given."""
    welche = facts.get("welche")
    if isinstance(welche, dict) and welche.get("event") in ("hidden", "turned"):  # nobody held it
        facts = facts | {"welche": {key: value for key, value in welche.items() if key == "event"}}
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
