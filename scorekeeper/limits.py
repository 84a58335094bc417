"""Limits of what people enter and a circle holds, which hold in forms, imported files and commands alike.

Those of one page or one request stand in the modules that they limit.
"""

from __future__ import annotations

import datetime

# --- of the server: here, since its first process does not import the app
MAX_STREAMS = 500  # of live updates in a process: each takes a thread

# --- characters
MAX_NAME_LENGTH = 40  # of a player's name
MAX_CIRCLE_TEXT_LENGTH = 80  # of a circle's title or motto, or a season's name
MAX_PHONE_NAME_LENGTH = 40
MAX_TEXT_LENGTH = 200  # of the title of a table, a sheet or an event, or of an adjustment's reason
MAX_PLACE_LENGTH = 80  # of where people meet
MAX_NOTE_LENGTH = 1_000
MAX_PRIZE_TEXT_LENGTH = 80
MAX_LINK_LENGTH = 500  # of a payment link
MAX_ENDPOINT_LENGTH = 1_000  # of the address of a phone at its push service
MAX_KEY_LENGTH = 100  # of an entry key; the app's pages send at most 60
GROWTH = 4  # a stored text may be this many times as long as it was typed: placeholders replace names that are erased

# --- of a circle
MAX_PAYMENTS = 20_000  # every page about money reads all of them, in half a second
MAX_PRESENT = 100  # people who are here this evening
MAX_PLANNED_EVENINGS = 50  # one that repeats counts once
MAX_ANSWERS = 300  # for one evening to come
MAX_GUESTS = 20  # of one answer
MAX_NEWCOMERS = 12  # people who have done nothing but answer, by phones that may only watch

# --- of a season
MAX_SEASONS = 100  # of a circle
MAX_SEASON_DAYS = 731  # from its first evening to its last
MAX_SEASON_GAMES = 50
MAX_COUNTED_EVENINGS = 366  # of a person; and those needed to be ranked
MAX_BONUS = 1_000  # points
MAX_COUNTED_PLACES = 100  # of an event
MAX_PLACE_POINTS = 10_000
MAX_HANDICAP_POINTS = 10_000  # for each evening, up or down
MAX_HANDICAP_FACTOR = 100
HANDICAP_PLACES = 2  # decimal places

# --- of a table
MAX_SEATS = 12
MAX_LABEL = 99  # people who have sat there
MAX_DEALS = 3_000  # a workbook of them takes about a second

# --- of an event
MAX_ENTRANTS = 1_000  # 250 tables; all rounds of their schedule are made within seconds
MAX_SUBSTITUTIONS = 1_000
MAX_ROUNDS = 200
MAX_ENTRANT_ROUNDS = 50_000  # entrants times rounds; with more, a file of all results takes more than a second
MAX_ROUND_LENGTH = 240  # deals or minutes
MAX_SCORE = 9_999  # of a pair at a table
MAX_SLAMS = 99  # of a pair in a round whose deals are not counted
MAX_PRIZES = 100
MAX_PRIZE_PLACE = 100
MAX_PRIZE_AMOUNT = 1_000_000  # units of the currency

# --- days
FIRST_DAY = datetime.date(1700, 1, 1)  # no table of these games is older
MAX_DAYS_AHEAD = 730


def parse_day(text: str) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        return None


def find_day_problem(day: datetime.date, today: datetime.date | None = None) -> str | None:
    """Without `today`, which depends on the circle's time zone, any day counts that it is somewhere on earth."""
    if day < FIRST_DAY:
        return "early-day"
    if today is None:
        today = (datetime.datetime.now(datetime.UTC) + datetime.timedelta(hours=14)).date()
    return "late-day" if (day - today).days > MAX_DAYS_AHEAD else None
