"""How the cost of pages grows with what a circle has: calls, lines and SQLite's steps are counted.

GROWTH=10 .venv/bin/python -m pytest -n0 tests/growth   # ten times as many
"""
