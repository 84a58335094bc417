"""Seasons: which evenings belong together, what counts, handicaps, and the table that follows from the tables."""
