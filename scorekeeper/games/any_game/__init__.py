"""Any game: a table describes by its house rules what it plays, and keeps score of it without code."""

from ...api import CLOCKWISE, FICHES, Game
from . import rules
from .options import ASKED, EXAMPLES, KNOWN, MAX_PLAYERS, Options, PointsDeal, check_options, fill_options
from .pad import complete, pad

GAME = Game(
    slug="any-game",
    api="1.5",
    player_counts=tuple(range(2, MAX_PLAYERS + 1)),
    direction=CLOCKWISE,
    in_sides=False,
    units=(FICHES,),
    options=Options,
    check_options=check_options,
    fill_options=fill_options,
    adapt=rules.adapt,
    example_options=EXAMPLES,
    asked=ASKED,
    named_by="name",
    known=KNOWN,
    standing=rules.make_standing,
    deal=PointsDeal,
    checks=rules.checks_of("points"),
    score=rules.score,
    close=rules.close,
    report=rules.report,
    explain_entry=rules.explain_entry,
    pad=pad,
    complete=complete,
    reasons=rules.REASONS,
    figure_names=rules.FIGURES,
    figures=rules.figures,
    feat_names=rules.FEATS,
    feats=rules.feats,
)
