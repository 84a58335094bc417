"""A site of several servers: restarted in turn under load, streams held by nginx, the database killed, a restore.

    FAILOVERS=10 .venv/bin/python -m pytest -n0 -s tests/hosting/test_failover.py   # ten kills of each

By default the primary is killed once, and the standby not at all. Ten kills of each take a quarter of an hour.
"""
