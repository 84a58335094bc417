"""Pages of a table: the pad, corrections, its history and explanations, seats, and the recap to share."""
