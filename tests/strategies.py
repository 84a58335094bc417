"""Hypothesis strategies for sheets of any game, as the tests of any game use them."""

from scorekeeper.testing.strategies import NAMES, adjustments, deals, game_of, opened, sheets, tapped

__all__ = ["NAMES", "adjustments", "deals", "game_of", "opened", "sheets", "tapped"]
