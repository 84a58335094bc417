"""What the app registers of this feature."""

from __future__ import annotations

from ..site.features import Feature
from . import circle_pages, export_pages, import_pages, person_pages

FEATURE = Feature(views=(circle_pages, export_pages, import_pages, person_pages))
