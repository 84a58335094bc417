"""Five evenings as they were played: what was tapped, deal by deal, and how the score stood after it by the rules."""

from __future__ import annotations

from typing import NamedTuple


class Deal(NamedTuple):
    """Told on the pad; `says` are words that the working has to have in it."""

    taps: str
    score: str
    says: str = ""


class Misdeal(NamedTuple):
    score: str


class Adjustment(NamedTuple):
    """`kind` is points or counters; the parties are tapped."""

    kind: str
    taps: str
    amount: str
    score: str


Evening = tuple[Deal | Misdeal | Adjustment, ...]

WHIST: Evening = (
    Deal("tricks=ns-3", "3–0"),
    Deal("tricks=ew-2 honours=ew-3", "3–4", "+2"),
    Misdeal("3–4"),
    Deal("tricks=ns-1 honours=ew-4", "4–8"),
    Deal("tricks=called-ew", "4–10", "double"),
    Deal("tricks=ns-5 honours=ns-4", "9–0"),
    Deal("tricks=ew-2 honours=ns-3", "11–2", "double"),  # honours count at nine
    Deal("tricks=ew-1", "0–1"),
    Adjustment("points", "to=ew", "+2", "0–3"),
    Deal("tricks=ns-7", "7–3"),
    Deal("tricks=ew-3 honours=ew-3", "7–8"),
    Deal("tricks=ns-1", "8–8"),
    # Out by tricks: the losers' honours come too late. A single, and the robre by 2 + 1 + 1 to 2.
    Deal("tricks=ns-2 honours=ew-4", "10–8", "rubber by 2"),
    Deal("tricks=ns-4 honours=ns-4", "8–0"),
    Deal("tricks=called-ns", "10–0", "double"),
    Deal("tricks=ew-6", "0–6"),
    Deal("tricks=ew-1 honours=ns-3", "2–7"),
    Adjustment("counters", "giver=1 to=4", "3", "2–7"),
    Deal("tricks=ns-4", "6–7"),
    Deal("tricks=ew-2 honours=ew-3", "6–11", "single"),
    Deal("tricks=ns-7 honours=ns-4", "11–0", "rubber by 4"),
    Deal("tricks=ew-1", "0–1"),
)

SHORT_WHIST: Evening = (
    Deal("tricks=ns-1 honours=ew-3", "1–2"),
    Deal("tricks=ew-1", "1–3"),
    Misdeal("1–3"),
    Deal("tricks=ns-2 honours=ns-3", "5–3", "single"),
    Deal("tricks=ew-3", "0–3"),
    Deal("tricks=ew-1", "0–4"),
    Deal("tricks=ns-2 honours=ew-4", "2–4"),  # honours are silent at four
    Deal("tricks=ew-1 honours=ns-4", "2–5", "double"),
    Deal("tricks=ns-4", "4–0"),
    Adjustment("points", "to=ns", "-1", "3–0"),
    Deal("tricks=ns-1 honours=ns-3", "6–0", "rubber by 4"),
    Deal("tricks=ew-7", "0–7", "treble"),
    Deal("tricks=ew-2 honours=ew-3", "0–4"),
    Deal("tricks=ew-1 honours=ns-4", "0–5", "bumper"),
    Deal("tricks=ns-1", "1–0"),
    Deal("tricks=ew-4 honours=ns-3", "3–4"),
    Deal("tricks=ns-1 honours=ew-3", "4–4"),
    Deal("tricks=ns-1", "5–4", "single"),
    Deal("tricks=ew-3", "0–3"),
)

# Two parties on the same chairs; the second goes on past 150, since nobody is ahead there.
QUARANTE: Evening = (
    Deal("kings=2 queens=2 jacks=2", "24–24"),
    Deal("kings=3 queens=1 jacks=0 clique=jacks-3 clique-player=2", "43–59"),
    Deal("kings=4 queens=4 jacks=0 clique=kings-3 clique-player=1", "89–71"),
    Misdeal("89–71"),
    Deal("kings=0 queens=0 jacks=2 clique=queens-3 clique-player=3", "103–113"),
    Adjustment("points", "to=ew", "-10", "103–103"),
    Deal("kings=3 queens=2 jacks=3 clique=kings-4 clique-player=4", "135–159", "East–West win"),
)
QUARANTE_AGAIN: Evening = (
    Deal("kings=4 queens=4 jacks=4", "48–0"),
    Deal("kings=0 queens=0 jacks=0", "48–48"),
    Deal("clique=jacks-4 clique-player=1 kings=2 queens=2 jacks=2", "85–72"),
    Deal("kings=2 queens=2 jacks=2 clique=jacks-4 clique-player=4", "109–109"),
    Deal("kings=1 queens=2 jacks=1", "125–141"),
    Deal("kings=4 queens=3 jacks=0", "157–157"),
    Adjustment("counters", "giver=2 to=1", "5", "157–157"),
    Deal("kings=3 queens=3 jacks=2 clique=queens-4 clique-player=3", "210–172", "North–South win"),
)

