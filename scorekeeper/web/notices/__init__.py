"""Views of notices, and sending them."""
