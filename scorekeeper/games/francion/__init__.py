"""Francion, 1765: three to five players, each playing alone."""

from ...api import ANTICLOCKWISE, FICHES, JETONS, MANCHE, Game
from . import rules
from .box import FICHE
from .pad import complete, pad

GAME = Game(
    slug="francion",
    api="1.1",
    player_counts=(3, 4, 5),
    direction=ANTICLOCKWISE,
    in_sides=False,
    units=(JETONS, FICHES),
    worth={FICHES: FICHE},
    options=rules.Options,
    deal=rules.Deal,
    standing=rules.FrancionStanding,
    checks=rules.CHECKS,
    score=rules.score,
    close=rules.close,
    report=rules.report,
    explain_amount=rules.explain_amount,
    pad=pad,
    complete=complete,
    reasons=rules.REASONS,
    figure_names=rules.FIGURES,
    figures=rules.figures,
    feat_names=rules.FEATS,
    feats=rules.feats,
    draw=rules.DRAW,
    allows_negative_scores=False,
    ends=(MANCHE,),
)
