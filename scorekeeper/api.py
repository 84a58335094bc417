"""The parts of a game. Games import from here and from other games, and from nothing else of Scorekeeper.

Names listed in `__all__` stay as they are within a major version; a minor version may add some.
"""

from __future__ import annotations

from .scoring.adjustments import Agreement, Misdeal
from .scoring.cards import FULL_PACK, PIQUET, QUADRILLE, RANKS, SUITS, Card, by_rank, pack
from .scoring.entries import FICHES, JETONS, POINTS, POT, Entry, mark
from .scoring.game import ANTICLOCKWISE, API_VERSION, CLOCKWISE, AnyGame, Check, Game
from .scoring.incidents import ALWAYS, IF_CHOSEN, NEVER, THE_DEALER, THE_OTHERS, Claim, Incident
from .scoring.pad import (
    AMOUNT,
    CARDS,
    NUMBER,
    PLACE,
    STRIP,
    TOGGLE,
    Amount,
    Choice,
    ChoiceGroup,
    amount_group,
    number_group,
)
from .scoring.problems import Problem
from .scoring.seating_draw import Draw, Players, Seating, Stage, all_cuts, cut_above_lowest, cut_below_highest, facing
from .scoring.settlement import Transfer
from .scoring.sides import EW, NS, SIDES, other_side, share_of, sum_problems, with_both_sides
from .scoring.standing import (
    MANCHE,
    NOBODY,
    PARTIE,
    ROBRE,
    AnyStanding,
    Closing,
    Row,
    RowName,
    Standing,
    pay_from_left,
    replace_player,
)
from .scoring.stats import Feat, Figure
from .scoring.substitutions import SeatChange, Substitution
from .scoring.values import MAX_AMOUNT, Facts, Items, JsonObject, MultipleOf, Party, Player, Range, Side, Text

__all__ = [
    "ALWAYS",
    "AMOUNT",
    "ANTICLOCKWISE",
    "API_VERSION",
    "CARDS",
    "CLOCKWISE",
    "EW",
    "FICHES",
    "FULL_PACK",
    "IF_CHOSEN",
    "JETONS",
    "MANCHE",
    "MAX_AMOUNT",
    "NEVER",
    "NOBODY",
    "NS",
    "NUMBER",
    "PARTIE",
    "PIQUET",
    "PLACE",
    "POINTS",
    "POT",
    "QUADRILLE",
    "RANKS",
    "ROBRE",
    "SIDES",
    "STRIP",
    "SUITS",
    "THE_DEALER",
    "THE_OTHERS",
    "TOGGLE",
    "Agreement",
    "Amount",
    "AnyGame",
    "AnyStanding",
    "Card",
    "Check",
    "Choice",
    "ChoiceGroup",
    "Claim",
    "Closing",
    "Draw",
    "Entry",
    "Facts",
    "Feat",
    "Figure",
    "Game",
    "Incident",
    "Items",
    "JsonObject",
    "Misdeal",
    "MultipleOf",
    "Party",
    "Player",
    "Players",
    "Problem",
    "Range",
    "Row",
    "RowName",
    "SeatChange",
    "Seating",
    "Side",
    "Stage",
    "Standing",
    "Substitution",
    "Text",
    "Transfer",
    "all_cuts",
    "amount_group",
    "by_rank",
    "cut_above_lowest",
    "cut_below_highest",
    "facing",
    "mark",
    "number_group",
    "other_side",
    "pack",
    "pay_from_left",
    "replace_player",
    "share_of",
    "sum_problems",
    "with_both_sides",
]
