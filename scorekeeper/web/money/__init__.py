"""Pages of money: what is open, payments, how people are paid."""
