"""Short Whist: five points a manche, and no calling."""

from ...scoring.game import CLOCKWISE, Game
from ...scoring.ledger import FICHES
from ..whist.ledger import close, reckon, report
from ..whist.pad import complete
from . import ledger

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
    falls_below_nought=False,
)
