"""Servers killed under load, power cuts, a full disk, a database destroyed or away, slow clients.

    FAULTS=10 .venv/bin/python -m pytest -n0 -s tests/faults      # ten times as much, with figures
    CUTS=10000 .venv/bin/python -m pytest -n0 -s tests/faults/test_power_cuts.py   # 10,000 power cuts instead of 25

For the power cuts, strace records what real servers and commands do to the files of two instance folders, from a first
start to an upgrade and a restore. Each cut then builds the files that might be left at a random moment: what was
synced, and of the rest any sectors of 512 bytes and any names. It opens them, verifies the database and looks for
everything that was acknowledged. A failing cut is kept, with the command that repeats it. 10,000 cuts take a few
minutes of processor time: in November 2026 without a fault.
"""
