"""What the app registers of this feature."""

from __future__ import annotations

from ..site.features import Feature
from ..site.navigation import EVENING, TABLE
from . import circle, home, rules

FEATURE = Feature(views=(circle, home, rules), other_places={"home.home": TABLE, "circles.show": EVENING})
