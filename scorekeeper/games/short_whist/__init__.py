"""Short Whist: five points a manche, and no calling."""

from ...api import CLOCKWISE, FICHES, MANCHE, ROBRE, Game
from ..whist.pad import complete
from ..whist.rules import (
    DRAW,
    INCIDENTS,
    POINTS_OF_DEAL,
    TRICKS,
    claimable,
    close,
    explain_amount,
    is_redrawn,
    report,
    stop,
)
from ..whist.stats import FEATS, feats
from . import rules
from .rules import FIGURES, figures

GAME = Game(
    slug="short-whist",
    api="1.3",
    player_counts=(4,),
    direction=CLOCKWISE,
    in_sides=True,
    units=(FICHES,),
    options=rules.Options,
    deal=rules.Deal,
    standing=rules.short_standing,
    checks=rules.CHECKS,
    score=rules.score,
    close=close,
    report=report,
    explain_amount=explain_amount,
    pad=rules.pad,
    complete=complete,
    reasons=rules.REASONS,
    figure_names=FIGURES,
    figures=figures,
    feat_names=FEATS,
    feats=feats,
    stop=stop,
    draw=DRAW,
    is_redrawn=is_redrawn,
    incidents=INCIDENTS,
    claimable=claimable,
    allows_negative_scores=False,
    ends=(MANCHE, ROBRE),
    points_of_deal=POINTS_OF_DEAL,
    tricks=TRICKS,
    variant_of="whist",
)
