"""Whist: two sides of two, ten points a manche, two manches a robre."""

from ...api import CLOCKWISE, FICHES, MANCHE, ROBRE, Game
from . import rules

GAME = Game(
    slug="whist",
    api="1.5",
    player_counts=(4,),
    direction=CLOCKWISE,
    in_sides=True,
    units=(FICHES,),
    options=rules.Options,
    deal=rules.Deal,
    standing=rules.long_standing,
    checks=rules.CHECKS,
    score=rules.score,
    close=rules.close,
    report=rules.report,
    explain_amount=rules.explain_amount,
    pad=rules.pad,
    complete=rules.complete,
    reasons=rules.REASONS,
    figure_names=rules.FIGURES,
    figures=rules.figures,
    feat_names=rules.FEATS,
    feats=rules.feats,
    stop=rules.stop,
    draw=rules.DRAW,
    is_redrawn=rules.is_redrawn,
    incidents=rules.INCIDENTS,
    claimable=rules.claimable,
    allows_negative_scores=False,
    ends=(MANCHE, ROBRE),
    points_of_deal=rules.POINTS_OF_DEAL,
    tricks=rules.TRICKS,
)
