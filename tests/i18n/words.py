"""Words that were given up, and what to say instead: one word for one thing in each language."""

from __future__ import annotations

import re
from functools import cache

# A question may begin like this, a sentence or a label needs a noun before it.
_NO_QUESTION = r"(?= )(?![^.?]*\?)"

# language or region -> regular expression of a word -> what to say instead
INSTEAD: dict[str, dict[str, str]] = {
    "en": {
        # of another century
        "whoever": "anyone who",
        "nought": "0",
        "so many": "how many",
        "told": "shown, said",
        "still to tell": "missing",
        "comes to|came to": "is, was",
        "stands? over|stood over": "waits",
        "reckon(?:ed|s|ing)?": "count",
        "shown? the door": "remove",
        "shun(?:s|ned)?": "avoid",
        "hand(?:s|ed)? (?:it )?on": "pass on",
        "let another": "choose another",
        "bring in|brought in": "import",
        "one and the same": "the same",
        "is no (?:whole|number|deal|list|date|side|player|amount|currency|text|card)": "is not a …",
        "anew": "again",
        "mended": "repaired",
        "close up": "move up",
        "the own": "your side’s",
        "of whom": "a noun: complete pairs",
        "by (?:Lalanne|Lacombe|Wikipédia)(?!’)": "according to …",
        r"(?-i:Had) (?:they|he|she|it|her|his|[A-Z]\w+)": "If they had …",
        rf"(?-i:Who){_NO_QUESTION}": "a noun: The player who …",
        # about a man: what a player in general does
        "himself": "themselves",
        "on his (?:left|right)": "on their left",
    },
    "fr": {
        "(?:la|les|une|cette|nouvelle|toute autre|quelle que soit la|sa|feuilles? de|cartes? de) marques?": "score",
        r"marques? (?:négatives?|finale|actuelle|écrite)": "score",
        "enjeux?": "pot, mise",
        "monnaies?": "argent",
        "recevoir": "obtenir",
        "(?:lien de|demandez à|seul) qui reçoit": "un nom : la personne qui …",
        "qui organise": "l’organisateur",
        f"(?-i:Qui){_NO_QUESTION}": "un nom : Ceux qui …, le joueur qui …",
        "sans atout(?!,)": "sans-atout",  # but in a trick: « sans atout, c’est la meilleure carte »
        "d’un toucher": "d’un geste",
        "chiffres du cercle": "statistiques",
        "entrées et sorties": "importer et exporter",
        "a passé par": "a rejoint",
        "choses? à dire": "signalement",
        "rien de vous": "votre saisie n’est pas enregistrée",
        "histoire": "historique",
        "(?<!{)apps?": "application",
    },
    "fr_CA": {
        # « Après coup » is no deal, and a sheet that gives back access deals no cards.
        "(?<!après )coups?": "brasse",
        "donneurs?": "brasseur",
        r"redonner?(?!.*l’accès)": "rebrasser",
        "camps?": "équipe",
        "(?<![{/])(?<!scorekeeper )scores?(?![}.])": "pointage",  # but a placeholder, a path, a command
        "droits? d’inscription": "frais d’inscription",
        "téléphones?": "cellulaire",
        r"scann\w*|bala[iy]\w*": "numériser",
    },
    "de": {
        r"\w*Partei(?:en)?": "Team",  # beside Partie
        "Gegenseite": "das andere Team",
        "Nord-Süd|Ost-West": "Nord–Süd, Ost–West",
        "Retourne": "Trumpfkarte",
        "auf dem Blatt": "auf der Hand; auf dem Punkteblatt",
        "Telefon(?:en?|s)?": "Handy",
        r"berichtig\w*": "korrigieren",
        r"eröffn\w*": "öffnen",
        "Fahnen?": "Flagge",
        "abgehakt": "angehakt",
        "jemand anders": "jemand anderes",
        "wer leitet": "die Leitung",
        f"(?-i:Wer){_NO_QUESTION}": "Alle, die …; die Person, die …",
    },
}


@cache
def _pattern(word: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{word})\b", re.IGNORECASE)


def words_given_up(text: str, *locales: str) -> list[str]:
    """Say which words of a text were given up in these languages and regions, each with what to say instead."""
    return [
        f"“{found[0]}”: say “{instead}”"
        for locale in locales
        for word, instead in INSTEAD.get(locale, {}).items()
        if (found := _pattern(word).search(text))
    ]
