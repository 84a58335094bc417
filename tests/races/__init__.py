"""Requests to one circle at the same moment: every pair of writes, a write sent twice, and pages read meanwhile.

    RACES=10 .venv/bin/python -m pytest -n0 tests/races                  # ten times as much, after every statement
    SOAK=60 .venv/bin/python -m pytest -n0 -s tests/races/test_soak.py   # ten minutes: pages read while others write

Without RACES, every pair of writes is tried once, half of them on SQLite and half on PostgreSQL, and writes and pages
are interrupted after every fifth statement, others on each database. With RACES, each database has every pair in both
orders and every statement.

After each race `verify` reads the whole database, unless it has read the same rows before: then its result is known.
The same rows means all of them, but for random secrets, which `verify` does not read, and the time of day.
"""
