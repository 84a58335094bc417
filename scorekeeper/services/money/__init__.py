"""Money: what is open between people, the payments that clear it, and what settlements took over."""
