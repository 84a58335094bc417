"""Francion, 1765: three to five players, each playing alone."""

from ...api import ANTICLOCKWISE, FICHES, JETONS, MANCHE, Counted, Dealing, Ending, Game, Limits, Stakes
from . import rules
from .box import FICHE
from .pad import complete, pad

GAME = Game(
    slug="francion",
    api="1.0",
    player_counts=(3, 4, 5),
    direction=ANTICLOCKWISE,
    in_sides=False,
    options=rules.Options,
    deal=rules.Deal,
    checks=rules.CHECKS,
    pad=pad,
    complete=complete,
    units=(JETONS, FICHES),
    score=rules.score,
    close=rules.close,
    reasons=rules.REASONS,
    explain=rules.explain,
    standing=rules.FrancionStanding,
    dealing=Dealing(draw=rules.DRAW),
    stakes=Stakes(worth={FICHES: FICHE}),
    ending=Ending(kinds=(MANCHE,), report=rules.report),
    limits=Limits(allows_negative_scores=False),
    counted=Counted(figure_names=rules.FIGURES, figures=rules.figures, feat_names=rules.FEATS, feats=rules.feats),
)
