"""Results kept beside the facts. A cache is never the truth: `verify` compares it with a replay, `rebuild` renews it.

Stored in the database, and so replaced by a restore together with the facts:

- `Summary`: a table in few words, written in the transaction of each write (table_summary.py).
- `PeriodTotals`: sums of a month, a year or everything, and ratings after a year; valid only while the count of changes
  is the one at which they were computed (period_totals.py, ratings.py).
- `Settlement.unpaid`, `is_paid`, `is_cleared`: written with each payment (`unpaid.py`).
- `RoundTable.result`, `scores`, `is_confirmed`: a table's last result, written with each result and confirmation.

In the process, found by tokens that are never used twice:

- replayed tables (table_state.py), the HTML of their rows and parts (web/tables/table.py), by the last revision's
  number, time and key and by `Table.edition`, which changes if stored facts are rewritten;
- the updates that phones and walls share (web/support/rendered_updates.py), by all that they depend on;
- board sets of events and standings of finished ones (events/reading.py, events/played.py), by `plan_edition` and
  `edition`, which writes replace;
- `functools` caches of what never changes in a process: translations, formatted numbers, rules texts.

Decision 0013 says which of them are worth it.
"""
