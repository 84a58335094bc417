"""The right that each address of notices needs."""

FOR_ALL = {
    *("notices.save", "notices.show"),
}
FOR_SCORERS: set[str] = set()
OPEN_TO_ALL = {
    "notices.prepare": {"GET": 200},
    "notices.renew": {"POST": 204},  # of this device's browsers
}
