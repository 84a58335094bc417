"""The production server: gunicorn with its worker, logging, and the addresses at which phones reach the app.

No state is kept in a process but its streams, so there may be several, on several machines.
"""
