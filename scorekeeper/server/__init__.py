"""The production server: gunicorn with its worker, logging, and the addresses at which phones reach the app."""
