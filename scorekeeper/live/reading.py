"""Reading again what is followed, for messages that have not reached this process."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from .hub import Hub
from .messages import Message


class Reader:
    """Reads what a hub's streams follow. Both functions it is given read in a transaction of their own.

    `numbers_of` returns the messages about tables, by their tokens; `browsers_with_access` those of some browsers that
    may still read their circle.
    """

    def __init__(
        self,
        hub: Hub,
        numbers_of: Callable[[Collection[str]], Iterable[Message]],
        browsers_with_access: Callable[[Collection[int]], Collection[int]],
    ) -> None:
        self._hub, self._numbers_of, self._browsers_with_access = hub, numbers_of, browsers_with_access

    def read_numbers(self) -> None:
        """Publish where the followed tables are.

        If one is behind what has been published, or gone, a backup has been restored or a standby without the last
        entries has taken over. Its streams are closed, so that the pages begin with what there is now.
        """
        before = self._hub.newest()
        messages = list(self._numbers_of(before))
        self._hub.publish(messages)
        found = {(message.topic, message.event): message.number for message in messages}
        self._hub.close_tables(
            {
                table
                for table, numbers in before.items()
                if any(found.get((table, event), -1) < number for event, number in numbers.items())
            }
        )

    def read_access(self) -> bool:
        """Close the streams of browsers that no longer have access.

        Returns False if the access of some was just being checked, perhaps before it ended: read it again soon.
        """
        browsers = {stream.browser_id for stream in self._hub.streams()}
        known = {browser for browser in browsers if browser is not None}
        self._hub.close_browsers(known.difference(self._browsers_with_access(known)))
        return None not in browsers
