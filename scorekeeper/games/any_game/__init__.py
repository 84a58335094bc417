"""Any game: a table describes by its house rules what it plays, and keeps score of it without code."""

from ...api import CLOCKWISE, FICHES, Counted, Ending, Game, HouseRules
from . import rules
from .options import ASKED, EXAMPLES, KNOWN, MAX_PLAYERS, Options, PointsDeal, check_options, fill_options
from .pad import complete, pad

GAME = Game(
    slug="any-game",
    api="1.0",
    player_counts=tuple(range(2, MAX_PLAYERS + 1)),
    direction=CLOCKWISE,
    in_sides=False,
    options=Options,
    deal=PointsDeal,
    checks=rules.checks_of("points"),
    pad=pad,
    complete=complete,
    units=(FICHES,),
    score=rules.score,
    close=rules.close,
    reasons=rules.REASONS,
    explain=rules.explain,
    standing=rules.make_standing,
    house_rules=HouseRules(
        check=check_options,
        fill=fill_options,
        adapt=rules.adapt,
        asked=ASKED,
        examples=EXAMPLES,
        named_by="name",
        known=KNOWN,
    ),
    ending=Ending(report=rules.report),
    counted=Counted(figure_names=rules.FIGURES, figures=rules.figures, feat_names=rules.FEATS, feats=rules.feats),
)
