"""Notices: their kinds, which of them each phone has chosen, and who receives them."""
