"""Whist, long: two sides of two, ten points a manche, two manches a robre."""

from ...scoring.game import CLOCKWISE, Game
from ...scoring.ledger import FICHES
from ...scoring.standing import MANCHE, ROBRE
from . import ledger
from .draw import DRAW
from .figures import FEATS, FIGURES, feats, figures
from .incidents import INCIDENTS, claimable
from .pad import complete, pad

GAME = Game(
    slug="whist",
    seatings=(4,),
    turn=CLOCKWISE,
    in_sides=True,
    units=(FICHES,),
    options=ledger.Options,
    deal=ledger.Deal,
    standing=ledger.long_standing,
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
    incidents=INCIDENTS,
    claimable=claimable,
    falls_below_nought=False,
    ends=(MANCHE, ROBRE),
)
