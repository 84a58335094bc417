"""Reading again what is followed, for messages that have not reached this process."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from .hub import Access, Hub
from .messages import Message


class Reader:
    """Reads what a hub's streams follow. Both functions it is given read in a transaction of their own.

    `numbers_of` returns the messages about tables and events, by their tokens; `followers_with_access` those who
    may still read what they follow.
    """

    def __init__(
        self,
        hub: Hub,
        numbers_of: Callable[[Collection[str]], Iterable[Message]],
        followers_with_access: Callable[[Collection[Access]], Collection[Access]],
    ) -> None:
        self._hub, self._numbers_of, self._followers_with_access = hub, numbers_of, followers_with_access

    def read_numbers(self) -> None:
        """Publish where the followed tables and events are.

        If one is behind what has been published, or gone, a backup has been restored or a standby without the last
        entries has taken over. Its streams are closed, so that the pages begin with what there is now.
        """
        before = self._hub.newest()
        messages = list(self._numbers_of(before))
        self._hub.publish(messages)
        found = {(message.topic, message.event): message.number for message in messages}
        self._hub.close_topics(
            {
                token
                for token, numbers in before.items()
                if any(found.get((token, event), -1) < number for event, number in numbers.items())
            }
        )

    def read_access(self) -> bool:
        """Close the streams of followers that no longer have access.

        Returns False if the access of some was just being checked, perhaps before it ended: read it again soon.
        """
        followers = {stream.access for stream in self._hub.streams()}
        known = {follower for follower in followers if follower is not None}
        self._hub.close_followers(known.difference(self._followers_with_access(known)))
        return None not in followers
