"""What the app registers of this feature."""

from __future__ import annotations

from ..site.features import Feature
from . import links, settings
from .phones import has_lost_access

FEATURE = Feature(views=(links, settings), has_lost_access=has_lost_access)
