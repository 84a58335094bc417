"""Tests of any installed game: `pytest --pyargs scorekeeper.testing --game SLUG`."""
