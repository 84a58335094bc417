"""Joffre: an auction, eight tricks, the 5♥ and the 3♠."""

from ...api import CLOCKWISE, FICHES, Game
from . import rules
from .pad import complete, pad

GAME = Game(
    slug="joffre",
    api="1.5",
    player_counts=(4,),
    direction=CLOCKWISE,
    in_sides=True,
    units=(FICHES,),
    options=rules.Options,
    deal=rules.Deal,
    checks=rules.CHECKS,
    score=rules.score,
    close=rules.close,
    explain_amount=rules.explain_amount,
    announced=("contract", "auction"),
    pad=pad,
    complete=complete,
    reasons=rules.REASONS,
    figure_names=rules.FIGURES,
    figures=rules.figures,
    feat_names=rules.FEATS,
    feats=rules.feats,
    points_of_deal=rules.POINTS_OF_DEAL,
    tricks=rules.TRICKS,
    draw=rules.DRAW,
)
