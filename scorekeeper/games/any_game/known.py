"""Well-known games as house rules. Their texts are keys of messages: the name `hearts` is `known.hearts`.

A total is only set if every deal has it: at belote announcements and a capot are added to the 162. Where the target has
to be hit exactly, nobody can get ahead of somebody who has: those who hit it in the same deal share the game.
"""

from __future__ import annotations

from .options import Options

# The boxes of a Yahtzee card, and one for what is added to them.
BOXES = (
    *("aces", "twos", "threes", "fours", "fives", "sixes", "bonus"),
    *("three-of-a-kind", "four-of-a-kind", "full-house", "small-straight", "large-straight", "yahtzee", "chance"),
)

KNOWN = (
    Options(name="hearts", best="lowest", target=100, total=26, or_total=78),  # 78 if one player takes all
    Options(name="skyjo", best="lowest", target=100),
    Options(name="uno", target=500),
    Options(name="rummy", target=100),
    Options(name="belote", sides=True, target=1000),
    Options(name="wizard"),  # the number of deals depends on that of the players
    Options(name="yahtzee", categories=BOXES, category_once=True, deals=13),  # everybody fills a box in each
    Options(name="darts-501", best="lowest", start=501, target=0, overshoot="bust", ties="shared"),
    Options(name="catan", target=10),
    Options(name="scrabble"),
    Options(name="molkky", target=50, overshoot="back", back_to=25, ties="shared"),
    Options(name="dominoes", target=100),
)
