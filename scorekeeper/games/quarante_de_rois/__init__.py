"""Quarante de rois: cliques and court cards, first to 150."""

from ...api import ANTICLOCKWISE, FICHES, Game
from . import rules
from .pad import complete, pad
from .rules import DRAW
from .stats import FEATS, FIGURES, feats, figures

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
    pad=pad,
    complete=complete,
    reasons=rules.REASONS,
    figure_names=FIGURES,
    figures=figures,
    feat_names=FEATS,
    feats=feats,
    points_of_deal=rules.POINTS_OF_DEAL,
    draw=DRAW,
)
