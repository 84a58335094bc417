"""Whole evenings, each drawn from a seed: several phones, tables, an event, and all that befalls them.

    .venv/bin/python -m tests.world 17                       # replay the evening of a seed, and print what happened
    DATABASE=postgresql .venv/bin/python -m tests.world 17   # on a PostgreSQL server of its own
    .venv/bin/python -m tests.world --seeds 1000             # play many, and print those with faults
    .venv/bin/python -m tests.world --bugs --seeds 20        # plant bugs, and count the seeds that find each
    WORLDS=10 .venv/bin/python -m pytest tests/world         # 60 seeds instead of 6, and every planted bug

One process plays an evening through Flask's routes, with a clock and random tokens of its own. Phones enter deals,
corrections, substitutions, payments and results of an event. The network delays, repeats, reorders and loses requests
and answers; two requests may meet at any statement; phones without a signal keep entries and send them later. Links are
renewed, phones removed, clocks set back, servers restarted, backups restored, and the circle moves to another server.

`laws.py` says what must hold then: what was acknowledged is stored exactly once and as it was sent, what was refused is
not; sums are 0; what phones show after "nothing has changed" is what a server shows that was just started; a circle's
file has the same bytes after an import; `verify` finds nothing. `bugs.py` has bugs to plant, each a change of a few
words of the app.

In November 2026, of the seeds 0 to 999 three found faults, of these tests themselves.

The same seed plays the same evening, in any process. After a change of the app or of these tests, it may be another.
"""
