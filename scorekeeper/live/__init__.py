"""Live updates: messages about changes, and the streams that carry them to the phones that follow a table.

A message has no content but "this table is at revision 41"; the page then fetches what has changed, with its own
rights. Services announce messages within their transactions; they are published after the commit.

- The hub delivers a message to the streams of its table or event in this process, each number once and in order.
- Other processes learn of it by PostgreSQL's NOTIFY or SQLite's change counter, or nginx holds the streams of all.
- A stream says at first what it follows is at, so that nothing is lost between the page and the stream.
- The answer to "what is new?" has an `ETag` of the numbers and of tokens: 304 after one indexed read, or the change.
- Walls and the director's page follow all writes to an event, players' phones only its plan, so that 250 results do not
  make a thousand phones ask. The phones at a table also follow its result and its pad.
- A message that access may have ended closes the streams of a circle or table. A browser that opens one again is
  checked again.

On the page (static/js/live.js), a visible window has one stream and fetches only if a number differs from its own. A
hidden one has none, and fetches once when it is shown. Without a stream it polls: after 1.5 seconds at first, after up
to 15 while nothing changes. Lost streams come back at random times, so that a restarted server is not overrun. Without
HTTP/2, a browser has six connections to a server: four of its windows have streams, and the others poll.
"""
