"""The laws of every installed game: those of `scorekeeper.testing`."""

from scorekeeper.testing.test_laws import *  # noqa: F403  # its tests, for pytest to collect here
