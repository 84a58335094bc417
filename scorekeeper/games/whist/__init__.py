"""Whist: two sides of two, ten points a manche, two manches a robre."""

from ...api import CLOCKWISE, FICHES, MANCHE, ROBRE, Game
from . import rules
from .pad import complete, pad
from .rules import DRAW, INCIDENTS, claimable
from .stats import FEATS, FIGURES, feats, figures

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
    pad=pad,
    complete=complete,
    reasons=rules.REASONS,
    figure_names=FIGURES,
    figures=figures,
    feat_names=FEATS,
    feats=feats,
    stop=rules.stop,
    draw=DRAW,
    is_redrawn=rules.is_redrawn,
    incidents=INCIDENTS,
    claimable=claimable,
    allows_negative_scores=False,
    ends=(MANCHE, ROBRE),
    points_of_deal=rules.POINTS_OF_DEAL,
    tricks=rules.TRICKS,
)
