"""Francion: the facts of a deal and what follows from them, in the order of the rules (rules.md beside this file)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Annotated, Any, Literal

from ...scoring.game import Check
from ...scoring.ledger import FICHES, JETONS, POT, Entry, mark
from ...scoring.remarks import Remark
from ...scoring.settlement import Payment
from ...scoring.standing import MANCHE, Closing, Standing
from ...scoring.values import MOST, Between, MultipleOf, Player
from .box import Counters, Handing, HandOver, boxes, hand_overs, hand_settled

TRICKS = 9  # tricks in a deal, and jetons that the dealer stakes
MANCHE_POINTS = 6
NO_POINT_FICHES = 12  # fiches from a player without a point when the manche ends
WELCHE = 4  # jetons
WELCHE_IN_HEARTS = 2  # jetons, where hearts were led and are not trumps
PLAYED = ("won", "taken")  # what becomes of a Welche that is played, and so has a player
MOST_AT_STAKE = 10**18  # jetons, or times doubled: bêtes and doublings that are carried on multiply without end

REASONS = ("stake", "bete", "tricks", "most_tricks", "welche_turned", "welche_won", "welche_taken", "manche")


@dataclass(frozen=True)
class Box:
    """What each player starts with, where the players want their boxes followed; it changes no balance."""

    fiches: Annotated[int, Between(0, MOST)]
    jetons: Annotated[int, Between(0, MOST), MultipleOf(TRICKS)]


@dataclass(frozen=True)
class Options:
    last_bete: Literal["lapse", "carry"] = "lapse"
    hidden_welche: Literal["double", "redouble"] = "double"
    box: Box | None = None


@dataclass(frozen=True)
class Welche:
    event: Literal["hidden", "turned", "won", "taken"]
    player: Player | None = None
    hearts_led: bool = False


@dataclass(frozen=True)
class Deal:
    tricks: dict[Player, Annotated[int, Between(0, TRICKS)]]
    welche: Welche


@dataclass(slots=True)
class FrancionStanding(Standing):
    """`betes` are jetons owed to the next pot, by player; `welche_factor` multiplies the next Welche payment."""

    betes: dict[str, int] = field(default_factory=dict)
    welche_factor: int = 1

    @property
    def pot(self) -> int:
        """Jetons at stake in the next deal."""
        return TRICKS + sum(self.betes.values())

    @property
    def boxes(self) -> dict[str, Counters]:
        """What each player has before him, where the boxes are followed."""
        box = self.options.box
        return boxes(Counters(box.fiches, box.jetons), self.balances) if box else {}

    @property
    def hand_overs(self) -> dict[int, list[HandOver]]:
        """By the number of a deal, how payments are made that want another counter; where the boxes are followed."""
        box = self.options.box
        return hand_overs(Counters(box.fiches, box.jetons), self.players, self.rows) if box else {}

    def hand_settled(self, payments: Iterable[Payment], names: Mapping[str, str]) -> list[Handing | None]:
        """How each payment (in jetons, players by their names) that settles the table is made with the boxes."""
        boxes = {names[player]: has for player, has in self.boxes.items()}
        return hand_settled(boxes, payments) if boxes else []


def tricks_faults(_standing: FrancionStanding, deal: Deal) -> list[Remark]:
    total = sum(deal.tricks.values())
    return [] if total == TRICKS else [Remark("tricks", "sum", {"found": total, "must": TRICKS})]


def welche_faults(standing: FrancionStanding, deal: Deal) -> list[Remark]:
    welche = deal.welche
    if welche.event in PLAYED:
        whose = Remark("welche.player", "francion.whose-welche", {"parties": standing.players})
        return [whose] if welche.player is None else []
    remarks = []
    if welche.player is not None:
        remarks.append(Remark("welche.player", "francion.no-holder"))
    if welche.hearts_led:
        remarks.append(Remark("welche.hearts_led", "francion.nothing-led"))
    return remarks


def holder_faults(_standing: FrancionStanding, deal: Deal) -> list[Remark]:
    player, event = deal.welche.player, deal.welche.event
    if player is None or event not in PLAYED:
        return []
    won = deal.tricks.get(player, 0)
    if event == "won" and won == 0:
        return [Remark("welche.player", "francion.won-without-a-trick", {"party": player})]
    if event == "taken" and won == TRICKS:
        return [Remark("welche.player", "francion.taken-by-nobody", {"party": player})]
    return []


def stake_faults(standing: FrancionStanding, _deal: Deal) -> list[Remark]:
    at_stake = max(standing.pot, standing.welche_factor)
    return [] if at_stake <= MOST_AT_STAKE else [Remark("deals", "francion.too-much-at-stake")]


CHECKS = (
    Check(("tricks",), tricks_faults),
    Check(("welche",), welche_faults),
    Check(("tricks", "welche"), holder_faults),
    Check((), stake_faults),
)


def score(standing: FrancionStanding, deal: Deal) -> list[Entry]:
    dealer, pot = standing.dealer, standing.pot
    each = pot // TRICKS
    order = [*standing.others(dealer), dealer]
    tricks = [(player, deal.tricks.get(player, 0)) for player in order]
    entries = [Entry(dealer, POT, TRICKS, JETONS, "stake")]
    entries += [Entry(player, POT, owed, JETONS, "bete") for player, owed in standing.betes.items()]
    entries += [Entry(POT, player, won * each, JETONS, "tricks") for player, won in tricks if won]
    entries.append(mark(_most_tricks(tricks), 1, "most_tricks"))
    entries += _welche_payments(standing, deal.welche)
    standing.betes = {player: pot for player, won in tricks if not won}
    standing.welche_factor = _next_factor(standing, deal.welche)
    return entries


def _most_tricks(tricks: list[tuple[str, int]]) -> str:
    """The first in order of turn of those with the most: the primauté."""
    return max(tricks, key=itemgetter(1))[0]


def _welche_payments(standing: FrancionStanding, welche: Welche) -> list[Entry]:
    event = welche.event
    if event == "hidden":
        return []
    amount = (WELCHE_IN_HEARTS if welche.hearts_led else WELCHE) * standing.welche_factor
    holder = standing.dealer if event == "turned" else welche.player or ""
    others = standing.others(holder)
    if event == "taken":
        return [Entry(holder, other, amount, JETONS, "welche_taken") for other in others]
    return [Entry(other, holder, amount, JETONS, f"welche_{event}") for other in others]


def _next_factor(standing: FrancionStanding, welche: Welche) -> int:
    if welche.event != "hidden":
        return 1
    return 2 * standing.welche_factor if standing.options.hidden_welche == "redouble" else 2


def close(standing: FrancionStanding) -> Closing | None:
    winner = next((p for p, points in standing.scores.items() if points >= MANCHE_POINTS), None)
    if winner is None:
        return None
    if standing.options.last_bete == "lapse":
        standing.betes = {}
    return Closing(
        MANCHE,
        winner,
        {"scores": standing.scores.copy()},
        tuple(
            Entry(loser, winner, _fiches_owed(standing.scores[loser]), FICHES, "manche")
            for loser in standing.others(winner)
        ),
    )


def _fiches_owed(points: int) -> int:
    return MANCHE_POINTS - points if points else NO_POINT_FICHES


def reckon(deal: Deal, entry: Entry) -> dict[str, int]:
    if entry.reason == "tricks" and entry.taker is not None:
        won = deal.tricks[entry.taker]
        return {"tricks": won, "each": entry.amount // won}
    if entry.reason.startswith("welche_"):
        each = WELCHE_IN_HEARTS if deal.welche.hearts_led else WELCHE
        return {"each": each, "factor": entry.amount // each}
    return {}


def report(standing: FrancionStanding) -> dict[str, Any]:
    return {
        "pot": standing.pot,
        "welche_factor": standing.welche_factor,
        "manches": standing.closed(MANCHE),
    }
