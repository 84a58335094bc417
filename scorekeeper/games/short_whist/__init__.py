"""Short Whist: five points a manche, and no calling."""

from ...scoring.game import CLOCKWISE, Game
from ...scoring.ledger import FICHES
from ...scoring.standing import MANCHE, ROBRE
from ..whist.draw import DRAW
from ..whist.figures import FEATS, feats
from ..whist.incidents import INCIDENTS, claimable
from ..whist.ledger import close, reckon, report
from ..whist.pad import complete
from . import ledger
from .figures import FIGURES, figures

GAME = Game(
    slug="short-whist",
    seatings=(4,),
    turn=CLOCKWISE,
    in_sides=True,
    units=(FICHES,),
    options=ledger.Options,
    deal=ledger.Deal,
    standing=ledger.short_standing,
    checks=ledger.CHECKS,
    score=ledger.score,
    close=close,
    report=report,
    reckon=reckon,
    pad=ledger.pad,
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
