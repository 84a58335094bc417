"""Quarante de rois: cliques and court cards, first to 150."""

from ...api import ANTICLOCKWISE, FICHES, Counted, Dealing, Game, Limits
from . import rules

GAME = Game(
    slug="quarante-de-rois",
    api="1.0",
    player_counts=(4,),
    direction=ANTICLOCKWISE,
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
    dealing=Dealing(draw=rules.DRAW),
    limits=Limits(points_of_deal=rules.POINTS_OF_DEAL),
    counted=Counted(figure_names=rules.FIGURES, figures=rules.figures, feat_names=rules.FEATS, feats=rules.feats),
)
