"""The right that each address needs, and requests that ask."""

from __future__ import annotations

from .features import load
from .filled import Circle
from .visitor import Visitor, filled_in

ALL, SCORERS, HOSTS = ("watch", "score", "host"), ("score", "host"), ("host",)
FAIR = (200, 204, 303, 400, 409, 422)  # what who has the right is answered

# What each right may do with each address of a circle; for all others it does not exist.
FOR_ALL = {
    *("circles.more", "circles.more_of_table", "circles.show", "counter_checks.count", "deals.show"),
    *("exchange.csv", "exchange.ledger", "exchange.of_table", "exchange.sheet_of_table", "exchange.show"),
    *("exchange.workbook", "exchange.zip_of_circle", "history.after", "history.balance", "history.changes"),
    *("history.chart", "history.deals", "history.printed", "history.recap", "history.score", "history.stake"),
    *("links.show", "live.now", "live.stream", "paying.details", "paying.pay", "people.show"),
    *("planned.answer", "planned.calendars", "planned.index", "planned.renew_calendar", "planned.show"),
    *("players.circle", "players.show", "search.evening", "search.tables", "seasons.index", "seasons.show"),
    *("seasons.trophies", "settlements.all_payments", "settlements.evening", "settlements.everything"),
    *("settlements.explanation", "settlements.of_table", "settlements.settlement", "standings.screen"),
    *("standings.show", "table.display", "table.journal", "table.mine", "table.share_game", "table.show"),
    "tonight.show",
}
# Some are for a phone too whose own business it is, whatever its right: the receiver's, the person's, the table's.
FOR_SCORERS = {
    *("counter_checks.create", "deals.adjustment", "deals.amend", "deals.insert", "deals.new"),
    *("deals.restore", "deals.substitution", "deals.withdraw", "deals.withdraw_announcement"),
    *("imports.import_sheets", "new_table.edit_details", "planned.cancel", "planned.change", "planned.new"),
    *("seasons.change", "seasons.handicaps", "seasons.new", "seasons.remove", "seating_draw.draw_anew"),
    *("seating_draw.misdeal", "settlements.banker", "settlements.pay", "settlements.withdraw", "table.close"),
    *("table.redo", "table.remove", "table.reopen", "table.share", "table.take_turns", "table.undo"),
    *("tonight.seat", "tonight.set_present"),
}
FOR_HOSTS = {
    "circles.set_text",
    *("circle_files.download", "circle_settings.erase", "circle_settings.set_switch", "circle_settings.set_time_zone"),
    *("links.dismiss_reminder", "links.download_sheet", "links.recover", "links.rename_browser"),
    *("links.renew", "links.revoke_browser", "paying.change", "people.erase", "people.merge", "people.player"),
    *("people.remove_newcomers", "people.rename", "people.retire", "people.unmerge", "person_files.download"),
    *("person_files.show", "settlements.confirm", "settlements.rounding"),
}
# What is no circle's, and what it answers to anybody: read, then sent.
OPEN_TO_ALL = {
    "static": {"GET": 200},
    "game_style": {"GET": 200},
    "home.home": {"GET": 200},
    "amounts.understood": {"GET": 200},
    "links.follow": {"GET": 303},  # to the address without the secret, which is wrong
    "links.join": {"POST": 303},  # the same
    "links.ended": {"GET": 404},
    "planned.follow": {"GET": 404},  # by an address that is wrong
    "new_table.choose_game": {"GET": 200},
    "new_table.open_table": {"GET": 200, "POST": 422},  # without players
    "new_table.enter_paper": {"GET": 200, "POST": 200},  # without a button: checked only
    "home.switch_language": {"POST": 303},
    "seating_draw.draw": {"GET": 200},
    "seating_draw.submit": {"POST": 422},  # without a card
    "rules.show": {"GET": 200},
    "home.security": {"GET": 200},
    "home.help_page": {"GET": 200},
    "home.make_sample": {"POST": 303},
    "circle_files.import_file": {"GET": 200, "POST": 422},  # without a file
    "health.alive": {"GET": 200},
    "health.ready": {"GET": 200},
    "pwa.worker": {"GET": 200},
    "pwa.manifest": {"GET": 200},
    "pwa.offline": {"GET": 200},
}
for _feature in load("rights"):
    FOR_ALL |= _feature.FOR_ALL
    FOR_SCORERS |= _feature.FOR_SCORERS
    OPEN_TO_ALL |= _feature.OPEN_TO_ALL
MAY = dict.fromkeys(FOR_ALL, ALL) | dict.fromkeys(FOR_SCORERS, SCORERS) | dict.fromkeys(FOR_HOSTS, HOSTS)


def link(circle: Circle, right: str) -> str:
    """Return the path of one of the circle's links, read from the host's page."""
    field = circle.host.visit(f"/circles/{circle.name}/links").find(f"#link-{right}")
    return "/" + str(field["value"]).split("/", 3)[3]


def token_of(visitor: Visitor) -> str:
    return filled_in(visitor.visit("/tables/new/whist").form())["csrf_token"]


def send_request(visitor: Visitor, method: str, path: str, csrf: str, **fields: str) -> int:
    named = {"account": "whist"} | ({"of": "all", "at": "all"} if path.startswith("/circles/") else {})
    # The write is stale, so that it changes nothing even with the right to write.
    data = {"csrf_token": csrf, "seen": "0", "key": "k"} | named | fields if method == "POST" else None
    query = named if method == "GET" else None
    with visitor.client.open(path, method=method, data=data, query_string=query) as answer:
        return answer.status_code
