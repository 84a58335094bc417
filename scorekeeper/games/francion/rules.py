"""The rules of Francion: the facts of a deal and its scoring, in the order of rules.en.md beside this file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Annotated, Literal

from ... import api
from .box import Box, Counters, EntryHandOver, HandOver, boxes, hand_overs, settlement_hand_overs

TRICKS = 9  # tricks in a deal, and jetons that the dealer stakes
MANCHE_POINTS = 6
NO_POINT_FICHES = 12  # fiches from a player without a point when the manche ends
WELCHE = 4  # jetons
WELCHE_IN_HEARTS = 2  # jetons, where hearts were led and are not trumps
PLAYED = ("won", "taken")  # events in which the Welche is played, and so belongs to a player
MAX_AT_STAKE = 10**18  # jetons, and the limit of the Welche's factor: bêtes and factors carried on grow without bound

REASONS = ("stake", "bete", "tricks", "most_tricks", "welche_turned", "welche_won", "welche_taken", "manche")


@dataclass(frozen=True)
class Options:
    last_bete: Literal["lapse", "carry"] = "lapse"
    hidden_welche: Literal["double", "redouble"] = "double"
    box: Box | None = None


@dataclass(frozen=True)
class Welche:
    """The fate of the Welche. `player` held it, and is set only for the events in `PLAYED`."""

    event: Literal["hidden", "turned", "won", "taken"]
    player: api.Player | None = None
    hearts_led: bool = False


@dataclass(frozen=True)
class Deal:
    """The facts of a deal: tricks by player (0 if missing), and the Welche."""

    tricks: dict[api.Player, Annotated[int, api.Range(0, TRICKS)]]
    welche: Welche


@dataclass(slots=True)
class FrancionStanding(api.Standing[Options]):
    betes: dict[str, int] = field(default_factory=dict)  # jetons owed to the next pot, by player
    welche_factor: int = 1  # of the next Welche payment

    def substitute_in_own_fields(self, out: str, in_: str) -> None:
        self.betes = api.replace_player(self.betes, out, in_)

    @property
    def pot(self) -> int:
        return TRICKS + sum(self.betes.values())

    @property
    def boxes(self) -> dict[str, Counters]:
        box = self.options.box
        return boxes(box, self.balances, self.players) if box else {}

    @property
    def opening_counters(self) -> dict[str, int]:
        box = self.options.box
        return {api.FICHES: box.fiches, api.JETONS: box.jetons} if box else {}

    @property
    def hand_overs(self) -> dict[int, list[EntryHandOver]]:
        box = self.options.box
        return hand_overs(box, self.rows) if box else {}

    def settlement_hand_overs(
        self, payments: Sequence[api.Transfer], names: Mapping[str, str]
    ) -> list[HandOver | None]:
        boxes = {names[player]: box for player, box in self.boxes.items()}
        return settlement_hand_overs(boxes, payments) if boxes else []


def tricks_problems(_standing: FrancionStanding, deal: Deal) -> Iterator[api.Problem]:
    total = sum(deal.tricks.values())
    if total != TRICKS:
        yield api.Problem("tricks", "sum-of-tricks", {"found": total, "must": TRICKS})


def welche_problems(standing: FrancionStanding, deal: Deal) -> Iterator[api.Problem]:
    welche = deal.welche
    if welche.event in PLAYED:
        if welche.player is None:
            yield api.Problem("welche.player", "francion.whose-welche", {"parties": standing.players})
        return
    if welche.player is not None:
        yield api.Problem("welche.player", "francion.no-holder")
    if welche.hearts_led:
        yield api.Problem("welche.hearts_led", "francion.nothing-led")


def holder_problems(_standing: FrancionStanding, deal: Deal) -> Iterator[api.Problem]:
    player, event = deal.welche.player, deal.welche.event
    tricks = deal.tricks.get(player or "", 0)
    if player is not None and event == "won" and tricks == 0:
        yield api.Problem("welche.player", "francion.won-without-a-trick", {"party": player})
    if player is not None and event == "taken" and tricks == TRICKS:
        yield api.Problem("welche.player", "francion.taken-by-nobody", {"party": player})


def stake_problems(standing: FrancionStanding, _deal: Deal) -> Iterator[api.Problem]:
    if max(standing.pot, standing.welche_factor) > MAX_AT_STAKE:
        yield api.Problem("deals", "francion.too-much-at-stake")


CHECKS = (
    api.Check(("tricks",), tricks_problems),
    api.Check(("welche",), welche_problems),
    api.Check(("tricks", "welche"), holder_problems),
    api.Check((), stake_problems),
)


def score(standing: FrancionStanding, deal: Deal) -> list[api.Entry]:
    dealer, pot = standing.dealer, standing.pot
    each = pot // TRICKS
    order = [*standing.others(dealer), dealer]
    tricks = [(player, deal.tricks.get(player, 0)) for player in order]
    entries = [api.Entry(dealer, api.POT, TRICKS, api.JETONS, "stake")]
    entries += [api.Entry(player, api.POT, owed, api.JETONS, "bete") for player, owed in standing.betes.items()]
    entries += [api.Entry(api.POT, player, won * each, api.JETONS, "tricks") for player, won in tricks if won]
    most = max(tricks, key=itemgetter(1))[0]  # among equals the first in order of turn has primauté
    entries.append(api.mark(most, 1, "most_tricks"))
    entries += _welche_payments(standing, deal.welche)
    standing.betes = {player: pot for player, won in tricks if not won}
    doubled = 2 * standing.welche_factor if standing.options.hidden_welche == "redouble" else 2
    standing.welche_factor = doubled if deal.welche.event == "hidden" else 1
    return entries


def _welche_payments(standing: FrancionStanding, welche: Welche) -> list[api.Entry]:
    event = welche.event
    if event == "hidden":
        return []
    amount = (WELCHE_IN_HEARTS if welche.hearts_led else WELCHE) * standing.welche_factor
    holder = standing.dealer if event == "turned" else welche.player or ""
    others = standing.others(holder)
    if event == "taken":
        return [api.Entry(holder, other, amount, api.JETONS, "welche_taken") for other in others]
    return [api.Entry(other, holder, amount, api.JETONS, f"welche_{event}") for other in others]


def close(standing: FrancionStanding) -> api.Closing | None:
    winner = next((p for p, points in standing.scores.items() if points >= MANCHE_POINTS), None)
    if winner is None:
        return None
    if standing.options.last_bete == "lapse":
        standing.betes = {}
    owed = {loser: MANCHE_POINTS - standing.scores[loser] for loser in standing.others(winner)}
    entries = tuple(
        api.Entry(loser, winner, NO_POINT_FICHES if fiches == MANCHE_POINTS else fiches, api.FICHES, "manche")
        for loser, fiches in owed.items()
    )
    return api.Closing(api.MANCHE, winner, {"scores": standing.scores.copy()}, entries)


def explain(_standing: FrancionStanding, row: api.Row, entry: api.Entry) -> dict[str, int]:
    deal = row.fact
    if not isinstance(deal, Deal):
        return {}
    if entry.reason == "tricks" and entry.taker is not None:
        won = deal.tricks[entry.taker]
        return {"tricks": won, "each": entry.amount // won}
    if entry.reason.startswith("welche_"):
        each = WELCHE_IN_HEARTS if deal.welche.hearts_led else WELCHE
        return {"each": each, "factor": entry.amount // each}
    return {}


def report(standing: FrancionStanding) -> api.JsonObject:
    return {"pot": standing.pot, "welche_factor": standing.welche_factor, "manches": standing.closed(api.MANCHE)}


# --- statistics --------------------------------------------------------------------------------------------------

FIGURES = ("most_tricks", "all_nine", "welche_won", "welche_taken", "welche_turned", "bete", "bete_jetons")
FEATS = ("largest_pot", "best_welche", "manche_fiches", "longest_manche")


def figures(standing: FrancionStanding, row: api.Row) -> Iterator[api.Figure]:
    if not isinstance(row.fact, Deal):
        return
    tricks, welche = row.fact.tricks, row.fact.welche
    winner = next(entry.taker for entry in row.entries if entry.reason == "most_tricks") or ""
    yield api.Figure(winner, "most_tricks", "outright" if len(_leaders(standing, row.fact)) == 1 else "primaute")
    if max(tricks.values()) == TRICKS:
        yield api.Figure(winner, "all_nine")
    if welche.event == "turned":
        yield api.Figure(row.dealer, "welche_turned")
    elif welche.event in PLAYED and welche.player is not None:
        yield api.Figure(welche.player, f"welche_{welche.event}")
    lapses = bool(row.closings) and standing.options.last_bete == "lapse"  # then a bête counts without jetons
    for player in (player for player in standing.players if not tricks.get(player)):
        yield api.Figure(player, "bete")
        if not lapses:
            yield api.Figure(player, "bete_jetons", times=_pot(row))


def _leaders(standing: FrancionStanding, deal: Deal) -> tuple[str, ...]:
    most = max(deal.tricks.values())
    return tuple(player for player in standing.players if deal.tricks.get(player) == most)


def _pot(row: api.Row) -> int:
    return sum(entry.amount for entry in row.entries if entry.reason in ("stake", "bete"))


def feats(standing: FrancionStanding, row: api.Row) -> Iterator[api.Feat]:
    if isinstance(row.fact, Deal):
        # To all players with the most tricks: primauté wins a point but no jetons.
        yield api.Feat("largest_pot", _pot(row), _leaders(standing, row.fact))
        won = [entry for entry in row.entries if entry.reason in ("welche_won", "welche_turned")]
        if won and won[0].taker is not None:
            yield api.Feat("best_welche", sum(entry.amount for entry in won), (won[0].taker,))
    for closing in row.closings:
        yield api.Feat("manche_fiches", sum(entry.amount for entry in closing.entries), (closing.winner,))
        yield from api.length_feats(standing, row, api.MANCHE)


# --- the draw: the lowest card deals first, the ace being high. Drawing for seats is optional --------------------


PACKS = {3: api.PIQUET, 4: api.QUADRILLE, 5: api.FULL_PACK}  # by number of players


def seat(players: api.Players, orders: Mapping[str, api.Players]) -> api.Seating:
    seats = orders.get("seats", players)
    dealer = orders["dealer"][-1]
    seats_reason = [("seats", {"all": seats})] if "seats" in orders else []
    return api.Seating(seats, dealer, (*seats_reason, ("dealer", {"party": dealer})))


DRAW = api.Draw(
    stages=(
        api.Stage("seats", PACKS.__getitem__, api.by_rank(api.RANKS), lambda players: range(1, players), optional=True),
        api.Stage("dealer", PACKS.__getitem__, api.by_rank(api.RANKS), lambda players: (players - 1,)),
    ),
    seat=seat,
)
