"""Joffre, also called Kaiser: an auction, eight tricks, the 5♥ and the 3♠."""

from ...scoring.game import CLOCKWISE, Game
from ...scoring.ledger import FICHES
from . import ledger
from .draw import DRAW
from .figures import FEATS, FIGURES, feats, figures
from .pad import complete, pad

GAME = Game(
    slug="joffre",
    seatings=(4,),
    turn=CLOCKWISE,
    in_sides=True,
    units=(FICHES,),
    options=ledger.Options,
    deal=ledger.Deal,
    checks=ledger.CHECKS,
    score=ledger.score,
    close=ledger.close,
    report=ledger.report,
    reckon=ledger.reckon,
    announced=("contract", "auction"),
    pad=pad,
    complete=complete,
    reasons=ledger.REASONS,
    figure_names=FIGURES,
    figures=figures,
    feat_names=FEATS,
    feats=feats,
    draw=DRAW,
)
