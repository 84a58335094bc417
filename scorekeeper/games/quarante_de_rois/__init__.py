"""Quarante de rois: cliques and court cards, first to 150."""

from ...scoring.game import ANTICLOCKWISE, Game
from ...scoring.ledger import FICHES
from . import ledger
from .draw import DRAW
from .figures import FEATS, FIGURES, feats, figures
from .pad import complete, pad

GAME = Game(
    slug="quarante-de-rois",
    seatings=(4,),
    turn=ANTICLOCKWISE,
    in_sides=True,
    units=(FICHES,),
    options=ledger.Options,
    deal=ledger.Deal,
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
)
