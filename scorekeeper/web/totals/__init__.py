"""Pages of totals: statistics and standings of a circle and its players."""
