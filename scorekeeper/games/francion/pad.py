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
    for player in standing.players:
        yield ChoiceGroup(f"tricks-{player}", ("tricks",), tuple(_tricks(standing, facts, player)))
    yield ChoiceGroup("welche", ("welche",), tuple(_outcomes(standing, facts)), kind=CARDS)
    is_played = _welche(facts).get("event") in PLAYED
    yield ChoiceGroup("holder", ("welche",), tuple(_holders(standing, facts)), kind=CARDS, required=is_played)


def _welche(facts: Facts) -> Facts:
    welche: Facts = facts.get("welche", {})
    return welche


def _tricks(standing: FrancionStanding, facts: Facts, player: str) -> Iterator[Choice]:
    tricks = facts.get("tricks", {})
    welche = _welche(facts)
    rest = TRICKS - sum(count for other, count in tricks.items() if other != player)
    for n in range(TRICKS + 1):
        can_be_lowered = player in tricks and n <= rest  # so that another player's can be raised afterwards
        entered = {**tricks, player: n}
        offered = can_be_lowered or _can_total_nine(
            standing.players, entered, welche.get("event"), welche.get("player")
        )
        yield Choice(str(n), {"tricks": {player: n}}, n, player, offered)


def _outcomes(standing: FrancionStanding, facts: Facts) -> Iterator[Choice]:
    holder = _welche(facts).get("player")
    for key, (jetons, outcome) in OUTCOMES.items():
        params = {"jetons": jetons * standing.welche_factor, "party": standing.dealer}
        offered = _goes_with_tricks(standing, facts, outcome["event"], holder)
        yield Choice(key, {"welche": outcome}, f"francion.welche.{key}", offered=offered, params=params)


def _holders(standing: FrancionStanding, facts: Facts) -> Iterator[Choice]:
    """Yield the players who may have held the Welche; none is offered if it was turned up or hidden."""
    event = _welche(facts).get("event")
    for player in standing.players:
        offered = event in (None, *PLAYED) and _goes_with_tricks(standing, facts, event, player)
        yield party_choice(player, {"welche": {"player": player}}, offered=offered)


def _goes_with_tricks(standing: FrancionStanding, facts: Facts, event: str | None, holder: str | None) -> bool:
    """Return whether this can have become of the Welche, or it is the tricks that are to be corrected."""
    tricks = facts.get("tricks", {})
    players = standing.players
    return _can_total_nine(players, tricks, event, holder) or not _can_total_nine(players, tricks, None, None)


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
