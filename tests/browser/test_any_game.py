"""An evening of every installed game on a phone: the test of `scorekeeper.testing`."""

from scorekeeper.testing.test_evening import *  # noqa: F403  # its test, for pytest to collect here
