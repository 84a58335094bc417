"""Live updates: messages about changes, and the streams that carry them to the phones that follow a table.

A message has no content but "this table is at revision 41"; the page then fetches what has changed, with its own
rights. Services announce messages within their transactions; they are published after the commit.
"""
