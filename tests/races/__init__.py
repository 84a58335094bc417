"""Requests to one circle at the same moment: every pair of writes, a write sent twice, and pages read meanwhile.

    RACES=10 .venv/bin/python -m pytest -n0 tests/races                  # ten times as much, after every statement
    SOAK=60 .venv/bin/python -m pytest -n0 -s tests/races/test_soak.py   # twenty minutes: pages read while others write

Without RACES, each write is tried with itself and with those that write to the same tables: half of these pairs on
SQLite and half on PostgreSQL. Writes and pages are interrupted after every tenth statement, others on each database.
With RACES, each database has every pair in both orders and every statement. A write that decides by what it read before
it had the lock is found with itself; others find it rarely.

After each race `verify` reads the whole database, unless it has read the same rows before: then its result is known.
The same rows means all of them, but for random secrets, which `verify` does not read, and the time of day.
"""
