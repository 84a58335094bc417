"""What scoring is, whatever the game: facts in, entries and a standing out. Knows no web and no database."""
