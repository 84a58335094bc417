"""Short Whist: five points a manche, and no calling."""

from dataclasses import replace
from typing import Any, cast

from ...api import Game
from .. import whist
from . import rules

GAME = replace(
    cast(Game[Any, Any, Any], whist.GAME),
    slug="short-whist",
    options=rules.Options,
    deal=rules.Deal,
    standing=rules.short_standing,
    checks=rules.CHECKS,
    score=rules.score,
    pad=rules.pad,
    reasons=rules.REASONS,
    figure_names=rules.FIGURES,
    figures=rules.figures,
    variant_of="whist",
)
