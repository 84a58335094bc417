"""Joffre: an auction, eight tricks, the 5♥ and the 3♠."""

from ...api import CLOCKWISE, FICHES, Counted, Dealing, Game, Limits
from . import rules
from .pad import complete, pad

GAME = Game(
    slug="joffre",
    api="1.0",
    player_counts=(4,),
    direction=CLOCKWISE,
    in_sides=True,
    options=rules.Options,
    deal=rules.Deal,
    checks=rules.CHECKS,
    pad=pad,
    complete=complete,
    announced=("contract", "auction"),
    units=(FICHES,),
    score=rules.score,
    close=rules.close,
    reasons=rules.REASONS,
    explain=rules.explain,
    dealing=Dealing(draw=rules.DRAW),
    limits=Limits(points_of_deal=rules.POINTS_OF_DEAL, tricks=rules.TRICKS),
    counted=Counted(figure_names=rules.FIGURES, figures=rules.figures, feat_names=rules.FEATS, feats=rules.feats),
)
