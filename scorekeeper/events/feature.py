"""What the app registers of this feature."""

from __future__ import annotations

from flask import Flask

from ..files.circle_checks import CHECKS
from ..files.personal_data import CARDS, Cards
from ..home.home import LINK_SECTIONS, SAMPLES, LinkSection, Sample
from ..money.reading import SOURCES
from ..site.live import READERS
from ..site.navigation import EVENING, EVENT_PAGES, register
from ..site.occasions import declare
from ..standings.reading import EVENTS, Events
from ..tables.access import OPENED_FOR
from ..tables.caches import CACHES, Caches
from ..tables.reading import GUESTS, Guests
from .access import find_page_afterwards
from .event_money import list_entries_of_events
from .hooks import NEW_SEATS, check_event, list_places, name_side, read_card, read_contests
from .pages import director, displays, entrants, event, home, money, results, setup, slips, table_phone
from .pages.results import list_played
from .phones import is_playing_at
from .reading import read_editions
from .results import list_wrong_caches, rebuild_events


def init_app(app: Flask) -> None:
    register(app, director, displays, entrants, event, home, money, results, setup, slips, table_phone, place=EVENING)
    EVENT_PAGES["show"] = "events.show"
    READERS["events"] = read_editions
    SOURCES["events"] = list_entries_of_events
    declare(NEW_SEATS)
    EVENTS["events"] = Events(read_contests, list_places, list_played)
    CACHES["events"] = Caches("event-cache", list_wrong_caches, rebuild_events)
    GUESTS["events"] = Guests(is_playing_at, find_page_afterwards)
    OPENED_FOR["events"] = table_phone.find_event_of_table
    CHECKS["events"] = check_event
    CARDS["events"] = Cards(read_card, name_side)
    LINK_SECTIONS["events"] = LinkSection("events.title", event.list_joined)
    if home.find_sample_game() is not None:
        SAMPLES["events"] = Sample(
            "event_home.make_sample",
            "sample-event.try",
            "events",
            home.find_newest,
            begin="event_home.begin",
            begin_title="events.new",
        )
