"""House rules with which tests and checks play any game. The first fit any number of players."""

from __future__ import annotations

from .options import MAX_PLAYERS, Options

EXAMPLES = (
    Options(name="Rummy", target=1000),
    Options(name="Dice", target=100),
    Options(name="Hearts", best="lowest", target=50, total=26, stake=2),
    Options(name="501", best="lowest", start=501, target=0, pays="difference", stake=1),
    Options(name="Darts", entry="winner", deals=3, stake=5),
    Options(name="Belote", sides=True, total=162, target=500, stake=1, pays="difference"),
    Options(name="Skat evening"),
    Options(name="Wonders", categories=("science", "war"), deals=2),
    Options(name="Trade", sides=True, categories=("goods", "roads", "towns"), total=20, deals=3),
    Options(name="Toss", sides=True, entry="winner", target=3),
    Options(name="Match", sides=True, entry="places", place_points=(3, 0), deals=4),
    *(
        Options(name="Race", entry="places", place_points=tuple(range(players - 1, -1, -1)), deals=3, stake=1)
        for players in range(2, MAX_PLAYERS + 1)
    ),
)
