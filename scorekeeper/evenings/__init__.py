"""Evenings: who is here, turns, evenings to come and past ones."""
