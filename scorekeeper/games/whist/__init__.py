"""Whist: two sides of two, ten points a manche, two manches a robre."""

from ...api import CLOCKWISE, FICHES, MANCHE, ROBRE, Counted, Dealing, Ending, Game, Limits
from . import rules

GAME = Game(
    slug="whist",
    api="1.0",
    player_counts=(4,),
    direction=CLOCKWISE,
    in_sides=True,
    options=rules.Options,
    deal=rules.Deal,
    checks=rules.CHECKS,
    pad=rules.pad,
    complete=rules.complete,
    units=(FICHES,),
    score=rules.score,
    close=rules.close,
    reasons=rules.REASONS,
    explain=rules.explain,
    standing=rules.WhistStanding,
    dealing=Dealing(draw=rules.DRAW, is_redrawn=rules.is_redrawn, incidents=rules.INCIDENTS, claimable=rules.claimable),
    ending=Ending(kinds=(MANCHE, ROBRE), stop=rules.stop, report=rules.report),
    limits=Limits(allows_negative_scores=False, points_of_deal=rules.POINTS_OF_DEAL, tricks=rules.TRICKS),
    counted=Counted(figure_names=rules.FIGURES, figures=rules.figures, feat_names=rules.FEATS, feats=rules.feats),
)
