"""Words of France that have another in Québec, for tests of the messages and the rules texts."""

from __future__ import annotations

import re

# "Après coup" is no deal, and a sheet that gives back access deals no cards.
FRANCE = re.compile(
    r"(?<!après )\bcoups?\b|\b(donneurs?|camps?|(feuille|carte)s? de marque|droits? d’inscription|téléphones?)\b"
    r"|\bredonner?\b(?!.*l’accès)|\b(scann|bala[iy])",
    re.I,
)
