"""Pages of people: their names, who is here tonight, and the search of their tables."""
