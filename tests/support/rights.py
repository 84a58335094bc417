"""The right that each address needs, and requests that ask."""

from __future__ import annotations

from werkzeug.routing import Rule

from .visitor import Visitor

ALL, SCORERS, HOSTS = ("watch", "score", "host"), ("score", "host"), ("host",)
FAIR = (200, 204, 303, 400, 409, 422)  # what who has the right is answered

# Who may watch reads a circle's addresses, and who may score sends to them, but for these.
SENT_BY_ALL = {
    *("calendar.renew", "events.claim", "notices.save", "planned.answer", "table.claim"),
}
READ_BY_SCORERS = {
    *("event_director.show", "event_money.show", "event_displays.paper"),
    *("event_displays.cards", "event_displays.sheet", "event_displays.slips", "event_displays.tables"),
    *("event_entrants.show_one", "event_slips.show_round", "event_joining.links", "seating_draw.misdeal"),
    *("event_entrants.show", "table.share"),
}
FOR_HOSTS = {
    *("circle_files.download", "circle_settings.erase", "circle_settings.set_switch", "circle_settings.set_time_zone"),
    *("circles.set_text", "links.dismiss_reminder", "links.download_sheet", "links.recover", "links.rename_membership"),
    *("links.renew", "links.revoke_membership", "people.erase", "people.merge", "people.player"),
    *("people.remove_newcomers", "people.rename", "people.retire", "people.unmerge", "person_files.download"),
    *("people.set_payment_details", "person_files.show", "payments.choose_officer"),
}
# What is no circle's.
OPEN_TO_ALL = {
    *("amounts.understood", "circle_files.import_file", "event_home.make_sample", "event_home.show_rules"),
    "event_home.begin",
    *("event_joining.check_in", "event_joining.ended", "event_joining.join", "event_joining.open_link"),
    *("game_style", "health.alive", "health.ready"),
    *("home.help_page", "home.home", "home.make_sample", "home.security", "home.switch_language", "links.ended"),
    *("links.follow", "links.join", "new_table.choose_game", "new_table.enter_paper", "new_table.open_table"),
    *("calendar.follow", "notices.prepare", "notices.renew", "pwa.manifest", "pwa.offline", "pwa.worker"),
    *("rules.show", "seating_draw.draw", "seating_draw.submit", "static"),
}
# What they answer to anybody, but for 200 when read and 303 when sent.
ANSWERS = {
    ("calendar.follow", "GET"): 404,  # by an address that is wrong
    ("circle_files.import_file", "POST"): 422,  # without a file
    ("event_joining.check_in", "GET"): 303,  # the link is wrong
    ("event_joining.ended", "GET"): 404,
    ("event_joining.open_link", "GET"): 303,  # to the address without the secret, which is wrong
    ("links.ended", "GET"): 404,
    ("links.follow", "GET"): 303,  # the same
    ("new_table.enter_paper", "POST"): 200,  # without a button: checked only
    ("new_table.open_table", "POST"): 422,  # without players
    ("notices.renew", "POST"): 204,  # of this device's phones
    ("seating_draw.submit", "POST"): 422,  # without a card
}


def who_may(rule: Rule) -> tuple[str, ...]:
    """Return the rights with which an address of a circle may be used; for all others it does not exist."""
    if rule.endpoint in OPEN_TO_ALL:
        return ()
    if rule.endpoint in FOR_HOSTS:
        return HOSTS
    if "POST" in (rule.methods or ()):
        return ALL if rule.endpoint in SENT_BY_ALL else SCORERS
    return SCORERS if rule.endpoint in READ_BY_SCORERS else ALL


def send_request(visitor: Visitor, method: str, path: str, csrf: str, **fields: str) -> int:
    named = {"account": "whist"} | ({"of": "all", "at": "all"} if path.startswith("/circles/") else {})
    # The write is stale, so that it changes nothing even with the right to write.
    data = {"csrf_token": csrf, "seen": "0", "key": "k"} | named | fields if method == "POST" else None
    query = named if method == "GET" else None
    with visitor.client.open(path, method=method, data=data, query_string=query) as answer:
        return answer.status_code
