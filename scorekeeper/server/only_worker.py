"""A worker in the first process."""

from __future__ import annotations

import signal

from gunicorn import systemd

from .worker import Worker


class OnlyWorker(Worker):
    """A worker that nothing watches but what started it."""

    def run(self) -> None:
        """Tell systemd that requests are answered, if it wants to know, and accept connections until stopped."""
        systemd.sd_notify("READY=1", self.log)
        super().run()

    def notify(self) -> None:
        """Show nobody that the worker lives."""

    def init_signals(self) -> None:
        """Have Ctrl-C and a closed terminal stop the worker as SIGTERM does, and a second Ctrl-C at once."""
        hang_up = signal.getsignal(signal.SIGHUP)
        super().init_signals()
        signal.signal(signal.SIGINT, self._handle_interrupt)
        signal.signal(signal.SIGHUP, signal.SIG_IGN if hang_up is signal.SIG_IGN else self.handle_exit)  # for `nohup`

    def _handle_interrupt(self, sig: int, frame: object) -> None:
        (self.handle_exit if self.alive else self.handle_quit)(sig, frame)
