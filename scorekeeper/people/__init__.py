"""People: their names, merging and erasing them, how they want to be paid."""
