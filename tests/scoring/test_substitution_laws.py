"""The laws of substitutions in every installed game: those of `scorekeeper.testing`."""

from scorekeeper.testing.test_substitutes import *  # noqa: F403  # its tests, for pytest to collect here
