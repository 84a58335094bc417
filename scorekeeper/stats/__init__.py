"""Tables in few words, and many of them added up: totals, seatings, standings, charts and ratings."""
