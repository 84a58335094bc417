"""What the app registers of this feature."""

from __future__ import annotations

from ..site.features import Feature
from ..site.navigation import EVENING
from .access import find_page_afterwards
from .event_money import list_entries_of_events
from .hooks import NEW_SEATS, check_item, list_places, name_side, read_card, read_contests
from .live import read_messages, touch_people, touch_row
from .pages import director, displays, entrants, event, home, joining, money, results, setup, slips, table_phone
from .phones import is_playing_at
from .results import list_faults, rebuild_events

FEATURE = Feature(
    views=(director, displays, entrants, event, home, joining, money, results, setup, slips, table_phone),
    place=EVENING,
    notices=(NEW_SEATS,),
    read_messages=read_messages,
    touch_people=touch_people,
    touch_row=touch_row,
    is_guest_at=is_playing_at,
    find_page_afterwards=find_page_afterwards,
    find_opened_for=table_phone.find_event_of_table,
    list_faults=list_faults,
    rebuild=rebuild_events,
    list_entries=list_entries_of_events,
    read_contests=read_contests,
    list_places=list_places,
    list_played=results.list_played,
    find_events=event.find_events,
    check_item=check_item,
    read_card=read_card,
    name_side=name_side,
    find_links=event.find_links,
    find_sample=home.find_sample,
)
