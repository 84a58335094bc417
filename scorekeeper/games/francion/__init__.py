"""Francion, 1765: three to five players, each for himself."""

from ...scoring.game import ANTICLOCKWISE, Game
from ...scoring.ledger import FICHES, JETONS
from ...scoring.standing import MANCHE
from . import ledger
from .draw import DRAW
from .figures import FEATS, FIGURES, feats, figures
from .pad import complete, pad

GAME = Game(
    slug="francion",
    seatings=(3, 4, 5),
    turn=ANTICLOCKWISE,
    in_sides=False,
    units=(JETONS, FICHES),
    options=ledger.Options,
    deal=ledger.Deal,
    standing=ledger.FrancionStanding,
    checks=ledger.CHECKS,
    score=ledger.score,
    close=ledger.close,
    report=ledger.report,
    reckon=ledger.reckon,
    pad=pad,
    complete=complete,
    reasons=ledger.REASONS,
    figure_names=FIGURES,
    figures=figures,
    feat_names=FEATS,
    feats=feats,
    draw=DRAW,
    falls_below_nought=False,
    ends=(MANCHE,),
)
