"""A table: opening it, writing its facts, its details, and what is read of it."""
