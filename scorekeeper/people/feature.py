"""What the app registers of this feature."""

from __future__ import annotations

from ..site.features import Feature
from ..site.navigation import EVENING
from . import pages

FEATURE = Feature(views=(pages,), place=EVENING)
