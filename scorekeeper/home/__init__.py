"""The front page, help and rules, samples."""
