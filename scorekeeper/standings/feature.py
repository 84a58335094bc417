"""What the app registers of this feature."""

from __future__ import annotations

from ..site.features import Feature
from ..site.navigation import EVENING
from . import handicap_pages, pages, player_pages, season_pages

FEATURE = Feature(views=(handicap_pages, pages, player_pages, season_pages), place=EVENING)
