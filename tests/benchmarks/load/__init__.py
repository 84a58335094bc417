"""What one machine carries: tables of four phones, an entry at fixed intervals, at a real server.

The clients run on the same machine. They follow their table by a stream, as static/js/live.js does, or by polling each
1.5 seconds.
"""
