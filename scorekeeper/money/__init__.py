"""Money: what is open, and payments."""
