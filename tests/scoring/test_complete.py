"""Every installed game is complete, and its cases hold: the tests of `scorekeeper.testing`."""

from scorekeeper.testing.test_complete import *  # noqa: F403  # its tests, for pytest to collect here
