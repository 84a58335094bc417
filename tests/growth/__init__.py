"""How the cost of pages grows with what a circle has."""
