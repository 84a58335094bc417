"""Kaiser: Joffre to 52 points, as it is played on the Canadian prairies."""

from dataclasses import replace

from ...api import IF_CHOSEN, Incident
from .. import joffre
from .rules import Options

GAME = replace(
    joffre.GAME,
    slug="kaiser",
    api="1.5",
    options=Options,
    incidents=(Incident("thrown_in", IF_CHOSEN),),
    variant_of="joffre",
)
