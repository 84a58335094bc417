"""The pages of a table of every installed game: the tests of `scorekeeper.testing`."""

from scorekeeper.testing.test_pages import *  # noqa: F403  # its tests, for pytest to collect here
