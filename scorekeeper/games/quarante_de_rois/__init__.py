"""Quarante de rois: cliques and court cards, first to 150."""

from ...api import ANTICLOCKWISE, FICHES, Game
from . import rules

GAME = Game(
    slug="quarante-de-rois",
    api="1.0",
    player_counts=(4,),
    direction=ANTICLOCKWISE,
    in_sides=True,
    units=(FICHES,),
    options=rules.Options,
    deal=rules.Deal,
    checks=rules.CHECKS,
    score=rules.score,
    close=rules.close,
    pad=rules.pad,
    complete=rules.complete,
    reasons=rules.REASONS,
    figure_names=rules.FIGURES,
    figures=rules.figures,
    feat_names=rules.FEATS,
    feats=rules.feats,
    points_of_deal=rules.POINTS_OF_DEAL,
    draw=rules.DRAW,
)
