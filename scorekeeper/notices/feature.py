"""What the app registers of this feature."""

from __future__ import annotations

from ..site.features import Feature
from . import pages, sending

FEATURE = Feature(views=(pages,), init_app=sending.init_app, listen=sending.send_after_commit)
