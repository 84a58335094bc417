"""The right that each address of events needs."""

FOR_ALL = {
    *("event_displays.wall", "event_entrants.check_in", "event_results.card"),
    *("event_results.of_round", "event_results.show", "event_results.standings_csv"),
    *("event_results.tables_csv", "event_setup.index", "event_table.show", "events.claim"),
    *("events.show", "events.stream"),
}
FOR_SCORERS = {
    *("event_director.change_round", "event_director.draw", "event_director.end_call"),
    *("event_director.finish", "event_director.pay", "event_director.reopen", "event_director.settle"),
    *("event_director.show", "event_director.show_money", "event_director.take_call", "event_director.waive"),
    *("event_displays.paper", "event_displays.printed", "event_entrants.change", "event_entrants.show"),
    *("event_entrants.show_one", "event_setup.delete", "event_setup.new", "event_setup.settings"),
    *("event_slips.enter", "event_slips.show_round", "event_slips.show_table", "event_table.call"),
    *("event_table.confirm", "event_table.end_call", "event_table.open_pad", "event_table.send"),
    *("events.links", "events.renew"),
}
OPEN_TO_ALL = {
    "events.open_link": {"GET": 303},  # as join.show
    "events.join": {"POST": 303},
    "events.ended": {"GET": 404},
    "event_home.show_rules": {"GET": 200},
    "event_home.make_sample": {"POST": 303},
}
