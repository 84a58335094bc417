"""Pages of seasons: their table, the form, handicaps and trophies."""