JOFFRE: Evening = (
    Deal("bidder=2 bid=7 tricks=2 five_of_hearts=ew three_of_spades=ns", "−1 : 11"),
    Deal("bidder=3 bid=6 no-trump=yes tricks=5 five_of_hearts=ns three_of_spades=ew", "19–11", "+20"),
    Deal("bidder=4 bid=8 tricks=4 five_of_hearts=ns three_of_spades=ns", "25–3", "−8"),
    Misdeal("25–3"),
    # Told by the auction: David deals, and equals Chloé's five.
    Deal(
        "auction-1=pass auction-2=pass auction-3=5 auction-4=5 tricks=3 five_of_hearts=ew three_of_spades=ew",
        "28–10",
        "+7",
    ),
    Deal("bidder=2 bid=5 tricks=8 five_of_hearts=ns three_of_spades=ns", "38–5", "−5"),
    Deal("tricks=1 five_of_hearts=ew three_of_spades=ns bidder=4 bid=9 no-trump=yes", "36–29"),
    Adjustment("points", "to=ew", "+6", "36–35"),
    Deal("bidder=1 bid=9 tricks=3 five_of_hearts=ns three_of_spades=ew", "27–37"),
    Deal("bidder=2 bid=5 tricks=5 five_of_hearts=ns three_of_spades=ew", "37–32"),
    Deal("bidder=3 bid=5 no-trump=yes tricks=2 five_of_hearts=ew three_of_spades=ew", "27–40", "−10"),
    # East-West are past 41 in defence; they still have to make a contract.
    Deal("bidder=1 bid=6 tricks=4 five_of_hearts=ns three_of_spades=ew", "36–41"),
    Deal("bidder=4 bid=7 tricks=5 five_of_hearts=ew three_of_spades=ew", "41–34"),
    Deal("bidder=3 bid=6 tricks=5 five_of_hearts=ns three_of_spades=ew", "51–34", "North–South win"),
)

# With three tapped strips, the fourth player's tricks are derived; once nine tricks are entered, the rest are bêtes.
FRANCION: Evening = (
    Deal("tricks-2=3 tricks-3=2 tricks-4=1 welche=won holder=2", "0–1–0–0"),  # first in turn of two with three
    Deal("tricks-3=4 tricks-4=5 welche=hidden", "0–1–0–1"),
    Deal("tricks-4=2 tricks-1=2 tricks-2=1 welche=taken holder=4", "0–1–1–1", "8"),
    Misdeal("0–1–1–1"),
    Deal("tricks-1=3 tricks-2=3 tricks-3=2 welche=turned", "1–1–1–1", "Welche"),
    Deal("tricks-2=4 tricks-3=0 tricks-4=2 welche=won-hearts holder=4", "1–2–1–1"),
    Adjustment("counters", "giver=2 to=1 unit=jetons", "5", "1–2–1–1"),
    Deal("tricks-3=1 tricks-4=1 tricks-1=3 welche=taken-hearts holder=3", "1–3–1–1"),
    Deal("tricks-4=5 tricks-1=1 tricks-2=2 welche=hidden", "1–3–1–2"),
    Deal("tricks-1=6 tricks-2=1 tricks-3=1 welche=hidden", "2–3–1–2"),
    Deal("tricks-2=3 tricks-3=3 tricks-4=3 welche=turned", "2–4–1–2"),
    Deal("tricks-3=4 tricks-4=2 tricks-1=2 welche=won holder=3", "2–4–2–2"),
    Deal("tricks-4=2 tricks-1=2 tricks-2=4 welche=taken holder=1", "2–5–2–2"),
    Adjustment("points", "to=3", "1", "2–5–3–2"),
    Deal("tricks-1=2 tricks-2=5 tricks-3=0 welche=won-hearts holder=2", "2–6–3–2", "manche"),
    Deal("tricks-2=2 tricks-3=2 tricks-4=2 welche=hidden", "1–0–0–0"),
    Deal("tricks-3=3 tricks-4=3 tricks-1=1 welche=taken holder=4", "1–0–1–0"),
)
