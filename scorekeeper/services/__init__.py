"""Use cases. They own the transactions: nothing else in the app commits."""
